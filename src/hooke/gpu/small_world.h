#pragma once
#include <type_traits>

#include "hooke/gpu/points.h"

/// Joints, what they hold, and rigid bodies: small, so that every block computes all of it for itself, and nobody waits for
/// another. Loops are shared by the lanes of the block; `sync` waits for all of them. Only what many rows do to each other
/// (dense_rows.h) is the work of all blocks together.
namespace hooke::gpu {

/// All by itself. Others have more lanes, and wait for each other.
struct OneLane {
  static constexpr int lane = 0, lanes = 1;
  HOOKE_HD void sync() const {}
  HOOKE_HD double most(double x) const { return x; }
};

/// A hold at the current state.
struct HoldNow {
  double p[3], R[9], twist[6];
  double best[9], inverse_A[9],
      arm[3];  ///< of a patch: its rotation, see fe/best_fit.h, and from its mean to the hold
  double wrench[6], moved[6];
};

/// Scratch of a block.
struct SmallWorld {
  double *R, *centre, *spread, *inverse_A, *omega;  ///< of each component
  HoldNow* hold;
  double *held_q, *held_v, *held_force, *held_moved;  ///< three for each held node
  double *G, *turned,
      *softened;  ///< of rows: of their sides in the axes of the component or the dofs of the rigid body; C^-1 of that
  double *g, *g_v, *lambda, *b, *mu, *wrenches;  ///< of rows; wrenches: on columns of responses
  double *S, *block;                             ///< what rows do to each other: see dense_rows.h
  double* sums;                                  ///< of partials of blocks
  Points points;                                 ///< rigid bodies
  double *inverse, *free, *size;  ///< of each: C^-1, what it would do without joints, what it did

  /// Lays itself out from `at` (null: not yet); the number of doubles it takes.
  HOOKE_HD long place(const StepData& d, double* at) {
    long used = 0;
    const auto take = [&](long count) {
      double* const here = at ? at + used : nullptr;
      used += count;
      return here;
    };
    R = take(9 * d.components), centre = take(3 * d.components), spread = take(3 * d.components);
    inverse_A = take(9 * d.components), omega = take(3 * d.components);
    hold = reinterpret_cast<HoldNow*>(take(static_cast<long>(sizeof(HoldNow) / sizeof(double)) * d.holds));
    held_q = take(3 * d.held), held_v = take(3 * d.held), held_force = take(3 * d.held),
    held_moved = take(3 * d.held);
    G = take(12 * d.rows), turned = take(12 * d.rows), softened = take(d.bodies > 0 ? 12 * d.rows : 0);
    g = take(d.rows), g_v = take(d.rows), lambda = take(d.rows);
    b = take(2 * d.rows), mu = take(2 * d.rows), wrenches = take(2 * d.columns);
    const int few = d.rows < rows_in_block ? d.rows : rows_in_block;
    block = take(few * few);
    S = d.rows > rows_in_block ? d.dense : block;
    sums = take(partials * d.components);
    points.place(d.bodies, take);
    inverse = take(36 * d.bodies), free = take(6 * d.bodies), size = take(d.bodies);
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
    take(d.body, d.bodies, &StepData::body);
    take(d.rows_at, d.holds + 1, &StepData::rows_at);
    take(d.rows_of, 2 * d.rows, &StepData::rows_of);
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
  if (hold.count == 0) return;
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
  if (hold.kind == Hold::rigid) return place_frame(world.points, hold.body, hold.R, hold.s, now);
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
  for (int side = 0; side < 2; ++side) {
    const Hold& hold = d.hold[row.hold[side]];
    double* turned = world.turned + 12 * r + 6 * side;
    if (hold.kind == Hold::rigid) on_point(world.points, hold.body, hold.s, G + 6 * side, turned);
    for (int part = 0; part < 2 && hold.component >= 0; ++part)
      transposed_times(world.R + 9 * hold.component, G + 6 * side + 3 * part, turned + 3 * part);
  }
}

HOOKE_HD double compliance_between(const StepData& d, const SmallWorld& world, int r, int c) {
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Hold &a = d.hold[d.row[r].hold[i]], &b = d.hold[d.row[c].hold[j]];
      if (a.body >= 0 && a.body == b.body)
        for (int k = 0; k < 6; ++k)
          sum += world.turned[12 * r + 6 * i + k] * world.softened[12 * c + 6 * j + k];
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

/// In place, by Gauss and Jordan: positive definite but for what spins add, so
/// no search for a pivot.
template <class Lanes>
HOOKE_HD void invert_in_place(double* A, int n, const Lanes& lanes) {
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / A[n * k + k];
    for (int e = lanes.lane; e < n * n; e += lanes.lanes) {
      const int i = e / n, j = e % n;
      if (i != k && j != k) A[e] -= A[n * i + k] * (A[n * k + j] * pivot);
    }
    lanes.sync();
    for (int i = lanes.lane; i < n; i += lanes.lanes) {
      if (i != k) A[n * k + i] *= pivot, A[n * i + k] *= -pivot;
      if (i == k) A[n * k + k] = pivot;
    }
    lanes.sync();
  }
}

/// Residual and Newton's matrix of rigid body i, its inverse, and what it would do without rows.
HOOKE_HD void evaluate_body(const StepData& d, const SmallWorld& world, int i) {
  const StepSettings& s = d.settings;
  const Rigid& body = d.body[i];
  double r[6], *C = world.inverse + 36 * i;
  for (int k = 0; k < 36; ++k) C[k] = 0;
  point_inertia(s, world.points, i, body.mass, body.inertia, d.gravity, r, C);
  for (int f = 0; f < d.holds; ++f)
    if (d.hold[f].body == i) add_wrench(s, world.points, i, d.hold[f].s, world.hold[f].wrench, r, C);
  invert_in_place(C, 6, OneLane{});
  for (int k = 0; k < 6; ++k) {
    double sum = 0;
    for (int l = 0; l < 6; ++l) sum += C[6 * k + l] * r[l];
    world.free[6 * i + k] = -s.beta * s.h * s.h * sum;
  }
}

/// Holds, rows, what they do to the nodes, and rigid bodies, at the state there is. R and centres of components are up to date.
template <class Lanes>
HOOKE_HD void evaluate_joints(const StepData& d, const SmallWorld& world, int step, const Lanes& lanes) {
  for (int k = lanes.lane; k < 3 * d.held; k += lanes.lanes) {
    world.held_q[k] = d.q[4 * d.held_node[k / 3] + k % 3];
    world.held_v[k] = d.v[4 * d.held_node[k / 3] + k % 3];
  }
  lanes.sync();
  for (int f = lanes.lane; f < d.holds; f += lanes.lanes) place_hold(d, world, f);
  lanes.sync();
  for (int r = lanes.lane; r < d.rows; r += lanes.lanes) evaluate_joint(d, world, step, r);
  lanes.sync();
  for (int k = lanes.lane; k < 6 * d.holds; k += lanes.lanes) {
    double sum = 0;
    for (int e = d.rows_at[k / 6]; e < d.rows_at[k / 6 + 1]; ++e)
      sum += world.G[6 * d.rows_of[e] + k % 6] * world.lambda[d.rows_of[e] / 2];
    for (int l = 0; l < d.loads; ++l) {
      if (d.load[l].hold != k / 6) continue;
      const double *w = course_of(d, step) + 2 * d.drives + 6 * l, *R = world.hold[k / 6].R + 3 * (k % 3);
      sum -= d.load[l].follows ? dot(R, w + k / 3 % 2 * 3) : w[k % 6];
    }
    world.hold[k / 6].wrench[k % 6] = sum;
  }
  lanes.sync();
  for (int i = lanes.lane; i < d.bodies; i += lanes.lanes) evaluate_body(d, world, i);
  for (int e = lanes.lane; e < d.held; e += lanes.lanes) {
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
  lanes.sync();
  if (d.bodies == 0) return;
  for (int k = lanes.lane; k < 12 * d.rows; k += lanes.lanes) {
    const int side = k / 6, body = d.hold[d.row[side / 2].hold[side % 2]].body;
    if (body < 0) continue;
    double sum = 0;
    for (int l = 0; l < 6; ++l)
      sum += world.inverse[36 * body + 6 * (k % 6) + l] * world.turned[6 * side + l];
    world.softened[k] = sum;
  }
  lanes.sync();
}

/// After a solve without joints, what is missing for the equations of the rows: `solved(e, k)` is component k at held node e,
/// in the axes of its component.
template <class Solved, class Lanes>
HOOKE_HD void collect_rows(const StepData& d, const SmallWorld& world, Solved&& solved, const Lanes& lanes) {
  const StepSettings& s = d.settings;
  for (int e = lanes.lane; e < d.held; e += lanes.lanes) {
    const double x[3] = {solved(e, 0), solved(e, 1), solved(e, 2)};
    times(world.R + 9 * d.hold[d.held_by[e]].component, x, world.held_moved + 3 * e);
  }
  lanes.sync();
  for (int f = lanes.lane; f < d.holds; f += lanes.lanes)
    hold_motion(d, d.hold[f], world.hold[f], world.held_moved, world.hold[f].moved);
  lanes.sync();
  for (int r = lanes.lane; r < d.rows; r += lanes.lanes) {
    const double first = s.stabilised ? s.beta * s.h / s.gamma * world.g_v[r] : world.g[r];
    double sum = first;
    for (int side = 0; side < 2; ++side) {
      const int f = d.row[r].hold[side], at = 12 * r + 6 * side, body = d.hold[f].body;
      for (int k = 0; k < 6; ++k)
        sum += body < 0 ? world.G[at + k] * world.hold[f].moved[k]
                        : world.turned[at + k] * world.free[6 * body + k];
    }
    world.b[r] = sum;
    world.b[d.rows + r] = s.stabilised ? world.g[r] - first : 0.0;
  }
  lanes.sync();
}

/// Multipliers by `mu`, the solution for the rows, and rigid bodies; and the wrenches by which nodes change what was solved.
template <class Lanes>
HOOKE_HD void apply_rows(const StepData& d, const SmallWorld& world, const Lanes& lanes) {
  const StepSettings& s = d.settings;
  const double *first = world.mu, *second = world.mu + d.rows;
  for (int r = lanes.lane; r < d.rows; r += lanes.lanes) world.lambda[r] += first[r] / (s.beta * s.h * s.h);
  for (int t = lanes.lane; t < 6 * d.holds; t += lanes.lanes) {
    const Hold& hold = d.hold[t / 6];
    const int k = t % 6;
    if (hold.component < 0 || (hold.kind == Hold::node && k > 2)) continue;
    const Component& of = d.component[hold.component];
    double sum[2] = {0, 0};
    for (int e = d.rows_at[t / 6]; e < d.rows_at[t / 6 + 1]; ++e) {
      const double along = world.turned[6 * d.rows_of[e] + k];
      sum[0] += along * first[d.rows_of[e] / 2];
      sum[1] += along * second[d.rows_of[e] / 2];
    }
    world.wrenches[of.wrench_at + hold.column + k] = sum[0];
    world.wrenches[of.wrench_at + of.columns + hold.column + k] = sum[1];
  }
  for (int i = lanes.lane; i < d.bodies; i += lanes.lanes) {
    double dq[6], dy[6];
    for (int k = 0; k < 6; ++k) dq[k] = world.free[6 * i + k], dy[k] = 0;
    for (int f = 0; f < d.holds; ++f)
      for (int e = d.rows_at[f]; e < d.rows_at[f + 1] && d.hold[f].body == i; ++e)
        for (int k = 0; k < 6; ++k) {
          const double along = world.softened[6 * d.rows_of[e] + k];
          dq[k] -= along * first[d.rows_of[e] / 2];
          dy[k] -= along * second[d.rows_of[e] / 2];
        }
    double size = 0;
    for (int k = 0; k < 6; ++k) {
      const double unit = k < 3 ? d.body[i].scale : 1.0;
      size = std::fmax(size, finite(std::fabs(dq[k]) / unit));
      size = std::fmax(size, finite(std::fabs(dq[k] + dy[k]) / unit));
    }
    world.size[i] = size;
    correct_point(s, world.points, i, dq, dy);
  }
  lanes.sync();
}

HOOKE_HD double error_of_body(const StepData& d, const SmallWorld& world, int i) {
  double most = 0;
  for (int k = 0; k < 6; ++k)
    most = std::fmax(most, error_of(d.settings, world.points, 6 * i + k) / (k < 3 ? d.body[i].scale : 1.0));
  return most;
}

/// Rigid bodies a step ahead; `size` has the error of the step before.
template <class Lanes>
HOOKE_HD void predict_bodies(const StepData& d, const SmallWorld& world, const Lanes& lanes) {
  for (int i = lanes.lane; i < d.bodies; i += lanes.lanes) {
    world.size[i] = error_of_body(d, world, i);
    for (int k = 0; k < 7; ++k) world.points.q0[7 * i + k] = world.points.q[7 * i + k];
    for (int k = 0; k < 6; ++k) predict(d.settings, world.points, 6 * i + k);
    move_point(world.points, i);
  }
}

/// `most`, or what a rigid body says if that is more.
HOOKE_HD double with_bodies(const StepData& d, const SmallWorld& world, double most) {
  for (int i = 0; i < d.bodies; ++i) most = std::fmax(most, world.size[i]);
  return most;
}

}  // namespace hooke::gpu
