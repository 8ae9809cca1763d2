#pragma once
#include <functional>

#include "hooke/integrators/integrator.h"
#include "hooke/integrators/projector.h"
#include "hooke/integrators/watch.h"
#include "hooke/system/passages.h"

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
  /// As Integrator::stable_step.
  virtual double stable_step() const { return std::numeric_limits<double>::infinity(); }
  /// A time at which a step should end, since something happens then; `happen` lets it, before the next step, and says
  /// whether the run goes on.
  virtual double next_time() const { return std::numeric_limits<double>::infinity(); }
  virtual bool happen() { return true; }
  /// What is recorded at a time between the last save() and now.
  virtual const State& state(double t) = 0;
};

/// An integrator and the state it advances.
class IntegratorStepper final : public Stepper {
 public:
  /// With a watch, steps that it refuses are not accepted.
  IntegratorStepper(const Dae& dae, Integrator& integrator, State& state, Watch* watch = nullptr);
  ~IntegratorStepper() override;
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
  void keep() override;
  double stable_step() const override { return integrator_->stable_step(); }
  double next_time() const override { return dae_.next_time(state_); }
  bool happen() override;
  /// An indicator crossed zero in the last step: `happen` has something to do.
  bool has_reached() const { return !reached_.empty(); }
  /// Velocities jumped at its end: an impact.
  bool has_jumped() const { return jumped_; }
  /// What is to happen before the next step, to go on from there.
  void archive(auto& a) { a(reached_, bounced_, waits_, largest_, crowded_since_, crowd_); }
  /// What happened, in words.
  std::function<void(double t, const std::string& text)> on_event;
  /// The state after an event that is to be recorded.
  std::function<void(const State&)> on_moment;
  /// In between, a solution as well: that of a step which ends there, or where a step costs more than it, the state
  /// interpolated and brought onto the equations of motion. So are the ends of steps whose parts know their own alone.
  const State& state(double t) override {
    return t == state_.t && integrator_->has_accelerations() ? state_ : between(t);
  }

 private:
  const State& between(double t);
  void interpolate(double t);
  Projector& projector();
  StepReport take(double h);
  StepReport smooth_step(double h);
  bool passes_through(const PassagesBase& passages);
  void meet_contacts(StepReport& report, double h);
  void indicate(const State& state, std::vector<double>& values);
  bool find_crossings(const std::vector<double>& now);
  void locate(double h);
  std::string apply(const Jump& jump);

  const Dae& dae_;
  Integrator* integrator_;
  State& state_;
  Watch* watch_;
  StepReport report_;
  State before_, between_, found_;
  State smooth_;  ///< at the end of the last step before contacts were met
  bool met_contacts_ = false, jumped_ = false;
  std::unique_ptr<class ContactSolver> contacts_;  ///< of rigid contacts, where there are any
  std::unique_ptr<Workspace> workspace_before_;
  std::unique_ptr<PassagesBase::Search> passage_search_;
  VectorX x_, rate_, change_, rate_change_;
  std::unique_ptr<Projector> projector_;          ///< made when it is first needed
  std::vector<double> at_start_, at_end_, side_;  ///< indicators, and where they came from (a sign)
  std::vector<int> reached_;                      ///< that crossed zero in the last step
  std::vector<char> bounced_;                     ///< at its start: they are back on the side they came from
  std::vector<char> waits_;                       ///< crossed, and is at zero still
  std::vector<double> largest_;                   ///< of each so far
  double crowded_since_ = 0;
  int crowd_ = 0;  ///< events since then
};

}  // namespace hooke
