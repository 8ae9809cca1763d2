#pragma once
#include <string>
#include <string_view>

#include "io/mesh_file.h"

namespace hooke {

/// All triangles of a binary glTF 2.0 file (.glb), each mesh where the nodes of the file put it. Throws Error
/// (ExitCode::file) when it is none, or uses compressed, sparse or outside data.
TriangleMesh parse_glb(std::string_view bytes, const std::string& path);

}  // namespace hooke
