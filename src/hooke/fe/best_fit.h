#pragma once
#include <Eigen/LU>

#include "hooke/math/dense.h"

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
  BestFit(const Mat3& H, const Mat3& rotation) : R(rotation), S(H * R.transpose()) {
    inverse_A = (S.trace() * identity3 - S).inverse();
  }

  /// Of a point with weight w at X.
  Mat3 turn(double w, const Vec3& X) const { return inverse_A * (w * hat(R * X)); }

  /// The polar factor, by Newton's iteration R <- (R + R^-T)/2. Adding a multiple of the cofactors of H
  /// changes its singular values but not the factor, and supplies the direction that points in a plane lack.
  static Mat3 rotation_of(const Mat3& H) {
    const double size = H.norm();
    Mat3 Q = H / size;
    Q += cofactors(Q);
    for (int iteration = 0; iteration < 30; ++iteration) {
      const double det = Q.determinant();
      if (!(det > 1e-12)) break;
      const double scale = std::cbrt(det);
      const Mat3 next = 0.5 * (Q / scale + cofactors(Q) * (scale / det));
      const double change = (next - Q).squaredNorm();
      Q = next;
      if (change < 1e-30) return Q;
    }
    return nearest_rotation(H);  // turned inside out
  }

  /// Adds factor d(Omega^T mu)/dx at constant mu; Omega is 3 x 3n, for n points with these weights and arms.
  void add_moment_gradient(const Vec3& mu, double factor, const auto& Omega, const auto& weights,
                           const auto& arms, auto&& K) const {
    const int n = static_cast<int>(arms.cols());
    const Vec3 lambda = inverse_A * mu;
    const Mat3 turning = hat(S * lambda);
    for (int i = 0; i < n; ++i) {
      const Mat3 Omega_i = Omega.template middleCols<3>(3 * i);
      const Mat3 right = weights[i] * hat(lambda.cross(Vec3(arms.col(i)))) - turning * Omega_i;
      for (int j = 0; j < n; ++j) {
        const Vec3 a = arms.col(j);
        const Mat3 left = lambda.dot(a) * identity3 - a * lambda.transpose();
        K.template block<3, 3>(3 * j, 3 * i) +=
            factor * (weights[j] * left * Omega_i + Omega.template middleCols<3>(3 * j).transpose() * right);
      }
    }
  }

  /// d(Omega v)/dx at constant v; S_v = sum w_i v_i a_i^T.
  Mat3 spin_gradient(const Mat3& S_v, const Vec3& omega, double w, const Vec3& arm,
                     const Mat3& Omega_i) const {
    return inverse_A * ((S_v.transpose() - S_v.trace() * identity3 + S * hat(omega)) * Omega_i +
                        w * (arm.dot(omega) * identity3 - omega * arm.transpose()));
  }

 private:
  static Mat3 cofactors(const Mat3& A) {
    Mat3 C;
    C << A.col(1).cross(A.col(2)), A.col(2).cross(A.col(0)), A.col(0).cross(A.col(1));
    return C;
  }
};

}  // namespace hooke
