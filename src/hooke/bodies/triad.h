#pragma once
#include <array>

#include "hooke/math/types.h"

namespace hooke {

/// The orientation of a section spanned by two vectors b and c that need be neither of unit length nor
/// perpendicular: z along b x c, and x along b, or x and y evenly between b and c. It turns with
///
///   omega = Omega (b', c') = (b (e3.c') - c (e3.b'))/D + e3 (s_b (e3 x b).b'/b^2 + s_c (e3 x c).c'/c^2)
///
/// where D = |b x c|. s_b and s_c are the shares of a moment about z that b and c carry: 1 and 0 for x along
/// b, 1/2 each for x and y between them.
struct Triad {
  enum class X { along_b, between };
  Mat3 R;
  Mat36 Omega;

  Triad(const Vec3& b, const Vec3& c, X x)
      : b_(b), c_(c), D_(b.cross(c).norm()), share_b_(x == X::along_b ? 1 : 0.5) {
    const Vec3 e3 = b.cross(c) / D_;
    const Vec3 middle = (b.normalized() + c.normalized()).normalized();
    const Vec3 e1 = x == X::along_b ? b.normalized() : Vec3(std::sqrt(0.5) * (middle + middle.cross(e3)));
    R << e1, e3.cross(e1), e3;
    Omega << (share_b_ / b.squaredNorm()) * e3 * e3.cross(b).transpose() - c / D_ * e3.transpose(),
        ((1 - share_b_) / c.squaredNorm()) * e3 * e3.cross(c).transpose() + b / D_ * e3.transpose();
  }

  /// d(Omega^T mu)/d(b, c) at constant mu.
  Mat6 moment_gradient(const Vec3& mu) const {
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

  /// d(Omega rates)/d(b, c) at constant rates.
  Mat36 spin_gradient(const Vec6& rates) const {
    Mat36 D;
    for (int i = 0; i < 3; ++i) D.row(i) = rates.transpose() * moment_gradient(Vec3::Unit(i));
    return D;
  }

 private:
  Vec3 b_, c_;
  double D_, share_b_;
};

/// Along three of some points (columns): x along the first to the second.
inline Triad triad(const auto& points, const std::array<int, 3>& of) {
  return {points.col(of[1]) - points.col(of[0]), points.col(of[2]) - points.col(of[0]), Triad::X::along_b};
}

}  // namespace hooke
