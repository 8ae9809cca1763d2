#pragma once
#include <string>
#include <string_view>

#include "hooke/fe/triangle_mesh.h"

namespace hooke {

/// Triangles of an STL (text or binary), OBJ or glTF (.glb, .gltf) file; polygons of an OBJ file are cut into
/// triangles. Throws Error (ExitCode::file) when the file cannot be read or holds none.
TriangleMesh read_mesh_file(const std::string& path);

/// The same for the contents of a file; `path` tells the format and is what messages call it.
TriangleMesh parse_mesh(std::string_view contents, const std::string& path);

}  // namespace hooke
