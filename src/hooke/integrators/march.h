#pragma once
#include <functional>
#include <optional>

#include "hooke/integrators/stepper.h"

namespace hooke {

struct MarchSettings {
  double end = 1, step = 1e-3;
  std::optional<double> tolerance;  ///< of the local error: makes the step vary
  double smallest_step = 1e-6;      ///< as a fraction of `step`
  double largest_step = 100;        ///< likewise, when the step varies
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
  long late_steps = 0;         ///< that took longer than they are
  std::string failure;         ///< of the last step that failed, and was repeated smaller: when and why
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
  std::function<bool()> cancelled;  ///< asked after every step

  /// Returns when the end is reached or it was cancelled; throws Error (step_failed) when no step size helps.
  /// The stepper is then where the last accepted step took it.
  void run(Stepper& stepper);
  void run(State& state);
  const MarchTotals& totals() const { return totals_; }

 private:
  void output_until(Stepper& stepper, double before);

  const Dae* dae_ = nullptr;
  Integrator* integrator_ = nullptr;
  MarchSettings settings_;
  MarchTotals totals_;
  double start_ = 0, next_output_ = 0;
  long outputs_ = 0;
};

}  // namespace hooke
