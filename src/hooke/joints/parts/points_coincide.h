#pragma once
#include <array>

#include "hooke/frames/constraint.h"

namespace hooke {

/// The origins coincide:  g = p_B - p_A  in world components            (3 rows, m)
///   dg = dp_B - dp_A,   no second derivative
/// The multiplier is the force that B exerts on A. Haug (1989), 9.4: the spherical primitive.
struct PointsCoincide {
  static constexpr int rows = 3;
  static constexpr bool flat = true;
  static constexpr std::array needs_orientation{false, false};
  static constexpr std::array labels{"force along world x", "force along world y", "force along world z"};

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    g = in.pose[1]->p - in.pose[0]->p;
    G.setZero();
    G.template leftCols<3>().diagonal().setConstant(-1);
    G.template middleCols<3>(6).diagonal().setOnes();
  }
};

}  // namespace hooke
