#pragma once
#include "hooke/gpu/mechanism_data.h"
#include "hooke/gpu/points.h"
#include "hooke/gpu/small_world.h"

/// Steps of one instance of a mechanism, by the lanes of a warp or by one alone (plain C++). What a lane writes no other lane
/// writes, and sums are taken by one lane: so the order of summation is the same for any number of lanes.
namespace hooke::gpu {

struct FrameNow {
  double p[3], R[9], twist[6], wrench[6];
};

/// Scratch of an instance.
struct MechanismWorld {
  Points points;
  double *numbers, *G, *g, *g_v, *lambda, *matrix, *spare, *gradient, *strain;
  FrameNow* frame;

  /// Lays itself out from `at` (null: not yet); the number of doubles it takes.
  HOOKE_HD long place(const MechanismPlan& p, double* at) {
    long used = 0;
    const auto take = [&](long count) {
      double* const here = at ? at + used : nullptr;
      used += count;
      return here;
    };
    numbers = take(p.numbers());
    points.place(p.points, take);
    G = take(12 * p.rows), g = take(p.rows), g_v = take(p.rows), lambda = take(p.rows);
    matrix = take(p.matrix), spare = take(36 * p.widest);
    gradient = take(216 * p.elements), strain = take(12 * p.elements);
    frame =
        reinterpret_cast<FrameNow*>(take(static_cast<long>(sizeof(FrameNow) / sizeof(double)) * p.frames));
    return used;
  }
};

template <class Lanes>
class MechanismSteps {
 public:
  HOOKE_HD MechanismSteps(const MechanismPlan& p, const MechanismWorld& world, const Lanes& lanes)
      : p_(p), s_(p.settings), w_(world), l_(lanes) {}

  HOOKE_HD void load(const double* numbers, const double* state) {
    copy(w_.numbers, numbers, p_.numbers());
    each_part(state, [&](double* here, const double* there, int count) { copy(here, there, count); });
    const double* newton = state + p_.state() - 3;
    newton_ = {};
    newton_.rate = newton[0], newton_.rate_known = newton[1] != 0, newton_.last = newton[2];
    l_.sync();
    extent_ = w_.numbers[p_.gravity_from() + 3];
  }
  HOOKE_HD void save(double* state) const {
    each_part(state, [&](const double* here, double* there, int count) { copy(there, here, count); });
    double* newton = state + p_.state() - 3;
    if (l_.lane == 0) newton[0] = newton_.rate, newton[1] = newton_.rate_known, newton[2] = newton_.last;
  }
  /// Output number k.
  HOOKE_HD void show(const MechanismRun& run, int instance, int k) const {
    double* to = run.outputs + (static_cast<long long>(k) * run.instances + instance) * p_.output();
    copy(to, w_.points.q, 7 * p_.points);
    copy(to + 7 * p_.points, w_.points.v, 6 * p_.points);
  }

  /// False: it failed; `log` says how.
  HOOKE_HD bool step(const double* course, BatchLog& log) {
    predict();
    newton_.iteration = 0;
    for (;;) {
      evaluate(course);
      eliminate();
      const double change = correct();
      const double settled = newton_.iteration < 4
                                 ? s_.tolerance
                                 : std::fmax(s_.tolerance, std::fmin(0.1 * local_error(), 1e-6));
      const Verdict verdict = judge(newton_, s_, change, noise_, settled);
      if (verdict == Verdict::go_on) continue;
      log.iterations += newton_.iteration;
      if (verdict == Verdict::converged) break;
      log.outcome = static_cast<int>(outcome_of(verdict));
      return false;
    }
    const double error = local_error();
    if (!(error <= log.error)) log.error = error;
    if (!(error <= s_.hopeless)) {
      log.outcome = static_cast<int>(Outcome::unresolved);
      return false;
    }
    ++log.steps;
    return true;
  }

 private:
  const MechanismPlan& p_;
  const StepSettings& s_;
  MechanismWorld w_;
  Lanes l_;
  NewtonMemory newton_;
  double extent_ = 1, noise_ = 0;

  HOOKE_HD void copy(double* to, const double* from, int count) const {
    for (int k = l_.lane; k < count; k += l_.lanes) to[k] = from[k];
  }
  template <class State, class Copy>
  HOOKE_HD void each_part(State* state, Copy&& copy_part) const {
    const auto part = [&](double* here, int count) {
      copy_part(here, state, count);
      state += count;
    };
    const Points& of = w_.points;
    part(of.q, 7 * p_.points);
    for (double* each : {of.v, of.a, of.a_new, of.a_old}) part(each, 6 * p_.points);
    part(w_.lambda, p_.rows);
  }
  HOOKE_HD double unit_of(int dof) const { return dof % 6 < 3 ? extent_ : 1.0; }

  HOOKE_HD double local_error() const {
    double most = 0;
    for (int k = l_.lane; k < 6 * p_.points; k += l_.lanes)
      most = std::fmax(most, error_of(s_, w_.points, k) / unit_of(k));
    return l_.most(most);
  }

  HOOKE_HD void predict() {
    double most = 0;
    for (int k = l_.lane; k < 7 * p_.points; k += l_.lanes) {
      w_.points.q0[k] = w_.points.q[k];
      most = std::fmax(most, std::fabs(w_.points.q[k]));
    }
    noise_ = 1e-15 * std::fmax(1.0, l_.most(most) / std::fmin(extent_, 1.0));
    for (int k = l_.lane; k < 6 * p_.points; k += l_.lanes) gpu::predict(s_, w_.points, k);
    l_.sync();
    for (int i = l_.lane; i < p_.points; i += l_.lanes) move_point(w_.points, i);
    l_.sync();
  }

  // --- residual, constraints and Newton's matrix

  HOOKE_HD void evaluate(const double* course) {
    for (int k = l_.lane; k < p_.matrix; k += l_.lanes) w_.matrix[k] = 0;
    for (int f = l_.lane; f < p_.frames; f += l_.lanes) place_frame(f);
    for (int k = l_.lane; k < 6 * p_.elements; k += l_.lanes) {
      const int e = k / 6, g = k / 3 % 2, node = k % 3;
      const RodElement& of = p_.element[e];
      if (node >= of.nodes || g >= of.nodes - 1) continue;
      section_gradient(element_numbers(e), of.nodes, w_.points.q + 7 * of.first, g, node,
                       w_.gradient + 216 * e + 108 * g + 36 * node, w_.strain + 12 * e + 6 * g);
    }
    l_.sync();
    for (int r = l_.lane; r < p_.rows; r += l_.lanes) evaluate_mechanism_row(r, course);
    l_.sync();
    for (int f = l_.lane; f < p_.frames; f += l_.lanes) collect_wrench(f, course);
    for (int k = l_.lane; k < 2 * p_.rows; k += l_.lanes) place_row(k / 2, k % 2);
    l_.sync();
    for (int i = l_.lane; i < p_.points; i += l_.lanes) evaluate_point(i);
    l_.sync();
    if (p_.elements == 0) return;
    for (int k = l_.lane; k < 6 * p_.points; k += l_.lanes) add_elements(k / 6, k % 6);
    for (int k = l_.lane; k < 54 * p_.elements; k += l_.lanes) {
      const int e = k / 54, a = k / 18 % 3, b = k / 6 % 3, i = k % 6;
      const RodElement& of = p_.element[e];
      if (a != b && a < of.nodes && b < of.nodes) add_stiffness(e, a, b, i, w_.matrix + of.at[a][b] + 6 * i);
    }
    l_.sync();
  }

  HOOKE_HD const double* element_numbers(int e) const {
    return w_.numbers + p_.elements_from() + MechanismPlan::of_element * e;
  }

  HOOKE_HD void place_frame(int f) const {
    const double *R_F = w_.numbers + p_.frames_from() + 12 * f, *s = R_F + 9;
    FrameNow& now = w_.frame[f];
    const int i = p_.frame[f].point;
    if (i < 0) {
      for (int k = 0; k < 9; ++k) now.R[k] = R_F[k];
      for (int k = 0; k < 3; ++k) now.p[k] = s[k], now.twist[k] = now.twist[3 + k] = 0;
      return;
    }
    gpu::place_frame(w_.points, i, R_F, s, now);
  }

  HOOKE_HD void evaluate_mechanism_row(int r, const double* course) const {
    Row row = p_.row[r].row;
    row.length = w_.numbers[p_.lengths_from() + r];
    const FrameNow &A = w_.frame[row.hold[0]], &B = w_.frame[row.hold[1]];
    double* G = w_.G + 12 * r;
    double g = evaluate_row(row, A, B, G), g_v = 0;
    for (int k = 0; k < 6; ++k) g_v += G[k] * A.twist[k] + G[6 + k] * B.twist[k];
    if (row.drive >= 0) {
      const double *f = course + 2 * row.drive, turn = 6.283185307179586;
      if (row.kind == Row::angle) g += turn * std::rint((f[0] - g) / turn);
      g -= f[0];
      g_v -= f[1];
    }
    const double first = s_.stabilised ? s_.beta * s_.h / s_.gamma * g_v : g;
    double* b = w_.matrix + p_.row[r].right_side;
    b[0] = -first;
    if (s_.stabilised) b[1] = first - g;
    w_.matrix[p_.row[r].diagonal] = -w_.numbers[p_.soft_from() + r];
  }

  HOOKE_HD void collect_wrench(int f, const double* course) const {
    FrameNow& now = w_.frame[f];
    for (int k = 0; k < 6; ++k) now.wrench[k] = 0;
    for (int e = p_.rows_at[f]; e < p_.rows_at[f + 1]; ++e) {
      const int r = p_.rows_of[e] / 2, side = p_.rows_of[e] % 2;
      for (int k = 0; k < 6; ++k) now.wrench[k] += w_.G[12 * r + 6 * side + k] * w_.lambda[r];
    }
    for (int e = p_.loads_at[f]; e < p_.loads_at[f + 1]; ++e) {
      const int l = p_.loads_of[e];
      const double* w = course + 2 * p_.drives + 6 * l;
      for (int part = 0; part < 2; ++part) {
        double turned_load[3] = {w[3 * part], w[3 * part + 1], w[3 * part + 2]};
        if (p_.load[l].follows) times(now.R, w + 3 * part, turned_load);
        for (int k = 0; k < 3; ++k) now.wrench[3 * part + k] -= turned_load[k];
      }
    }
  }

  HOOKE_HD void place_row(int r, int side) const {
    const RowPlace& at = p_.row[r].side[side];
    const int point = p_.frame[at.frame].point;
    if (point < 0) return;
    double row[6];
    on_point(w_.points, point, place_in_point(at.frame), w_.G + 12 * r + 6 * side, row);
    for (int k = 0; k < 6; ++k) {
      w_.matrix[at.row_at + k] = row[k];
      w_.matrix[at.column_at + k * at.stride] = row[k];
    }
  }

  HOOKE_HD const double* place_in_point(int frame) const {
    return w_.numbers + p_.frames_from() + 12 * frame + 9;
  }

  HOOKE_HD void evaluate_point(int i) const {
    const double *of = w_.numbers + MechanismPlan::of_point * i, k = s_.beta * s_.h * s_.h;
    double r[6], *C = w_.matrix + p_.diagonal[i];
    point_inertia(s_, w_.points, i, of[0], of + 1, w_.numbers + p_.gravity_from(), r, C);
    for (int e = p_.frames_at[i]; e < p_.frames_at[i + 1]; ++e) {
      const int f = p_.frames_of[e];
      add_wrench(s_, w_.points, i, place_in_point(f), w_.frame[f].wrench, r, C);
    }
    double* b = w_.matrix + p_.right_side[i];
    for (int n = 0; n < 6; ++n) b[n * p_.columns] = -k * r[n];
  }

  /// Row i of block (a, b) of an element's stiffness and mass.
  HOOKE_HD void add_stiffness(int e, int a, int b, int i, double* to) const {
    const int nodes = p_.element[e].nodes;
    const double* numbers = element_numbers(e);
    const double k = s_.beta * s_.h * s_.h;
    for (int j = 0; j < 6; ++j) {
      double sum = 0;
      for (int g = 0; g < nodes - 1; ++g) {
        const double* W = w_.gradient + 216 * e + 108 * g;
        for (int n = 0; n < 6; ++n) sum += W[36 * a + 6 * n + i] * W[36 * b + 6 * n + j];
      }
      to[j] += k * sum;
    }
    if (i < 3)
      to[i] += (1 - s_.alpha_m) / (1 - s_.alpha_f) * numbers[0] * numbers[1] * mass_share(nodes, a, b);
  }

  /// What the elements of a point do to its row i.
  HOOKE_HD void add_elements(int point, int i) const {
    double force = 0;
    const double* gravity = w_.numbers + p_.gravity_from();
    for (int n = p_.elements_at[point]; n < p_.elements_at[point + 1]; ++n) {
      const int e = p_.elements_of[n] / 4, a = p_.elements_of[n] % 4;
      const RodElement& of = p_.element[e];
      for (int g = 0; g < of.nodes - 1; ++g)
        for (int k = 0; k < 6; ++k)
          force += w_.gradient[216 * e + 108 * g + 36 * a + 6 * k + i] * w_.strain[12 * e + 6 * g + k];
      if (i < 3) {
        const double* numbers = element_numbers(e);
        for (int b = 0; b < of.nodes; ++b)
          force += numbers[0] * numbers[1] * mass_share(of.nodes, a, b) *
                   (w_.points.a[6 * (of.first + b) + i] - gravity[i]);
      }
      add_stiffness(e, a, a, i, w_.matrix + of.at[a][a] + 6 * i);
    }
    w_.matrix[p_.right_side[point] + i * p_.columns] -= s_.beta * s_.h * s_.h * force;
  }

  // --- elimination

  HOOKE_HD void eliminate() const {
    for (int level = 1; level < p_.levels; ++level) {
      const Level &from = p_.level[level - 1], &to = p_.level[level];
      invert_pivots(from.pivots, to.pivots, to.largest);
      for (int k = from.rows + l_.lane; k < to.rows; k += l_.lanes) scale_row(p_.scaled[k]);
      l_.sync();
      for (int k = from.updates + l_.lane; k < to.updates; k += l_.lanes) update(p_.update[k]);
      l_.sync();
    }
    for (int level = p_.levels - 1; level > 0; --level) {
      const Level &from = p_.level[level - 1], &to = p_.level[level];
      for (int k = from.backs + l_.lane; k < to.backs; k += l_.lanes) update(p_.back[k]);
      l_.sync();
      for (int k = from.pivots * p_.columns + l_.lane; k < to.pivots * p_.columns; k += l_.lanes)
        solve_pivot(p_.pivot[k / p_.columns], k % p_.columns);
      l_.sync();
    }
  }

  /// In place, all of a level at once, by Gauss and Jordan: positive or negative definite but for what damping and spin
  /// add, so no search for a pivot.
  HOOKE_HD void invert_pivots(int first, int last, int largest) const {
    for (int k = 0; k < (largest + 1) / 2 * 2; ++k) {  // from one place to another and back
      for (int t = 6 * first + l_.lane; t < 6 * last; t += l_.lanes) {
        const Pivot& p = p_.pivot[t / 6];
        const int i = t % 6, n = p.n;
        if (i >= n) continue;
        double *here = w_.matrix + p.at, *there = w_.spare + 36 * (t / 6 - first);
        if (k % 2 != 0) {
          double* const swapped = here;
          here = there, there = swapped;
        }
        const double *row = here + i * n, *of = here + k * n;
        double* to = there + i * n;
        const double inverse = k < n ? 1 / of[k] : 0.0, factor = k < n && i != k ? row[k] * inverse : 0.0;
        HOOKE_UNROLL
        for (int j = 0; j < 6; ++j) {
          if (j >= n) continue;
          const double other = i == k ? row[j] * inverse : k < n ? row[j] - factor * of[j] : row[j];
          to[j] = j != k ? other : i == k ? inverse : -factor;
        }
      }
      l_.sync();
    }
  }

  HOOKE_HD void scale_row(const ScaledRow& task) const {
    double *row = w_.matrix + task.at, old[6];
    const double* A = w_.matrix + task.pivot;
    HOOKE_UNROLL
    for (int j = 0; j < 6; ++j) old[j] = j < task.n ? row[j] : 0.0;
    for (int j = 0; j < task.n; ++j) {
      double sum = 0;
      HOOKE_UNROLL
      for (int i = 0; i < 6; ++i)
        if (i < task.n) sum += old[i] * A[i * task.n + j];
      row[j] = sum;
    }
  }

  HOOKE_HD void update(const Update& task) const {
    double* to = w_.matrix + task.at;
    double sum[6];
    HOOKE_UNROLL
    for (int j = 0; j < 6; ++j) sum[j] = j < task.n ? to[j] : 0.0;
    for (int t = task.first; t < task.last; ++t) {
      const Product product = p_.product[t];
      const double *row = w_.matrix + product.row, *block = w_.matrix + product.block;
      for (int k = 0; k < product.k; ++k) {
        const double factor = row[k];
        HOOKE_UNROLL
        for (int j = 0; j < 6; ++j)
          if (j < task.n) sum[j] -= factor * block[k * task.n + j];
      }
    }
    HOOKE_UNROLL
    for (int j = 0; j < 6; ++j)
      if (j < task.n) to[j] = sum[j];
  }

  HOOKE_HD void solve_pivot(const Pivot& pivot, int column) const {
    const double* A = w_.matrix + pivot.at;
    double *b = w_.matrix + p_.matrix - p_.columns * unknowns() + p_.columns * pivot.unknown + column, old[6];
    HOOKE_UNROLL
    for (int i = 0; i < 6; ++i) old[i] = i < pivot.n ? b[i * p_.columns] : 0.0;
    for (int i = 0; i < pivot.n; ++i) {
      double sum = 0;
      HOOKE_UNROLL
      for (int j = 0; j < 6; ++j)
        if (j < pivot.n) sum += A[i * pivot.n + j] * old[j];
      b[i * p_.columns] = sum;
    }
  }
  HOOKE_HD int unknowns() const { return 6 * p_.points + p_.rows; }

  // --- what the solution changes

  /// Returns its size in units of dofs.
  HOOKE_HD double correct() const {
    const int last = p_.columns - 1;
    double most = 0;
    for (int k = l_.lane; k < 6 * p_.points; k += l_.lanes) {
      const double* b = w_.matrix + p_.right_side[k / 6] + (k % 6) * p_.columns;
      const double size = std::fmax(std::fabs(b[0]), last > 0 ? std::fabs(b[0] + b[1]) : 0.0) / unit_of(k);
      most = std::fmax(most, b[0] + b[last] == b[0] + b[last] ? size : 1e300);  // not a number is no size
    }
    most = l_.most(most);
    const double longest = 0.5, pace = most > longest ? longest / most : 1.0;
    const double inverse_k = 1 / (s_.beta * s_.h * s_.h);
    for (int i = l_.lane; i < p_.points; i += l_.lanes) {
      const double* b = w_.matrix + p_.right_side[i];
      double dq[6], dy[6];
      for (int n = 0; n < 6; ++n) dq[n] = pace * b[n * p_.columns], dy[n] = pace * b[n * p_.columns + last];
      correct_point(s_, w_.points, i, dq, last > 0 ? dy : nullptr);
    }
    for (int r = l_.lane; r < p_.rows; r += l_.lanes)
      w_.lambda[r] += pace * w_.matrix[p_.row[r].right_side] * inverse_k;
    l_.sync();
    return most;
  }
};

/// All steps of instance i.
template <class Lanes>
HOOKE_HD void run_instance(const MechanismRun& run, int i, double* scratch, const Lanes& lanes) {
  const MechanismPlan& p = run.plan;
  MechanismWorld world;
  world.place(p, scratch);
  MechanismSteps<Lanes> steps(p, world, lanes);
  const long long n = i;
  steps.load(run.numbers + n * p.numbers(), run.state + n * p.state());
  steps.show(run, i, 0);
  BatchLog log{0, 0, 0, 0};
  for (int k = 0; k < run.steps; ++k) {
    const double* course = run.courses + n * run.courses_apart + static_cast<long long>(k) * p.course();
    if (!steps.step(course, log)) break;
    if ((k + 1) % run.every == 0) steps.show(run, i, (k + 1) / run.every);
  }
  steps.save(run.state + n * p.state());
  if (lanes.lane == 0) run.log[i] = log;
}

}  // namespace hooke::gpu
