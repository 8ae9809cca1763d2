#pragma once
#include <array>
#include <string_view>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// A coordinate is held where it was when the row was switched on:  g = c(A, B) - c_held          (1 row, unit of c)
///
/// While the row is off its memory follows the coordinate, over full turns; from then on what it remembers is c_held. A
/// stop has a place of its own instead: the memory is set to it.
template <Coordinate C>
struct CoordinateLock {
  static constexpr std::string_view name = "lock";
  static constexpr int frames = 2;
  static constexpr int rows = 1;
  static constexpr int memory = angle_memory;
  static constexpr bool holds_memory = true;  ///< it is followed only while the row is off
  static constexpr std::array<const char*, rows> labels() {
    return {C::periodic ? "locking moment" : "locking force"};
  }
  static constexpr std::array needs_orientation = C::needs_orientation;

  C coordinate;

  void evaluate(const FrameInputs<2>& in, Rows<1>& out) const {
    const FramePose &A = *in.pose[0], &B = *in.pose[1];
    const double held = in.memory ? in.memory[0] : 0;
    out.g[0] = C::nearest(coordinate.value(A, B), held) - held;
    out.G = coordinate.gradient(A, B).transpose();
  }
  void add_stiffness(const FrameInputs<2>& in, const Eigen::Matrix<double, 1, 1>& lambda, Mat12& H) const {
    coordinate.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
  }
  void track(const FrameInputs<2>& in, double* held) const {
    follow(coordinate, *in.pose[0], *in.pose[1], *in.twist[0], *in.twist[1], in.t, held);
  }
};

}  // namespace hooke
