#pragma once
#include "hooke/coupling/adapter/multirate_side.h"
#include "hooke/coupling/multirate.h"

namespace hooke {

/// Multirate coupling (coupling/multirate.h) of a model's subsystems as an integrator of the whole system, whose states
/// it puts together from theirs. A step of it is the macro step; in between, the fine sides tell their own steps.
class Multirate final : public Integrator {
 public:
  Multirate(const System& whole, std::vector<std::unique_ptr<CoarseSide>> coarse,
            std::vector<std::unique_ptr<FineSide>> fine, const MultirateCoupling::Settings& settings,
            std::shared_ptr<Team> team = nullptr);
  std::string_view name() const override { return "multirate"; }
  int order() const override { return 2; }
  InBetween in_between() const override { return InBetween::interpolate; }
  bool has_accelerations() const override { return false; }
  void improve(State& between) override;
  StepReport step(State& state, double h) override;
  std::string note() const override;
  void archive(Archive& a) override;

  const MultirateCoupling& coupling() const { return *coupling_; }

 private:
  void for_each_side(auto&& work) const;
  void begin(const State& state, double h);
  void gather(State& state);

  const System& whole_;
  std::vector<std::unique_ptr<CoarseSide>> coarse_;
  std::vector<std::unique_ptr<FineSide>> fine_;
  std::vector<BoundaryFrame> coupled_;  // frames at the cuts, in order
  std::unique_ptr<MultirateCoupling> coupling_;
  std::unique_ptr<Workspace> workspace_;
  bool has_begun_ = false;
};

}  // namespace hooke
