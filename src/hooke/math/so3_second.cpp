#include "hooke/math/so3_second.h"

#include "hooke/math/so3.h"

namespace hooke {

namespace so3 {
namespace {

constexpr auto ddb_series = derivative_series(db_series), ddc_series = derivative_series(dc_series);

/// b, c and their derivatives divided by t, once and twice.
struct SecondCoefficients : Coefficients {
  double db1, dc1, ddb, ddc;

  explicit SecondCoefficients(const Vec3& x) : Coefficients(x), db1(db()), dc1(dc()) {
    if (s < series_below) {
      ddb = horner(ddb_series, s);
      ddc = horner(ddc_series, s);
    } else {
      const double da = -(dc1 * s + 2 * c);  // a = 1 - c s
      ddb = (da - 4 * db1) / s;
      ddc = (db1 - 5 * dc1) / s;
    }
  }
};

}  // namespace
}  // namespace so3

Mat3 tangent_so3_hessian(const Vec3& x, const Vec3& w, const Vec3& m) {
  const so3::SecondCoefficients k(x);
  const Vec3 u = w.cross(m);
  const double xu = x.dot(u), mw = m.dot(w), xw = x.dot(w), xm = x.dot(m), A = xm * xw - k.s * mw;
  const Vec3 grad_A = xw * m + xm * w - 2 * mw * x;
  const Vec3 v = k.dc1 * grad_A - k.db1 * u + 0.5 * (k.ddc * A - k.ddb * xu) * x;
  const Mat3 upper = v * x.transpose() + k.c * m * w.transpose();
  Mat3 H = upper + upper.transpose();
  H.diagonal().array() += k.dc1 * A - k.db1 * xu - 2 * k.c * mw;
  return H;
}

Mat3 tangent_so3_second(const Vec3& x, const Vec3& w, const Vec3& d) {
  const so3::SecondCoefficients k(x);
  const double xd = x.dot(d), xw = x.dot(w), dw = d.dot(w);
  const Vec3 x_w = x.cross(w), d_w = d.cross(w);
  const Vec3 A = xw * x - k.s * w, A_d = xw * d + dw * x - 2 * xd * w;
  Mat3 D = (k.dc1 * A_d - k.db1 * d_w + xd * (k.ddc * A - k.ddb * x_w)) * x.transpose() +
           (k.dc1 * A - k.db1 * x_w) * d.transpose() + (k.db1 * xd) * hat(w) +
           k.c * (d * w.transpose() - 2 * w * d.transpose()) +
           (k.dc1 * xd) * (x * w.transpose() - 2 * w * x.transpose());
  D.diagonal().array() += k.c * dw + k.dc1 * xd * xw;
  return D;
}

}  // namespace hooke
