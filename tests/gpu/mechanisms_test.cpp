#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <fstream>
#include <thread>

#include "gpu/pendulum.h"
#include "hooke/gpu/mechanism_batch.h"
#include "hooke/gpu/mechanism_step.h"
#include "hooke/gpu/solid_batch.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/simulation/device_rollout.h"
#include "hooke/simulation/device_run.h"
#include "hooke/simulation/simulation.h"

namespace hooke::gpu {
namespace {

std::string model_file(const std::string& name) { return std::string(HOOKE_ROOT) + "/models/" + name; }

GeneralizedAlphaSettings settings_for(ConstraintForm form = ConstraintForm::stabilised) {
  GeneralizedAlphaSettings settings;
  settings.form = form;
  return settings;
}

State started(const System& system, const State& state, const GeneralizedAlphaSettings& settings, double h) {
  AlphaHistory history(system, settings.parameters, settings.newton);
  return history.ready(state, h);
}

struct BatchComparison {
  State cpu, batch;
  int cpu_iterations = 0;
  BatchLog log{};
  double distance() const { return (cpu.q - batch.q).lpNorm<Eigen::Infinity>(); }
};

BatchComparison compare_batch(const System& system, const State& start,
                              const GeneralizedAlphaSettings& settings, double h, int steps) {
  BatchComparison both;
  EXPECT_EQ(MechanismModel::refusal(system, settings), "");
  both.cpu = start;
  GeneralizedAlpha integrator(system, settings);
  for (int n = 0; n < steps; ++n) {
    const StepReport report = integrator.step(both.cpu, h);
    EXPECT_TRUE(report.accepted) << report.failure;
    both.cpu_iterations += report.iterations;
  }
  const MechanismModel model(system, settings, h);
  MechanismBatch batch(model);
  batch.add(system, started(system, start, settings, h));
  batch.run_here(steps, steps);
  both.batch = batch.state(0);
  both.log = batch.log(0);
  EXPECT_EQ(both.log.steps, steps);
  return both;
}

constexpr const char *slider_crank = "slider_crank.yaml", *flexible_crank = "flexible/slider_crank.yaml";

/// With the tangent always new on the processor as well: the stabilised form holds positions along C^-1 G^T of the tangents
/// there are, so that which they are is seen in the result, far below the error of the method.
TEST(Mechanisms, StepAsOnTheProcessor) {
  struct Case {
    const char* file;
    double h;
    int steps;
  };
  for (const Case& c : {Case{slider_crank, 1e-3, 1000}, Case{"chain.yaml", 1e-2, 100},
                        Case{"crank_rocker_driven.yaml", 1e-3, 300}, Case{flexible_crank, 1e-4, 200}})
    for (auto form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
      SCOPED_TRACE(c.file);
      const Simulation simulation(load(model_file(c.file)));
      GeneralizedAlphaSettings settings = settings_for(form);
      settings.newton.tolerance = 1e-14;
      settings.newton.renew_rate = 0;
      const BatchComparison both =
          compare_batch(simulation.system(), simulation.state(), settings, c.h, c.steps);
      EXPECT_LT(both.distance(), 1e-8);
      EXPECT_LT((both.cpu.lambda - both.batch.lambda).norm(), 1e-3 * both.cpu.lambda.norm());
    }
}

TEST(Mechanisms, UsualTolerancesLeaveWhatTheyAllow) {
  const Simulation simulation(load(model_file(slider_crank)));
  const BatchComparison both =
      compare_batch(simulation.system(), simulation.state(), settings_for(), 1e-3, 1000);
  EXPECT_LT(both.distance(), 1e-5);
  EXPECT_LE(both.log.iterations, 3 * 1000);
}

/// Bodies on all kinds of joints, with loads and drives, linear rods and rods of three nodes.
TEST(Mechanisms, JointsLoadsAndDrives) {
  const char* const text = R"yaml(
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {rigid: {mass: 1, inertia: [0.1, 0.2, 0.15], centre: [0.1, 0.02, 0]}, at: [0.5, 0, 0]}
  cart: {rigid: {mass: 2, inertia: 0.3}, at: [2, 0, 0]}
  bar:
    cosserat: {section: {circle: 0.02}, material: {young: 2e9, poisson: 0.3, density: 2000}, elements: 3, order: 1}
    between: [[1, 0, 0], [2, 0, 0]]
  wheel: {rigid: {mass: 0.5, inertia: [0.02, 0.02, 0.04]}, at: [0.5, 0, 0.5]}
joints:
  shoulder: {revolute: [ground, arm], at: [0, 0, 0], axis: y}
  elbow: {revolute: [arm, bar], at: [1, 0, 0], axis: y}
  wrist: {spherical: [bar, cart], at: [2, 0, 0]}
  table: {planar: [ground, cart], at: [2, 0, 0], axis: z}
  spin: {cylindrical: [arm, wheel], at: [0.5, 0, 0.5], axis: z}
  slack: {distance: [ground, wheel]}
forces:
  push: {load: cart, at: [2, 0, 0], force: [0, {expression: "3*sin(5*t)"}, 0]}
  turn: {load: wheel, at: [0.5, 0, 0.5], torque: [0, 0, 0.2], in: body}
run: {step: 1e-3, end: 1}
)yaml";
  const std::string file = testing::TempDir() + "batch.yaml";
  std::ofstream(file) << text;
  const Simulation simulation(load(file));
  GeneralizedAlphaSettings settings = settings_for();
  settings.newton.tolerance = 1e-13;
  settings.newton.renew_rate = 0;
  EXPECT_LT(compare_batch(simulation.system(), simulation.state(), settings, 1e-3, 200).distance(), 1e-7);
}

/// Threads in the place of a warp's lanes.
struct ThreadLanes {
  int lane, lanes;
  std::barrier<>* barrier;
  std::vector<double>* values;
  void sync() const { barrier->arrive_and_wait(); }
  double most(double x) const {
    (*values)[lane] = x;
    sync();
    const double found = *std::max_element(values->begin(), values->end());
    sync();
    return found;
  }
};

/// No lane writes what another one reads before they have met, and sums do not depend on how many there are.
TEST(Mechanisms, AnyNumberOfLanesIsTheSameInEveryBit) {
  for (const char* file : {slider_crank, flexible_crank}) {
    const Simulation simulation(load(model_file(file)));
    const System& system = simulation.system();
    const GeneralizedAlphaSettings settings = settings_for();
    const double h = simulation.run_settings().step;
    const MechanismModel model(system, settings, h);
    std::vector<double> numbers, start;
    model.add_numbers(system, numbers);
    model.add_state(started(system, simulation.state(), settings, h), start);
    std::vector<std::vector<double>> ends;
    for (int lanes : {1, 3, 8}) {
      ends.push_back(start);
      MechanismRun run{};
      run.plan = model.plan();
      run.instances = 1, run.steps = run.every = 10;
      BatchLog log{};
      std::vector<double> outputs(2 * static_cast<std::size_t>(run.plan.output()));
      run.numbers = numbers.data(), run.state = ends.back().data(), run.outputs = outputs.data(),
      run.log = &log;
      MechanismWorld sizes{};
      std::vector<double> scratch(static_cast<std::size_t>(sizes.place(run.plan, nullptr))),
          values(static_cast<std::size_t>(lanes));
      std::barrier barrier(lanes);
      {
        std::vector<std::jthread> threads;
        for (int lane = 0; lane < lanes; ++lane)
          threads.emplace_back([&, lane] {
            run_instance(run, 0, scratch.data(), ThreadLanes{lane, lanes, &barrier, &values});
          });
      }
      EXPECT_EQ(log.steps, 10);
      EXPECT_EQ(ends.back(), ends.front()) << lanes;
    }
  }
}

/// Other masses, lengths and loads in each; and outputs on the way.
TEST(Mechanisms, InstancesHaveNumbersOfTheirOwn) {
  const GeneralizedAlphaSettings settings = settings_for();
  std::vector<std::unique_ptr<Simulation>> each;
  for (const char* crank : {"0.08", "0.07", "0.05"})
    each.push_back(std::make_unique<Simulation>(
        load(model_file(slider_crank), {std::string("parameters.crank=") + crank})));
  const MechanismModel model(each[0]->system(), settings, 1e-3);
  MechanismBatch batch(model);
  for (const auto& one : each) batch.add(one->system(), started(one->system(), one->state(), settings, 1e-3));
  batch.run_here(200, 50, 2);
  for (int i = 0; i < 3; ++i) {
    State cpu = each[i]->state(), seen = cpu;
    GeneralizedAlpha integrator(each[i]->system(), settings);
    for (int k = 0; k <= 200; ++k) {
      if (k % 50 == 0) {
        batch.read(k / 50, i, seen);
        EXPECT_LT((cpu.q - seen.q).lpNorm<Eigen::Infinity>(), 1e-6) << k;
      }
      ASSERT_TRUE(integrator.step(cpu, 1e-3).accepted);
    }
  }
}

TEST(Mechanisms, GoOnWhereTheyWere) {
  const Simulation simulation(load(model_file(flexible_crank)));
  const System& system = simulation.system();
  const GeneralizedAlphaSettings settings = settings_for();
  const MechanismModel model(system, settings, 1e-4);
  MechanismBatch whole(model), parts(model);
  for (auto* batch : {&whole, &parts})
    batch->add(system, started(system, simulation.state(), settings, 1e-4));
  whole.run_here(60, 60);
  parts.run_here(25, 25);
  parts.run_here(35, 35);
  EXPECT_EQ(whole.state(0).q, parts.state(0).q);
  EXPECT_NEAR(parts.state(0).t, 60e-4, 1e-12);
}

TEST(Mechanisms, WhatIsNotDoneIsSaid) {
  const Simulation crank(load(model_file(slider_crank))), spring(load(model_file("mass_spring.yaml"))),
      gears(load(model_file("gear_pair.yaml"))), modes(load(model_file("flexible/slider_crank_modal.yaml")));
  const GeneralizedAlphaSettings settings = settings_for();
  EXPECT_EQ(MechanismModel::refusal(crank.system(), settings), "");
  EXPECT_THAT(MechanismModel::refusal(spring.system(), settings),
              testing::HasSubstr("forces other than loads"));
  EXPECT_THAT(MechanismModel::refusal(gears.system(), settings), testing::HasSubstr("a joint of this type"));
  EXPECT_THAT(MechanismModel::refusal(modes.system(), settings),
              testing::HasSubstr("'rod': bodies other than rigid ones and Cosserat rods"));
  const Simulation chain(load(model_file("chain.yaml")));
  const MechanismModel model(crank.system(), settings, 1e-3);
  MechanismBatch batch(model);
  EXPECT_THROW(batch.add(chain.system(), started(chain.system(), chain.state(), settings, 1e-3)),
               std::runtime_error);
}

/// A step that is not to be had ends an instance, and not the others.
TEST(Mechanisms, AFailingInstanceSaysSo) {
  const Simulation simulation(load(model_file("chain.yaml")));
  const System& system = simulation.system();
  const GeneralizedAlphaSettings settings = settings_for();
  const MechanismModel model(system, settings, 1e-2);
  MechanismBatch batch(model);
  State wild = started(system, simulation.state(), settings, 1e-2), good = wild;
  wild.v *= 0;
  wild.v.setConstant(1e5);
  batch.add(system, wild);
  batch.add(system, good);
  batch.run_here(10, 5);
  EXPECT_LT(batch.log(0).steps, 10);
  EXPECT_NE(batch.log(0).outcome, 0);
  EXPECT_EQ(batch.log(1).steps, 10);
  State seen = good;
  batch.read(2, 0, seen);
  EXPECT_TRUE(std::isnan(seen.q[0]));
}

TEST(Elimination, TakesEveryUnknownOnceAndKnowsWhatFillsUp) {
  const std::vector<int> sizes{6, 6, 6, 6, 3, 5, 1};
  const std::vector<std::array<int, 2>> pairs{{0, 1}, {1, 2}, {0, 4}, {3, 4}, {2, 5}, {3, 5}, {3, 6}, {1, 6}};
  const Elimination plan(sizes, 4, pairs, 2);
  EXPECT_EQ(plan.unknowns(), 33);
  EXPECT_GE(plan.at(4, 1), 0);  // fills up
  EXPECT_EQ(plan.at(0, 3), -1);
  int pivots = 0;
  for (const Pivot& pivot : plan.pivots) pivots += pivot.n;
  EXPECT_EQ(pivots, 33);
}

/// Each instance of a solid on its own block, against the processor.
void expect_instances_as_on_the_processor(bool plain) {
  const Pendulum pendulum(10, 1);
  const GeneralizedAlphaSettings settings = newmark();
  const DeviceModel model(pendulum.system, settings, 0.01, 1, pendulum.system.initial_state(),
                          SolidBatch::cost);
  SolidBatch batch(model, plain);
  std::vector<State> cpu;
  for (int i = 0; i < 3; ++i) {
    State state = pendulum.system.initial_state();
    for (int n = 0; n < pendulum.system.nv(); n += 3)
      state.v.segment<3>(n) = Vec3(0.01 * i, 0, 0).cross(state.q.segment<3>(n) - Vec3(-2, -2, -20));
    cpu.push_back(started(pendulum.system, state, settings, 0.01));
    batch.add(cpu.back());
  }
  batch.run(100, 50);
  for (int i = 0; i < 3; ++i) {
    GeneralizedAlpha integrator(pendulum.system, settings);
    State seen = cpu[i];
    for (int k = 1; k <= 100; ++k) {
      ASSERT_TRUE(integrator.step(cpu[i], 0.01).accepted);
      if (k != 50) continue;
      batch.read(1, i, seen);
      EXPECT_LT((cpu[i].q - seen.q).lpNorm<Eigen::Infinity>(), 1e-8 * 40);
    }
    EXPECT_EQ(batch.log(i).steps, 100);
    EXPECT_LT((cpu[i].q - batch.state(i).q).lpNorm<Eigen::Infinity>(), 1e-8 * 40);
  }
}

TEST(SolidBatch, InstancesAsOnTheProcessor) { expect_instances_as_on_the_processor(true); }

TEST(Device, SolidInstancesAsOnTheProcessor) {
  std::string why;
  if (device_blocks(why) == 0) GTEST_SKIP() << why;
  expect_instances_as_on_the_processor(false);
}

/// As a rollout sees it: periods of each instance, angles over full turns, and what the device does not do.
TEST(DeviceRollout, PeriodsAsOnTheProcessor) {
  Simulation simulation(load(model_file(slider_crank)));
  std::vector<State> starts;
  for (int i = 0; i < 3; ++i) starts.push_back(simulation.state()), starts.back().v *= 1 + 0.1 * i;
  DeviceRollout rollout{.periods = 20, .steps = 50, .plain = true};
  std::vector<std::vector<double>> angles(3);
  rollout.on_output = [&](int instance, int period, const State& state) {
    EXPECT_NEAR(state.t, 0.05 * period, 1e-12);
    simulation.set_state(state);
    angles[instance].push_back(simulation.joint("A").angle());
  };
  EXPECT_EQ(rollout.run(simulation, starts), "");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(angles[i].size(), 21U);
    simulation.set_state(starts[i]);
    for (int k = 1; k <= 1000; ++k) {
      simulation.step();
      if (k % 50 == 0) EXPECT_NEAR(simulation.joint("A").angle(), angles[i][k / 50], 1e-4) << k;
    }
    EXPECT_GT(std::abs(angles[i].back()), 3.2);
  }
  const Simulation spring(load(model_file("mass_spring.yaml")));
  EXPECT_THAT(rollout.run(spring, {}), testing::HasSubstr("the device does not do"));
  rollout.plain = false;
  std::string why;
  if (device_blocks(why) == 0) EXPECT_EQ(rollout.run(simulation, starts), why);
}

Simulation pendulum_of(double length, double speed = 0) {
  return Simulation(load(model_file("pendulum.yaml"),
                         {fmt::format("parameters.length={}", length), "joints.pivot.friction=null",
                          fmt::format("bodies.rod.angular_velocity=[0, 0, {}]", speed),
                          fmt::format("bodies.rod.velocity=[0, {}, 0]", 0.5 * speed * length),
                          "run.integrator={generalized-alpha: {rho: 0.9, form: index3}}",
                          "run.newton_tolerance=1e-14", "run.step=0.01"}));
}

/// Instances of models of their own: lengths, inertia and places of joints are numbers.
TEST(DeviceRollout, InstancesWithParametersOfTheirOwn) {
  std::vector<Simulation> models;
  for (const double length : {0.5, 1.0, 2.0}) models.push_back(pendulum_of(length));
  std::vector<const Simulation*> all;
  std::vector<State> starts;
  for (const Simulation& model : models) all.push_back(&model), starts.push_back(model.start().state);
  DeviceRollout rollout{.periods = 5, .steps = 10, .plain = true};
  std::vector<std::vector<State>> found(3);
  rollout.on_output = [&](int instance, int, const State& state) { found[instance].push_back(state); };
  rollout.on_failure = [](int instance, const std::string& why) { ADD_FAILURE() << instance << ": " << why; };
  ASSERT_EQ(rollout.run(all, starts), "");
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(found[i].size(), 6U);
    for (std::size_t p = 1; p <= 5; ++p) {
      for (int k = 0; k < 10; ++k) models[i].step();
      EXPECT_LT((models[i].state().q - found[i][p].q).lpNorm<Eigen::Infinity>(), 1e-9) << i;
    }
  }
  Simulation other(load(model_file("double_pendulum.yaml"), {"run.step=0.01"}));
  all[1] = &other, starts[1] = other.start().state;
  EXPECT_NE(rollout.run(all, starts), "");
}

/// The processor refuses such a step and takes shorter ones; a batch has one size of steps.
TEST(DeviceRollout, AStepThatDoesNotResolveTheMotionEndsAnInstance) {
  const Simulation slow = pendulum_of(1), fast = pendulum_of(1, 100);
  const Simulation* const models[] = {&slow, &fast};
  const State starts[] = {slow.start().state, fast.start().state};
  DeviceRollout rollout{.periods = 4, .steps = 1, .plain = true};
  std::array<int, 2> outputs{};
  std::array<std::string, 2> failures;
  rollout.on_output = [&](int instance, int, const State&) { ++outputs[instance]; };
  rollout.on_failure = [&](int instance, const std::string& why) { failures[instance] = why; };
  ASSERT_EQ(rollout.run(models, starts), "");
  EXPECT_EQ(outputs[0], 5);
  EXPECT_EQ(failures[0], "");
  EXPECT_LT(outputs[1], 5);
  EXPECT_THAT(failures[1], testing::AllOf(testing::HasSubstr("does not resolve the motion"),
                                          testing::HasSubstr("at t = 0.0")));

  GeneralizedAlpha integrator(fast.system(), *alpha_settings(fast.run_settings()));
  State state = started(fast.system(), starts[1], *alpha_settings(fast.run_settings()), 0.01);
  Watch watch(fast.system(), true);
  watch.begin(state, 0.01);
  IntegratorStepper stepper(fast.system(), integrator, state, &watch);
  int taken = 1;
  for (bool goes_on = true; goes_on && taken < 5; taken += goes_on) {
    stepper.save();
    goes_on = stepper.step(0.01).accepted;
    if (goes_on) stepper.keep();
  }
  EXPECT_EQ(taken, outputs[1]);
}

/// An instance of solids whose steps are not to be believed has outputs up to there.
TEST(SolidBatch, AStepThatDoesNotResolveTheMotionEndsAnInstance) {
  const Pendulum pendulum(10, 1);
  const GeneralizedAlphaSettings settings = newmark();
  const double h = 0.01;
  DeviceModel model(pendulum.system, settings, h, 1, pendulum.system.initial_state(), SolidBatch::cost);
  model.settings.hopeless = 1e-3;  // long before Newton's iteration fails
  SolidBatch batch(model, true);
  State stretched = pendulum.system.initial_state();  // vibrates far faster than the steps
  for (int n = 2; n < pendulum.system.nv(); n += 3) stretched.q[n] += 0.02 * (stretched.q[n] + 20);
  batch.add(started(pendulum.system, pendulum.system.initial_state(), settings, h));
  batch.add(started(pendulum.system, stretched, settings, h));
  batch.run(8, 2);
  EXPECT_EQ(batch.log(0).steps, 8);
  EXPECT_EQ(batch.log(0).outcome, 0);
  EXPECT_EQ(batch.log(1).outcome, static_cast<int>(Outcome::unresolved));
  EXPECT_GT(batch.log(1).error, 1e-3);
  State seen = stretched;
  for (int p = 0; p <= 4; ++p) {
    batch.read(p, 1, seen);
    EXPECT_EQ(std::isfinite(seen.q.sum()), 2 * p <= batch.log(1).steps) << p;
  }
}

/// Whatever evaluates the system next, in threads of its own perhaps, finds no team that is shared among them.
TEST(DeviceRollout, ARunGivesItsTeamBack) {
  Simulation chain(load(model_file("chain.yaml"), {"parameters.n=120", "run.end=0.02", "run.threads=2"}));
  ASSERT_GE(chain.system().nv(), 600);
  EXPECT_EQ(chain.run().status, RunStatus::finished);
  EXPECT_FALSE(chain.system().has_team());
}

TEST(Device, MechanismsAsThePlainCode) {
  std::string why;
  if (device_blocks(why) == 0) GTEST_SKIP() << why;
  for (const char* file : {slider_crank, "chain.yaml", flexible_crank}) {
    const Simulation simulation(load(model_file(file)));
    const System& system = simulation.system();
    const GeneralizedAlphaSettings settings = settings_for();
    const double h = simulation.run_settings().step;
    const MechanismModel model(system, settings, h);
    MechanismBatch plain(model), device(model), again(model);
    for (auto* batch : {&plain, &device, &again})
      for (int i = 0; i < 40; ++i) {
        State state = simulation.state();
        state.v *= 1 + 0.01 * i;
        batch->add(system, started(system, state, settings, h));
      }
    plain.run_here(50, 10);
    ASSERT_TRUE(device.run_on_device(50, 10, why));
    ASSERT_TRUE(again.run_on_device(50, 10, why));
    State a = simulation.state(), b = a;
    for (int i = 0; i < 40; ++i)
      for (int k = 0; k <= 5; ++k) {
        plain.read(k, i, a), device.read(k, i, b);
        EXPECT_LT((a.q - b.q).lpNorm<Eigen::Infinity>(), 1e-9) << file;
        EXPECT_EQ(device.state(i).q, again.state(i).q);
      }
  }
}

}  // namespace
}  // namespace hooke::gpu
