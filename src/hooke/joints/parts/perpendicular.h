#pragma once
#include <array>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// Axis a of frame A stays perpendicular to axis b of frame B:  g = a_W . b_W            (1 row, no unit)
///   dg = n . (dtheta_A - dtheta_B),   n = a_W x b_W          so G_A = [0, n^T], G_B = [0, -n^T]
/// The multiplier is the moment about n that A exerts on B. For H see add_dot_hessian.
/// Haug (1989), 9.4: the dot-1 primitive.
template <Axis a, Axis b>
struct Perpendicular {
  static constexpr int rows = 1;
  static constexpr bool flat = false;
  static constexpr std::array needs_orientation{true, true};
  static constexpr std::array labels{std::array{
      "moment about x", "moment about y", "moment about z",
      "moment about the common normal"}[a == b ? 3 : 3 - static_cast<int>(a) - static_cast<int>(b)]};

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    const Vec3 a_W = axis_W(*in.pose[0], a), b_W = axis_W(*in.pose[1], b), n_W = a_W.cross(b_W);
    g[0] = a_W.dot(b_W);
    G << zero3.transpose(), n_W.transpose(), zero3.transpose(), -n_W.transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const auto& lambda, Mat12& H) const {
    add_dot_hessian(axis_W(*in.pose[0], a), axis_W(*in.pose[1], b), lambda[0], H);
  }
};

}  // namespace hooke
