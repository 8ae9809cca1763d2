#pragma once
#include <string>
#include <string_view>

#include "hooke/io/mesh/mesh_file.h"

namespace hooke {

/// All triangles of a glTF 2.0 file (.glb, or .gltf with its bytes inside or in one file beside it), each mesh
/// where the nodes of the file put it. Throws Error (ExitCode::file) when it is none, or uses compressed,
/// sparse or far away data.
TriangleMesh parse_glb(std::string_view bytes, const std::string& path);

}  // namespace hooke
