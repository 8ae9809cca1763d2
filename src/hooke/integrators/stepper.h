#pragma once
#include "hooke/integrators/integrator.h"
#include "hooke/integrators/projector.h"
#include "hooke/integrators/watch.h"

namespace hooke {

/// Something that can be taken through time by steps. March drives it and need not know what it is or where
/// it lives: an integrator of a Dae, a coupling of several participants, another program, a device that keeps
/// its state to itself and hands out copies. What is one step to March may be many to the stepper.
///
/// March calls save() and step(h) in turn, once for each step it tries; then restore() when a step that was
/// accepted here is refused there, because its error is too large, or keep(); state(t) for what is recorded.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual double time() const = 0;
  /// Time without the round-off of many steps added up: the same moment, said better.
  virtual void set_time(double t) = 0;
  virtual int order() const = 0;

  virtual void save() = 0;
  virtual void restore() = 0;  ///< to where save() was called
  /// A step that is not accepted leaves everything where it was.
  virtual StepReport step(double h) = 0;
  /// The last step counts.
  virtual void keep() {}
  /// What is recorded at a time between the last save() and now.
  virtual const State& state(double t) = 0;
};

/// An integrator and the state it advances.
class IntegratorStepper final : public Stepper {
 public:
  /// With a watch, steps that it refuses are not accepted.
  IntegratorStepper(const Dae& dae, Integrator& integrator, State& state, Watch* watch = nullptr)
      : dae_(dae), integrator_(&integrator), state_(state), watch_(watch), x_(dae.nv()), rate_(dae.nv()) {}
  /// From the next step on, which then depends on the state alone.
  void use(Integrator& integrator) {
    integrator_ = &integrator;
    projector_.reset();
  }

  double time() const override { return state_.t; }
  void set_time(double t) override { state_.t = t; }
  int order() const override { return integrator_->order(); }
  void save() override { before_ = state_; }
  void restore() override { state_ = before_; }
  StepReport step(double h) override;
  void keep() override {
    if (watch_) watch_->accept(before_, state_, report_);
  }
  /// In between, a solution as well: that of a step which ends there, or where a step costs more than it, the state
  /// interpolated and brought onto the equations of motion.
  const State& state(double t) override { return t == state_.t ? state_ : between(t); }

 private:
  const State& between(double t);
  void interpolate(double t);

  const Dae& dae_;
  Integrator* integrator_;
  State& state_;
  Watch* watch_;
  StepReport report_;
  State before_, between_;
  VectorX x_, rate_, change_, rate_change_;
  std::unique_ptr<Projector> projector_;  ///< made when it is first needed
};

}  // namespace hooke
