#pragma once
#include <array>
#include <span>
#include <vector>

#include "hooke/frames/frame.h"

namespace hooke {

/// How contacts press on a surface of a solid, from the forces on its nodes. A constant pressure p makes the force p A_k on node k, with the
/// part A_k of the deformed faces that its shape function weighs; so p_k = -f_k . A_k / |A_k|^2, and over a plane surface sum p_k |A_k| is
/// the force along its normal. Middle nodes are shared between the corners beside them, which alone have a pressure: of a face
/// of six nodes those at the corners carry nothing, of one of eight less than nothing.
class ContactPressure {
 public:
  struct SolidNode {
    int body, node;
  };
  struct Node {
    int frame;                      ///< that the forces act on
    std::vector<SolidNode> copies;  ///< more than one where components meet
  };
  struct Middle {
    int node;
    std::array<int, 2> ends;
  };
  std::vector<Node> nodes;
  std::vector<Middle> middles;
  std::vector<std::array<int, 4>>
      faces;  ///< corners, seen from outside anticlockwise; the fourth is -1 of a triangle

  /// The pressures on nodes of solids, Pa, of each body; where two surfaces share a node the larger one. `forces`: on each frame.
  void find(std::span<const Vec3> forces, std::span<const std::vector<FramePose>> places,
            std::vector<std::vector<double>>& pressure) const;
};

}  // namespace hooke
