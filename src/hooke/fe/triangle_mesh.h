#pragma once
#include <array>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// A surface for pictures.
struct TriangleMesh {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
};

}  // namespace hooke
