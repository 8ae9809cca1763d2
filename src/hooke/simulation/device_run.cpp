#include "hooke/simulation/device_run.h"

#include <cmath>

#include "hooke/base/format.h"
#include "hooke/base/timer.h"
#include "hooke/gpu/cuda_engine.h"

namespace hooke {
namespace {

/// What the device `auto` is: a graphics card for solids of so many dofs, if there is one that does the model.
bool may_use_device(Device device, const Simulation& simulation) {
  constexpr int worth_a_device = 10000;
  int largest = 0;
  for (const BuiltSolid& solid : simulation.built().solids)
    largest = std::max(largest, simulation.system().size_of(solid.body).v);
  return device == Device::gpu || (device == Device::automatic && largest >= worth_a_device);
}

/// `x` in units of `unit`, if that is a whole number.
std::optional<long> whole(double x, double unit) {
  const double n = std::round(x / unit);
  if (n < 1 || std::abs(x / unit - n) > 1e-6) return {};
  return static_cast<long>(n);
}

}  // namespace

std::optional<GeneralizedAlphaSettings> alpha_settings(const RunSettings& run) {
  std::optional<GeneralizedAlphaSettings> found;
  const auto look = [&]<class Choice>(const Choice*) {
    if (const auto* choice = run.integrator.get_if<Choice>())
      found = GeneralizedAlphaSettings{choice->parameters(), choice->form, choice->projection,
                                       newton_settings(run)};
  };
  look(static_cast<const GeneralizedAlphaChoice*>(nullptr));
  look(static_cast<const HhtChoice*>(nullptr));
  look(static_cast<const NewmarkChoice*>(nullptr));
  look(static_cast<const TrapezoidalChoice*>(nullptr));
  return found;
}

std::unique_ptr<gpu::DeviceStepper> make_device_stepper(const Simulation& simulation, State& state,
                                                        Watch* watch, gpu::DeviceStepper::MakeIntegrator make,
                                                        std::vector<std::string>& notes) {
  const Problem& problem = simulation.problem();
  const RunSettings run = simulation.run_settings();
  const System& system = simulation.system();
  if (!may_use_device(run.device, simulation)) return nullptr;
  const auto refuse = [&](const std::string& why) {
    notes.push_back(run.device == Device::gpu ? "run.device: gpu is not used: " + why
                                              : "run.device: auto stays on the processor: " + why);
    return nullptr;
  };
  const auto not_done = [&](const std::string& what) { return refuse("the device does not do " + what); };
  const auto settings = alpha_settings(run);
  if (!problem.subsystems.empty()) return not_done("subsystems");
  if (!settings) return not_done(formatted("the integrator {}", run.integrator.name()));
  if (run.tolerance) return not_done("steps of varying size (run.tolerance)");
  const auto outputs = problem.outputs.every > 0 ? whole(problem.outputs.every, run.step) : std::optional(1L);
  if (!outputs) return not_done("outputs between steps (outputs.every must be a multiple of run.step)");
  if (const std::string what = gpu::DeviceModel::refusal(system, *settings); !what.empty())
    return not_done(what);

  std::string why;
  const int blocks = gpu::device_blocks(why);
  if (blocks == 0) return refuse(why);
  try {
    const Timer timer;
    auto model = std::make_unique<gpu::DeviceModel>(system, *settings, run.step, blocks, state);
    std::unique_ptr<gpu::CudaEngine> engine = gpu::make_cuda_engine(*model, why);
    if (!engine) return refuse(why);
    gpu::find_responses(*model, *engine);
    notes.push_back(
        formatted("steps are computed on {}: a solve reads {:.4g} MB in {} stages; {:.3g} s to set up",
                  engine->name(), 1e-6 * model->layout.bytes(), model->layout.stages, timer.seconds()));
    const auto all = static_cast<long>(std::floor((run.end - run.start) / run.step + 1e-6));
    return std::make_unique<gpu::DeviceStepper>(
        system, std::move(model), std::move(engine), *settings, state, watch,
        gpu::DeviceStepper::Pace{*outputs, Simulation::steps_between_checkpoints, all}, std::move(make));
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
}

}  // namespace hooke
