#pragma once
#include "hooke/coupling/adapter/subsystem.h"
#include "hooke/coupling/relaxation.h"

/// The iteration (39) of Zhou, Ren, Masarati (2022) as the paper has it: every subsystem evaluates the whole system, with q
/// and v of the others as they were told, and integrates its own part of it. Multipliers and accelerations are those of
/// all constraints, so the paper's counts of iterations are those of this. It costs as many evaluations of the whole as there are
/// subsystems; coupled_integrator.h finds the same step for less.
namespace hooke {

/// Its outputs are increments of q since the beginning of the step and h v at its end, of its own dofs; its inputs are
/// those of all others.
class WholeParticipant final : public Participant {
 public:
  WholeParticipant(const System& whole, Subsystem subsystem, const StabilisedAlphaSettings& settings);

  const std::string& name() const override { return name_; }
  int inputs() const override { return 2 * static_cast<int>(others_.size()); }
  int outputs() const override { return 2 * static_cast<int>(own_.size()); }
  void save() override { saved_ = state_; }
  void restore() override;
  void set_input(const VectorX& u) override;
  Report advance(double h) override;
  void output(VectorX& y) const override;
  std::string output_name(int i) const override;

  const std::vector<int>& own() const { return own_; }
  const std::vector<int>& others() const { return others_; }
  const State& state() const { return state_; }
  /// A step begins from a state of the whole, with its stabilising increment.
  void load(const State& whole, const VectorX& drift, double h);
  /// What is expected at its end.
  void guess(VectorX& y);

 private:
  void write(const State& state, VectorX& y) const;

  const System& system_;
  std::string name_;
  std::vector<int> own_, others_;
  std::optional<StabilisedAlpha> integrator_;
  State state_, saved_;
  double h_ = 0;
  VectorX drift_, told_x_, told_v_, output_;
  mutable VectorX moved_;
};

class WholeResponse final : public Integrator {
 public:
  WholeResponse(const System& system, std::vector<Subsystem> subsystems,
                const StabilisedAlphaSettings& settings, const CouplingSettings& coupling,
                std::shared_ptr<Team> team = nullptr);
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return 2; }
  InBetween in_between() const override { return InBetween::interpolate; }
  bool has_accelerations() const override { return false; }
  StepReport step(State& state, double h) override;
  std::string note() const override;
  void archive(Archive& a) override { a(*relaxation_); }

  const Relaxation& relaxation() const { return *relaxation_; }

 private:
  void gather(const State& from, double h);

  const System& system_;
  std::optional<double> beta_;
  AlphaHistory history_;
  Projector projector_;
  std::vector<std::unique_ptr<WholeParticipant>> subsystems_;
  std::unique_ptr<Relaxation> relaxation_;
  State trial_;
  VectorX drift_, x_, Y_, part_;
};

}  // namespace hooke
