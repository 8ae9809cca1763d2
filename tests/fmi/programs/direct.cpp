// The same run without FMI: from the model in an FMU's resources, by the library that is in the FMU.
//
//   fmu_direct RESOURCES COUNT [-i NAME=VALUE]... [-p NAME=VALUE]... QUANTITY...       prints what fmu_driver prints
//   fmu_direct RESOURCES COUNT --time                      s of processor time for so many steps, the best of ten
#include <cstdio>
#include <cstring>
#include <ctime>

#include "hooke/fmi/manifest.h"
#include "hooke/fmi/observable.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

using namespace hooke;

int main(int argc, char** argv) {
  const std::string resources = argv[1];
  const int count = std::atoi(argv[2]);
  std::vector<std::string> overrides, names;
  std::vector<std::pair<std::string, double>> inputs;
  bool is_timed = false;
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "--time") == 0) {
      is_timed = true;
    } else if (std::strcmp(argv[i], "-p") == 0) {
      overrides.push_back(std::string("parameters.") + argv[++i]);
    } else if (std::strcmp(argv[i], "-i") == 0) {
      const std::string pair = argv[++i];
      inputs.emplace_back(pair.substr(0, pair.find('=')), std::atof(pair.substr(pair.find('=') + 1).c_str()));
    } else {
      names.emplace_back(argv[i]);
    }
  }
  const FmuManifest manifest = read_manifest(resources);
  overrides.insert(overrides.begin(), manifest.overrides.begin(), manifest.overrides.end());
  Simulation simulation(load(resources + '/' + manifest.model, overrides));
  for (const auto& [name, value] : inputs) simulation.set_input(name, value);
  if (is_timed) {
    double best = 1e300;
    const auto now = [] {
      timespec t;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    for (int pass = 0; pass < 10; ++pass) {
      simulation.reset();
      const double begin = now();
      for (int k = 0; k < count; ++k) simulation.step();
      best = std::min(best, now() - begin);
    }
    std::printf("%.6e\n", best);
    return 0;
  }

  std::vector<Observable> all = observables_of(simulation.built());
  const auto workspace = simulation.system().workspace();
  const double start = simulation.time(), step = simulation.problem().run.step;
  const auto print = [&](int k) {
    auto& w = static_cast<SystemWorkspace&>(*workspace);
    const State& state = simulation.recorded_state();
    simulation.system().update(state, w);
    SeenState seen{simulation.built(), state, w, simulation.problem().outputs.reactions};
    std::printf("%a", start + k * step);
    for (const std::string& name : names)
      for (const Observable& quantity : all) {
        if (quantity.name != name) continue;
        std::vector<double> values(static_cast<std::size_t>(quantity.width()));
        quantity.read(seen, values.data());
        for (const double value : values) std::printf(" %a", value);
      }
    std::printf("\n");
  };
  print(0);
  for (int k = 1; k <= count; ++k) {
    const double goal = start + k * step;
    if (simulation.problem().run.tolerance)
      simulation.go_on(goal);                         // whose steps end where outputs are wanted
    while (simulation.time() < goal - 1e-9 * step) {  // an event may end a step before
      const double before = simulation.time();
      simulation.step();
      if (simulation.time() == before) return 0;  // it ended the run
    }
    print(k);
  }
}
