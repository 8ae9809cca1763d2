// Many instances of a model at once, on a graphics card beside the processor.
#include "batches.h"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <thread>

#include "hooke/base/timer.h"
#include "hooke/gpu/mechanism_batch.h"
#include "hooke/gpu/solid_batch.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/simulation/simulation.h"
#include "pendulum.h"

namespace {

using namespace hooke;
using namespace hooke::gpu;

/// Instances that differ by how fast they begin.
class Fleet {
 public:
  Fleet(const System& of, const GeneralizedAlphaSettings& with, double step, std::function<State(int)> starts)
      : system(of), settings(with), h(step), start_(std::move(starts)) {}
  const System& system;
  const GeneralizedAlphaSettings settings;
  const double h;

  const State& begin(int i) const { return begun_[i]; }
  /// So many states to begin with, worked out by all threads.
  void prepare(int instances) {
    std::atomic<int> next = static_cast<int>(begun_.size());
    if (next >= instances) return;
    begun_.resize(static_cast<std::size_t>(instances));
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < std::thread::hardware_concurrency(); ++k)
      threads.emplace_back([&] {
        AlphaHistory history(system, settings.parameters, settings.newton);
        for (int i; (i = next++) < instances;) begun_[i] = history.ready(start_(i), h);
      });
  }

 private:
  std::function<State(int)> start_;
  std::vector<State> begun_;
};

/// Steps a second of the processor with so many threads, each with an instance of its own, and where they end.
double on_processor(Fleet& fleet, int steps, int instances, int threads, std::vector<State>& ends) {
  ends.resize(static_cast<std::size_t>(instances));
  for (int i = 0; i < instances; ++i) ends[i] = fleet.begin(i);
  std::atomic<int> next = 0;
  const auto work = [&] {
    GeneralizedAlpha integrator(fleet.system, fleet.settings);
    for (int i; (i = next++) < instances;)
      for (int k = 0; k < steps && integrator.step(ends[i], fleet.h).accepted; ++k) {
      }
  };
  const Timer timer;
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work);
    work();
  }
  return steps * static_cast<double>(instances) / timer.seconds();
}

/// `make(n)` gives a batch of n instances that has run.
void compare(std::string& table, const char* name, Fleet& fleet, int steps, int most, auto&& make) {
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<State> ends;
  fleet.prepare(std::max(4 * threads, most));
  const double one = on_processor(fleet, steps, 2, 1, ends),
               all = on_processor(fleet, steps, 4 * threads, threads, ends);
  for (int instances : {1, 8, 64, 512, 4096}) {
    if (instances > most) break;
    const Timer timer;
    const auto batch = make(instances), again = make(instances);
    const double seconds = std::min(batch->seconds(), again->seconds());
    double away = 0, iterations = 0;
    bool is_same = true;
    for (int i = 0; i < instances; ++i) {
      const State state = batch->state(i);
      is_same = is_same && state.q == again->state(i).q && batch->log(i).steps == steps;
      iterations += static_cast<double>(batch->log(i).iterations) / steps / instances;
      if (i < static_cast<int>(ends.size()))
        away = std::max(away, (state.q - ends[i].q).lpNorm<Eigen::Infinity>());
    }
    const std::string row = fmt::format(
        "| {} | {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {:.1f} | {:.2f} | {:.1e} ({:.3g} s) | {} |\n", name,
        instances, 1e6 * seconds / steps, steps * instances / seconds, one, all,
        steps * instances / seconds / all, iterations, away, steps * fleet.h, is_same ? "yes" : "no");
    table += row;
    fmt::print(stderr, "{}{:.3g} s with all that is around it\n", row, timer.seconds());
  }
}

/// Rigid bodies and rods, from a model file.
void measure_mechanism(std::string& table, const char* name, const char* file, int steps, int most) {
  const Simulation simulation(load(std::string("models/") + file));
  const System& system = simulation.system();
  Fleet fleet{system, {}, simulation.run_settings().step, [&](int i) {
                State state = simulation.state();
                state.v *= 1 + 1e-4 * i;
                return state;
              }};
  const MechanismModel model(system, fleet.settings, fleet.h);
  compare(table, name, fleet, steps, most, [&](int instances) {
    auto batch = std::make_unique<MechanismBatch>(model);
    for (int i = 0; i < instances; ++i) batch->add(system, fleet.begin(i));
    std::string why;
    if (!batch->run_on_device(steps, steps, why)) throw std::runtime_error(why);
    return batch;
  });
}

/// The cuboid pendulum, which begins with a spin about the pin.
void measure_solid(std::string& table, const char* name, int across, int steps, int most) {
  const bench::Pendulum pendulum(box_mesh(Vec3(4, 4, 40), {across, across, 10 * across}), Vec3(-2, -2, -20),
                                 Vec3(-2, -2, 20));
  const System& system = pendulum.system;
  Fleet fleet{system, bench::newmark(), 0.01, [&](int i) {
                State state = system.initial_state();
                const Vec3 pin(-2, -2, -20), spin(1e-4 * i, 0, 0);
                for (int n = 0; n < system.nv(); n += 3)
                  state.v.segment<3>(n) = spin.cross(state.q.segment<3>(n) - pin);
                return state;
              }};
  const DeviceModel model(system, fleet.settings, fleet.h, 1, system.initial_state(), SolidBatch::cost);
  fmt::print(stderr, "{}: {} stages, {:.4g} MB read by a solve\n", name, model.layout.stages,
             1e-6 * model.layout.bytes());
  compare(table, name, fleet, steps, most, [&](int instances) {
    auto batch = std::make_unique<SolidBatch>(model);
    for (int i = 0; i < instances; ++i) batch->add(fleet.begin(i));
    batch->run(steps, steps);
    return batch;
  });
}

}  // namespace

std::string measure_batches(int most) {
  std::string table = fmt::format(
      "\n### Many instances at once\n\nInstances that begin at different speeds, each on its own, on the "
      "card and on the "
      "processor beside it: what a step of all instances takes, and steps a second of all together; on one "
      "thread of the "
      "processor, and on all {}. *Times*: the card over all threads. *Away*: the largest difference of a "
      "coordinate from the "
      "run on the processor (m), after so many seconds. *Same*: two runs equal in every bit.\n\n"
      "| model | instances | a step, us | card, steps/s | one thread, steps/s | all threads, steps/s | times "
      "| "
      "iterations | away | same |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      std::thread::hardware_concurrency());
  measure_mechanism(table, "slider crank", "slider_crank.yaml", 1000, most);
  measure_mechanism(table, "chain of 8 links", "chain.yaml", 100, most);
  measure_mechanism(table, "slider crank, flexible rod", "flexible/slider_crank.yaml", 500, most);
  measure_solid(table, "cuboid A", 2, 200, most);
  measure_solid(table, "cuboid B", 5, 100, most);
  return table;
}
