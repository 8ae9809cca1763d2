#pragma once
#include <array>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// The origins keep their distance, as if held by a massless rod:  g = |p_B - p_A| - length        (1 row, m)
/// The multiplier is the tension of the rod.
struct DistanceIs {
  static constexpr int rows = 1;
  static constexpr bool flat = false;
  static constexpr std::array needs_orientation = Distance::needs_orientation;
  static constexpr std::array labels{"force along the line between the points"};
  double length = 1;

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    g[0] = Distance{}.value(*in.pose[0], *in.pose[1]) - length;
    G = Distance{}.gradient(*in.pose[0], *in.pose[1]).transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const auto& lambda, Mat12& H) const {
    Distance{}.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
  }
};

}  // namespace hooke
