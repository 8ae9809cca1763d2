#include "hooke/simulation/device_rollout.h"

#include <atomic>
#include <thread>

#include "hooke/base/format.h"
#include "hooke/gpu/mechanism_batch.h"
#include "hooke/gpu/solid_batch.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/simulation/device_run.h"

namespace hooke {
namespace {

/// States from which the integrator can begin.
std::vector<State> ready(const System& system, const GeneralizedAlphaSettings& settings,
                         std::span<const State> starts, double h) {
  std::vector<State> made(starts.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    AlphaHistory history(system, settings.parameters, settings.newton);
    for (std::size_t i; (i = next++) < starts.size();) made[i] = history.ready(starts[i], h);
  };
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min<std::size_t>(std::thread::hardware_concurrency(), starts.size() / 16);
       ++k)
    others.emplace_back(work);
  work();
  others.clear();
  return made;
}

/// What a batch that has run tells, instance after instance.
void tell(const DeviceRollout& rollout, const System& system, std::span<const State> starts, double h,
          const auto& batch) {
  const auto workspace = system.workspace();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const int i = static_cast<int>(k);
    State state = starts[k];
    state.history.resize(0);
    const gpu::BatchLog& log = batch.log(i);
    for (int p = 0; p <= rollout.periods && p * rollout.steps <= log.steps; ++p) {
      if (p > 0) {
        batch.read(p, i, state);
        state.t = starts[k].t + p * rollout.steps * h;
        system.update(state, *workspace);
        system.accept(state, *workspace);  // angles are followed from period to period
      }
      rollout.on_output(i, p, state);
    }
    if (log.steps < rollout.periods * rollout.steps)
      rollout.on_failure(
          i, formatted(
                 "Newton's iteration {} at t = {:.6g} s",
                 log.outcome == static_cast<int>(gpu::Outcome::diverged) ? "diverges" : "does not converge",
                 starts[k].t + (log.steps + 1) * h));
  }
}

}  // namespace

std::string DeviceRollout::run(const Simulation& simulation, std::span<const State> starts) const {
  const RunSettings run = simulation.run_settings();
  const System& system = simulation.system();
  const auto not_done = [](const std::string& what) { return "the device does not do " + what; };
  const auto settings = alpha_settings(run);
  if (!simulation.problem().subsystems.empty()) return not_done("subsystems");
  if (!settings) return not_done(formatted("the integrator {}", run.integrator.name()));
  if (run.tolerance) return not_done("steps of varying size (run.tolerance)");
  const std::string of_mechanism = gpu::MechanismModel::refusal(system, *settings),
                    of_solids = gpu::DeviceModel::refusal(system, *settings);
  if (!of_mechanism.empty() && !of_solids.empty()) return not_done(of_mechanism);
  std::string why;
  if (!plain && gpu::device_blocks(why) == 0) return why;

  if (starts.empty()) return {};
  const int all = periods * steps;
  try {
    if (of_mechanism.empty()) {
      const gpu::MechanismModel model(system, *settings, run.step);
      gpu::MechanismBatch batch(model);
      for (const State& start : ready(system, *settings, starts, run.step)) batch.add(system, start);
      if (plain)
        batch.run_here(all, steps);
      else if (!batch.run_on_device(all, steps, why))
        return why;
      tell(*this, system, starts, run.step, batch);
    } else {
      const gpu::DeviceModel model(system, *settings, run.step, 1, simulation.start().state,
                                   gpu::SolidBatch::cost);
      gpu::SolidBatch batch(model, plain);
      for (const State& start : ready(system, *settings, starts, run.step)) batch.add(start);
      batch.run(all, steps);
      tell(*this, system, starts, run.step, batch);
    }
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace hooke
