#pragma once
#include "hooke/gpu/step_math.h"

/// Rotations, and what an element of a rod does, for the device and for plain C++: math/so3.h, fe/rod_strain.h and
/// bodies/cosserat_rod.h with small arrays. Matrices by rows.
namespace hooke::gpu {

HOOKE_HD void rotation_of(const double* q, double* R) {  // w x y z
  const double x = q[1] + q[1], y = q[2] + q[2], z = q[3] + q[3];
  const double wx = q[0] * x, wy = q[0] * y, wz = q[0] * z, xx = q[1] * x, xy = q[1] * y, xz = q[1] * z;
  const double yy = q[2] * y, yz = q[2] * z, zz = q[3] * z;
  R[0] = 1 - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
  R[3] = xy + wz, R[4] = 1 - (xx + zz), R[5] = yz - wx;
  R[6] = xz - wy, R[7] = yz + wx, R[8] = 1 - (xx + yy);
}

HOOKE_HD void quaternion_product(const double* q, const double* p, double* r) {
  r[0] = q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3];
  r[1] = q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2];
  r[2] = q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3];
  r[3] = q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1];
}

/// sum_k (-s)^k / (2k + first)! for s < 1; no division, which takes a device as long as twenty products.
template <int first>
HOOKE_HD double sine_series(double s) {
  constexpr int terms = 9;
  double inverse[terms] = {}, factorial = 1;
  for (int i = 2; i < 2 * terms + first; ++i) {
    factorial *= i;
    if (i >= first && (i - first) % 2 == 0 && (i - first) / 2 < terms)
      inverse[(i - first) / 2] = 1 / factorial;
  }
  if (first < 2) inverse[0] = 1;
  double sum = 0;
  HOOKE_UNROLL
  for (int k = terms - 1; k >= 0; --k) sum = inverse[k] - s * sum;
  return sum;
}
/// Twice its derivative by s.
template <int first>
HOOKE_HD double sine_series_change(double s) {
  constexpr int terms = 8;
  double inverse[terms] = {}, factorial = 1;
  for (int i = 2; i <= 2 * terms + first; ++i) {
    factorial *= i;
    if (i >= first + 2 && (i - first) % 2 == 0) inverse[(i - first) / 2 - 1] = (i - first) / factorial;
  }
  double sum = 0;
  HOOKE_UNROLL
  for (int k = terms - 1; k >= 0; --k) sum = inverse[k] - s * sum;
  return -sum;
}

/// q exp(x), of unit length: for small turns what q has lost of it is made good to second order.
HOOKE_HD void turned(const double* q, const double* x, double* result) {
  const double s = dot(x, x);
  double w, sinc, r[4], unit;
  if (s < 1) {
    w = sine_series<0>(0.25 * s), sinc = 0.5 * sine_series<1>(0.25 * s);
  } else {
    const double t = std::sqrt(s);
    w = std::cos(0.5 * t), sinc = std::sin(0.5 * t) / t;
  }
  const double p[4] = {w, sinc * x[0], sinc * x[1], sinc * x[2]};
  quaternion_product(q, p, r);
  const double length2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
  unit = s < 1 ? 1.5 - 0.5 * length2 : 1 / std::sqrt(length2);
  for (int k = 0; k < 4; ++k) result[k] = unit * r[k];
}

/// The rotation vector of conj(from) to.
HOOKE_HD void turn_between(const double* from, const double* to, double* x) {
  const double back[4] = {from[0], -from[1], -from[2], -from[3]};
  double q[4];
  quaternion_product(back, to, q);
  const double sign = q[0] < 0 ? -1 : 1, w = sign * q[0], s = dot(q + 1, q + 1), n = std::sqrt(s);
  const double factor = s < 1e-32 * w * w ? sign * 2 / w : sign * 2 * std::atan2(n, w) / n;
  for (int k = 0; k < 3; ++k) x[k] = factor * q[1 + k];
}

/// a I + b hat(x) + c x x^T
HOOKE_HD void polynomial(double a, double b, double c, const double* x, double* T) {
  const double X[9] = {0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) T[3 * i + j] = (i == j ? a : 0) + b * X[3 * i + j] + c * x[i] * x[j];
}

/// T(x)^-1; above a quarter the closed form has lost two digits at most.
HOOKE_HD void inverse_tangent(const double* x, double* T) {
  const double s = dot(x, x);
  double e;
  if (s < 0.25) {
    e = 1.0 / 12 +
        s * (1.0 / 720 +
             s * (1.0 / 30240 + s * (1.0 / 1209600 + s * (1.0 / 47900160 + s * (691.0 / 1307674368000 +
                                                                                s * (1.0 / 74724249600))))));
  } else {
    const double half = 0.5 * std::sqrt(s);
    e = (1 - half * std::cos(half) / std::sin(half)) / s;
  }
  polynomial(1 - e * s, 0.5, e, x, T);
}

/// exp(x), T(x), and D = d(T(x) w)/dx.
HOOKE_HD void turn_and_tangent(const double* x, const double* w, double* E, double* T, double* D) {
  const double s = dot(x, x);
  double a, b, c, db, dc;
  if (s < 1) {
    a = sine_series<1>(s), b = sine_series<2>(s), c = sine_series<3>(s);
    db = sine_series_change<2>(s), dc = sine_series_change<3>(s);
  } else {
    const double t = std::sqrt(s), half = std::sin(0.5 * t);
    a = std::sin(t) / t, b = 2 * half * half / s, c = (1 - a) / s;
    db = (a - 2 * b) / s, dc = (b - 3 * c) / s;
  }
  polynomial(1 - b * s, a, b, x, E);
  polynomial(a, -b, c, x, T);
  double xw[3], xxw[3];
  cross(x, w, xw);
  cross(x, xw, xxw);
  const double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}, along = dot(x, w);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      D[3 * i + j] = b * W[3 * i + j] + c * ((i == j ? along : 0.0) + x[i] * w[j] - 2 * w[i] * x[j]) -
                     db * xw[i] * x[j] + dc * xxw[i] * x[j];
}

/// Integral of N_i N_j over an element of unit length.
HOOKE_HD double mass_share(int nodes, int i, int j) {
  if (nodes == 2) return i == j ? 1.0 / 3 : 1.0 / 6;
  if (i != j) return (i + j == 2 ? -1.0 : 2.0) / 30;
  return (i == 1 ? 16.0 : 4.0) / 30;
}

/// The section at a Gauss point of an element: its strains less those at rest, in units in which the energy is half their
/// square, and their derivatives by the six dofs of each node. `numbers` are those of the element.
///
/// The derivative times itself is the material part of the stiffness. The other part, of the stress, is left out of Newton's
/// matrix: it is small where a step resolves the motion, and the forces are exact.
HOOKE_HD void section_gradient(const double* numbers, int nodes, const double* q, int g, int node,
                               double* gradient, double* strain) {
  const int r = nodes == 2 ? 0 : 1;
  const double length = numbers[0],
               u = nodes == 2 ? 0.5 : 0.5 + (g == 0 ? -0.5 : 0.5) * 0.5773502691896257645,
               root = std::sqrt((nodes == 2 ? 1.0 : 0.5) * length);
  double R[9], a[3] = {0, 0, 0}, psi[3] = {0, 0, 0}, psi_s[3] = {0, 0, 0}, own_x[3] = {0, 0, 0};
  double turning[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};  // of psi and psi_s by the turn of this node, see below
  double turning_s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, own_dn = 0;
  rotation_of(q + 7 * r + 3, R);
  for (int i = 0; i < nodes; ++i) {
    if (i == r) continue;
    const double n = nodes == 2 ? u
                     : i == 0   ? (1 - u) * (1 - 2 * u)
                                : u * (2 * u - 1),
                 dn = (nodes == 2 ? 1.0
                       : i == 0   ? 4 * u - 3
                                  : 4 * u - 1) /
                      length;
    double d[3], x[3], y[3], T[9];
    for (int k = 0; k < 3; ++k) d[k] = q[7 * i + k] - q[7 * r + k];
    transposed_times(R, d, x);
    turn_between(q + 7 * r + 3, q + 7 * i + 3, y);
    for (int k = 0; k < 3; ++k) a[k] += dn * x[k], psi[k] += n * y[k], psi_s[k] += dn * y[k];
    if (node != r && node != i) continue;
    inverse_tangent(y, T);  // dpsi_i = T dtheta_i - T^T dtheta_r,  dx_i = R^T (dp_i - dp_r) + x_i x dtheta_r
    const bool is_own = node == i;
    for (int k = 0; k < 9; ++k) {
      const double t = is_own ? T[k] : -T[3 * (k % 3) + k / 3];
      turning[k] += n * t, turning_s[k] += dn * t;
    }
    own_dn += is_own ? dn : -dn;
    for (int k = 0; k < 3 && !is_own; ++k) own_x[k] += dn * x[k];
  }
  double E[9], T[9], D[9], gamma[3], kappa[3], e[6], B[36];
  turn_and_tangent(psi, psi_s, E, T, D);
  transposed_times(E, a, gamma);
  times(T, psi_s, kappa);
  const double* rest = numbers + 38 + 6 * g;
  for (int k = 0; k < 3; ++k) e[k] = gamma[k] - rest[k], e[3 + k] = kappa[k] - rest[3 + k];
  for (int c = 0; c < 3; ++c) {  // columns: dp, dtheta
    double along[3], dx[3], dpsi[3], dpsi_s[3], of[3], out[3];
    const double axis[3] = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
    for (int k = 0; k < 3; ++k) along[k] = own_dn * R[3 * c + k];
    transposed_times(E, along, out);
    for (int k = 0; k < 3; ++k) B[6 * k + c] = out[k], B[6 * (3 + k) + c] = 0;
    cross(own_x, axis, dx);
    column(turning, c, dpsi);
    column(turning_s, c, dpsi_s);
    times(T, dpsi, of);
    cross(gamma, of, out);
    transposed_times(E, dx, along);
    for (int k = 0; k < 3; ++k) B[6 * k + 3 + c] = along[k] + out[k];
    times(T, dpsi_s, out);
    times(D, dpsi, of);
    for (int k = 0; k < 3; ++k) B[6 * (3 + k) + 3 + c] = out[k] + of[k];
  }
  const double* L = numbers + 2;  // stiffness = L L^T
  for (int i = 0; i < 6; ++i) {
    double sum[6] = {0, 0, 0, 0, 0, 0}, size = 0;
    for (int k = i; k < 6; ++k) {
      const double l = root * L[6 * k + i];
      for (int j = 0; j < 6; ++j) sum[j] += l * B[6 * k + j];
      size += l * e[k];
    }
    for (int j = 0; j < 6; ++j) gradient[6 * i + j] = sum[j];
    if (node == 0) strain[i] = size;
  }
}

}  // namespace hooke::gpu
