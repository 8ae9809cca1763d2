#include "hooke/integrators/march.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hooke/base/error.h"
#include "hooke/base/format.h"
#include "hooke/base/timer.h"

namespace hooke {

void March::run(State& state) {
  IntegratorStepper stepper(*dae_, *integrator_, state, watch);
  run(stepper);
}

void March::run(Stepper& stepper) {
  begin(stepper);
  while (step(stepper))
    if (cancelled && cancelled()) return;
}

void March::begin(Stepper& stepper) {
  start_ = stepper.time();
  outputs_ = 1;
  next_output_ = output_time();
  h_ = settings_.step;
  full_steps_ = 0;
  into_step_ = 0;
  failed_ = 0;
  if (on_output) on_output(stepper.state(start_));
}

bool March::step(Stepper& stepper) {
  const bool varies = settings_.tolerance.has_value(), has_end = std::isfinite(settings_.end);
  const double before = stepper.time(), left = settings_.end - before;
  if (has_end && !(left > 1e-12 * (settings_.end - start_))) return false;
  if (!stepper.happen()) return stopped_ = true, false;
  std::string why;
  for (int rejections = 0;; ++rejections) {
    const double until = std::min(left, stepper.next_time() - before);  // where a step must end
    double trial = until < h_ * (1 + 1e-6) ? until : h_;
    if (std::abs(trial - h_) < 1e-11 * (1 + std::abs(before) / h_) * h_) trial = h_;  // round-off of the end
    if (varies && until < 2 * h_ && until > h_) trial = 0.5 * until;
    stepper.save();
    const Timer timer;
    const StepReport report = stepper.step(trial);
    if (report.accepted && report.h > 0) trial = report.h;
    const double taken = timer.seconds();
    totals_.worst_step_time = std::max(totals_.worst_step_time, taken);
    totals_.late_steps += taken > trial;
    totals_.iterations += report.iterations;
    totals_.factorizations += report.factorizations;

    double factor = 0.5;
    bool accepted = report.accepted;
    if (accepted && varies) {
      const double ratio = report.error / *settings_.tolerance;
      factor = 0.9 * std::pow(std::max(ratio, 1e-6), -1.0 / (stepper.order() + 1));
      accepted = ratio <= 1;
      factor = std::clamp(factor, 0.2, accepted ? 2.0 : 0.9);
      if (!accepted) stepper.restore();
    }
    if (accepted) {
      ++totals_.steps;
      stepper.keep();
      if (on_step)
        on_step({stepper.time(), trial, report.iterations, report.factorizations, rejections, report.error});
      choose_next(stepper, trial, factor);
      output_until(stepper, before);
      return true;
    }
    ++totals_.rejected;
    if (!report.failure.empty()) {
      why = report.failure;
      totals_.failure = formatted("at t = {:.6g} s with {:.3g} s: {}", before, trial, why);
    }
    if (!varies) {
      constexpr int many = 50;  // pieces of a step
      const double stable = std::max(stepper.stable_step(), 0.5 * trial);
      if (++failed_ > many && many * stable < settings_.step) fail_by_stability(before, stable);
      if (failed_ > settings_.most_failed) fail_in_pieces(before, trial);
    }
    h_ = factor * trial;
    if (h_ < settings_.smallest_step * settings_.step)
      throw Error(
          ExitCode::step_failed,
          formatted(
              "no step from t = {:.6g} s succeeds, down to {:.3g} s: {}\nTry a smaller step, a tolerance, "
              "more newton_iterations, or look for a force or drive that jumps at this time.",
              before, h_, why.empty() ? "the error estimate stays above the tolerance" : why));
  }
}

/// Whoever waits for a run that crawls should know why.
void March::fail_in_pieces(double t, double trial) const {
  throw Error(
      ExitCode::step_failed,
      formatted("a step of {:.3g} s is not done after {} failures, by now with {:.3g} s at t = {:.6g} s: {}\n"
                "Take steps of that size from the start, or an integrator that suits the model.",
                settings_.step, settings_.most_failed, trial, t, totals_.failure));
}

/// Nor should anybody wait for an explicit method where an implicit one is at the end at once.
void March::fail_by_stability(double t, double stable) const {
  throw Error(
      ExitCode::step_failed,
      formatted(
          "the model is stiff: at t = {:.6g} s the method is stable for steps up to about {:.2g} s, and each "
          "of {:.3g} s would take {:.0f} of them\nTake steps of that size, or an implicit integrator.",
          t, stable, settings_.step, std::ceil(settings_.step / stable)));
}

/// After a step of `trial` that was accepted.
void March::choose_next(Stepper& stepper, double trial, double factor) {
  if (settings_.tolerance) {
    // Small changes are not worth a new tangent.
    if (factor < 0.9 || factor > 1.2) h_ = std::min(trial * factor, settings_.largest_step * settings_.step);
    return;
  }
  into_step_ += trial / settings_.step;
  if (into_step_ > 1 - 1e-9) {
    into_step_ = 0;
    failed_ = 0;
    stepper.set_time(std::min(start_ + static_cast<double>(++full_steps_) * settings_.step, settings_.end));
    h_ = settings_.step;
  } else {
    h_ = std::min(2 * trial, (1 - into_step_) * settings_.step);
  }
}

void March::output_until(Stepper& stepper, double before) {
  if (!on_output) return;
  const double now = stepper.time(), close = 1e-9 * (now - before);
  if (settings_.output_every <= 0) return on_output(stepper.state(now));
  while (next_output_ <= now + close) {
    on_output(stepper.state(next_output_ >= now - close ? now : next_output_));
    const bool was_last = next_output_ >= settings_.end - close;
    ++outputs_;
    next_output_ = was_last ? std::numeric_limits<double>::infinity() : output_time();
  }
}

}  // namespace hooke
