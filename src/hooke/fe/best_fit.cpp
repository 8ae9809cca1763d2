#include "hooke/fe/best_fit.h"

#include <Eigen/LU>

#include "hooke/fe/polar.h"
#include "hooke/math/dense.h"

namespace hooke {
BestFit::BestFit(const Mat3& H, const Mat3& rotation) : R(rotation), S(H * R.transpose()) {
  inverse_A = (S.trace() * identity3 - S).inverse();
}

Mat3 BestFit::rotation_of(const Mat3& H) {
  Mat3 R;
  return find_rotation(H, R) ? R : nearest_rotation(H);
}

void BestFit::add_moment_gradient(const Vec3& mu, double factor, const Eigen::Ref<const Mat3X>& Omega,
                                  double weight, const Eigen::Ref<const Mat3X>& arms,
                                  Eigen::Ref<MatrixX> K) const {
  const int n = static_cast<int>(arms.cols());
  const Vec3 lambda = inverse_A * mu;
  const Mat3 turning = hat(S * lambda);
  for (int i = 0; i < n; ++i) {
    const Mat3 Omega_i = Omega.middleCols<3>(3 * i);
    const Mat3 right = weight * hat(lambda.cross(Vec3(arms.col(i)))) - turning * Omega_i;
    for (int j = 0; j < n; ++j) {
      const Vec3 a = arms.col(j);
      const Mat3 left = lambda.dot(a) * identity3 - a * lambda.transpose();
      K.block<3, 3>(3 * j, 3 * i) +=
          factor * (weight * left * Omega_i + Omega.middleCols<3>(3 * j).transpose() * right);
    }
  }
}

Mat3 BestFit::spin_gradient(const Mat3& S_v, const Vec3& omega, double w, const Vec3& arm,
                            const Mat3& Omega_i) const {
  return inverse_A * ((S_v.transpose() - S_v.trace() * identity3 + S * hat(omega)) * Omega_i +
                      w * (arm.dot(omega) * identity3 - omega * arm.transpose()));
}

}  // namespace hooke
