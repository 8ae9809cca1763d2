#pragma once
#include <functional>

#include "hooke/gpu/engine.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/integrators/stepper.h"

namespace hooke::gpu {

/// Steps that are taken elsewhere, many at once: as far as the next moment at which somebody looks at the state, which is
/// then fetched. March takes them one by one from what the device said of each. What the device does not do (a step of
/// another size, one that fails, one whose error is hopeless) is done on the processor from the last state that was
/// fetched, and so is all that follows.
class DeviceStepper final : public Stepper {
 public:
  using MakeIntegrator = std::function<std::unique_ptr<Integrator>()>;
  struct Pace {
    long outputs;  ///< steps between two moments at which the state is looked at
    long afresh;   ///< steps after which everything begins afresh from the state alone
    long all;      ///< steps of the run
  };

  DeviceStepper(const System& system, std::unique_ptr<const DeviceModel> model,
                std::unique_ptr<Engine> engine, const GeneralizedAlphaSettings& settings, State& state,
                Watch* watch, Pace pace, MakeIntegrator make);

  double time() const override { return processor_ ? processor_->time() : time_; }
  void set_time(double t) override;
  int order() const override { return 2; }
  void save() override;
  void restore() override;
  StepReport step(double h) override;
  void keep() override;
  const State& state(double t) override;

  /// From the next step on, which then depends on the state alone.
  void begin_afresh();
  void archive(auto& a) {
    a(taken_);
    if (a.reads()) time_ = state_.t, is_there_ = false;
  }
  /// What a user should know: where it went over to the processor, and why; empty: it did not.
  const std::string& note() const { return note_; }
  const Engine& engine() const { return *engine_; }

 private:
  bool run_ahead();
  void go_to_processor(const std::string& why);

  const System& system_;
  std::unique_ptr<const DeviceModel> model_;
  std::unique_ptr<Engine> engine_;
  AlphaHistory history_;
  State& state_;  ///< as it was last fetched
  State before_;
  Watch* watch_;
  Pace pace_;
  MakeIntegrator make_;
  std::unique_ptr<Workspace> workspace_;
  double time_ = 0;
  long taken_ = 0;
  bool is_there_ = false;  ///< the device has the state
  std::vector<StepLog> log_;
  std::size_t handed_out_ = 0;  ///< of the steps in `log_`
  StepReport report_;           ///< of all that were taken since the state was last fetched
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<IntegratorStepper> processor_;
  std::string note_;
};

}  // namespace hooke::gpu
