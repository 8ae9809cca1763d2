// What run.device does where there is no card, or a model has something that the device does not do: the summary says what, and
// results are the processor's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/pendulum.h"
#include "hooke/gpu/cuda_engine.h"
#include "hooke/gpu/device_stepper.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::gpu {
namespace {

using ::testing::HasSubstr;

/// A bar on a hinge: on the device as it stands.
struct BarOnAHinge {
  std::string solid, divisions = "4, 1, 1", more, run = "integrator: {generalized-alpha: 0.8}", outputs;

  std::string text(const std::string& device) const {
    return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n  bar: {solid: {mesh: {box: {size: [1, 0.1, 0.1], "
           "divisions: [" +
           divisions + "]}}, material: {young: 2e9, poisson: 0.3, density: 1000}" + solid +
           "}, at: [0.5, 0, 0]}\n  ball: {rigid: {mass: 1, inertia: [1, 1, 1]}, at: [3, 0, 5]}\njoints:\n"
           "  hinge: {revolute: [ground, bar.x_min], axis: y}\n" +
           more + "\nrun: {step: 1e-3, end: 3e-3, device: " + device + ", " + run + "}\n" + outputs;
  }
};

struct Ran {
  std::string note;
  long iterations;
  double estimated_error, energy_scale;  ///< of the run: in every bit the same only if its states are
};
Ran run_with(const BarOnAHinge& bar, const std::string& device) {
  Simulation simulation(parse_model(bar.text(device)));
  Ran ran;
  const Summary summary = simulation.run();
  for (const std::string& note : summary.notes)
    if (note.starts_with("run.device")) ran.note += note;
  ran.iterations = summary.totals.iterations;
  ran.estimated_error = summary.quality.error;
  ran.energy_scale = summary.quality.energy_scale;
  return ran;
}

TEST(DeviceChoice, WithoutACardTheProcessorDoesIt) {
  std::string why;
  if (device_blocks(why) > 0) GTEST_SKIP() << "there is a card";
  const Ran cpu = run_with({}, "cpu"), gpu = run_with({}, "gpu"), automatic = run_with({}, "auto");
  EXPECT_EQ(cpu.note, "");
  EXPECT_EQ(gpu.note, "run.device: gpu is not used: " + why);
  EXPECT_EQ(automatic.note, "");  // too small to be worth one
  EXPECT_GT(cpu.energy_scale, 1e-6);
  EXPECT_EQ(cpu.iterations, gpu.iterations);
  EXPECT_EQ(cpu.estimated_error, gpu.estimated_error);
  EXPECT_EQ(cpu.energy_scale, gpu.energy_scale);
  const Ran large = run_with({.divisions = "50, 8, 8"}, "auto");
  EXPECT_EQ(large.note, "run.device: auto stays on the processor: " + why);
}

TEST(DeviceChoice, WhatIsNotDoneIsSaid) {
  const std::string springs = "forces:\n  s: {spring: [ground, ball], stiffness: 10}\n";
  const std::pair<BarOnAHinge, const char*> refused[] = {
      {{.solid = ", corotation: element"}, "'bar': a frame for each element"},
      {{.solid = ", frame: three-nodes"}, "'bar': a frame of three nodes"},
      {{.solid = ", surface_loads: [{nodes: z_max, pressure: 10, follower: true}]"},
       "'bar': pressure that follows the surface"},
      {{.more = "  slide: {screw: [ground, ball], axis: x, pitch: 0.1}\n"}, "'slide': a joint of this type"},
      {{.more = springs}, "'s': forces other than loads"},
      {{.more = "forces:\n  b: {bushing: [ground, ball], stiffness: 10}\n"}, "'b': forces other than loads"},
      {{.run = "integrator: {generalized-alpha: {rho: 0.8, projection: velocity}}"},
       "projections after steps"},
      {{.run = "integrator: dormand-prince"}, "the integrator dormand-prince"},
      {{.run = "integrator: {generalized-alpha: 0.8}, tolerance: 1e-5"}, "steps of varying size"},
      {{.run = "integrator: {generalized-alpha: 0.8}, penalty: 1e6"}, "run.penalty"},
      {{.run = "integrator: {generalized-alpha: 0.8}, realtime: 4"}, "run.realtime"},
      {{.outputs = "outputs: {every: 1.5e-3}\n"}, "outputs between steps"},
      {{.more = "surfaces: {ball: {sphere: 0.1, body: ball}, floor: {half-space: [0, 0, 1]}}\n"
                "contacts: {floor: {between: [ball, floor], law: rigid}}\n"},
       "contact"},
      {{.more = "control:\n  slow: {low-pass: t, time: 0.1}\n"}, "control"}};
  for (const auto& [bar, why] : refused) {
    SCOPED_TRACE(why);
    try {
      EXPECT_THAT(run_with(bar, "gpu").note, HasSubstr(std::string("the device does not do ") + why));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// A load that pushes in the rhythm of outputs, and is zero at each of them, looks as if it supplied nothing: the account of
/// energy sees every step.
TEST(DeviceChoice, TheAccountOfEnergySeesLoadsBetweenOutputs) {
  std::string text =
      BarOnAHinge{.more = "forces: {push: {load: bar.x_max, force: [0, 0, '20*(1 - cos(2*pi*t/0.02))']}}"}
          .text("cpu");
  text.replace(text.find("-9.81"), 5, "0");
  const Simulation simulation(parse_model(text));
  const System& system = simulation.system();
  const GeneralizedAlphaSettings settings = newmark(ConstraintForm::stabilised);
  constexpr int between = 20, outputs = 20;
  State state = simulation.state(), last = state;
  auto model = std::make_unique<const DeviceModel>(system, settings, 1e-3, 3, state);
  auto engine = make_reference(*model);
  find_responses(*model, *engine);
  Watch watch(system, true), of_outputs(system, true);
  watch.begin(state, 1e-3), of_outputs.begin(state, 1e-3);
  DeviceStepper stepper(system, std::move(model), std::move(engine), settings, state, &watch,
                        {between, 1000, 1000},
                        [&] { return std::make_unique<GeneralizedAlpha>(system, settings); });
  const auto workspace = system.workspace();
  bool is_wrong = false;
  double largest = 0, error = 0;
  for (int n = 1; n <= between * outputs; ++n) {
    ASSERT_TRUE(stepper.step(1e-3).accepted);
    stepper.keep();
    if (n % between) continue;
    system.update(state, *workspace);
    const Energy energy = system.energy(state, *workspace);
    EXPECT_NO_THROW(watch.check(state.t, energy, 0));
    error = std::max(error, std::abs(watch.balance(state.t, energy).error));
    largest = std::max(largest, energy.total());
    of_outputs.accept(last, state, {});
    try {
      of_outputs.check(state.t, energy, 0);
    } catch (const Error&) {
      is_wrong = true;
    }
    last = state;
  }
  EXPECT_EQ(stepper.note(), "");
  EXPECT_LT(error, 0.02 * largest);
  EXPECT_TRUE(is_wrong);
}

struct OneNumber {
  long number;
  bool reading;
  bool reads() const { return reading; }
  void operator()(long& n) { (reading ? n : number) = reading ? number : n; }
};

/// As `--continue` does it: from the state at which everything begins afresh.
TEST(DeviceChoice, ARunThatWasStoppedGoesOnInEveryBit) {
  const Pendulum pendulum(10, 1);
  const GeneralizedAlphaSettings settings = newmark();
  constexpr double step = 0.01;
  const auto stepper_of = [&](State& state) {
    auto model = std::make_unique<const DeviceModel>(pendulum.system, settings, step, 3, state);
    auto engine = make_reference(*model);
    find_responses(*model, *engine);
    return DeviceStepper(pendulum.system, std::move(model), std::move(engine), settings, state, nullptr,
                         {5, 20, 40},
                         [&] { return std::make_unique<GeneralizedAlpha>(pendulum.system, settings); });
  };
  const auto take = [&](DeviceStepper& stepper, int steps) {
    for (int k = 0; k < steps; ++k) ASSERT_TRUE(stepper.step(step).accepted);
  };
  State whole = pendulum.system.initial_state();
  DeviceStepper first = stepper_of(whole);
  take(first, 20);
  State stopped = whole;
  OneNumber archive{0, false};
  first.archive(archive);
  EXPECT_EQ(archive.number, 20);
  first.begin_afresh();
  take(first, 20);
  EXPECT_EQ(first.note(), "");

  archive.reading = true;
  DeviceStepper second = stepper_of(stopped);
  second.archive(archive);
  take(second, 20);
  EXPECT_EQ(whole.q, stopped.q);
  EXPECT_EQ(whole.v, stopped.v);
  EXPECT_EQ(whole.a, stopped.a);
  EXPECT_EQ(whole.lambda, stopped.lambda);
}

}  // namespace
}  // namespace hooke::gpu
