#pragma once
#include "hooke/math/types.h"

namespace hooke {

/// The rotation that best takes points X_i (from their weighted mean) to x_i: least sum of
/// w_i |x_i - c - R X_i|^2, which is the polar factor of H = sum w_i x_i X_i^T. All that follows is in world
/// components, with a_i = R X_i:
///
///   sum w_i a_i x x_i = 0,       S = sum w_i x_i a_i^T = H R^T (symmetric),       A = tr(S) I - S
///   omega = sum Omega_i v_i,     Omega_i = w_i A^-1 hat(a_i)
///
/// The second derivatives follow from the first line in the same way, with da_i = omega x a_i.
struct BestFit {
  Mat3 R, S, inverse_A;

  explicit BestFit(const Mat3& H) : BestFit(H, rotation_of(H)) {}
  BestFit(const Mat3& H, const Mat3& rotation);

  /// Of a point with weight w at X.
  Mat3 turn(double w, const Vec3& X) const { return inverse_A * (w * hat(R * X)); }

  /// The polar factor (`fe/polar.h`); where H is turned inside out, by its singular values.
  static Mat3 rotation_of(const Mat3& H);

  /// Adds factor d(Omega^T mu)/dx at constant mu; Omega is 3 x 3n, for n points of equal weight with these
  /// arms.
  void add_moment_gradient(const Vec3& mu, double factor, const Eigen::Ref<const Mat3X>& Omega, double weight,
                           const Eigen::Ref<const Mat3X>& arms, Eigen::Ref<MatrixX> K) const;

  /// d(Omega v)/dx at constant v; S_v = sum w_i v_i a_i^T.
  Mat3 spin_gradient(const Mat3& S_v, const Vec3& omega, double w, const Vec3& arm,
                     const Mat3& Omega_i) const;
};

}  // namespace hooke
