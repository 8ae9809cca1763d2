#pragma once
#include <array>

#include "hooke/math/types.h"

/// A frame is the only thing joints and forces ever see of a body.
///
/// A body writes each frame attached to it into the frame table once per state: where it is (pose), how it
/// moves (twist), how its motion depends on the body's own velocities (Jacobian) and what acceleration is
/// left when those velocities are constant (bias). Everything here is in world components, taken at the
/// frame's origin, linear part first:
///
///   motion  (dp_W, dtheta_W)   with R <- exp(dtheta_W) R
///   twist   (v_W, omega_W)     = J * (velocities of the body)
///   wrench  (force_W, moment_W)  so that power = twist . wrench and generalised force = J^T wrench
namespace hooke {

struct FramePose {
  Mat3 R = Mat3::Identity();  ///< R_WF
  Vec3 p = Vec3::Zero();      ///< p_WF
};

/// The pose of a frame C given in B, seen from where B is given: X_AC = X_AB * X_BC.
inline FramePose operator*(const FramePose& X_AB, const FramePose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

inline FramePose inverse(const FramePose& X_AB) {
  return {X_AB.R.transpose(), -(X_AB.R.transpose() * X_AB.p)};
}

using FrameTwist = Vec6;
using FrameWrench = Vec6;

/// What a function of N frames may look at.
template <int N>
struct FrameInputs {
  std::array<const FramePose*, N> pose;
  std::array<const FrameTwist*, N> twist;
  /// What is remembered of each angle this item follows over full turns (see frames/coordinates.h).
  const double* memory = nullptr;
  double t = 0;
};

}  // namespace hooke
