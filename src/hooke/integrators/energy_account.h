#pragma once
#include <array>

#include "hooke/system/dae.h"

namespace hooke {

/// What was supplied and dissipated since the start (J): the integral of Dae::power over the steps taken. Each
/// step adds the integral of the cubic through its ends and the two states before, so the account is of order
/// four and no coarser than the motion.
class EnergyAccount {
 public:
  explicit EnergyAccount(const Dae& dae) : dae_(dae), workspace_(dae.workspace()) {}

  void begin(const State& start);
  /// A step led to this state.
  void add(const State& state);
  /// At the same time the forces became others, and so much energy was lost at once.
  void jump(const State& state, double lost);
  /// Since the start, at a time in or after the last step.
  Power work(double t) const;
  struct StepWork {
    double net = 0, uncertain = 0;
  };
  /// Of the step from the last state added to this one.
  StepWork work_of_step(const State& state);
  /// All that came or went, whatever its sign.
  const Power& turnover() const { return turnover_; }
  /// How well the work is known: powers that change much in a step are not resolved by it. What is not known of many
  /// steps cancels in part: it is at least their sum, and as much as errors by chance add up to. After a jump nothing
  /// cancels: what vibrates then decays, in every such step the same way.
  struct Doubt {
    Power sum, squares, after_jumps;
    Power since(const Doubt& before) const;
  };
  const Doubt& doubt() const { return doubt_; }
  void archive(auto& a) { a(samples_, count_, before_, step_, turnover_, doubt_); }

 private:
  struct Sample {
    double t = 0;
    Power power;
  };
  Sample sample(const State& state);
  static Power integral(const std::array<Sample, 4>& samples, int count, double to);
  static Power doubt_of(const std::array<Sample, 4>& samples, int count, const Power& work);

  const Dae& dae_;
  std::unique_ptr<Workspace> workspace_;
  std::array<Sample, 4> samples_{};  ///< the newest first
  int count_ = 0;
  Power before_, step_;  ///< work until the last step began, and in it
  Power turnover_;
  Doubt doubt_;
};

}  // namespace hooke
