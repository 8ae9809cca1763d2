#pragma once

// Rotations and their derivatives.
//
// A rotation vector x (angle t = |x| about x/t) gives R = exp(hat(x)). All operators here are
// polynomials in X = hat(x), whose coefficients depend on t alone:
//
//   exp(x)  = I + a X + b X^2            a = sin t / t             b = (1 - cos t) / t^2
//   T(x)    = I - b X + c X^2            c = (t - sin t) / t^3
//   T(x)^-1 = I + X/2 + e X^2            e = (1 - (t/2) cot(t/2)) / t^2
//
// T is the right tangent:  d/dt exp(x(t)) = exp(x) hat(T(x) x'),  so that T(x) x' is the angular
// velocity in the turned (body) frame. The left tangent T(x)^T gives it in the fixed frame.
// Sonneville, Cardona, Bruls (2014), "Geometrically exact beam finite element formulated on the
// special Euclidean group SE(3)", appendix A. T is singular at t = 2 pi, so is its inverse; log
// returns t <= pi.
//
// With b = (sin(t/2) / (t/2))^2 / 2, a and b lose no digits at any t. The others, as written above,
// cancel near zero: the worst, de/dt / t, loses the factor 360 / t^4. Below t = 2 they are therefore
// summed as power series in t^2 (12 terms fall under 1e-17 for the sines, 20 for e, whose radius of
// convergence is 2 pi); above t = 2 the closed forms lose at most a digit and a half.

#include <array>
#include <cmath>

#include "hooke/math/types.h"

namespace hooke {

namespace so3 {

inline constexpr double series_below = 4.0;  // t^2, see the top of the file

template <std::size_t N, class S>
constexpr S horner(const std::array<double, N>& coefficients, S s) {
  S sum = 0;
  for (std::size_t k = N; k-- > 0;) sum = sum * s + coefficients[k];
  return sum;
}

/// Coefficients of d/dt f / t = 2 df/ds  for f(s), s = t^2.
template <std::size_t N>
constexpr std::array<double, N - 1> derivative_series(const std::array<double, N>& f) {
  std::array<double, N - 1> d{};
  for (std::size_t k = 1; k < N; ++k) d[k - 1] = 2.0 * double(k) * f[k];
  return d;
}

/// sum_k (-s)^k / (2k + first)!
constexpr std::array<double, 13> sine_series(int first) {
  double factorial = 1;
  for (int i = 2; i <= first; ++i) factorial *= i;
  std::array<double, 13> f{1 / factorial};
  for (int k = 1; k < 13; ++k) f[k] = -f[k - 1] / ((2 * k + first - 1) * (2 * k + first));
  return f;
}

/// e(s) = sum_k e_k s^k with e_k = 2 zeta(2k+2) / (2 pi)^(2k+2), from the convolution
/// (n + 1/2) zeta(2n) = sum zeta(2k) zeta(2n - 2k), all of whose terms are positive.
constexpr std::array<double, 20> cotangent_series() {
  std::array<double, 20> f{1.0 / 12};
  for (int n = 1; n < 20; ++n) {
    for (int k = 0; k < n; ++k) f[n] += f[k] * f[n - 1 - k];
    f[n] /= 2 * n + 3;
  }
  return f;
}

inline constexpr auto cosine_series = sine_series(0), sinc_series = sine_series(1);
inline constexpr auto b_series = sine_series(2), c_series = sine_series(3);
inline constexpr auto db_series = derivative_series(b_series), dc_series = derivative_series(c_series);
inline constexpr auto e_series = cotangent_series();
inline constexpr auto de_series = derivative_series(e_series);

/// a, b, c of the top of the file.
struct Coefficients {
  double s, a, b, c;  // s = t^2

  explicit Coefficients(const Vec3& x) : s(x.squaredNorm()) {
    const double half = 0.5 * std::sqrt(s);
    const double sinc = half > 0 ? std::sin(half) / half : 1;
    a = sinc * std::cos(half);
    b = 0.5 * sinc * sinc;
    c = s < series_below ? horner(c_series, s) : (1 - a) / s;
  }
  double db() const { return s < series_below ? horner(db_series, s) : (a - 2 * b) / s; }  // b'/t
  double dc() const { return s < series_below ? horner(dc_series, s) : (b - 3 * c) / s; }  // c'/t
};

/// e of the top of the file.
struct InverseCoefficients {
  double s, e, half = 0;

  explicit InverseCoefficients(const Vec3& x) : s(x.squaredNorm()) {
    if (s < series_below) {
      e = horner(e_series, s);
    } else {
      half = 0.5 * std::sqrt(s);
      e = (1 - half / std::tan(half)) / s;
    }
  }
  double de() const {  // e'/t
    if (s < series_below) return horner(de_series, s);
    const double sine = std::sin(half);
    return (0.25 / (sine * sine) - 1 / s - e) / s;
  }
};

}  // namespace so3

// ---- exponential and logarithm ------------------------------------------------------------------

/// R = exp(hat(x)).
inline Mat3 exp_so3(const Vec3& x) {
  const so3::Coefficients k(x);
  Mat3 R = (k.b * x) * x.transpose() + k.a * hat(x);
  R.diagonal().array() += 1 - k.b * k.s;
  return R;
}

/// The unit quaternion of exp(hat(x)).
inline Quat exp_quaternion(const Vec3& x) {
  const double t = x.norm(), sinc = t > 0 ? std::sin(0.5 * t) / t : 0.5;
  return {std::cos(0.5 * t), sinc * x.x(), sinc * x.y(), sinc * x.z()};
}

namespace so3 {

/// q exp(x) for a quaternion (w, x, y, z), and T(x)^-1 v, by series for s = t^2 < series_below: of one
/// rotation or, S being a Pack, of four at once. What q has lost of unit length is made good to second order.
template <class S>
Eigen::Matrix<S, 4, 1> turned_by_series(const Eigen::Matrix<S, 4, 1>& q, const Eigen::Matrix<S, 3, 1>& x,
                                        S s) {
  const S quarter = s * S(0.25), w = horner(cosine_series, quarter),
          k = horner(sinc_series, quarter) * S(0.5);
  const Eigen::Matrix<S, 3, 1> u(k * x[0], k * x[1], k * x[2]);
  const Eigen::Matrix<S, 4, 1> p(
      q[0] * w - q[1] * u[0] - q[2] * u[1] - q[3] * u[2], q[0] * u[0] + q[1] * w + q[2] * u[2] - q[3] * u[1],
      q[0] * u[1] + q[2] * w + q[3] * u[0] - q[1] * u[2], q[0] * u[2] + q[3] * w + q[1] * u[1] - q[2] * u[0]);
  const S unit = S(1.5) - S(0.5) * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  return Eigen::Matrix<S, 4, 1>(unit * p[0], unit * p[1], unit * p[2], unit * p[3]);
}

template <class S>
Eigen::Matrix<S, 3, 1> inverse_tangent_by_series(const Eigen::Matrix<S, 3, 1>& x,
                                                 const Eigen::Matrix<S, 3, 1>& v, S s) {
  const S e = horner(e_series, s), half(0.5), along = e * (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]),
          rest = S(1) - e * s;
  return Eigen::Matrix<S, 3, 1>(rest * v[0] + half * (x[1] * v[2] - x[2] * v[1]) + along * x[0],
                                rest * v[1] + half * (x[2] * v[0] - x[0] * v[2]) + along * x[1],
                                rest * v[2] + half * (x[0] * v[1] - x[1] * v[0]) + along * x[2]);
}

}  // namespace so3

/// The rotation vector of a quaternion (need not be normalised), 0 <= |x| <= pi.
/// At pi both signs of the axis are right; that of the vector part is returned.
inline Vec3 log_so3(const Quat& q) {
  const double sign = q.w() < 0 ? -1 : 1, w = sign * q.w(), s = q.vec().squaredNorm();
  // atan(y) / y = 1 to round-off for y^2 < 1e-32, where s itself may underflow
  if (s < 1e-32 * w * w) return (sign * 2 / w) * q.vec();
  const double n = std::sqrt(s);
  return (sign * 2 * std::atan2(n, w) / n) * q.vec();
}

/// The rotation vector of a rotation matrix, 0 <= |x| <= pi. Through the quaternion, which is
/// well-conditioned everywhere, while the trace alone fails near 0 and the skew part near pi.
inline Vec3 log_so3(const Mat3& R) { return log_so3(Quat(R)); }

// ---- tangents -----------------------------------------------------------------------------------

/// Right tangent:  omega_body = T(x) x'.
inline Mat3 tangent_so3(const Vec3& x) {
  const so3::Coefficients k(x);
  Mat3 T = (k.c * x) * x.transpose() - k.b * hat(x);
  T.diagonal().array() += k.a;  // 1 - c t^2 = a
  return T;
}

/// T(x)^-1:  x' = T(x)^-1 omega_body. Singular at |x| = 2 pi.
inline Mat3 inverse_tangent_so3(const Vec3& x) {
  const so3::InverseCoefficients k(x);
  Mat3 T = (k.e * x) * x.transpose() + 0.5 * hat(x);
  T.diagonal().array() += 1 - k.e * k.s;
  return T;
}

/// Left tangent:  omega_fixed = T(x)^T x' = T(-x) x'.
inline Mat3 left_tangent_so3(const Vec3& x) { return tangent_so3(-x); }

inline Mat3 inverse_left_tangent_so3(const Vec3& x) { return inverse_tangent_so3(-x); }

// ---- derivatives of the tangents ----------------------------------------------------------------

/// d(T(x) w)/dx at constant w.
Mat3 tangent_so3_derivative(const Vec3& x, const Vec3& w);
/// d(T(x)^T w)/dx at constant w.
Mat3 left_tangent_so3_derivative(const Vec3& x, const Vec3& w);
/// d(T(x)^-1 w)/dx at constant w.
Mat3 inverse_tangent_so3_derivative(const Vec3& x, const Vec3& w);
/// d(T(x)^-T w)/dx at constant w.
Mat3 inverse_left_tangent_so3_derivative(const Vec3& x, const Vec3& w);
/// Derivative of the matrix T(x) along dx.
Mat3 tangent_so3_along(const Vec3& x, const Vec3& dx);

// ---- helpers ------------------------------------------------------------------------------------

/// A unit vector perpendicular to a, always the same one for the same a.
Vec3 any_perpendicular(const Vec3& a);
/// Rotation whose z axis lies along z and whose x axis lies in the half plane of x_towards.
Mat3 rotation_from_axes(const Vec3& z_along, const Vec3& x_towards);
/// Rotation whose z axis lies along z; the x axis is any_perpendicular(z).
Mat3 rotation_from_z(const Vec3& z_along);
/// Rotation whose x axis lies along x and whose y axis lies in the half plane of y_towards.
Mat3 rotation_from_x(const Vec3& x_along, const Vec3& y_towards);
/// As above, the y axis being any_perpendicular(x).
Mat3 rotation_from_x(const Vec3& x_along);
/// The smallest rotation R with R a parallel to b.
Mat3 rotation_between(const Vec3& a, const Vec3& b);

}  // namespace hooke
