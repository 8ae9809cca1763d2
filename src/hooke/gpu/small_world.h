#pragma once
#include <type_traits>

#include "hooke/gpu/step_math.h"

/// Joints and what they hold: small, so that every block computes all of it for itself, and nobody waits for another.
/// Loops are shared by the threads of the block; `sync` waits for all of them.
namespace hooke::gpu {

/// A hold at the current state.
struct HoldNow {
  double p[3], R[9], twist[6];
  double best[9], inverse_A[9],
      arm[3];  ///< of a patch: its rotation, see fe/best_fit.h, and from its mean to the hold
  double wrench[6], moved[6];
};

/// Scratch of a block.
struct SmallWorld {
  double *R, *centre, *spread, *inverse_A;  ///< of each component
  HoldNow* hold;
  double *held_q, *held_v, *held_force, *held_moved;         ///< three for each held node
  double *G, *turned, *g, *g_v, *lambda, *S, *b, *wrenches;  ///< of rows; wrenches: on columns of responses
  double* sums;                                              ///< of partials of blocks

  /// Lays itself out from `at` (null: not yet); the number of doubles it takes.
  HOOKE_HD long place(const StepData& d, double* at) {
    long used = 0;
    const auto take = [&](long count) {
      double* const here = at ? at + used : nullptr;
      used += count;
      return here;
    };
    R = take(9 * d.components), centre = take(3 * d.components), spread = take(3 * d.components);
    inverse_A = take(9 * d.components);
    hold = reinterpret_cast<HoldNow*>(take(static_cast<long>(sizeof(HoldNow) / sizeof(double)) * d.holds));
    held_q = take(3 * d.held), held_v = take(3 * d.held), held_force = take(3 * d.held),
    held_moved = take(3 * d.held);
    G = take(12 * d.rows), turned = take(12 * d.rows), g = take(d.rows), g_v = take(d.rows),
    lambda = take(d.rows);
    S = take(d.rows * d.rows), b = take(2 * d.rows), wrenches = take(2 * d.columns);
    sums = take(partials * d.components);
    return used;
  }
};

/// What does not change and is read again and again: a block has a copy of its own, since what it keeps of the memory that
/// all share is lost at every barrier.
struct SmallConstants {
  /// Lays itself out from `at`; the number of doubles it takes. With `to`, threads share the copying, and its pointers
  /// lead there.
  HOOKE_HD static long place(const StepData& d, double* at, StepData* to, int thread, int threads) {
    long used = 0;
    const auto take = [&](auto& pointer, long count, auto StepData::*where) {
      using T = std::remove_cv_t<std::remove_reference_t<decltype(*pointer)>>;
      const long first = used;
      used += (count * static_cast<long>(sizeof(T)) + 7) / 8;
      if (!to) return;
      T* const here = reinterpret_cast<T*>(at + first);
      for (long k = thread; k < count; k += threads) here[k] = pointer[k];
      if (thread == 0) to->*where = here;
    };
    long compliances = 0;
    if (to)
      for (int c = 0; c < d.components; ++c)
        compliances += 1L * d.component[c].columns * d.component[c].columns;
    take(d.component, d.components, &StepData::component);
    take(d.hold, d.holds, &StepData::hold);
    take(d.row, d.rows, &StepData::row);
    take(d.load, d.loads, &StepData::load);
    take(d.held_node, d.held, &StepData::held_node);
    take(d.held_by, d.held, &StepData::held_by);
    take(d.held_arm, 3 * d.held, &StepData::held_arm);
    take(d.compliance, to ? compliances : d.columns * d.columns, &StepData::compliance);
    return used;
  }
};

/// Of a patch that moves at x: motion of the hold, by its Jacobian.
HOOKE_HD void hold_motion(const StepData& d, const Hold& hold, const HoldNow& now, const double* x,
                          double* motion) {
  for (int k = 0; k < 6; ++k) motion[k] = 0;
  if (hold.kind == Hold::ground) return;
  const double w = 1.0 / hold.count;
  for (int e = hold.first; e < hold.first + hold.count; ++e) {
    for (int k = 0; k < 3; ++k) motion[k] += w * x[3 * e + k];
    if (hold.kind == Hold::node) continue;
    double arm[3], turn[3];
    times(now.best, d.held_arm + 3 * e, arm);
    cross(arm, x + 3 * e, turn);
    for (int k = 0; k < 3; ++k) motion[3 + k] += w * turn[k];
  }
  if (hold.kind == Hold::node) return;
  double omega[3], swing[3];
  times(now.inverse_A, motion + 3, omega);
  cross(omega, now.arm, swing);
  for (int k = 0; k < 3; ++k) motion[k] += swing[k], motion[3 + k] = omega[k];
}

HOOKE_HD void place_hold(const StepData& d, const SmallWorld& world, int f) {
  const Hold& hold = d.hold[f];
  HoldNow& now = world.hold[f];
  for (int k = 0; k < 9; ++k) now.R[k] = hold.R[k];
  if (hold.kind != Hold::patch) {
    const double* p = hold.kind == Hold::ground ? hold.s : world.held_q + 3 * hold.first;
    for (int k = 0; k < 3; ++k) now.p[k] = p[k];
  } else {
    const double w = 1.0 / hold.count;
    double centre[3] = {0, 0, 0}, H[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, skew[3];
    for (int e = hold.first; e < hold.first + hold.count; ++e)
      for (int k = 0; k < 3; ++k) centre[k] += w * world.held_q[3 * e + k];
    for (int e = hold.first; e < hold.first + hold.count; ++e)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          H[3 * k + l] += w * (world.held_q[3 * e + k] - centre[k]) * d.held_arm[3 * e + l];
    for (int k = 0; k < 9; ++k) now.best[k] = world.R[9 * hold.component + k];
    fit_rotation(H, now.best);
    spread_of(H, now.best, now.inverse_A, skew);
    times(now.best, hold.s, now.arm);
    for (int k = 0; k < 3; ++k) now.p[k] = centre[k] + now.arm[k];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        now.R[3 * i + j] = 0;
        for (int l = 0; l < 3; ++l) now.R[3 * i + j] += now.best[3 * i + l] * hold.R[3 * l + j];
      }
  }
  hold_motion(d, hold, now, world.held_v, now.twist);
}

/// g and its row of G, as joints/parts/ have them.
template <class Place>
HOOKE_HD double evaluate_row(const Row& row, const Place& A, const Place& B, double* G) {
  double d[3], a[3], b[3], n[3];
  for (int k = 0; k < 12; ++k) G[k] = 0;
  for (int k = 0; k < 3; ++k) d[k] = B.p[k] - A.p[k];
  const auto turns = [&] {
    for (int k = 0; k < 3; ++k) G[3 + k] = n[k], G[9 + k] = -n[k];
  };
  if (row.kind == Row::coincide) {
    G[row.axis[0]] = -1, G[6 + row.axis[0]] = 1;
    return d[row.axis[0]];
  }
  if (row.kind == Row::distance) {
    const double length = std::sqrt(dot(d, d));
    for (int k = 0; k < 3 && length > 0; ++k) G[k] = -d[k] / length, G[6 + k] = d[k] / length;
    return length - row.length;
  }
  column(A.R, row.axis[0], a);
  column(B.R, row.axis[1], b);
  if (row.kind == Row::plane) {
    cross(a, d, n);
    for (int k = 0; k < 3; ++k) G[k] = -a[k], G[3 + k] = n[k], G[6 + k] = a[k];
    return dot(a, d);
  }
  cross(a, b, n);
  if (row.kind == Row::perpendicular) {
    turns();
    return dot(a, b);
  }
  double a2[3], b2[3], n2[3];
  column(A.R, row.axis[2], a2);
  column(B.R, row.axis[3], b2);
  cross(a2, b2, n2);
  const double s = dot(a, b), c = dot(a2, b2);
  if (row.kind == Row::no_twist) {
    for (int k = 0; k < 3; ++k) n[k] -= n2[k];
    turns();
    return s - c;
  }
  for (int k = 0; k < 3; ++k) n[k] = (c * n[k] - s * n2[k]) / (s * s + c * c);
  turns();
  return std::atan2(s, c);
}

HOOKE_HD const double* course_of(const StepData& d, int step) {
  return d.courses + static_cast<long>(step) * (2 * d.drives + 6 * d.loads);
}

HOOKE_HD void evaluate_joint(const StepData& d, const SmallWorld& world, int step, int r) {
  const Row& row = d.row[r];
  const HoldNow &A = world.hold[row.hold[0]], &B = world.hold[row.hold[1]];
  double* G = world.G + 12 * r;
  world.g[r] = evaluate_row(row, A, B, G);
  world.g_v[r] = 0;
  for (int k = 0; k < 6; ++k) world.g_v[r] += G[k] * A.twist[k] + G[6 + k] * B.twist[k];
  if (row.drive >= 0) {
    const double* f = course_of(d, step) + 2 * row.drive;
    const double turn = 6.283185307179586;
    if (row.kind == Row::angle) world.g[r] += turn * std::rint((f[0] - world.g[r]) / turn);
    world.g[r] -= f[0];
    world.g_v[r] -= f[1];
  }
  for (int side = 0; side < 2; ++side) {  // in the axes of the component, for the responses
    const int c = d.hold[row.hold[side]].component;
    for (int part = 0; part < 2 && c >= 0; ++part)
      transposed_times(world.R + 9 * c, G + 6 * side + 3 * part, world.turned + 12 * r + 6 * side + 3 * part);
  }
}

HOOKE_HD double compliance_between(const StepData& d, const SmallWorld& world, int r, int c) {
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Hold &a = d.hold[d.row[r].hold[i]], &b = d.hold[d.row[c].hold[j]];
      if (a.component < 0 || a.component != b.component) continue;
      const Component& of = d.component[a.component];
      const int rows = a.kind == Hold::node ? 3 : 6, columns = b.kind == Hold::node ? 3 : 6;
      for (int k = 0; k < rows; ++k) {
        const double* F =
            d.compliance + of.compliance_at + static_cast<long>(of.columns) * (a.column + k) + b.column;
        double along = 0;
        for (int l = 0; l < columns; ++l) along += F[l] * world.turned[12 * c + 6 * j + l];
        sum += world.turned[12 * r + 6 * i + k] * along;
      }
    }
  return sum;
}

/// S = L L^T in place, with the reciprocals of the diagonal of L.
template <class Sync>
HOOKE_HD void factorize_rows(double* S, int n, int thread, int threads, Sync&& sync) {
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / std::sqrt(S[n * k + k]);
    sync();
    for (int i = k + thread; i < n; i += threads) S[n * i + k] = i == k ? pivot : S[n * i + k] * pivot;
    sync();
    const int left = n - k - 1;
    for (int e = thread; e < left * left; e += threads) {
      const int i = k + 1 + e / left, j = k + 1 + e % left;
      if (j <= i) S[n * i + j] -= S[n * i + k] * S[n * j + k];
    }
    sync();
  }
}

/// Both right-hand sides.
template <class Sync>
HOOKE_HD void substitute_rows(const double* S, double* b, int n, int thread, int threads, Sync&& sync) {
  for (int k = 0; k < n; ++k) {
    for (int c = thread; c < 2; c += threads) b[n * c + k] *= S[n * k + k];
    sync();
    for (int e = thread; e < 2 * (n - k - 1); e += threads) {
      const int i = k + 1 + e / 2, c = e % 2;
      b[n * c + i] -= S[n * i + k] * b[n * c + k];
    }
    sync();
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int c = thread; c < 2; c += threads) b[n * c + k] *= S[n * k + k];
    sync();
    for (int e = thread; e < 2 * k; e += threads)
      b[n * (e % 2) + e / 2] -= S[n * k + e / 2] * b[n * (e % 2) + k];
    sync();
  }
}

/// Holds, rows and what they do to the nodes, and the factor of what rows do to each other, at the state there is. R and centres of components are up to date.
template <class Sync>
HOOKE_HD void evaluate_joints(const StepData& d, const SmallWorld& world, int step, int thread, int threads,
                              Sync&& sync) {
  for (int k = thread; k < 3 * d.held; k += threads) {
    world.held_q[k] = d.q[4 * d.held_node[k / 3] + k % 3];
    world.held_v[k] = d.v[4 * d.held_node[k / 3] + k % 3];
  }
  sync();
  for (int f = thread; f < d.holds; f += threads) place_hold(d, world, f);
  sync();
  for (int r = thread; r < d.rows; r += threads) evaluate_joint(d, world, step, r);
  sync();
  for (int k = thread; k < 6 * d.holds; k += threads) {
    double sum = 0;
    for (int r = 0; r < d.rows; ++r)
      for (int side = 0; side < 2; ++side)
        if (d.row[r].hold[side] == k / 6) sum += world.G[12 * r + 6 * side + k % 6] * world.lambda[r];
    for (int l = 0; l < d.loads; ++l) {
      if (d.load[l].hold != k / 6) continue;
      const double *w = course_of(d, step) + 2 * d.drives + 6 * l, *R = world.hold[k / 6].R + 3 * (k % 3);
      sum -= d.load[l].follows ? dot(R, w + k / 3 % 2 * 3) : w[k % 6];
    }
    world.hold[k / 6].wrench[k % 6] = sum;
  }
  sync();
  for (int e = thread; e < d.held; e += threads) {
    const Hold& hold = d.hold[d.held_by[e]];
    const HoldNow& now = world.hold[d.held_by[e]];
    double* f = world.held_force + 3 * e;
    for (int k = 0; k < 3; ++k) f[k] = now.wrench[k] / hold.count;
    if (hold.kind == Hold::node) continue;
    double moment[3], spread[3], arm[3], turn[3];
    cross(now.arm, now.wrench, moment);
    for (int k = 0; k < 3; ++k) moment[k] += now.wrench[3 + k];
    times(now.inverse_A, moment, spread);
    times(now.best, d.held_arm + 3 * e, arm);
    cross(arm, spread, turn);
    for (int k = 0; k < 3; ++k) f[k] -= turn[k] / hold.count;
  }
  sync();
  const int n = d.rows;
  for (int e = thread; e < n * n; e += threads)
    if (e % n <= e / n)
      world.S[e] =
          compliance_between(d, world, e / n, e % n) * (e % n == e / n ? 1 + d.settings.regularisation : 1.0);
  sync();
  factorize_rows(world.S, n, thread, threads, sync);
}

/// After a solve without joints: the multipliers' increments, and the wrenches by which they change it.
/// `solved(e, k)` is component k at held node e, in the axes of its component.
template <class Solved, class Sync>
HOOKE_HD void solve_joints(const StepData& d, const SmallWorld& world, int thread, int threads,
                           Solved&& solved, Sync&& sync) {
  const StepSettings& s = d.settings;
  const int n = d.rows;
  for (int e = thread; e < d.held; e += threads) {
    const double x[3] = {solved(e, 0), solved(e, 1), solved(e, 2)};
    times(world.R + 9 * d.hold[d.held_by[e]].component, x, world.held_moved + 3 * e);
  }
  sync();
  for (int f = thread; f < d.holds; f += threads)
    hold_motion(d, d.hold[f], world.hold[f], world.held_moved, world.hold[f].moved);
  sync();
  for (int r = thread; r < n; r += threads) {
    const double first = s.stabilised ? s.beta * s.h / s.gamma * world.g_v[r] : world.g[r];
    double sum = first;
    for (int side = 0; side < 2; ++side)
      for (int k = 0; k < 6; ++k)
        sum += world.G[12 * r + 6 * side + k] * world.hold[d.row[r].hold[side]].moved[k];
    world.b[r] = sum;
    world.b[n + r] = s.stabilised ? world.g[r] - first : 0.0;
  }
  sync();
  substitute_rows(world.S, world.b, n, thread, threads, sync);
  for (int r = thread; r < n; r += threads) world.lambda[r] += world.b[r] / (s.beta * s.h * s.h);
  for (int t = thread; t < 6 * d.holds; t += threads) {
    const Hold& hold = d.hold[t / 6];
    const int k = t % 6;
    if (hold.component < 0 || (hold.kind == Hold::node && k > 2)) continue;
    const Component& of = d.component[hold.component];
    double first = 0, second = 0;
    for (int r = 0; r < n; ++r)
      for (int side = 0; side < 2; ++side) {
        if (d.row[r].hold[side] != t / 6) continue;
        first += world.turned[12 * r + 6 * side + k] * world.b[r];
        second += world.turned[12 * r + 6 * side + k] * world.b[n + r];
      }
    world.wrenches[of.wrench_at + hold.column + k] = first;
    world.wrenches[of.wrench_at + of.columns + hold.column + k] = second;
  }
  sync();
}

}  // namespace hooke::gpu
