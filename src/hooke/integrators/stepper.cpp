#include "hooke/integrators/stepper.h"

namespace hooke {

StepReport IntegratorStepper::step(double h) {
  report_ = integrator_->step(state_, h);
  if (!watch_ || !report_.accepted) return report_;
  report_.failure = watch_->judge(before_, state_, report_);
  if (report_.failure.empty()) return report_;
  report_.accepted = false;
  restore();
  return report_;
}

const State& IntegratorStepper::between(double t) {
  const InBetween how = integrator_->in_between();
  if (how == InBetween::step) {
    between_ = before_;
    if (integrator_->step(between_, t - before_.t).accepted) return between_;
  }
  interpolate(t);
  if (how != InBetween::solve) return between_;
  if (!projector_) projector_ = std::make_unique<Projector>(dae_, NewtonSettings{});
  projector_->positions(between_);
  projector_->velocities(between_);
  projector_->accelerations(between_);
  return between_;
}

/// The quintic x(s) in the local coordinates of the step that has the positions, velocities and accelerations of both
/// its ends:  x' = T^-1(x) v,  x'' = T^-1(x) a + (T^-1)' v.
void IntegratorStepper::interpolate(double t) {
  const State &before = before_, &after = state_;
  const double h = after.t - before.t, s = (t - before.t) / h;
  between_ = after;
  between_.t = t;
  dae_.minus(after.q, before.q, x_);
  dae_.inverse_tangent(x_, after.v, rate_);
  const double ahead = 1e-5 * h;
  dae_.inverse_tangent(x_ + ahead * rate_, after.v + ahead * after.a, change_);
  dae_.inverse_tangent(x_ - ahead * rate_, after.v - ahead * after.a, rate_change_);
  rate_change_ = (change_ - rate_change_) / (2 * ahead);

  // With x = h v0 s + h^2 a0 s^2/2 + A s^3 + B s^4 + C s^5, from what is left of x, x' and x'' at s = 1:
  const VectorX p = x_ - h * before.v - 0.5 * h * h * before.a,
                d = h * rate_ - h * before.v - h * h * before.a, e = h * h * (rate_change_ - before.a);
  const VectorX A = 10 * p - 4 * d + 0.5 * e, B = -15 * p + 7 * d - e, C = 6 * p - 3 * d + 0.5 * e;
  x_ = s * (h * before.v + s * (0.5 * h * h * before.a + s * (A + s * (B + s * C))));
  change_ = before.v + s * (h * before.a + s * (3 * A + s * (4 * B + s * 5 * C)) / h);
  dae_.plus(before.q, x_, between_.q);
  between_.v = change_;  // v with T^-1(x) v = x'
  for (int pass = 0; pass < 30; ++pass) {
    dae_.inverse_tangent(x_, between_.v, rate_);
    rate_ = change_ - rate_;
    between_.v += rate_;
    if (rate_.lpNorm<Eigen::Infinity>() <= 1e-14 * change_.lpNorm<Eigen::Infinity>()) break;
  }
  between_.a = (1 - s) * before.a + s * after.a;
  between_.lambda = (1 - s) * before.lambda + s * after.lambda;
}

}  // namespace hooke
