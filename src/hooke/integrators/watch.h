#pragma once
#include "hooke/integrators/energy_account.h"
#include "hooke/integrators/integrator.h"

namespace hooke {

/// Looks after a motion while it is computed. Newton's iteration may end at a solution of the step's equations that
/// is none of the motion's, and a step may be too long for what it should follow; both are seen here.
///
///   judge     a step that is not to be believed is refused, and March tries a shorter one: its error is a
///             good part of the mechanism, or its energy rises although nothing supplies it;
///   check     at outputs: a run whose energy has grown without a source, or whose joints have come apart,
///             ends as failed. Energy that is lost is no failure (methods damp what a step does not resolve),
///             but it is in the account.
class Watch {
 public:
  /// Of one step, in dof units: what follows has nothing to do with the motion.
  static constexpr double hopeless_error = 0.02;

  /// `judges_error`: the step size does not follow the error, so that nobody else does.
  Watch(const Dae& dae, bool judges_error);

  void begin(const State& start, double h);
  /// Why a step is refused; empty: it is not.
  std::string judge(const State& before, const State& after, const StepReport& report);
  /// The step is taken.
  void accept(const State& before, const State& after, const StepReport& report);

  /// Something happened at once: forces or velocities are others.
  void jump(const State& before, const State& after) {
    account_.jump(after, energy_of(before).total() - energy_of(after).total());
  }

  struct Balance {
    Power work;        ///< J, since the start
    double error = 0;  ///< kinetic + potential - their start - supplied + dissipated, J
  };
  Balance balance(double t, const Energy& energy) const;
  /// Throws Error (not_trusted) when what an output says cannot be: its energy, how far joints are apart and how fast they
  /// part, beside the largest velocity of a body.
  void check(double t, const Energy& energy, double violation, double rate = 0, double speed = 0);
  /// At the end of a run: throws when at some time there was a gain that nothing which came later explains.
  void finish() const;

  struct Findings {
    double energy_error = 0;  ///< largest |Balance::error| at outputs, J
    double energy_scale = 0;  ///< the energy in play: largest kinetic, released and exchanged
    double error = 0;  ///< sum of the estimated local errors of q, in dof units; 0: nobody estimated any
    double worst_error = 0;  ///< of one step,
    double worst_time = 0, worst_step = 0;
    std::string worst_dof;  ///< and what moved most unlike the step before

    void archive(auto& a) {
      a(energy_error, energy_scale, error, worst_error, worst_time, worst_step, worst_dof);
    }
  };
  const Findings& findings() const { return findings_; }
  void archive(auto& a) {
    a(account_, start_, kinetic_, released_, harmless_, at_hand_, in_play_, largest_gain_.t,
      largest_gain_.energy, is_suspicious_, suspicious_steps_, loose_outputs_, findings_);
  }

 private:
  Energy energy_of(const State& state);
  double force_of(const State& state);
  struct Gain {
    double t = 0, energy = 0;  ///< J more than at the start and all that was supplied
  };
  [[noreturn]] void fail_by_energy(const Gain& gain) const;
  bool errors_are_seen() const;
  double all_turned_over() const { return account_.turnover().supplied + account_.turnover().dissipated; }
  std::string fastest_changing(const State& before, const State& after) const;

  const Dae& dae_;
  bool judges_error_;
  std::unique_ptr<Workspace> workspace_;
  EnergyAccount account_;
  Energy start_;
  double kinetic_ = 0, released_ = 0;  ///< largest so far; released: potential energy below its start
  double harmless_ = 0;                ///< J, the energy of motions that nobody sees
  double at_hand_ = 0;  ///< J, the work of the first forces along what is seen of the mechanism
  double in_play_ = 0;  ///< J that a gain is compared with
  Gain largest_gain_;
  bool is_suspicious_ = false;
  int suspicious_steps_ = 0;
  int loose_outputs_ = 0;  ///< one after the other in which joints did not hold
  Findings findings_;
};

}  // namespace hooke
