#pragma once

// Rigid motions H = [R p; 0 1] and their derivatives, with twists ordered (linear, angular).
//
// The conventions are those of so3.h: H = exp(y), and the right tangent T(y) y' = (R^T p', omega_body).
//
// On twists, ad(v, w) = [hat(w) hat(v); 0 hat(w)]. A block matrix of that shape is a dual number
// hat(w + eps v), and a function of it is its value and its derivative along v. So
//     T_SE3(v, w) = [ T(w)  DT(w)[v] ]
//                   [  0      T(w)   ]
// which holds for the inverse as well, and needs no coefficient that SO(3) does not have already.

#include "hooke/math/so3.h"

namespace hooke {

/// A rigid motion: points go to R x + p.
struct RigidMotion {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  RigidMotion operator*(const RigidMotion& other) const { return {R * other.R, R * other.p + p}; }
  Vec3 operator*(const Vec3& x) const { return R * x + p; }
  RigidMotion inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// exp of the twist (v, w):  R = exp(w),  p = T(w)^T v.
inline RigidMotion exp_se3(const Vec6& y) {
  return {exp_so3(y.tail<3>()), left_tangent_so3(y.tail<3>()) * y.head<3>()};
}

/// The twist with |angular| <= pi.
inline Vec6 log_se3(const RigidMotion& H) {
  const Vec3 w = log_so3(H.R);
  Vec6 y;
  y << inverse_left_tangent_so3(w) * H.p, w;
  return y;
}

namespace se3 {
inline Mat6 upper_triangular(const Mat3& diagonal, const Mat3& coupling) {
  Mat6 m;
  m << diagonal, coupling, zero33, diagonal;
  return m;
}
}  // namespace se3

/// Turns a twist given in the moved frame into one in the fixed frame.
inline Mat6 adjoint(const RigidMotion& H) { return se3::upper_triangular(H.R, hat(H.p) * H.R); }

/// ad(y) z, the commutator of two twists.
inline Mat6 ad(const Vec6& y) { return se3::upper_triangular(hat(y.tail<3>()), hat(y.head<3>())); }

inline Mat6 tangent_se3(const Vec6& y) {
  const Vec3 v = y.head<3>(), w = y.tail<3>();
  return se3::upper_triangular(tangent_so3(w), tangent_so3_along(w, v));
}

inline Mat6 inverse_tangent_se3(const Vec6& y) {
  const Vec3 v = y.head<3>(), w = y.tail<3>();
  return se3::upper_triangular(inverse_tangent_so3(w), inverse_tangent_so3_along(w, v));
}

inline Mat6 left_tangent_se3(const Vec6& y) { return tangent_se3(-y); }
inline Mat6 inverse_left_tangent_se3(const Vec6& y) { return inverse_tangent_se3(-y); }

}  // namespace hooke
