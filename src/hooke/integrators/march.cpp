#include "hooke/integrators/march.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hooke/base/error.h"
#include "hooke/base/timer.h"

namespace hooke {

March::March(const Dae& dae, Integrator& integrator, const MarchSettings& settings)
    : dae_(dae), integrator_(integrator), settings_(settings), x_(dae.nv()), rate_(dae.nv()) {}

void March::run(State& state) {
  start_ = state.t;
  outputs_ = 1;
  next_output_ = std::min(start_ + settings_.output_every, settings_.end);
  if (on_output) on_output(state);
  const bool varies = settings_.tolerance.has_value();
  const double span = settings_.end - start_;
  double h = settings_.step;
  int rejections = 0;
  std::string why;
  long full_steps = 0;   // fixed step: position on the grid, so that time does not collect round-off
  double into_step = 0;  // fraction of the current grid step that is done

  while (settings_.end - state.t > 1e-12 * span) {
    double trial = std::min(h, settings_.end - state.t);
    if (varies && settings_.end - state.t < 2 * h && settings_.end - state.t > h)
      trial = 0.5 * (settings_.end - state.t);
    before_ = state;
    const Timer timer;
    const StepReport report = integrator_.step(state, trial);
    const double taken = timer.seconds();
    totals_.worst_step_time = std::max(totals_.worst_step_time, taken);
    totals_.late_steps += taken > trial;
    totals_.iterations += report.iterations;
    totals_.factorizations += report.factorizations;

    double factor = 0.5;
    bool accepted = report.accepted;
    if (accepted && varies) {
      const double ratio = report.error / *settings_.tolerance;
      factor = 0.9 * std::pow(std::max(ratio, 1e-6), -1.0 / (integrator_.order() + 1));
      accepted = ratio <= 1;
      factor = std::clamp(factor, 0.2, accepted ? 2.0 : 0.9);
      if (!accepted) state = before_;
    }
    if (!accepted) {
      ++rejections;
      ++totals_.rejected;
      if (!report.failure.empty()) {
        why = report.failure;
        totals_.failure = formatted("at t = {:.6g} s with {:.3g} s: {}", before_.t, trial, why);
      }
      h = factor * trial;
      if (h < settings_.smallest_step * settings_.step)
        throw Error(
            ExitCode::step_failed,
            formatted(
                "no step from t = {:.6g} s succeeds, down to {:.3g} s: {}\nTry a smaller step, a tolerance, "
                "more newton_iterations, or look for a force or drive that jumps at this time.",
                state.t, h, why.empty() ? "the error estimate stays above the tolerance" : why));
      continue;
    }

    ++totals_.steps;
    if (on_step)
      on_step({state.t, trial, report.iterations, report.factorizations, rejections, report.error});
    rejections = 0;
    if (varies) {
      // Small changes are not worth a new tangent.
      if (factor < 0.9 || factor > 1.2) h = std::min(trial * factor, settings_.largest_step * settings_.step);
    } else {
      into_step += trial / settings_.step;
      if (into_step > 1 - 1e-9) {
        into_step = 0;
        state.t = std::min(start_ + static_cast<double>(++full_steps) * settings_.step, settings_.end);
        h = settings_.step;
      } else {
        h = std::min(2 * trial, (1 - into_step) * settings_.step);
      }
    }
    output_until(before_, state);
    if (cancelled && cancelled()) return;
  }
}

void March::output_until(const State& before, const State& after) {
  if (!on_output) return;
  if (settings_.output_every <= 0) return on_output(after);
  const double close = 1e-9 * (after.t - before.t);
  while (next_output_ <= after.t + close) {
    if (next_output_ >= after.t - close) {
      on_output(after);
    } else {
      interpolate(before, after, next_output_);
      on_output(between_);
    }
    if (next_output_ >= settings_.end - close)
      next_output_ = std::numeric_limits<double>::infinity();
    else
      next_output_ =
          std::min(start_ + static_cast<double>(++outputs_) * settings_.output_every, settings_.end);
  }
}

/// Cubic Hermite polynomial in the local coordinates of the step:
/// x(0) = 0 with rate v0, x(1) = x1 with rate T^-1(x1) v1.
void March::interpolate(const State& before, const State& after, double t) {
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
}

}  // namespace hooke
