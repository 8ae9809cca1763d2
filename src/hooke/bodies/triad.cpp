#include "hooke/bodies/triad.h"

namespace hooke {

Triad::Triad(const Vec3& b, const Vec3& c, X x)
    : b_(b), c_(c), D_(b.cross(c).norm()), share_b_(x == X::along_b ? 1 : 0.5) {
  const Vec3 e3 = b.cross(c) / D_;
  const Vec3 middle = (b.normalized() + c.normalized()).normalized();
  const Vec3 e1 = x == X::along_b ? b.normalized() : Vec3(std::sqrt(0.5) * (middle + middle.cross(e3)));
  R << e1, e3.cross(e1), e3;
  Omega << (share_b_ / b.squaredNorm()) * e3 * e3.cross(b).transpose() - c / D_ * e3.transpose(),
      ((1 - share_b_) / c.squaredNorm()) * e3 * e3.cross(c).transpose() + b / D_ * e3.transpose();
}

Mat6 Triad::moment_gradient(const Vec3& mu) const {
  using Row = Eigen::Matrix<double, 1, 6>;
  const Vec3 e3 = R.col(2);
  const Mat36 of_e3 = -hat(e3) * Omega;
  const Row of_m = mu.transpose() * of_e3;  // m = e3.mu
  Row of_D;
  of_D << c_.cross(e3).transpose(), e3.cross(b_).transpose();
  // what tilts, e3 (x.mu)/D of x = -c or b, with d(x.mu) = of_x
  const auto tilt = [&](const Vec3& x, const Row& of_x) -> Mat36 {
    return (x.dot(mu) * of_e3 + e3 * (of_x - x.dot(mu) / D_ * of_D)) / D_;
  };
  // what twists, share (e3 x y) m/y^2 of y = b or c, whose columns begin at `first`
  const auto twist = [&](const Vec3& y, int first) -> Mat36 {
    const double f = (first == 0 ? share_b_ : 1 - share_b_) / y.squaredNorm(), m = e3.dot(mu);
    Mat36 D = f * (e3.cross(y) * of_m - m * hat(y) * of_e3);
    D.middleCols<3>(first) += f * m * (hat(e3) - 2 / y.squaredNorm() * e3.cross(y) * y.transpose());
    return D;
  };
  Row of_b = Row::Zero(), of_c = Row::Zero();
  of_b.head<3>() = mu.transpose();
  of_c.tail<3>() = mu.transpose();
  Mat6 D;
  D << tilt(-c_, -of_c) + twist(b_, 0), tilt(b_, of_b) + twist(c_, 3);
  return D;
}

Mat36 Triad::spin_gradient(const Vec6& rates) const {
  Mat36 D;
  for (int i = 0; i < 3; ++i) D.row(i) = rates.transpose() * moment_gradient(Vec3::Unit(i));
  return D;
}

Triad triad(const Eigen::Ref<const Mat3X>& points, const std::array<int, 3>& of) {
  return {points.col(of[1]) - points.col(of[0]), points.col(of[2]) - points.col(of[0]), Triad::X::along_b};
}

}  // namespace hooke
