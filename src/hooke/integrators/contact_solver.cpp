#include "hooke/integrators/contact_solver.h"

#include "hooke/base/format.h"

namespace hooke {

/// Three columns for each place: what a unit of impulse does to all velocities, and to all places.
void ContactSolver::respond(const State& state, Projector& projector) {
  const auto n = static_cast<Eigen::Index>(touches_.size());
  answers_.resize(dae_.nv(), 3 * n);
  compliance_.resize(3 * n, 3 * n);
  VectorX r(dae_.nv()), u;
  for (Eigen::Index k = 0; k < 3 * n; ++k) {
    r.setZero();
    contacts_.add_impulse(touches_[static_cast<std::size_t>(k / 3)], projector.workspace(),
                          Vec3::Unit(static_cast<int>(k % 3)), r);
    projector.respond(state, r, u);
    answers_.col(k) = u;
    for (Eigen::Index i = 0; i < n; ++i)
      compliance_.block<3, 1>(3 * i, k) =
          contacts_.rates(touches_[static_cast<std::size_t>(i)], projector.workspace(), u);
  }
}

/// What is left of the conditions at the impulses x, each in the unit of an impulse, and the slopes of that. After Alart and
/// Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375: with v = free + W x, a normal impulse is zero where
/// x_n - v_n/W_n is not positive, otherwise the place opens as wanted; a tangential one ends the motion where x_t - v_t/W_t is
/// within the cone, otherwise it is on the cone, that way.
double ContactSolver::conditions(const VectorX& x, VectorX& left, MatrixX* slopes) const {
  left.resize(x.size());
  const VectorX v = free_ + compliance_ * x;
  if (slopes) slopes->setIdentity(x.size(), x.size());
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(touches_.size()); ++i) {
    const Eigen::Index at = 3 * i;
    const double W_n = compliance_(at, at), W_t = compliance_(at + 1, at + 1) + compliance_(at + 2, at + 2);
    left.segment<3>(at) = x.segment<3>(at);
    if (!(W_n > 0) || x[at] - (v[at] - wanted_[at]) / W_n <= 0) continue;  // nothing moves there, or it opens
    left[at] = (v[at] - wanted_[at]) / W_n;
    if (slopes) slopes->row(at) = compliance_.row(at) / W_n;
    const double mu = touches_[static_cast<std::size_t>(i)].friction, limit = mu * std::max(0.0, x[at]);
    if (mu == 0 || !(W_t > 0)) continue;
    const Vec2 y = x.segment<2>(at + 1) - v.segment<2>(at + 1) / W_t;
    const double length = y.norm();
    if (length <= limit) {
      left.segment<2>(at + 1) = v.segment<2>(at + 1) / W_t;
      if (slopes) slopes->middleRows<2>(at + 1) = compliance_.middleRows<2>(at + 1) / W_t;
      continue;
    }
    const Vec2 u = y / length;
    left.segment<2>(at + 1) -= limit * u;
    if (!slopes) continue;
    const Eigen::Matrix2d across = limit / length * (Eigen::Matrix2d::Identity() - u * u.transpose());
    auto rows = slopes->middleRows<2>(at + 1);
    rows += across * compliance_.middleRows<2>(at + 1) / W_t;
    rows.middleCols<2>(at + 1) -= across;
    rows.col(at) -= mu * u;
  }
  return left.lpNorm<Eigen::Infinity>();
}

/// Place by place, each time with what all others are now (Gauss and Seidel): the normal impulse that opens the place as wanted
/// or none, then the tangential one, cut to the cone.
void ContactSolver::relax(int passes) {
  for (int pass = 0; pass < passes; ++pass)
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(touches_.size()); ++i) {
      const Eigen::Index at = 3 * i;
      const double W_n = compliance_(at, at), W_t = compliance_(at + 1, at + 1) + compliance_(at + 2, at + 2);
      if (!(W_n > 0)) continue;
      const double v_n = free_[at] + compliance_.row(at).dot(impulse_);
      impulse_[at] = std::max(0.0, impulse_[at] - (v_n - wanted_[at]) / W_n);
      const double limit = touches_[static_cast<std::size_t>(i)].friction * impulse_[at];
      Vec2 x_t = Vec2::Zero();
      if (limit > 0 && W_t > 0) {
        const Vec2 v_t = free_.segment<2>(at + 1) + compliance_.middleRows<2>(at + 1) * impulse_;
        x_t = impulse_.segment<2>(at + 1) - v_t / W_t;
        if (x_t.norm() > limit) x_t *= limit / x_t.norm();
      }
      impulse_.segment<2>(at + 1) = x_t;
    }
}

/// Newton's method on the conditions, from what relaxation leaves; where that does not lead on, more of it.
bool ContactSolver::find_impulses() {
  constexpr double enough = 1e-10, bearable = 1e-4;
  VectorX left, tried_left, dx, trial;
  MatrixX slopes;
  double best = 0, scale = 0;
  const double work = static_cast<double>(impulse_.size() * impulse_.size());
  for (int round = 0, passes = 5; passes * work < 3e7 && passes < 1e4;
       ++round, passes *= round == 1 ? 10 : 2) {
    relax(passes);
    best = conditions(impulse_, left, nullptr);
    for (int pass = 0; pass < 20; ++pass) {
      scale = impulse_.lpNorm<Eigen::Infinity>();
      if (best <= enough * scale || scale == 0) return true;
      conditions(impulse_, left, &slopes);
      slopes.diagonal().array() += 1e-7;  // places that hold the same twice share it
      dx = slopes.partialPivLu().solve(left);
      if (!dx.allFinite()) break;
      double part = 1, reached = 0;
      for (int half = 0; half < 6; ++half, part *= 0.5) {
        trial = impulse_ - part * dx;
        reached = conditions(trial, tried_left, nullptr);
        if (reached < best) break;
      }
      if (!(reached < best)) break;
      impulse_ = trial;
      best = reached;
    }
    for (Eigen::Index at = 0; at < impulse_.size(); at += 3) impulse_[at] = std::max(0.0, impulse_[at]);
  }
  return best <= bearable * scale;
}

/// As little as possible: nu >= 0 along the normals, and no gap below zero.
void ContactSolver::separate(State& state, Projector& projector) {
  const auto n = static_cast<Eigen::Index>(touches_.size());
  VectorX gap(n), nu(n), motion(dae_.nv()), q;
  for (int pass = 0; pass < 5; ++pass) {
    for (Eigen::Index i = 0; i < n; ++i) gap[i] = touches_[static_cast<std::size_t>(i)].gap;
    if (!(gap.minCoeff() < -1e-14 * dae_.dof_scale().maxCoeff())) return;
    nu.setZero();
    for (int sweep = 0; sweep < 2000; ++sweep) {
      double change = 0;
      for (Eigen::Index i = 0; i < n; ++i) {
        const double W_n = compliance_(3 * i, 3 * i);
        if (!(W_n > 0)) continue;
        double reached = gap[i];
        for (Eigen::Index j = 0; j < n; ++j) reached += compliance_(3 * i, 3 * j) * nu[j];
        const double next = std::max(0.0, nu[i] - reached / W_n);
        change = std::max(change, std::abs(next - nu[i]) * W_n);
        nu[i] = next;
      }
      if (change <= 1e-12 * -gap.minCoeff()) break;
    }
    motion.setZero();
    for (Eigen::Index i = 0; i < n; ++i) motion += nu[i] * answers_.col(3 * i);
    q = state.q;
    dae_.plus(q, motion, state.q);
    projector.update(state);
    std::vector<Touch> now;
    contacts_.find(state, projector.workspace(), now);
    for (Touch& touch : touches_) {
      const auto same =
          std::find_if(now.begin(), now.end(), [&](const Touch& t) { return t.number == touch.number; });
      touch.gap = same == now.end() ? 0.0 : same->gap;
    }
  }
}

void ContactSolver::settle(State& state, double h, Projector& projector) {
  projector.update(state);
  contacts_.find(state, projector.workspace(), touches_);
  const auto n = static_cast<Eigen::Index>(touches_.size());
  std::vector<RigidContactsBase::Outcome> results(touches_.size());
  contacts_.remember(touches_, results, state);
  projector.forget();
  projector.accelerations(state);
  if (n == 0) return;
  respond(state, projector);
  impulse_.resize(3 * n), free_.resize(3 * n), wanted_.setZero(3 * n);
  const VectorX next = state.v + h * state.a;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    impulse_.segment<3>(3 * i) = h * touch.carried;
    free_.segment<3>(3 * i) = contacts_.rates(touch, projector.workspace(), next);
  }
  find_impulses();  // whatever is left is found after the step
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Vec3 f = impulse_.segment<3>(3 * static_cast<Eigen::Index>(i)) / h;
    results[i] = {f[0] > 0, f, f};
  }
  contacts_.remember(touches_, results, state);
  projector.forget();
  projector.accelerations(state);
}

ContactSolver::Outcome ContactSolver::solve(const State& before, State& state, double h,
                                            Projector& projector) {
  Outcome outcome;
  projector.update(state);
  contacts_.find(state, projector.workspace(), touches_);
  if (touches_.empty()) {
    contacts_.remember({}, {}, state);
    return outcome;
  }
  outcome.touches = true;
  const auto n = static_cast<Eigen::Index>(touches_.size());
  respond(state, projector);
  impulse_.resize(3 * n), rates_.resize(3 * n), wanted_.setZero(3 * n);
  std::vector<char> is_new(touches_.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const Touch& touch = touches_[static_cast<std::size_t>(i)];
    impulse_.segment<3>(3 * i) = h * touch.carried;
    const Vec3 v = contacts_.rates(touch, projector.workspace(), state.v);
    rates_.segment<3>(3 * i) = v;
    is_new[static_cast<std::size_t>(i)] = !touch.was_closed;
    const double rebound = -touch.restitution * v[0];
    // What was on its way out when the step began bounces within the step: it is not followed, and comes to rest.
    const bool comes_in = contacts_.rates(touch, projector.workspace(), before.v)[0] < 0;
    if (!touch.was_closed && comes_in && rebound > touch.rest_speed)
      wanted_[3 * i] = rebound;
    else if (touch.gap > 0)
      wanted_[3 * i] = -touch.gap / h;  // it may close by as much
  }
  const VectorX carried = impulse_;
  free_ = rates_ - compliance_ * carried;
  if (!find_impulses()) {
    outcome.failure = formatted("the impulses of {} contacts do not settle", n);
    return outcome;
  }
  const VectorX change = answers_ * (impulse_ - carried);
  state.v += change;
  separate(state, projector);

  std::vector<RigidContactsBase::Outcome> results(touches_.size());
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Vec3 x = impulse_.segment<3>(3 * static_cast<Eigen::Index>(i)) / h;
    const bool lasts = x[0] > 0 && wanted_[3 * static_cast<Eigen::Index>(i)] <= 0;
    results[i] = {lasts, lasts && !is_new[i] ? x : Vec3::Zero(), x};
    outcome.jumps |= is_new[i] != 0 || lasts != touches_[i].was_closed;
  }
  contacts_.remember(touches_, results, state);
  // Forces that last have changed; accelerations with them.
  if (!outcome.jumps) state.a += change / h;
  return outcome;
}

}  // namespace hooke
