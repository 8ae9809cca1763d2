#pragma once
#include <array>
#include <string_view>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"
#include "hooke/joints/joint.h"

namespace hooke {

/// Couples a coordinate of frames (0, 1) with one of frames (2, 3), usually those of two joints:
///   g = c1(f0, f1) + ratio c2(f2, f3) - offset                         (1 row, unit of c1)
/// The multiplier is minus the generalised force along c1. Angles are followed over any number of turns, see
/// coordinates.h. Teeth mesh as they were assembled with offset = value(in) of the initial frames.
template <FixedString Name, Coordinate First, Coordinate Second>
struct CoordinatePair {
  static constexpr std::string_view name = Name;
  static constexpr int frames = 4;
  static constexpr int rows = 1;
  static constexpr int memory = angle_memory * (First::periodic + Second::periodic);
  static constexpr std::array<const char*, rows> labels() { return {"force between the teeth"}; }
  static constexpr std::array needs_orientation{First::needs_orientation[0], First::needs_orientation[1],
                                                Second::needs_orientation[0], Second::needs_orientation[1]};

  First first;
  Second second;
  double ratio = 1;
  double offset = 0;

  /// c1 + ratio c2
  double value(const FrameInputs<4>& in) const { return value_1(in) + ratio * value_2(in); }

  void evaluate(const FrameInputs<4>& in, Rows<1, 4>& out) const {
    out.g[0] = value(in) - offset;
    out.G << first.gradient(*in.pose[0], *in.pose[1]).transpose(),
        ratio * second.gradient(*in.pose[2], *in.pose[3]).transpose();
  }

  void add_stiffness(const FrameInputs<4>& in, const Eigen::Matrix<double, 1, 1>& lambda,
                     Eigen::Matrix<double, 24, 24>& H) const {
    first.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H.topLeftCorner<12, 12>());
    second.add_hessian(*in.pose[2], *in.pose[3], ratio * lambda[0], H.bottomRightCorner<12, 12>());
  }

  void track(const FrameInputs<4>& in, double* angles) const requires(memory > 0) {
    if constexpr (First::periodic)
      follow(first, *in.pose[0], *in.pose[1], *in.twist[0], *in.twist[1], in.t, angles);
    if constexpr (Second::periodic)
      follow(second, *in.pose[2], *in.pose[3], *in.twist[2], *in.twist[3], in.t, angles + before_second);
  }

 private:
  static constexpr int before_second = First::periodic ? angle_memory : 0;
  double value_1(const FrameInputs<4>& in) const {
    return continuous_value(first, *in.pose[0], *in.pose[1], in.memory, in.t);
  }
  double value_2(const FrameInputs<4>& in) const {
    return continuous_value(second, *in.pose[2], *in.pose[3], in.memory ? in.memory + before_second : nullptr,
                            in.t);
  }
};

/// phi_1 + ratio phi_2 = constant: ratio = r_2 / r_1 for two outer gears on axes of the same sense.
using Gear = CoordinatePair<"gear", Angle, Angle>;

/// s + ratio phi = constant: |ratio| is the pitch radius of the pinion, in m.
using RackAndPinion = CoordinatePair<"rack-and-pinion", Displacement, Angle>;

}  // namespace hooke
