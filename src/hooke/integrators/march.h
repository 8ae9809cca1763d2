#pragma once
#include <functional>
#include <optional>

#include "hooke/integrators/integrator.h"

namespace hooke {

struct MarchSettings {
  double end = 1, step = 1e-3;
  std::optional<double> tolerance;  ///< of the local error; with one the step size is adaptive
  double smallest_step = 1e-6;      ///< as a fraction of `step`
  double largest_step = 100;        ///< likewise, for adaptive steps
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
};

/// Takes an integrator from the state's time to the end. The same policy for every integrator: a step that
/// fails is repeated with half its size, and the size grows back by itself; with a tolerance the size follows
/// the error estimate. Output times need not be step times: in between, q is interpolated by a cubic on the
/// manifold, a and lambda linearly.
class March {
 public:
  March(const Dae& dae, Integrator& integrator, const MarchSettings& settings);

  std::function<void(const State&)> on_output;
  std::function<void(const StepRecord&)> on_step;
  std::function<bool()> cancelled;  ///< asked after every step

  /// Returns when the end is reached or it was cancelled; throws Error (step_failed) when no step size helps.
  /// The state is then the last accepted one.
  void run(State& state);
  const MarchTotals& totals() const { return totals_; }

 private:
  void output_until(const State& before, const State& after);
  void interpolate(const State& before, const State& after, double t);

  const Dae& dae_;
  Integrator& integrator_;
  MarchSettings settings_;
  MarchTotals totals_;
  double start_ = 0, next_output_ = 0;
  long outputs_ = 0;
  State before_, between_;
  VectorX x_, rate_;
};

}  // namespace hooke
