#pragma once
#include <array>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// B advances along z_A as it turns about it:  g = z_A . (p_B - p_A) - pitch phi / (2 pi)        (1 row, m)
/// phi is followed over any number of turns, see coordinates.h, from those before the start on. A negative pitch is a left-handed thread.
struct Thread {
  static constexpr int rows = 1;
  static constexpr int memory = angle_memory;
  static constexpr bool flat = false;
  static constexpr std::array needs_orientation{true, true};
  static constexpr std::array labels{"force along the thread"};
  double pitch = 1e-3;
  double turns = 0;  ///< before the start, whole ones

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    const FramePose &A = *in.pose[0], &B = *in.pose[1];
    g[0] = advance.value(A, B) - lead() * continuous_value(turn, A, B, in.memory, in.t) - pitch * turns;
    G = (advance.gradient(A, B) - lead() * turn.gradient(A, B)).transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const auto& lambda, Mat12& H) const {
    advance.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
    turn.add_hessian(*in.pose[0], *in.pose[1], -lead() * lambda[0], H);
  }

  void track(const FrameInputs<2>& in, double* angle) const {
    follow(turn, *in.pose[0], *in.pose[1], *in.twist[0], *in.twist[1], in.t, angle);
  }

 private:
  static constexpr Displacement advance{Axis::z};
  static constexpr Angle turn = Angle::about_z();
  double lead() const { return pitch / (2 * std::numbers::pi); }
};

}  // namespace hooke
