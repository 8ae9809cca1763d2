#pragma once
#include "hooke/simulation/force_displacement.h"

namespace hooke {

/// A force-displacement coupling whose macro step follows the analysis of stability (coupling_stability.h), about where the
/// mechanism is: a step is taken in so many pieces that errors do not grow from one to the next.
class AdvisedCoupling final : public Integrator {
 public:
  AdvisedCoupling(const Problem& file, const BuiltModel& whole, std::shared_ptr<Team> team);
  std::string_view name() const override { return coupling_->name(); }
  int order() const override { return coupling_->order(); }
  InBetween in_between() const override { return coupling_->in_between(); }
  bool has_accelerations() const override { return coupling_->has_accelerations(); }
  StepReport step(State& state, double h) override;
  std::string note() const override;
  void archive(Archive& a) override;

 private:
  std::string look(const State& state, double h);

  const Problem& file_;
  const BuiltModel& whole_;
  const ForceDisplacementSettings& settings_;
  std::unique_ptr<ForceDisplacement> coupling_;
  State trial_;
  int pieces_ = 0, most_ = 0;  ///< in a step, now and at most so far; 0: not known yet
  double looked_at_ = 0, looked_h_ = 0;
  long looks_ = 0;
};

}  // namespace hooke
