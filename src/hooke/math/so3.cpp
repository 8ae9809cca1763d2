#include "hooke/math/so3.h"

#include <stdexcept>

namespace hooke {

namespace so3 {
namespace {

/// d(x x (x x w))/dx at constant w.
Mat3 double_cross_derivative(const Vec3& x, const Vec3& w) {
  Mat3 D = x * w.transpose() - (2 * w) * x.transpose();
  D.diagonal().array() += x.dot(w);
  return D;
}

/// d((I + half X + e X^2) w)/dx at constant w.
Mat3 inverse_tangent_derivative(const Vec3& x, const Vec3& w, double half) {
  const InverseCoefficients k(x);
  const Vec3 xxw = x.cross(x.cross(w));
  return k.e * double_cross_derivative(x, w) + (k.de() * xxw) * x.transpose() - half * hat(w);
}

}  // namespace
}  // namespace so3

Mat3 tangent_so3_derivative(const Vec3& x, const Vec3& w) {
  const so3::Coefficients k(x);
  const Vec3 xw = x.cross(w);
  return k.b * hat(w) + k.c * so3::double_cross_derivative(x, w) +
         (k.dc() * x.cross(xw) - k.db() * xw) * x.transpose();
}

Mat3 left_tangent_so3_derivative(const Vec3& x, const Vec3& w) { return -tangent_so3_derivative(-x, w); }

Mat3 inverse_tangent_so3_derivative(const Vec3& x, const Vec3& w) {
  return so3::inverse_tangent_derivative(x, w, 0.5);
}

Mat3 inverse_left_tangent_so3_derivative(const Vec3& x, const Vec3& w) {
  return so3::inverse_tangent_derivative(x, w, -0.5);
}

Mat3 tangent_so3_along(const Vec3& x, const Vec3& dx) {
  const so3::Coefficients k(x);
  const Mat3 X = hat(x), D = hat(dx);
  return k.c * (D * X + X * D) - k.b * D + x.dot(dx) * (k.dc() * X * X - k.db() * X);
}

Vec3 any_perpendicular(const Vec3& a) {
  Eigen::Index smallest;
  a.cwiseAbs().minCoeff(&smallest);
  return a.cross(Vec3::Unit(smallest)).normalized();
}

Mat3 rotation_from_axes(const Vec3& z_along, const Vec3& x_towards) {
  const Vec3 z = z_along.normalized(), y = z.cross(x_towards.normalized());
  if (!(y.norm() > 1e-10)) throw std::invalid_argument("the two axes must be non-zero and not parallel");
  Mat3 R;
  R.col(1) = y.normalized();
  R.col(0) = R.col(1).cross(z);
  R.col(2) = z;
  return R;
}

Mat3 rotation_from_z(const Vec3& z_along) {
  if (!(z_along.norm() > 0)) throw std::invalid_argument("the axis must not be zero");
  return rotation_from_axes(z_along, any_perpendicular(z_along));
}

Mat3 rotation_from_x(const Vec3& x_along, const Vec3& y_towards) {
  const Mat3 R = rotation_from_axes(x_along, y_towards);  // its (z, x, y) are our (x, y, z)
  Mat3 permuted;
  permuted << R.col(2), R.col(0), R.col(1);
  return permuted;
}

Mat3 rotation_from_x(const Vec3& x_along) {
  if (!(x_along.norm() > 0)) throw std::invalid_argument("the axis must not be zero");
  return rotation_from_x(x_along, any_perpendicular(x_along));
}

/// Turns about n = a x b, from the frame (a, n) to (b, n).
/// Unlike the half-angle formula this stays orthogonal to round-off when a and b are nearly opposite;
/// where a x b vanishes any n will do.
Mat3 rotation_between(const Vec3& a, const Vec3& b) {
  const Vec3 n = a.normalized().cross(b.normalized());
  const Vec3 axis = n.norm() > 1e-12 ? Vec3(n.normalized()) : any_perpendicular(a);
  return rotation_from_x(b, axis) * rotation_from_x(a, axis).transpose();
}

}  // namespace hooke
