#pragma once
#include "math/types.h"

namespace hooke {

/// The orientation of a section spanned by two vectors b and c that need be neither of unit length nor
/// perpendicular: x along b, z along b x c. With beta = |b|, c = c1 e1 + c2 e2, it turns with
///
///   omega = Omega (b', c'),   omega_1 = (e3.c' - c1 e3.b'/beta)/c2,   omega_2 = -e3.b'/beta,   omega_3 =
///   e2.b'/beta
struct Triad {
  Mat3 R;
  Mat36 Omega;
  double beta, c1, c2;

  Triad(const Vec3& b, const Vec3& c) : beta(b.norm()) {
    const Vec3 e1 = b / beta, e3 = b.cross(c).normalized(), e2 = e3.cross(e1);
    R << e1, e2, e3;
    c1 = e1.dot(c);
    c2 = e2.dot(c);
    Omega << ((-c1 / (beta * c2)) * e1 - e2 / beta) * e3.transpose() + e3 / beta * e2.transpose(),
        e1 / c2 * e3.transpose();
  }

  /// d(Omega^T mu)/d(b, c) at constant mu.
  Mat6 moment_gradient(const Vec3& mu) const {
    using Row = Eigen::Matrix<double, 1, 6>;
    const Vec3 e1 = R.col(0), e2 = R.col(1), e3 = R.col(2), m = R.transpose() * mu;
    const Row of_3 = e3.transpose() * Omega;
    Row of_beta, of_c1 = c2 * of_3, of_c2 = -c1 * of_3;
    of_beta << e1.transpose(), Eigen::RowVector3d::Zero();
    of_c1.tail<3>() += e1.transpose();
    of_c2.tail<3>() += e2.transpose();
    const Mat36 of_m = R.transpose() * hat(mu) * Omega;  // of the components of mu in the triad
    // Omega^T mu = (alpha e3 + gamma e2, delta e3)
    const double alpha = -(c1 / c2 * m[0] + m[1]) / beta, gamma = m[2] / beta, delta = m[0] / c2;
    const Row of_alpha = (-m[0] / c2 * of_c1 + c1 * m[0] / (c2 * c2) * of_c2 - c1 / c2 * of_m.row(0) -
                          of_m.row(1) - alpha * of_beta) /
                         beta;
    const Row of_gamma = (of_m.row(2) - gamma * of_beta) / beta,
              of_delta = (of_m.row(0) - delta * of_c2) / c2;
    Mat6 D;
    D << e3 * of_alpha + e2 * of_gamma - (alpha * hat(e3) + gamma * hat(e2)) * Omega,
        e3 * of_delta - delta * hat(e3) * Omega;
    return D;
  }

  /// d(Omega rates)/d(b, c) at constant rates.
  Mat36 spin_gradient(const Vec6& rates) const {
    Mat36 D;
    for (int i = 0; i < 3; ++i) D.row(i) = rates.transpose() * moment_gradient(Vec3::Unit(i));
    return D;
  }
};

}  // namespace hooke
