// Hooke on the chain, in the lines the peers print.
#include <fmt/format.h>

#include <memory>

#include "base/timer.h"
#include "chain.h"
#include "integrators/march.h"
#include "simulation/simulation.h"

namespace {

using namespace hooke;

struct Setting {
  const char* name;
  std::vector<std::string> changes;
};

void run(int n, const Setting& setting) {
  std::vector<std::string> changes = setting.changes;
  changes.push_back(fmt::format("parameters.n={}", n));
  const Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/chain.yaml", changes));
  const System& system = simulation.system();
  const RunSettings& settings = simulation.file().run;
  const auto integrator = make_integrator(system, settings);
  const auto workspace = system.workspace();
  State state = simulation.start().state;
  double looking = 0, first = 0, drift = 0, kinetic = 0;  // the time of looking at energies is not the run's
  March march(system, *integrator,
              {.end = chain::end,
               .step = settings.step,
               .tolerance = settings.tolerance,
               .output_every = chain::output});
  march.on_output = [&](const State& at) {
    const Timer timer;
    system.update(at, *workspace);
    const Energy energy = system.energy(at, *workspace);
    if (at.t == 0) first = energy.total();
    drift = std::max(drift, std::abs(energy.total() - first));
    kinetic = std::max(kinetic, energy.kinetic);
    looking += timer.seconds();
  };
  const Timer timer;
  march.run(state);
  chain::print("Hooke", setting.name, n, timer.seconds() - looking, drift / kinetic);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string alpha = "run.integrator={generalized-alpha: 0.8}",
                    explicit_one = "run.integrator=dormand-prince";
  const Setting settings[] = {
      {"generalized-alpha, step 0.01, sparse", {alpha, "run.solver=sparse"}},
      {"generalized-alpha, step 0.01, dca", {alpha, "run.solver=dca"}},
      {"generalized-alpha, step 0.02, dca", {alpha, "run.solver=dca", "run.step=0.02"}},
      {"generalized-alpha, step 0.01, Newton to 1e-6, dca",
       {alpha, "run.solver=dca", "run.newton_tolerance=1e-6"}},
      {"Dormand-Prince, tolerance 1e-3, dca",
       {explicit_one, "run.solver=dca", "run.tolerance=1e-3", "run.step=0.05"}},
      {"Dormand-Prince, tolerance 1e-4, dca",
       {explicit_one, "run.solver=dca", "run.tolerance=1e-4", "run.step=0.05"}},
      {"Dormand-Prince, tolerance 1e-4, sparse",
       {explicit_one, "run.solver=sparse", "run.tolerance=1e-4", "run.step=0.05"}},
      {"Dormand-Prince, tolerance 1e-5, dca",
       {explicit_one, "run.solver=dca", "run.tolerance=1e-5", "run.step=0.05"}},
      {"Dormand-Prince, tolerance 1e-6, dca",
       {explicit_one, "run.solver=dca", "run.tolerance=1e-6", "run.step=0.05"}},
  };
  for (int n : chain::sizes(argc, argv))
    for (const Setting& setting : settings) run(n, setting);
}
