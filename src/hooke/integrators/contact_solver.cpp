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

/// Place by place, each time with what all others are now (Gauss and Seidel): the normal impulse that opens the place as wanted
/// or none, then the tangential one, cut to the cone. From the forces of the last step it takes few passes.
bool ContactSolver::find_impulses() {
  constexpr int most = 20000;
  constexpr double enough = 1e-13;
  const auto n = static_cast<Eigen::Index>(touches_.size());
  const double scale = free_.lpNorm<Eigen::Infinity>() + wanted_.lpNorm<Eigen::Infinity>() + 1e-300;
  for (int pass = 0; pass < most; ++pass) {
    double change = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index at = 3 * i;
      const double W_n = compliance_(at, at);
      if (!(W_n > 0)) continue;  // nothing there can move
      const double v_n = free_[at] + compliance_.row(at).dot(impulse_);
      const double x_n = std::max(0.0, impulse_[at] - (v_n - wanted_[at]) / W_n);
      change = std::max(change, std::abs(x_n - impulse_[at]) * W_n);
      impulse_[at] = x_n;
      const double mu = touches_[static_cast<std::size_t>(i)].friction;
      if (mu == 0) {
        impulse_.segment<2>(at + 1).setZero();
        continue;
      }
      const Vec2 v_t = free_.segment<2>(at + 1) + compliance_.middleRows<2>(at + 1) * impulse_;
      const Eigen::Matrix2d W_t = compliance_.block<2, 2>(at + 1, at + 1);
      const Vec2 before = impulse_.segment<2>(at + 1);
      Vec2 x_t = before - W_t.inverse() * v_t;  // it sticks,
      if (const double limit = mu * x_n;
          x_t.norm() > limit) {  // or slips: along the steepest way down, cut to the cone
        const double step = 1 / W_t.trace();
        x_t = before - step * v_t;
        if (x_t.norm() > limit) x_t *= limit / x_t.norm();
      }
      change = std::max(change, (x_t - before).norm() * W_t.trace());
      impulse_.segment<2>(at + 1) = x_t;
    }
    if (change <= enough * scale) return true;
  }
  return false;
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

ContactSolver::Outcome ContactSolver::solve(State& state, double h, Projector& projector) {
  Outcome outcome;
  projector.update(state);
  contacts_.find(state, projector.workspace(), touches_);
  if (touches_.empty()) {
    contacts_.remember({}, {}, projector.workspace(), state);
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
    if (!touch.was_closed && rebound > touch.rest_speed)
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
  projector.update(state);
  contacts_.remember(touches_, results, projector.workspace(), state);
  // Forces that last have changed; accelerations with them.
  if (!outcome.jumps) state.a += change / h;
  return outcome;
}

}  // namespace hooke
