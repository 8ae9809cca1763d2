#pragma once
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

// Indexed views of Eigen copy their list of indices, which takes memory.

inline void pick(const VectorX& from, const std::vector<int>& entries, VectorX& to) {
  for (std::size_t i = 0; i < entries.size(); ++i) to[static_cast<Eigen::Index>(i)] = from[entries[i]];
}
inline void put(const VectorX& from, const std::vector<int>& entries, VectorX& to) {
  for (std::size_t i = 0; i < entries.size(); ++i) to[entries[i]] = from[static_cast<Eigen::Index>(i)];
}

}  // namespace hooke
