#pragma once
#include <vector>

namespace hooke::gpu {

/// A dense matrix of the elimination: its own nodes are eliminated there, its border nodes by fronts above it.
struct Front {
  int parent = -1;
  int depth = 0, height = 0;  ///< from the root of its tree, and above the lowest leaf under it
  int first = 0, count = 0;   ///< own nodes, in the order of elimination
  std::vector<int> border;    ///< ascending, likewise
  std::vector<int> children;
  int own_dofs() const { return 3 * count; }
  int border_dofs() const { return 3 * static_cast<int>(border.size()); }
};

}  // namespace hooke::gpu
