#include "hooke/integrators/settings.h"

#include "hooke/integrators/linearly_implicit.h"
#include "hooke/integrators/stabilised_explicit.h"

namespace hooke {

NewtonSettings newton_settings(const RunSettings& run) {
  NewtonSettings newton;
  newton.tolerance = run.newton_tolerance;
  newton.max_iterations = run.newton_iterations;
  newton.solver = run.solver.name();
  if (SolverCatalog catalog; !catalog.knows(newton.solver)) {  // a program's own
    catalog.add(
        {newton.solver, "", [own = run.solver](const KktStructure& structure, std::shared_ptr<Team> team) {
           return own->make(own.data(), structure, std::move(team));
         }});
    newton.solvers = std::make_shared<const SolverCatalog>(std::move(catalog));
  }
  if (run.regularisation) newton.regularisation = *run.regularisation;
  newton.penalty = run.penalty;
  newton.geometric_stiffness = run.geometric_stiffness;
  newton.fixed_iterations = run.realtime;
  return newton;
}

StageTable stage_table(OdeMethod method, double beta_h) {
  return method == OdeMethod::chebyshev ? StageTable::chebyshev(beta_h) : StageTable::dormand_prince();
}

using Made = std::unique_ptr<Integrator>;

namespace {

Made make_alpha(const Dae& dae, const auto& choice, const NewtonSettings& newton) {
  return std::make_unique<GeneralizedAlpha>(
      dae,
      GeneralizedAlphaSettings{choice.parameters(), choice.form, choice.projection, newton, choice.tangent});
}

Made make_dae_alpha(const Dae& dae, const auto& choice, const NewtonSettings& newton) {
  return std::make_unique<DaeAlpha>(dae, DaeAlphaSettings{choice.parameters(), choice.iteration, newton});
}

}  // namespace

Made GeneralizedAlphaChoice::make_integrator(const Dae& dae, const RunSettings&,
                                             const NewtonSettings& newton) const {
  return make_alpha(dae, *this, newton);
}
Made HhtChoice::make_integrator(const Dae& dae, const RunSettings&, const NewtonSettings& newton) const {
  return make_alpha(dae, *this, newton);
}
Made NewmarkChoice::make_integrator(const Dae& dae, const RunSettings&, const NewtonSettings& newton) const {
  return make_alpha(dae, *this, newton);
}
Made TrapezoidalChoice::make_integrator(const Dae& dae, const RunSettings&,
                                        const NewtonSettings& newton) const {
  return make_alpha(dae, *this, newton);
}
Made DaeAlphaNewtonChoice::make_integrator(const Dae& dae, const RunSettings&,
                                           const NewtonSettings& newton) const {
  return make_dae_alpha(dae, *this, newton);
}
Made DaeAlphaSplitChoice::make_integrator(const Dae& dae, const RunSettings&,
                                          const NewtonSettings& newton) const {
  return make_dae_alpha(dae, *this, newton);
}
Made DaeAlphaModifiedChoice::make_integrator(const Dae& dae, const RunSettings&,
                                             const NewtonSettings& newton) const {
  return make_dae_alpha(dae, *this, newton);
}
Made EnergyMomentumChoice::make_integrator(const Dae& dae, const RunSettings&,
                                           const NewtonSettings& newton) const {
  return std::make_unique<EnergyMomentum>(dae, EnergyMomentumSettings{rho, newton});
}
Made StabilisedOdeChoice::make_integrator(const Dae& dae, const RunSettings& run,
                                          const NewtonSettings& newton) const {
  if (method == OdeMethod::implicit_alpha) return std::make_unique<StabilisedAlpha>(dae, settings(newton));
  const double beta_h = beta ? *beta * run.step : 1.0;
  return std::make_unique<StabilisedExplicit>(dae, newton, stage_table(method, beta_h), beta_h);
}
Made DormandPrinceChoice::make_integrator(const Dae& dae, const RunSettings&,
                                          const NewtonSettings& newton) const {
  return std::make_unique<DormandPrince>(dae, newton);
}
Made MersonChoice::make_integrator(const Dae& dae, const RunSettings&, const NewtonSettings& newton) const {
  return std::make_unique<Merson>(dae, newton);
}
Made LinearlyImplicitChoice::make_integrator(const Dae& dae, const RunSettings&,
                                             const NewtonSettings& newton) const {
  return std::make_unique<LinearlyImplicit>(dae, newton);
}

Made make_integrator(const Dae& dae, const RunSettings& run, std::shared_ptr<Team> team) {
  NewtonSettings newton = newton_settings(run);
  newton.team = std::move(team);
  return run.integrator->make(run.integrator.data(), dae, run, newton);
}

}  // namespace hooke
