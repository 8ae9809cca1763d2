#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "hooke/catalog/solid_settings.h"
#include "hooke/fe/solid_element.h"

namespace hooke {

/// Solid elements of a file with the node sets and materials that go with them. SolidMesh::Element::material
/// counts in `materials`, which has one without numbers where the file says nothing of it.
struct SolidMeshFile {
  struct NamedMaterial {
    std::string name;
    std::optional<SolidMaterial> values;
  };
  SolidMesh mesh;
  std::vector<NamedMaterial> materials;
};

/// By the ending of its name:
///   .msh             gmsh 2.2 and 4.1, text and binary; physical groups are node sets, those of volumes materials
///   .inp             Abaqus: *NODE, *ELEMENT (C3D4, C3D8, C3D10, C3D20), *NSET, *ELSET, *SOLID SECTION, *MATERIAL
///   .bdf .nas .dat   Nastran bulk data: GRID, CTETRA, CHEXA, PSOLID, MAT1; SPC1 are node sets spc1, spc2, ...
///   .vtu             VTK, text or base64; whole-number point data is a node set where it is not 0, cell data
///                    `material`
/// Elements of lines and faces, and nodes of no solid element, are left out. Throws Error (ExitCode::file)
/// with the line.
SolidMeshFile read_solid_mesh(const std::string& path);
/// The same for the contents of a file.
SolidMeshFile parse_solid_mesh(std::string_view contents, const std::string& path);

/// The mesh and the materials that the settings name, from the file at `path`.
void read_mesh(const std::string& path, MeshFile& settings);

}  // namespace hooke
