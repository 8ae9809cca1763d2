#pragma once
#include "coupling/adapter/subsystem.h"
#include "coupling/relaxation.h"

namespace hooke {

/// A system in several parts, each integrated by itself, iterated over every step until they agree
/// (relaxation.h): Zhou, Ren, Masarati (2022), section 4. Once they do, the step is that of `StabilisedAlpha`
/// on the whole, wherever the cuts are, as long as every subsystem takes one step in it. The step is the
/// macro step; March repeats one that does not converge with half its size.
class CoupledIntegrator final : public Integrator {
 public:
  CoupledIntegrator(const Dae& dae, std::vector<Subsystem> subsystems,
                    const StabilisedAlphaSettings& settings, const CouplingSettings& coupling,
                    std::shared_ptr<Team> team = nullptr);
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  std::string note() const override;

  const Relaxation& relaxation() const { return *relaxation_; }

 private:
  void guess(const State& from, double h);
  void gather(const State& from, double h);

  const Dae& dae_;
  AlphaParameters p_;
  AlphaHistory history_;
  std::vector<std::unique_ptr<SubsystemParticipant>> parts_;
  std::unique_ptr<Relaxation> relaxation_;
  std::unique_ptr<Workspace> workspace_;
  State trial_;
  VectorX x_, v_, Y_;
};

}  // namespace hooke
