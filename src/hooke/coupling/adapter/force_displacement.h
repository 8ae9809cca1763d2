#pragma once
#include "hooke/coupling/adapter/coupling_side.h"
#include "hooke/coupling/force_displacement.h"

namespace hooke {

/// Force-displacement coupling (coupling/force_displacement.h) of a model's subsystems as an integrator of
/// the whole system, whose states it puts together from theirs.
class ForceDisplacement final : public Integrator {
 public:
  ForceDisplacement(const System& whole, std::vector<std::unique_ptr<ForcedSide>> forced,
                    std::vector<std::unique_ptr<DisplacedSide>> displaced,
                    const ForceDisplacementSettings& settings, std::shared_ptr<Team> team = nullptr);
  std::string_view name() const override { return "force-displacement"; }
  int order() const override { return 1; }
  InBetween in_between() const override { return InBetween::interpolate; }
  bool has_accelerations() const override { return false; }
  StepReport step(State& state, double h) override;
  std::string note() const override;
  void archive(Archive& a) override;

  /// Starts afresh from a state of the whole, as the first step does. Returns why it cannot, or nothing.
  std::string begin(const State& state);
  const ForceDisplacementCoupling& coupling() const { return *coupling_; }
  ForcedSide& forced(std::size_t i = 0) { return *forced_[i]; }
  DisplacedSide& displaced(std::size_t i = 0) { return *displaced_[i]; }
  double forced_seconds() const;
  double displaced_seconds() const;

 private:
  void for_each_side(auto&& work) const;
  void gather(State& state);

  const System& whole_;
  std::vector<std::unique_ptr<ForcedSide>> forced_;
  std::vector<std::unique_ptr<DisplacedSide>> displaced_;
  std::unique_ptr<ForceDisplacementCoupling> coupling_;
  std::unique_ptr<Workspace> workspace_;
  bool has_begun_ = false;
};

}  // namespace hooke
