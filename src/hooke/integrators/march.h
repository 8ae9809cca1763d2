#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "hooke/integrators/stepper.h"

namespace hooke {

struct MarchSettings {
  double end = 1, step = 1e-3;
  std::optional<double> tolerance;  ///< of the local error; with one the step size is adaptive
  double smallest_step = 1e-6;      ///< as a fraction of `step`
  double largest_step = 100;        ///< likewise, for adaptive steps
  long most_failed = 2000;          ///< on the way through one `step` of fixed size
  double output_every = 0;          ///< 0: every step
};

/// One accepted step, for statistics.
struct StepRecord {
  double t, h;
  int iterations, factorizations, rejections;
  double error;
};

struct MarchTotals {
  long steps = 0, rejected = 0, iterations = 0, factorizations = 0;
  double worst_step_time = 0;  ///< s, of the integrator alone
  long late_steps = 0;         ///< that took more wall-clock time than the time they advance
  std::string failure;         ///< when and why the last step failed that was repeated with a smaller size

  void archive(auto& a) {
    a(steps, rejected, iterations, factorizations, worst_step_time, late_steps, failure);
  }
};

/// Takes a stepper from where it is to the end. The same policy for all of them: a step that fails is
/// repeated with half its size, and the size grows back by itself; with a tolerance the size follows the
/// error estimate. Output times need not be step times: the stepper tells its state in between.
class March {
 public:
  explicit March(const MarchSettings& settings) : settings_(settings) {}
  /// Of an integrator, to be run with a state.
  March(const Dae& dae, Integrator& integrator, const MarchSettings& settings)
      : dae_(&dae), integrator_(&integrator), settings_(settings) {}

  std::function<void(const State&)> on_output;
  std::function<void(const StepRecord&)> on_step;
  Watch* watch = nullptr;           ///< of the integrator to be run with a state
  std::function<bool()> cancelled;  ///< asked after every step

  /// Returns when the end is reached or it was cancelled; throws Error (step_failed) when no step size helps.
  /// The stepper is then where the last accepted step took it.
  void run(Stepper& stepper);
  void run(State& state);
  /// The same one by one: `begin`, then `step` until it returns false, since the end is reached.
  void begin(Stepper& stepper);
  bool step(Stepper& stepper);
  /// Another end, for who goes on step by step. One that is on the grid of steps but for round-off is taken to be.
  void set_end(double end) {
    const double nearest = start_ + std::round((end - start_) / settings_.step) * settings_.step;
    settings_.end = std::abs(end - nearest) < 1e-9 * settings_.step ? nearest : end;
  }
  const MarchTotals& totals() const { return totals_; }
  /// Where it is, to go on from there with `step` in place of `begin`; perhaps to another end, which must then not
  /// have been felt yet.
  void archive(auto& a) {
    a(start_, h_, full_steps_, into_step_, failed_, outputs_, totals_);
    if (a.reads()) next_output_ = output_time();
  }
  /// Something that happened ended it.
  bool was_stopped() const { return stopped_; }
  bool feels_end(double t) const { return !(settings_.end - t > 3 * h_); }

 private:
  [[noreturn]] void fail_in_pieces(double t, double trial) const;
  [[noreturn]] void fail_by_stability(double t, double stable) const;
  void choose_next(Stepper& stepper, double trial, double factor);
  void output_until(Stepper& stepper, double before);
  double output_time() const {
    return std::min(start_ + static_cast<double>(outputs_) * settings_.output_every, settings_.end);
  }

  const Dae* dae_ = nullptr;
  Integrator* integrator_ = nullptr;
  MarchSettings settings_;
  MarchTotals totals_;
  double start_ = 0, next_output_ = 0;
  double h_ = 0;          ///< what is tried next
  long full_steps_ = 0;   ///< fixed step: position on the grid, so that time does not collect round-off
  double into_step_ = 0;  ///< fraction of the current grid step that is done
  long failed_ = 0;       ///< steps that failed within the current one of the grid
  long outputs_ = 0;
  bool stopped_ = false;
};

}  // namespace hooke
