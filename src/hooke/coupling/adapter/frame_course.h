#pragma once
#include <optional>

#include "hooke/frames/frame.h"

namespace hooke {

struct FrameMotion {
  FramePose pose;
  Vec6 twist = Vec6::Zero(), acceleration = Vec6::Zero();  ///< world components
};

/// A frame's motion as numbers: place, quaternion; twist; acceleration (coupling/force_displacement.h).
constexpr int frame_positions = 7, frame_rates = 6, frame_motions = 19;
/// The quaternion has two signs; the one nearer to what `numbers` holds is taken.
void write_motion(const FrameMotion& motion, Eigen::Ref<VectorX> numbers);
FrameMotion read_motion(const Eigen::Ref<const VectorX>& numbers);

/// How a frame moves over a macro step: place and quaternion follow polynomials, which makes the orientation
/// smooth whatever length the quaternion has between the points it was given at; or the motion at a moment,
/// held.
struct FrameCourse {
  Eigen::Matrix<double, frame_positions, 4> coefficients;  ///< of powers of tau = (t - start)/h
  double start = 0, h = 1;
  std::optional<FrameMotion> held;

  void motion(double t, FramePose& pose, Vec6& twist, Vec6& acceleration) const;
};

/// A wrench likewise.
struct WrenchCourse {
  Eigen::Matrix<double, 6, 4> coefficients = Eigen::Matrix<double, 6, 4>::Zero();
  double start = 0, h = 1;

  Vec6 wrench(double t) const;
};

}  // namespace hooke
