#include "hooke/io/mesh/solid_mesh_file.h"

#include <algorithm>
#include <filesystem>

#include "hooke/io/document/text_file.h"
#include "hooke/io/mesh/solid_mesh_builder.h"

namespace hooke {

SolidMeshFile read_solid_mesh(const std::string& path) {
  return parse_solid_mesh(read_text_file(path), path);
}

SolidMeshFile parse_solid_mesh(std::string_view contents, const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (ending == ".msh") return parse_gmsh(contents, path);
  if (ending == ".inp") return parse_abaqus(contents, path);
  if (ending == ".bdf" || ending == ".nas" || ending == ".dat") return parse_nastran(contents, path);
  if (ending == ".vtu") return parse_vtu(contents, path);
  fail_mesh(path,
            "its name should end in .msh (gmsh), .inp (Abaqus), .bdf, .nas or .dat (Nastran), or .vtu (VTK)");
}

void read_mesh(const std::string& path, MeshFile& settings) {
  SolidMeshFile file = read_solid_mesh(path);
  settings.mesh = std::make_shared<const SolidMesh>(std::move(file.mesh));
  settings.materials.clear();
  for (const auto& material : file.materials) settings.materials.emplace_back(material.name, material.values);
}

}  // namespace hooke
