#include "hooke/gpu/device_stepper.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/format.h"

namespace hooke::gpu {
DeviceStepper::DeviceStepper(const System& system, std::unique_ptr<const DeviceModel> model,
                             std::unique_ptr<Engine> engine, const GeneralizedAlphaSettings& settings,
                             State& state, Watch* watch, Pace pace, MakeIntegrator make)
    : system_(system),
      model_(std::move(model)),
      engine_(std::move(engine)),
      history_(system, settings.parameters, settings.newton),
      state_(state),
      watch_(watch),
      pace_(pace),
      make_(std::move(make)),
      workspace_(system.workspace()),
      time_(state.t) {}

void DeviceStepper::set_time(double t) {
  if (processor_) return processor_->set_time(t);
  time_ = t;
  if (handed_out_ == log_.size()) state_.t = t;
}

void DeviceStepper::save() {
  if (processor_) processor_->save();
}

/// On the device no step that was accepted here is refused there: sizes do not follow the error.
void DeviceStepper::restore() {
  if (processor_) processor_->restore();
}

StepReport DeviceStepper::step(double h) {
  if (!processor_ && std::abs(h / model_->settings.h - 1) > 1e-9)
    go_to_processor(formatted("a step of {:.6g} s follows", h));
  if (!processor_ && handed_out_ == log_.size()) run_ahead();
  if (processor_) return processor_->step(h);
  const StepLog& next = log_[handed_out_++];
  time_ += h;
  StepReport report;
  report.accepted = true;
  report.iterations = next.iterations;
  report.error = next.error;
  return report;
}

/// False: it is up to the processor now.
bool DeviceStepper::run_ahead() {
  before_ = state_;
  if (!is_there_) {
    state_ = history_.ready(state_, model_->settings.h);
    engine_->set_state(model_->state_of(state_));
    is_there_ = true;
  }
  // What loads and drives supply is the integral of a power that may change from step to step.
  const bool has_power = watch_ && !model_->courses(time_, 1).empty();
  const long looked_at = has_power ? 1 : pace_.outputs;
  const long until = std::min({looked_at - taken_ % looked_at, pace_.afresh - taken_ % pace_.afresh,
                               std::max(1L, pace_.all - taken_)});
  const int steps = static_cast<int>(std::min(until, 100000L));
  const int done = engine_->advance(steps, model_->courses(time_, steps), log_);
  handed_out_ = 0;
  if (done < steps) {
    go_to_processor(
        formatted("Newton's iteration does not converge at t = {:.6g} s", time_ + done * model_->settings.h));
    return false;
  }
  const auto worst = std::max_element(log_.begin(), log_.end(),
                                      [](const StepLog& a, const StepLog& b) { return a.error < b.error; });
  if (!(worst->error < Watch::hopeless_error)) {
    go_to_processor(formatted("steps after t = {:.6g} s do not resolve the motion", time_));
    return false;
  }
  report_ = {};
  report_.accepted = true;
  report_.error = worst->error;
  taken_ += steps;
  model_->write(engine_->state(), state_);
  state_.t = time_ + steps * model_->settings.h;
  system_.update(state_, *workspace_);
  system_.accept(state_, *workspace_);
  return true;
}

void DeviceStepper::go_to_processor(const std::string& why) {
  note_ = formatted("from t = {:.6g} s on computed on the processor: {}", state_.t, why);
  log_.clear();
  handed_out_ = 0;
  integrator_ = make_();
  processor_ = std::make_unique<IntegratorStepper>(system_, *integrator_, state_, watch_);
  processor_->save();
}

void DeviceStepper::keep() {
  if (processor_) return processor_->keep();
  if (watch_ && handed_out_ == log_.size()) watch_->accept(before_, state_, report_);
}

const State& DeviceStepper::state(double t) { return processor_ ? processor_->state(t) : state_; }

void DeviceStepper::begin_afresh() {
  if (processor_) {
    auto fresh = make_();
    processor_->use(*fresh);
    integrator_ = std::move(fresh);
    return;
  }
  is_there_ = false;
}

}  // namespace hooke::gpu
