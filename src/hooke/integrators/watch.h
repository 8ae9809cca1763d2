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
///             but it is in the account. Where hardly anything is left of what was in play, what comes then is
///             judged by itself: a spring let go at the start is no reason for a later gain.
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
    a(account_, start_, since_, kinetic_, released_, harmless_, at_hand_, knows_forces_, in_play_,
      largest_gain_, unexplained_, is_suspicious_, suspicious_steps_, loose_outputs_, findings_);
  }

 private:
  Energy energy_of(const State& state);
  double force_of(const State& state);
  /// At an output: what was there, and what had come and gone until then.
  struct Reference {
    Energy energy;
    Power work, turnover;
    EnergyAccount::Doubt doubt;
    double lowest_potential = 0;  ///< since then
  };
  void refer_to(const Energy& energy, const Power& work);
  struct Gain {
    double t = 0, energy = 0;  ///< J more than there was and all that was supplied
  };
  Gain gain_of(double t, const Energy& energy, const Power& work);
  [[noreturn]] void fail_by_energy(const Gain& gain) const;
  bool errors_are_seen() const;
  /// Since the reference.
  double supplied() const { return account_.turnover().supplied - since_.turnover.supplied; }
  double dissipated() const { return account_.turnover().dissipated - since_.turnover.dissipated; }
  std::string fastest_changing(const State& before, const State& after) const;

  const Dae& dae_;
  bool judges_error_;
  std::unique_ptr<Workspace> workspace_;
  State free_;  ///< of accelerations and multipliers
  VectorX forces_;
  EnergyAccount account_;
  Energy start_;
  Reference since_;                    ///< the start, or where hardly anything was left of that
  double kinetic_ = 0, released_ = 0;  ///< largest since then; released: potential energy below its start
  double harmless_ = 0;                ///< J, the energy of motions that nobody sees
  double at_hand_ = 0;  ///< J, the work of the forces at the reference along what is seen of the mechanism
  bool knows_forces_ = true;
  double in_play_ = 0;  ///< J that a gain is compared with
  Gain largest_gain_;   ///< since the reference
  Gain unexplained_;    ///< the largest of before that nothing explained
  bool is_suspicious_ = false;
  int suspicious_steps_ = 0;
  int loose_outputs_ = 0;  ///< one after the other in which joints did not hold
  Findings findings_;
};

}  // namespace hooke
