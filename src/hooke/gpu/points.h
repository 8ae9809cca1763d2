#pragma once
#include "hooke/gpu/rod_math.h"

/// Rigid bodies and nodes of rods: points that turn, as bodies/rigid.h has them.
///
///   q = (p, quaternion w x y z),  v = (p' in the world, omega in the body),  q = q0 (+) (x + y) in a step
namespace hooke::gpu {

/// One number after the other of each quantity, of all points.
struct Points {
  double *q, *v, *a, *a_new, *a_old;
  double *q0, *x, *y, *R;  ///< where the step began, what it changed, and turned by q

  /// What the state is made of comes first.
  template <class Take>
  HOOKE_HD void place(int count, Take&& take) {
    q = take(7 * count), v = take(6 * count), a = take(6 * count), a_new = take(6 * count);
    a_old = take(6 * count), q0 = take(7 * count), x = take(6 * count), y = take(6 * count);
    R = take(9 * count);
  }
};

/// Of the step before, of one number of v.
HOOKE_HD double error_of(const StepSettings& s, const Points& p, int k) {
  return s.h * s.h *
         (s.error_constant * std::fabs(p.a_new[k] - p.a_old[k]) + s.drift_constant * std::fabs(p.a_new[k]));
}

/// A step ahead by the extrapolated acceleration, of one number of v.
HOOKE_HD void predict(const StepSettings& s, const Points& p, int k) {
  const double h = s.h, old = p.a_new[k], next = 2 * old - p.a_old[k], v = p.v[k];
  p.x[k] = h * v + h * h * ((0.5 - s.beta) * old + s.beta * next);
  p.y[k] = 0;
  p.v[k] = v + h * ((1 - s.gamma) * old + s.gamma * next);
  p.a[k] = ((1 - s.alpha_m) * next + s.alpha_m * old - s.alpha_f * p.a[k]) / (1 - s.alpha_f);
  p.a_old[k] = old;
  p.a_new[k] = next;
}

/// q = q0 (+) (x + y)
HOOKE_HD void move_point(const Points& p, int i) {
  double total[6];
  for (int k = 0; k < 6; ++k) total[k] = p.x[6 * i + k] + p.y[6 * i + k];
  for (int k = 0; k < 3; ++k) p.q[7 * i + k] = p.q0[7 * i + k] + total[k];
  turned(p.q0 + 7 * i + 3, total + 3, p.q + 7 * i + 3);
  rotation_of(p.q + 7 * i + 3, p.R + 9 * i);
}

/// Moves point i by dq, of which a part that is solved for along with forces moves its velocity and acceleration, too; the
/// other, dy, its position alone (null: there is none).
HOOKE_HD void correct_point(const StepSettings& s, const Points& p, int i, const double* dq,
                            const double* dy) {
  const double k = s.beta * s.h * s.h, to_a_new = 1 / k, to_v = s.gamma / (s.beta * s.h),
               to_a = (1 - s.alpha_m) / (1 - s.alpha_f) / k;
  double dx[6], T[9], total[3];
  for (int n = 0; n < 3; ++n) total[n] = p.x[6 * i + 3 + n] + p.y[6 * i + 3 + n], dx[n] = dq[n];
  inverse_tangent(total, T);
  times(T, dq + 3, dx + 3);
  for (int n = 0; n < 6; ++n) {
    const int at = 6 * i + n;
    p.x[at] += dx[n];
    p.a_new[at] += to_a_new * dx[n];
    p.v[at] += to_v * dx[n];
    p.a[at] += to_a * dx[n];
    if (dy) p.y[at] += dy[n];
  }
  move_point(p, i);
}

/// A frame at s with axes R_F in the body.
template <class Frame>
HOOKE_HD void place_frame(const Points& p, int i, const double* R_F, const double* s, Frame& now) {
  const double *R = p.R + 9 * i, *q = p.q + 7 * i, *v = p.v + 6 * i;
  double arm[3], rate[3], out[3];
  times(R, s, arm);
  cross(v + 3, s, rate);
  times(R, rate, out);
  for (int k = 0; k < 3; ++k) now.p[k] = q[k] + arm[k], now.twist[k] = v[k] + out[k];
  times(R, v + 3, now.twist + 3);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      now.R[3 * a + b] = R[3 * a] * R_F[b] + R[3 * a + 1] * R_F[3 + b] + R[3 * a + 2] * R_F[6 + b];
}

/// J^T of six numbers on a frame at s: (f, s x R^T f + R^T m).
HOOKE_HD void on_point(const Points& p, int i, const double* s, const double* w, double* out) {
  const double* R = p.R + 9 * i;
  double force[3], moment[3], arm[3];
  transposed_times(R, w, force);
  transposed_times(R, w + 3, moment);
  cross(s, force, arm);
  for (int k = 0; k < 3; ++k) out[k] = w[k], out[3 + k] = arm[k] + moment[k];
}

/// Inertia and gravity: r, and C, six by six by rows, of which only what is not zero is written.
HOOKE_HD void point_inertia(const StepSettings& s, const Points& p, int i, double mass, const double* J,
                            const double* gravity, double* r, double* C) {
  const double *v = p.v + 6 * i, *a = p.a + 6 * i;
  const double d = s.gamma * s.h, m = (1 - s.alpha_m) / (1 - s.alpha_f);
  double Jw[3], D[9], T[9], total[3];
  for (int n = 0; n < 3; ++n) r[n] = mass * (a[n] - gravity[n]);
  times(J, v + 3, Jw);
  times(J, a + 3, r + 3);
  cross(v + 3, Jw, total);
  for (int n = 0; n < 3; ++n) r[3 + n] += total[n];
  // m J + d (hat(omega) J - hat(J omega)), times T^-1 of the increment
  const double omega[9] = {0, -v[5], v[4], v[5], 0, -v[3], -v[4], v[3], 0},
               momentum[9] = {0, -Jw[2], Jw[1], Jw[2], 0, -Jw[0], -Jw[1], Jw[0], 0};
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c) {
      double gyro = -momentum[3 * b + c];
      for (int n = 0; n < 3; ++n) gyro += omega[3 * b + n] * J[3 * n + c];
      D[3 * b + c] = m * J[3 * b + c] + d * gyro;
    }
  for (int n = 0; n < 3; ++n) total[n] = p.x[6 * i + 3 + n] + p.y[6 * i + 3 + n];
  inverse_tangent(total, T);
  for (int n = 0; n < 3; ++n) C[7 * n] = m * mass;
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c)
      C[6 * (3 + b) + 3 + c] = D[3 * b] * T[c] + D[3 * b + 1] * T[3 + c] + D[3 * b + 2] * T[6 + c];
}

/// What a wrench on a frame at s adds to r; and to C, since it stays as it is while the point turns:
/// k (hat(s) hat(R^T f) + hat(R^T m)).
HOOKE_HD void add_wrench(const StepSettings& settings, const Points& p, int i, const double* s,
                         const double* w, double* r, double* C) {
  const double k = settings.beta * settings.h * settings.h;
  const double* R = p.R + 9 * i;
  double out[6], force[3], moment[3];
  on_point(p, i, s, w, out);
  for (int n = 0; n < 6; ++n) r[n] += out[n];
  transposed_times(R, w, force);
  transposed_times(R, w + 3, moment);
  const double along = dot(s, force);
  const double M[9] = {0, -moment[2], moment[1], moment[2], 0, -moment[0], -moment[1], moment[0], 0};
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c)
      C[6 * (3 + b) + 3 + c] += k * (force[b] * s[c] - (b == c ? along : 0.0) + M[3 * b + c]);
}

}  // namespace hooke::gpu
