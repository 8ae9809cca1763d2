#include "hooke/integrators/stepper.h"

namespace hooke {

StepReport IntegratorStepper::step(double h) {
  report_ = integrator_.step(state_, h);
  if (!watch_ || !report_.accepted) return report_;
  report_.failure = watch_->judge(before_, state_, report_);
  if (report_.failure.empty()) return report_;
  report_.accepted = false;
  restore();
  return report_;
}

/// Cubic Hermite polynomial in the local coordinates of the step: x(0) = 0, x(1) = x1 with rates v0 and
/// T^-1(x1) v1.
const State& IntegratorStepper::between(double t) {
  const State &before = before_, &after = state_;
  const double h = after.t - before.t, s = (t - before.t) / h;
  between_ = after;
  between_.t = t;
  dae_.minus(after.q, before.q, x_);
  dae_.inverse_tangent(x_, after.v, rate_);
  const double a = s * s * (3 - 2 * s), b = h * s * (1 - s) * (1 - s), c = h * s * s * (s - 1);
  x_ = a * x_ + b * before.v + c * rate_;
  dae_.plus(before.q, x_, between_.q);
  // v from its own Hermite polynomial, which knows v' at both ends
  between_.v = (1 - a) * before.v + a * after.v + b * before.a + c * after.a;
  between_.a = (1 - s) * before.a + s * after.a;
  between_.lambda = (1 - s) * before.lambda + s * after.lambda;
  return between_;
}

}  // namespace hooke
