#include "hooke/integrators/settings.h"

#include "hooke/integrators/linearly_implicit.h"
#include "hooke/integrators/stabilised_explicit.h"

namespace hooke {

NewtonSettings newton_settings(const RunSettings& run) {
  NewtonSettings newton;
  newton.tolerance = run.newton_tolerance;
  newton.max_iterations = run.newton_iterations;
  newton.solver = run.solver;
  if (run.regularisation) newton.regularisation = *run.regularisation;
  newton.penalty = run.penalty;
  newton.geometric_stiffness = run.geometric_stiffness;
  newton.fixed_iterations = run.realtime;
  return newton;
}

StageTable stage_table(OdeMethod method, double beta_h) {
  return method == OdeMethod::chebyshev ? StageTable::chebyshev(beta_h) : StageTable::dormand_prince();
}

std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                            std::shared_ptr<Team> team) {
  NewtonSettings newton = newton_settings(run);
  newton.team = std::move(team);
  return std::visit(
      [&](const auto& choice) -> std::unique_ptr<Integrator> {
        if constexpr (requires { choice.iteration; })
          return std::make_unique<DaeAlpha>(dae,
                                            DaeAlphaSettings{choice.parameters(), choice.iteration, newton});
        else if constexpr (requires { choice.settings(newton); }) {
          if (choice.method == OdeMethod::implicit_alpha)
            return std::make_unique<StabilisedAlpha>(dae, choice.settings(newton));
          const double beta_h = choice.beta ? *choice.beta * run.step : 1.0;
          return std::make_unique<StabilisedExplicit>(dae, newton, stage_table(choice.method, beta_h), beta_h);
        } else if constexpr (requires { choice.parameters(); })
          return std::make_unique<GeneralizedAlpha>(
              dae, GeneralizedAlphaSettings{choice.parameters(), choice.form, choice.projection, newton});
        else if constexpr (std::is_same_v<std::decay_t<decltype(choice)>, MersonChoice>)
          return std::make_unique<Merson>(dae, newton);
        else if constexpr (std::is_same_v<std::decay_t<decltype(choice)>, LinearlyImplicitChoice>)
          return std::make_unique<LinearlyImplicit>(dae, newton);
        else
          return std::make_unique<DormandPrince>(dae, newton);
      },
      run.integrator);
}

}  // namespace hooke
