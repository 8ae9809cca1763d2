#pragma once
#include <cmath>

#include "hooke/gpu/step_data.h"

/// The equations of a step.
namespace hooke::gpu {

// --- three numbers, and nine by rows

HOOKE_HD void times(const double* R, const double* a, double* b) {
  for (int i = 0; i < 3; ++i) b[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}
HOOKE_HD void transposed_times(const double* R, const double* a, double* b) {
  for (int i = 0; i < 3; ++i) b[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}
HOOKE_HD void cross(const double* a, const double* b, double* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
HOOKE_HD double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
HOOKE_HD void column(const double* R, int k, double* a) { a[0] = R[k], a[1] = R[3 + k], a[2] = R[6 + k]; }

/// Of a symmetric matrix.
HOOKE_HD void invert(const double* A, double* B) {
  const double c0 = A[4] * A[8] - A[5] * A[5], c1 = A[2] * A[5] - A[1] * A[8], c2 = A[1] * A[5] - A[2] * A[4];
  const double d = 1 / (A[0] * c0 + A[1] * c1 + A[2] * c2);
  B[0] = c0 * d, B[1] = B[3] = c1 * d, B[2] = B[6] = c2 * d;
  B[4] = (A[0] * A[8] - A[2] * A[2]) * d;
  B[5] = B[7] = (A[1] * A[2] - A[0] * A[5]) * d;
  B[8] = (A[0] * A[4] - A[1] * A[1]) * d;
}

/// A = tr(S) I - S with S = H R^T, made symmetric; and its inverse. See fe/best_fit.h.
HOOKE_HD void spread_of(const double* H, const double* R, double* inverse_A, double* skew) {
  double S[9], A[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) S[3 * i + j] = dot(H + 3 * i, R + 3 * j);
  const double trace = S[0] + S[4] + S[8];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[3 * i + j] = (i == j ? trace : 0) - 0.5 * (S[3 * i + j] + S[3 * j + i]);
  invert(A, inverse_A);
  skew[0] = S[7] - S[5], skew[1] = S[2] - S[6], skew[2] = S[3] - S[1];
}

/// The rotation nearest to H, from one that is near: turns about A^-1 times what is not symmetric in H R^T, until
/// nothing is left of that.
HOOKE_HD void fit_rotation(const double* H, double* R) {
  for (int pass = 0; pass < 30; ++pass) {
    double inverse_A[9], skew[3], w[3], T[9];
    spread_of(H, R, inverse_A, skew);
    times(inverse_A, skew, w);
    const double angle2 = dot(w, w);
    // By the unit quaternion (1, w/2): right to the second order, and a rotation however far it goes.
    const double x = 0.5 * w[0], y = 0.5 * w[1], z = 0.5 * w[2], n = 2 / (1 + 0.25 * angle2);
    const double Q[9] = {1 - n * (y * y + z * z), n * (x * y - z),         n * (x * z + y),
                         n * (x * y + z),         1 - n * (x * x + z * z), n * (y * z - x),
                         n * (x * z - y),         n * (y * z + x),         1 - n * (x * x + y * y)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        T[3 * i + j] = Q[3 * i] * R[j] + Q[3 * i + 1] * R[3 + j] + Q[3 * i + 2] * R[6 + j];
    for (int k = 0; k < 9; ++k) R[k] = T[k];
    if (angle2 < 1e-16) return;  // what is left is of the order of angle2
  }
}

// --- nodes

/// What a step changes of a node. It is read as a whole before anything is written, so that a thread waits for memory once.
struct NodeState {
  double q[3], v[3], a[3], a_new[3], a_old[3], X[4];
};

HOOKE_HD NodeState read_node(const StepData& d, int i) {
  NodeState n;
  for (int k = 0; k < 3; ++k) n.q[k] = d.q[4 * i + k], n.v[k] = d.v[4 * i + k], n.a[k] = d.a[4 * i + k];
  for (int k = 0; k < 3; ++k) n.a_new[k] = d.a_new[4 * i + k], n.a_old[k] = d.a_old[4 * i + k];
  for (int k = 0; k < 4; ++k) n.X[k] = d.X[4 * i + k];
  return n;
}

HOOKE_HD void write_node(const StepData& d, int i, const NodeState& n) {
  for (int k = 0; k < 3; ++k) {
    d.q[4 * i + k] = n.q[k], d.v[4 * i + k] = n.v[k], d.a[4 * i + k] = n.a[k];
    d.a_new[4 * i + k] = n.a_new[k], d.a_old[4 * i + k] = n.a_old[k];
  }
}

/// Of the step before, in units of the dof.
HOOKE_HD double error_of(const StepSettings& s, const NodeState& n, double scale) {
  double error = 0;
  for (int k = 0; k < 3; ++k)
    error = std::fmax(error, s.error_constant * std::fabs(n.a_new[k] - n.a_old[k]) +
                                 s.drift_constant * std::fabs(n.a_new[k]));
  return s.h * s.h / scale * error;
}

/// A step ahead by the extrapolated acceleration.
HOOKE_HD void predict(const StepSettings& s, NodeState& n) {
  const double h = s.h;
  for (int k = 0; k < 3; ++k) {
    const double old = n.a_new[k], next = 2 * old - n.a_old[k];
    n.q[k] += h * n.v[k] + h * h * ((0.5 - s.beta) * old + s.beta * next);
    n.v[k] += h * ((1 - s.gamma) * old + s.gamma * next);
    n.a[k] = ((1 - s.alpha_m) * next + s.alpha_m * old - s.alpha_f * n.a[k]) / (1 - s.alpha_f);
    n.a_old[k] = old;
    n.a_new[k] = next;
  }
}

/// x; and where it is not a number something large, which `fmax` does not pass over.
HOOKE_HD double finite(double x) { return x - x == 0 ? x : 1e300; }

/// sum += w x X^T and w x
HOOKE_HD void add_to_fit(const NodeState& n, double* sum) {
  for (int k = 0; k < 3; ++k) {
    const double x = n.X[3] * n.q[k];
    for (int l = 0; l < 3; ++l) sum[3 * k + l] += x * n.X[l];
    sum[9 + k] += x;
  }
}

/// sum += w v X^T
HOOKE_HD void add_to_rate(const StepData& d, int i, double* sum) {
  const double *X = d.X + 4 * i, *v = d.v + 4 * i;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) sum[3 * k + l] += X[3] * v[k] * X[l];
}

/// The angular velocity of the best fit, in the body, by that sum.
HOOKE_HD void spin_of(const double* rate, const double* R, const double* inverse_A, double* omega) {
  double turning[3], along[3], B[9];
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      B[3 * k + l] = R[k] * rate[l] + R[3 + k] * rate[3 + l] + R[6 + k] * rate[6 + l];
  const double sum[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
  times(R, sum, turning);
  times(inverse_A, turning, along);
  transposed_times(R, along, omega);
}

/// What one of eight lanes finds at node i: K (u + b u') (in the body), M a with its damping (in the world), with
/// u' = R^T v - omega x (R^T x). Both are taken relative to the node, which rigid motions do not change.
HOOKE_HD void lane_forces(const StepData& d, const Component& c, const double* R, const double* omega, int i,
                          int lane, double* sum) {
  for (int k = 0; k < 6; ++k) sum[k] = 0;
  const double *qi = d.q + 4 * i, *Xi = d.X + 4 * i;
  const double from[3] = {qi[0], qi[1], qi[2]}, rest[3] = {Xi[0], Xi[1], Xi[2]};
  const int begin = d.neighbours_at[i], end = d.neighbours_at[i + 1];
  int next = d.neighbours[8 * begin + lane];
  for (int group = begin; group < end; ++group) {
    const int e = 8 * group + lane, j = next;
    if (group + 1 < end) next = d.neighbours[e + 8];  // well before it is needed
    const double *q = d.q + 4 * j, *X = d.X + 4 * j, *a = d.a + 4 * j, *K = d.stiffness + 72LL * group + lane;
    const double m = d.mass[e], dx[3] = {q[0] - from[0], q[1] - from[1], q[2] - from[2]};
    double u[3];
    transposed_times(R, dx, u);
    if (c.stiffness_damping != 0) {
      const double *v = d.v + 4 * j, *vi = d.v + 4 * i, dv[3] = {v[0] - vi[0], v[1] - vi[1], v[2] - vi[2]};
      double rate[3], swing[3];
      transposed_times(R, dv, rate);
      cross(omega, u, swing);
      for (int k = 0; k < 3; ++k) u[k] += c.stiffness_damping * (rate[k] - swing[k]);
    }
    for (int k = 0; k < 3; ++k) u[k] -= X[k] - rest[k];
    for (int k = 0; k < 3; ++k) sum[k] += K[24 * k] * u[0] + K[24 * k + 8] * u[1] + K[24 * k + 16] * u[2];
    for (int k = 0; k < 3; ++k) sum[3 + k] += m * a[k];
    if (c.mass_damping == 0) continue;
    for (int k = 0; k < 3; ++k) sum[3 + k] += m * c.mass_damping * d.v[4 * j + k];
  }
}

/// With the sums of all lanes: the residual but for frames and joints, in the body; moment += u x K (u + b u').
HOOKE_HD void finish_forces(const StepData& d, const double* R, const double* centre, int i,
                            const double* sum, double* moment) {
  double out[3], rest[3], u[3], arm[3];
  for (int k = 0; k < 3; ++k) out[k] = sum[3 + k] - d.ext[4 * i + k], arm[k] = d.q[4 * i + k] - centre[k];
  transposed_times(R, out, rest);
  transposed_times(R, arm, u);
  for (int k = 0; k < 3; ++k) {
    u[k] -= d.X[4 * i + k];
    d.force[4 * i + k] = sum[k] + rest[k];
  }
  cross(u, sum, out);
  for (int k = 0; k < 3; ++k) moment[k] += out[k];
}

/// The right-hand side of Newton's equations at a node, with what the frame's turning and joints do.
HOOKE_HD void right_hand_side(const StepData& d, const Component& c, const double* R, const double* spread,
                              int i, const double* held_forces, float* rhs) {
  const double k = d.settings.beta * d.settings.h * d.settings.h;
  double r[3], f[3] = {0, 0, 0}, turned[3];
  cross(d.X + 4 * i, spread, r);
  for (int n = 0; n < 3; ++n) r[n] = d.force[4 * i + n] + (c.consistent ? d.X[4 * i + 3] * r[n] : 0.0);
  if (int e = d.touch[i]; e >= 0) {
    for (; e >= 0; e = d.next_touch[e])
      for (int n = 0; n < 3; ++n) f[n] += held_forces[3 * e + n];
    transposed_times(R, f, turned);
    for (int n = 0; n < 3; ++n) r[n] += turned[n];
  }
  for (int n = 0; n < 3; ++n) rhs[n] = static_cast<float>(-k * r[n]);
}

/// What is taken off the solution at a node because joints hold: the responses times `mu`, the wrenches on their columns.
HOOKE_HD void held_back(const StepData& d, const Component& c, int i, const double* mu, double* x) {
  const float* Y = d.response + c.response_at + 3LL * c.columns * (i - c.first);
  for (int n = 0; n < 3; ++n) x[n] = 0;
  for (int col = 0; col < c.columns; ++col)
    for (int n = 0; n < 3; ++n) x[n] += Y[c.columns * n + col] * mu[col];
}

/// Moves a node by x, and by y its position alone, both in the axes of the component; returns the size of that.
HOOKE_HD double correct(const StepSettings& s, const double* R, const double* x, const double* y,
                        double scale, NodeState& n) {
  const double k = s.beta * s.h * s.h, to_a = 1 / k, to_v = s.gamma * s.h * to_a,
               m = (1 - s.alpha_m) / (1 - s.alpha_f) * to_a;
  double dq[3], dy[3], size = 0;
  times(R, x, dq);
  times(R, y, dy);
  for (int l = 0; l < 3; ++l) {
    n.q[l] += dq[l] + dy[l];
    n.v[l] += to_v * dq[l];
    n.a[l] += m * dq[l];
    n.a_new[l] += to_a * dq[l];
    size = std::fmax(size, std::fmax(finite(std::fabs(dq[l])), finite(std::fabs(dq[l] + dy[l]))));
  }
  return size / scale;
}

/// One iteration's correction of node i by what the solve gave, less what joints take of it. `mu` has the wrenches of the
/// second solution after those of the first.
HOOKE_HD double correct_node(const StepData& d, const Component& c, const double* R, int i,
                             const float* solved, const double* mu, NodeState& n) {
  double x[3], y[3] = {0, 0, 0};
  held_back(d, c, i, mu, x);
  for (int k = 0; k < 3; ++k) x[k] = solved[k] - x[k];
  if (d.settings.stabilised) {
    held_back(d, c, i, mu + c.columns, y);
    for (int k = 0; k < 3; ++k) y[k] = -y[k];
  }
  return correct(d.settings, R, x, y, c.scale, n);
}

// --- the rule of Newton's iteration, as integrators/newton_rule.h has it for a tangent that is always new

enum class Verdict { go_on, converged, diverges, gave_up };

/// Of a step that failed.
HOOKE_HD Outcome outcome_of(Verdict verdict) {
  return verdict == Verdict::diverges ? Outcome::diverged : Outcome::gave_up;
}

/// `settled`: what may be left where the iteration stagnates.
HOOKE_HD Verdict judge(NewtonMemory& n, const StepSettings& s, double change, double noise, double settled) {
  if (!(change < 1e3)) return Verdict::diverges;
  if (n.iteration == 0) {
    n.first = change;
    n.rate = std::pow(n.rate, 0.8);
  } else if (change > noise) {
    n.rate = n.rate_known ? std::fmax(0.3 * n.rate, change / n.last) : change / n.last;
    n.rate_known = 1;
  }
  ++n.iteration;
  const double left = n.rate_known ? std::fmin(1.0, n.rate / std::fmax(1 - n.rate, 0.1)) : 1.0;
  const bool stagnates = n.iteration > 4 && change > 0.9 * n.last, is_last = n.iteration >= s.most_iterations,
             at_noise = n.iteration > 1 && change > 0.5 * n.last && change <= 100 * noise;
  n.last = change;
  const double target = std::fmax(noise, std::fmin(s.tolerance, 1e-3 * n.first));
  if (change * left <= target || at_noise) return Verdict::converged;
  if ((stagnates || is_last) && change <= settled) return Verdict::converged;
  return is_last ? Verdict::gave_up : Verdict::go_on;
}
HOOKE_HD Verdict judge(NewtonMemory& n, const StepSettings& s, double change) {
  return judge(n, s, change, s.noise, s.tolerance);
}

}  // namespace hooke::gpu
