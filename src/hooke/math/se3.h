#pragma once

// Rigid motions H = [R p; 0 1], with twists ordered (linear, angular); the conventions are those of so3.h: H = exp(y).

#include "hooke/math/so3.h"

namespace hooke {

/// A rigid motion: points go to R x + p.
struct RigidMotion {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
};

/// exp of the twist (v, w):  R = exp(w),  p = T(w)^T v.
inline RigidMotion exp_se3(const Vec6& y) {
  return {exp_so3(y.tail<3>()), left_tangent_so3(y.tail<3>()) * y.head<3>()};
}

}  // namespace hooke
