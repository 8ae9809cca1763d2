#include "hooke/simulation/device_rollout.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <tuple>

#include "hooke/base/format.h"
#include "hooke/gpu/mechanism_batch.h"
#include "hooke/gpu/solid_batch.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/simulation/device_run.h"

namespace hooke {
namespace {

using Models = std::span<const Simulation* const>;

const System& system_of(Models models, std::size_t instance) {
  return models[models.size() == 1 ? 0 : instance]->system();
}

/// States from which the integrator can begin.
std::vector<State> ready(Models models, const GeneralizedAlphaSettings& settings,
                         std::span<const State> starts, double h) {
  std::vector<State> made(starts.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    std::optional<AlphaHistory> history;
    for (std::size_t i; (i = next++) < starts.size();) {
      if (!history || models.size() > 1)
        history.emplace(system_of(models, i), settings.parameters, settings.newton);
      made[i] = history->ready(starts[i], h);
    }
  };
  const bool has_team = std::any_of(models.begin(), models.end(),
                                    [](const Simulation* model) { return model->system().has_team(); });
  const std::size_t threads = has_team ? 1 : std::thread::hardware_concurrency();
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min(threads, starts.size() / 16); ++k) others.emplace_back(work);
  work();
  others.clear();
  return made;
}

std::string reason(const gpu::BatchLog& log) {
  switch (static_cast<gpu::Outcome>(log.outcome)) {
    case gpu::Outcome::diverged:
      return "Newton's iteration diverges";
    case gpu::Outcome::unresolved:
      return formatted("the step does not resolve the motion (its error is {:.2g} of the mechanism's size)",
                       log.error);
    default:
      return "Newton's iteration does not converge";
  }
}

/// What a batch that has run tells, instance after instance.
void tell(const DeviceRollout& rollout, Models models, std::span<const State> starts, double h,
          const auto& batch) {
  std::unique_ptr<Workspace> workspace;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const System& system = system_of(models, k);
    if (!workspace || models.size() > 1) workspace = system.workspace();
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
          i,
          formatted("{} at t = {:.6g} s; take a smaller step (run.step), or the processor, which shortens it",
                    reason(log), starts[k].t + (log.steps + 1) * h));
  }
}

/// What the batch takes of the first model alone.
bool is_stepped_alike(const RunSettings& a, const RunSettings& b) {
  const auto key = [](const RunSettings& run) {
    const GeneralizedAlphaSettings s = *alpha_settings(run);
    const AlphaParameters& p = s.parameters;
    return std::tuple(run.step, p.beta, p.gamma, p.alpha_m, p.alpha_f, s.form, s.projection,
                      s.newton.tolerance, s.newton.max_iterations, s.newton.regularisation);
  };
  return key(a) == key(b);
}

/// Empty; or what keeps these models from being instances of one batch.
std::string refusal(Models models) {
  for (const Simulation* model : models) {
    const RunSettings run = model->run_settings();
    if (!model->problem().subsystems.empty()) return "subsystems";
    if (!alpha_settings(run)) return formatted("the integrator {}", run.integrator.name());
    if (run.tolerance) return "steps of varying size (run.tolerance)";
    if (!is_stepped_alike(run, models[0]->run_settings()))
      return "instances with steps or integrators of their own (run.step, run.integrator)";
  }
  return {};
}

}  // namespace

std::string DeviceRollout::run(Models models, std::span<const State> starts) const {
  const auto not_done = [](const std::string& what) { return "the device does not do " + what; };
  if (const std::string what = refusal(models); !what.empty()) return not_done(what);
  const Simulation& first = *models[0];
  const System& system = first.system();
  const double h = first.run_settings().step;
  const GeneralizedAlphaSettings settings = *alpha_settings(first.run_settings());
  std::string of_mechanism;
  for (std::size_t i = 0; i < models.size() && of_mechanism.empty(); ++i)
    of_mechanism = gpu::MechanismModel::refusal(models[i]->system(), settings);
  if (!of_mechanism.empty()) {
    if (!gpu::DeviceModel::refusal(system, settings).empty()) return not_done(of_mechanism);
    if (models.size() > 1) return not_done("solids with parameters of their own: they share one factor");
  }
  std::string why;
  if (!plain && gpu::device_blocks(why) == 0) return why;

  if (starts.empty()) return {};
  const int all = periods * steps;
  try {
    const std::vector<State> begins = ready(models, settings, starts, h);
    if (of_mechanism.empty()) {
      const gpu::MechanismModel model(system, settings, h);
      gpu::MechanismBatch batch(model);
      for (std::size_t i = 0; i < begins.size(); ++i) batch.add(system_of(models, i), begins[i]);
      if (plain)
        batch.run_here(all, steps);
      else if (!batch.run_on_device(all, steps, why))
        return why;
      tell(*this, models, starts, h, batch);
    } else {
      const gpu::DeviceModel model(system, settings, h, 1, first.start().state, gpu::SolidBatch::cost);
      gpu::SolidBatch batch(model, plain);
      for (const State& begin : begins) batch.add(begin);
      batch.run(all, steps);
      tell(*this, models, starts, h, batch);
    }
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace hooke
