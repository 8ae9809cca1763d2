#pragma once
#include "hooke/fe/mesh.h"

namespace hooke {

/// The node in the middle of each two corners.
std::map<std::pair<int, int>, int> middles_of(const SolidMesh& mesh);

/// The faces of the boundary, in triangles, seen from outside anticlockwise; where sides have middle nodes, between these, too.
std::vector<std::array<int, 3>> boundary_triangles(const SolidMesh& mesh);

}  // namespace hooke
