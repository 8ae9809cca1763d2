#pragma once
#include <array>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// The origin of B stays in the plane through the origin of A normal to its axis a:
///   g = a_W . (p_B - p_A)                                              (1 row, m)
/// The multiplier is the force along a that B exerts on A. Haug (1989), 9.4: the dot-2 primitive.
template <Axis a>
struct PointInPlane {
  static constexpr int rows = 1;
  static constexpr bool flat = false;
  static constexpr std::array needs_orientation = Displacement::needs_orientation;
  static constexpr std::array labels{
      std::array{"force along x", "force along y", "force along z"}[static_cast<int>(a)]};

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    g[0] = Displacement{a}.value(*in.pose[0], *in.pose[1]);
    G = Displacement{a}.gradient(*in.pose[0], *in.pose[1]).transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const auto& lambda, Mat12& H) const {
    Displacement{a}.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
  }
};

}  // namespace hooke
