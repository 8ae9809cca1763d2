#include "hooke/contact/height_field.h"

#include <algorithm>
#include <cmath>

namespace hooke {
namespace {

/// Weights of four neighbours, and those of the first and second derivatives, s of the way from the second to the third.
struct Weights4 {
  Eigen::Vector4d w, d, dd;
  explicit Weights4(double s)
      : w(0.5 * Eigen::Vector4d(-s + 2 * s * s - s * s * s, 2 - 5 * s * s + 3 * s * s * s,
                                s + 4 * s * s - 3 * s * s * s, -s * s + s * s * s)),
        d(0.5 * Eigen::Vector4d(-1 + 4 * s - 3 * s * s, -10 * s + 9 * s * s, 1 + 8 * s - 9 * s * s,
                                -2 * s + 3 * s * s)),
        dd(0.5 * Eigen::Vector4d(4 - 6 * s, -10 + 18 * s, 8 - 18 * s, -2 + 6 * s)) {}
};

}  // namespace

HeightField::Height HeightField::over(const Vec2& x) const {
  const auto columns = static_cast<int>(heights_.cols()), rows = static_cast<int>(heights_.rows());
  // In units of the grid from its first point; far outside it is flat all the same.
  const auto place = [](double along, double spacing, int n) {
    return std::clamp(along / spacing + 0.5 * (n - 1), -4.0, n + 3.0);
  };
  const double u = place(x.x(), spacing_.x(), columns), v = place(x.y(), spacing_.y(), rows);
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  Eigen::Matrix4d z;
  for (int b = 0; b < 4; ++b)
    for (int a = 0; a < 4; ++a)
      z(b, a) = heights_(std::clamp(j + b - 1, 0, rows - 1), std::clamp(i + a - 1, 0, columns - 1));
  const Weights4 wx(u - i), wy(v - j);
  const Vec2 h = spacing_.cwiseInverse();
  const auto sum = [&](const Eigen::Vector4d& by, const Eigen::Vector4d& bx) { return by.dot(z * bx); };
  const double mixed = sum(wy.d, wx.d) * h.x() * h.y();
  return {sum(wy.w, wx.w),
          {sum(wy.w, wx.d) * h.x(), sum(wy.d, wx.w) * h.y()},
          Mat2{{sum(wy.w, wx.dd) * h.x() * h.x(), mixed}, {mixed, sum(wy.dd, wx.w) * h.y() * h.y()}}};
}

/// The nearest place of the surface, by Newton's method from the place below: with the height H(u) there,
/// (u - x) + (H - z) H' = 0.
DistanceSample HeightField::at(const Vec3& x) const {
  Vec2 u = x.head<2>();
  Height at = over(u);
  for (int pass = 0; pass < 30; ++pass) {
    const double up = at.z - x.z();
    const Vec2 left = u - x.head<2>() + up * at.slope;
    Mat2 slopes = Mat2::Identity() + at.slope * at.slope.transpose();
    if (const Mat2 full = slopes + up * at.bend; full.determinant() > 0 && full.trace() > 0) slopes = full;
    Vec2 change = -slopes.inverse() * left;
    if (const double most = 0.5 * spacing_.minCoeff(); change.norm() > most) change *= most / change.norm();
    u += change;
    at = over(u);
    if (change.norm() <= 1e-14 * (1 + u.norm())) break;
  }
  const Vec3 normal = Vec3(-at.slope.x(), -at.slope.y(), 1);
  const Vec3 n = normal.normalized();
  const Mat3 tangential = identity3 - n * n.transpose();
  Mat3 bend = zero33;
  bend.topLeftCorner<2, 2>() = -at.bend / normal.norm();
  const Mat3 on_surface = tangential * bend * tangential;
  DistanceSample s;
  s.distance = n.dot(x - Vec3(u.x(), u.y(), at.z));
  s.normal = n;
  s.curvature = on_surface * (identity3 + s.distance * on_surface).inverse();
  return s;
}

}  // namespace hooke
