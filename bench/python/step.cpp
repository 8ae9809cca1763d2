// Steps a model through the C++ interface and prints the seconds of each round: step MODEL ROUNDS STEPS KEY=VALUE...
// bench/python/run compares them with those of the Python package.
#include <fmt/format.h>

#include "hooke/base/timer.h"
#include "hooke/simulation/simulation.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  hooke::Simulation simulation(hooke::load(argv[1], {argv + 4, argv + argc}));
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    simulation.reset();
    simulation.step();
    const hooke::Timer timer;
    for (int i = 0; i < std::atoi(argv[3]); ++i) simulation.step();
    fmt::print("{}\n", timer.seconds());
  }
}
