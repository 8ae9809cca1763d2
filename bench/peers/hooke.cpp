// Hooke on the chain, in the lines the peers print.
#include <fmt/format.h>

#include "chain.h"
#include "hooke/base/timer.h"
#include "hooke/integrators/march.h"
#include "hooke/simulation/simulation.h"

namespace {

using namespace hooke;

struct Setting {
  std::string name;
  std::vector<std::string> changes;
  const char* program = "Hooke";
};

void run(int n, const Setting& setting) {
  std::vector<std::string> changes = setting.changes;
  changes.push_back(fmt::format("parameters.n={}", n));
  const Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/chain.yaml", changes));
  const System& system = simulation.system();
  const RunSettings& settings = simulation.run_settings();
  const auto integrator = make_integrator(system, settings);
  const auto workspace = system.workspace();
  State state = simulation.start().state;
  chain::Place place{NAN, NAN, NAN};
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
    if (std::abs(at.t - chain::look) < 1e-9) {
      const Vec3 p = system.motion(n - 1, at).pose.p;
      place = {p.x(), p.y(), p.z()};
    }
    looking += timer.seconds();
  };
  const Timer timer;
  march.run(state);
  chain::print(setting.program, setting.name.c_str(), n, timer.seconds() - looking, drift / kinetic, place);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string alpha = "run.integrator={generalized-alpha: 0.8}", dca = "run.solver=dca";
  std::vector<Setting> settings = {
      {"generalized-alpha, step 0.01, sparse", {alpha, "run.solver=sparse"}},
      {"generalized-alpha, step 0.02, dca", {alpha, dca, "run.step=0.02"}},
      {"generalized-alpha, step 0.01, dca", {alpha, dca}},
      {"generalized-alpha, step 0.005, dca", {alpha, dca, "run.step=0.005"}},
      {"generalized-alpha, step 0.01, Newton to 1e-6, dca", {alpha, dca, "run.newton_tolerance=1e-6"}},
  };
  const auto explicit_one = [](const char* name, const char* tolerance, const char* solver) {
    return std::vector<std::string>{fmt::format("run.integrator={}", name),
                                    fmt::format("run.solver={}", solver),
                                    fmt::format("run.tolerance={}", tolerance), "run.step=0.05"};
  };
  for (const char* tolerance : {"1e-3", "1e-4", "1e-5", "1e-6", "1e-7"}) {
    settings.push_back({fmt::format("Dormand-Prince, tolerance {}, dca", tolerance),
                        explicit_one("dormand-prince", tolerance, "dca")});
    settings.push_back(
        {fmt::format("Merson, tolerance {}, dca", tolerance), explicit_one("merson", tolerance, "dca")});
  }
  for (const char* tolerance : {"1e-8", "1e-9"})
    settings.push_back({fmt::format("Dormand-Prince, tolerance {}, dca", tolerance),
                        explicit_one("dormand-prince", tolerance, "dca")});
  settings.push_back({"Merson, tolerance 1e-4, sparse", explicit_one("merson", "1e-4", "sparse")});
  for (int n : chain::sizes(argc, argv)) {
    for (const Setting& setting : settings) run(n, setting);
    if (n <= 128)
      run(n,
          {"Dormand-Prince, tolerance 1e-12", explicit_one("dormand-prince", "1e-12", "dca"), "reference"});
  }
}
