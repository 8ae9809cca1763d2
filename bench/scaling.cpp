// The chain of n links with divide and conquer: time of a step and memory over the number of bodies, on one
// thread and on two. Prints a section of docs/benchmarks/chain.md.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "hooke/base/team.h"
#include "hooke/base/timer.h"
#include "hooke/simulation/simulation.h"

namespace {

using namespace hooke;

constexpr double step = 0.01;
constexpr int rounds = 3;

/// What the process holds, in bytes.
double resident() {
  malloc_trim(0);
  long pages = 0, held = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &held) != 2) held = 0;
    std::fclose(file);
  }
  return static_cast<double>(held) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// A chain that falls, with an integrator on so many threads.
struct Chain {
  Chain(int n, int threads)
      : simulation(load(std::string(HOOKE_ROOT) + "/models/chain.yaml",
                        {fmt::format("parameters.n={}", n), "run.solver=dca", "run.realtime=3",
                         fmt::format("run.threads={}", threads)})),
        state(simulation.start().state) {
    auto team = threads > 1 ? std::make_shared<Team>(threads) : nullptr;
    simulation.use(team);
    integrator = make_integrator(simulation.system(), simulation.run_settings(), team);
  }
  double seconds_a_step(int steps) {
    const Timer timer;
    for (int i = 0; i < steps; ++i) integrator->step(state, step);
    return timer.seconds() / steps;
  }
  Simulation simulation;
  State state;
  std::unique_ptr<Integrator> integrator;
};

}  // namespace

int main() {
  fmt::print(
      "## Chain of n links: size, threads, memory\n\n"
      "generalized-alpha, rho 0.8, h = 0.01 s, solver `dca`, three iterations in every step (to a tolerance, "
      "long chains take more: 2.8 for 1024 links, 8.7 for 8192 while they start to fall), the first 20000/n "
      "steps of the fall, at least "
      "10; "
      "best of {} rounds, one and two threads in turns. *Memory*: what model, integrator and results of one "
      "thread keep, without the "
      "text of the model.\n\n"
      "| n | a step, 1 thread | per body | 2 threads | speed-up | memory per body |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      rounds);
  for (int n : {8, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
    const double before = resident();
    Chain one(n, 1);
    one.seconds_a_step(2);
    const double memory = resident() - before;
    Chain two(n, 2);
    two.seconds_a_step(2);
    const int steps = std::max(10, 20000 / n);
    double best[2] = {1e300, 1e300};
    for (int round = 0; round < rounds; ++round)
      for (Chain* chain : {&one, &two}) {
        double& time = best[chain == &two];
        time = std::min(time, chain->seconds_a_step(steps));
      }
    fmt::print("| {} | {:.3g} ms | {:.2f} us | {:.3g} ms | {:.2f} | {:.1f} kB |\n", n, 1e3 * best[0],
               1e6 * best[0] / n, 1e3 * best[1], best[0] / best[1], 1e-3 * memory / n);
    std::fflush(stdout);
  }
  fmt::print(
      "\n![Time of a step, speed-up and memory over the number of links](../figures/chain_scaling.svg)\n\n"
      "A step touches about 6 kB of a body in each iteration. While that fits the caches a step costs in "
      "proportion to the number of bodies; beyond, it waits for the memory, and two threads for the same "
      "one.\n");
}
