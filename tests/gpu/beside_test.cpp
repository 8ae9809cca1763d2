// Solids with rigid bodies beside them, and tied to each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "gpu/comparison.h"
#include "gpu/pendulum.h"
#include "hooke/bodies/rigid.h"
#include "hooke/forces/point_load.h"
#include "hooke/gpu/dense_rows.h"
#include "hooke/gpu/solid_batch.h"
#include "hooke/joints/drive.h"

namespace hooke::gpu {
namespace {

/// Its frame's z along x.
Mat3 along_x() {
  Mat3 R;
  R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return R;
}

/// A box of so many elements from `from` along x, and its nodes at an end.
struct Bar {
  CorotationalSolid body;
  Vec3 size;

  Bar(const Vec3& dimensions, std::array<int, 3> divisions, double from)
      : body(std::make_shared<const SolidModel>(
            box_mesh(dimensions, {divisions[0], divisions[1], divisions[2]}),
            std::vector{SolidMaterial::isotropic({2e9, 0.3, 1000})}, SolidOptions{})),
        size(dimensions) {
    body.start.p = Vec3(from + 0.5 * size.x(), 0, 0);
  }
  std::vector<int> end(double sign) const {
    std::vector<int> nodes;
    for (int i = 0; i < body.model->nodes(); ++i)
      if (std::abs(body.model->mesh.nodes[i].x() - sign * 0.5 * size.x()) < 1e-9) nodes.push_back(i);
    return nodes;
  }
  CorotationalSolid::Frame frame(double sign, const Mat3& R = identity3) const {
    return body.attach({R, Vec3(sign * 0.5 * size.x(), 0, 0)}, end(sign));
  }
};

RigidBody rigid(double mass, const Vec3& inertia, double x) {
  RigidBody body;
  body.mass = mass;
  body.inertia = inertia.asDiagonal();
  body.start.p = Vec3(x, 0, 0);
  return body;
}

/// A slider crank whose crank and slider are rigid and whose rod is a solid. On the crank sits a blade, a solid too, and a
/// rotor that spins; the crank is driven, or falls; the slider is pushed.
struct Machine {
  System system;
  int rotor;

  explicit Machine(bool is_driven, bool has_blade = true) {
    const Bar rod(Vec3(0.4, 0.03, 0.03), {8, 2, 2}, 0.2);
    Bar blade(Vec3(0.3, 0.01, 0.04), {6, 1, 2}, -0.3);
    blade.body.stiffness_damping = 1e-4;
    const RigidBody crank = rigid(2, Vec3(0.001, 0.01, 0.01), 0.1),
                    slider = rigid(1, Vec3(0.001, 0.001, 0.001), 0.6);
    RigidBody wheel = rigid(0.5, Vec3(0.004, 0.002, 0.002), 0.1);
    wheel.start.p.z() = 0.1;
    wheel.start_twist[3] = 40;
    const int b_blade = has_blade ? system.add_body(blade.body, "blade") : -1,
              b_crank = system.add_body(crank, "crank"), b_slider = system.add_body(slider, "slider"),
              b_rod = system.add_body(rod.body, "rod");
    rotor = system.add_body(wheel, "rotor");
    const auto on = [&](int body, const RigidBody& of, const Vec3& at, const Mat3& R = identity3) {
      return system.add_frame<RigidBody>(body, of.attach({R, at - of.start.p}));
    };
    const int hub = on(b_crank, crank, zero3), ground = system.add_ground_frame({identity3, zero3});
    system.add_constraint(joints::Revolute{}, std::array{ground, hub}, "axle");
    system.add_constraint(joints::Revolute{},
                          std::array{on(b_crank, crank, Vec3(0.2, 0, 0)),
                                     system.add_frame<CorotationalSolid>(b_rod, rod.frame(-1))},
                          "big end");
    const int far = system.add_frame<CorotationalSolid>(b_rod, rod.frame(1)),
              pin = on(b_slider, slider, Vec3(0.6, 0, 0));
    system.add_constraint(joints::Spherical{}, std::array{far, pin}, "small end");
    system.add_constraint(joints::Prismatic{},
                          std::array{system.add_ground_frame({along_x(), Vec3(0.6, 0, 0)}),
                                     on(b_slider, slider, Vec3(0.6, 0, 0), along_x())},
                          "guide");
    if (has_blade)
      system.add_constraint(
          joints::Fixed{},
          std::array{on(b_crank, crank, zero3), system.add_frame<CorotationalSolid>(b_blade, blade.frame(1))},
          "root");
    const Vec3 seat(0.1, 0, 0.1);
    system.add_constraint(joints::Revolute{},
                          std::array{on(b_crank, crank, seat, along_x()), on(rotor, wheel, seat, along_x())},
                          "bearing");
    if (is_driven)
      system.add_constraint(Drive<Angle>{Angle::about_z(), Function::expression("4*t^2")},
                            std::array{ground, hub}, "motor");
    system.add_force(PointLoad{.force = TimeVector(Vec3(1, 0, 0), Function::expression("30*sin(20*t)"))},
                     std::array{pin}, "push");
    system.add_force(
        PointLoad{
            .force = TimeVector(Vec3(0, 0.5, 0)), .torque = TimeVector(Vec3(0, 0, 0.1)), .follower = true},
        std::array{on(rotor, wheel, seat + Vec3(0, 0.02, 0))}, "jet");
    system.finish(Vec3(0, -9.81, 0));
  }
  double energy(const State& state) const {
    const auto workspace = system.workspace();
    system.update(state, *workspace);
    return system.energy(state, *workspace).total();
  }
};

/// So that what Newton's iteration leaves is small beside what is compared.
GeneralizedAlphaSettings precise(ConstraintForm form) {
  GeneralizedAlphaSettings settings = newmark(form);
  settings.parameters = AlphaParameters::generalized_alpha(0.8);
  settings.newton.tolerance = 1e-14;
  return settings;
}

TEST(Beside, RigidBodiesAsOnTheProcessor) {
  for (bool is_driven : {false, true})
    for (auto form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
      const Machine machine(is_driven);
      const Comparison both = compare(machine.system, precise(form), 200, 4, 1e-3);
      EXPECT_LT(both.distance(), 1e-8) << is_driven;
      EXPECT_LT((both.cpu.lambda - both.device.lambda).norm(), 1e-5 * both.cpu.lambda.norm());
      EXPECT_LT((both.cpu.v - both.device.v).lpNorm<Eigen::Infinity>(), 1e-6);
      EXPECT_NEAR(machine.energy(both.device), machine.energy(both.cpu), 1e-7);
      EXPECT_NEAR(both.device_error / both.cpu_error, 1, 1e-3);
      const int wheel = machine.system.place_of(machine.rotor).q;
      EXPECT_GT((both.cpu.q - machine.system.initial_state().q).segment<3>(wheel).norm(), 0.01);
    }
}

/// Two bars tied to each other node by node, and to the ground or to a rigid body.
struct TiedBars {
  System system;

  TiedBars(int across, double stiffness_damping = 0, bool is_on_hub = false) {
    Bar left(Vec3(0.3, 0.1, 0.1), {3, across, across}, 0),
        right(Vec3(0.3, 0.1, 0.1), {3, across, across}, 0.3);
    left.body.stiffness_damping = stiffness_damping;
    const int a = system.add_body(left.body, "left"), b = system.add_body(right.body, "right");
    const auto tie = [&](int A, int B) {
      system.add_constraint(joints::Spherical{}, std::array{A, B}, "tie" + std::to_string(A));
    };
    const auto node = [&](int body, const Bar& bar, int i) {
      return system.add_frame<CorotationalSolid>(body, bar.body.attach_node(i), false);
    };
    const auto near = left.end(1), far = right.end(-1);
    for (std::size_t k = 0; k < near.size(); ++k) tie(node(a, left, near[k]), node(b, right, far[k]));
    if (!is_on_hub) {
      for (int i : left.end(-1))
        tie(node(a, left, i),
            system.add_ground_frame({identity3, left.body.model->mesh.nodes[i] + left.body.start.p}));
    } else {
      RigidBody hub = rigid(3, Vec3(0.01, 0.01, 0.01), -0.1);
      hub.start_twist[4] = 1;
      const int c = system.add_body(hub, "hub");
      for (int i : left.end(-1))
        tie(node(a, left, i),
            system.add_frame<RigidBody>(c, hub.attach({identity3, left.body.model->mesh.nodes[i] +
                                                                      left.body.start.p - hub.start.p})));
    }
    system.finish(Vec3(0, -9.81, 0));
  }
};

TEST(Beside, TiesOfManyEquations) {
  for (int across : {2, 4})  // 54 and 150 equations
    for (bool is_on_hub : {false, true}) {
      const TiedBars bars(across, 1e-3, is_on_hub);
      EXPECT_EQ(bars.system.nc(), 6 * (across + 1) * (across + 1));
      const Comparison both = compare(bars.system, precise(ConstraintForm::index3), 20, 3, 2e-3);
      EXPECT_LT(both.distance(), 1e-8) << across;
      EXPECT_LT((both.cpu.lambda - both.device.lambda).norm(), 1e-5 * both.cpu.lambda.norm());
    }
}

/// What is damped by stiffness loses what it does on the processor.
TEST(Beside, DampingByStiffness) {
  const SolidMesh mesh = box_mesh(Vec3(4, 4, 40), {2, 2, 10});
  const Pendulum damped(mesh, 0, 0.02), free(mesh);
  GeneralizedAlphaSettings settings = newmark();
  settings.newton.tolerance = 1e-14;
  const Comparison both = compare(damped.system, settings, 100, 5),
                   without = compare(free.system, settings, 100, 5);
  EXPECT_LT(both.distance(), 1e-9 * 40);
  EXPECT_LT((both.cpu.v - both.device.v).lpNorm<Eigen::Infinity>(), 1e-8 * 40);
  EXPECT_GT((both.cpu.q - without.cpu.q).lpNorm<Eigen::Infinity>(), 1e-4);
}

/// Instances with rigid bodies beside a solid, by the plain code; one block takes no more than one solid.
TEST(Beside, Batch) {
  const Machine machine(false, false);
  const GeneralizedAlphaSettings settings = precise(ConstraintForm::index3);
  const State rest = machine.system.initial_state();
  const DeviceModel model(machine.system, settings, 1e-3, 1, rest, SolidBatch::cost);
  SolidBatch batch(model, true);
  AlphaHistory history(machine.system, settings.parameters, settings.newton);
  State state = history.ready(rest, 1e-3), seen = state;
  batch.add(state);
  batch.run(10, 5);
  batch.run(10, 5);
  GeneralizedAlpha integrator(machine.system, settings);
  for (int k = 1; k <= 20; ++k) {
    ASSERT_TRUE(integrator.step(state, 1e-3).accepted);
    if (k != 15) continue;
    batch.read(1, 0, seen);
    EXPECT_LT((state.q - seen.q).lpNorm<Eigen::Infinity>(), 1e-9);
    EXPECT_LT((state.v - seen.v).lpNorm<Eigen::Infinity>(), 1e-6);
  }
  EXPECT_LT((state.q - batch.state(0).q).lpNorm<Eigen::Infinity>(), 1e-9);
  const Machine two(false);
  EXPECT_THROW(DeviceModel(two.system, settings, 1e-3, 1, two.system.initial_state()), std::runtime_error);
}

/// What pushes depends on time, and each instance begins at a time of its own.
TEST(Beside, InstancesOfABatchHaveTheirOwnTime) {
  const Machine machine(false, false);
  const GeneralizedAlphaSettings settings = precise(ConstraintForm::index3);
  const DeviceModel model(machine.system, settings, 1e-3, 1, machine.system.initial_state(),
                          SolidBatch::cost);
  SolidBatch batch(model, true);
  AlphaHistory history(machine.system, settings.parameters, settings.newton);
  std::vector<State> states;
  for (double t : {0.0, 0.05}) {
    State start = machine.system.initial_state();
    start.t = t;
    states.push_back(history.ready(start, 1e-3));
    batch.add(states.back());
  }
  batch.run(4, 2);
  batch.run(6, 4);  // ends between two outputs
  for (int i = 0; i < 2; ++i) {
    GeneralizedAlpha integrator(machine.system, settings);
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(integrator.step(states[i], 1e-3).accepted);
    EXPECT_LT((states[i].q - batch.state(i).q).lpNorm<Eigen::Infinity>(), 1e-9) << i;
    EXPECT_LT((states[i].v - batch.state(i).v).lpNorm<Eigen::Infinity>(), 1e-6) << i;
  }
  EXPECT_GT((states[0].v - states[1].v).lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(Beside, WhatIsNotDoneIsSaid) {
  System only_rigid;
  only_rigid.add_body(RigidBody{}, "ball");
  only_rigid.finish(zero3);
  EXPECT_EQ(DeviceModel::refusal(only_rigid, newmark()), "a model without a solid");
  const TiedBars many(9);
  EXPECT_EQ(DeviceModel::refusal(many.system, newmark()), "600 equations of joints and ties (at most 512)");
}

/// Keeps what responses are.
struct Recorder final : Engine {
  std::unique_ptr<Engine> engine;
  std::vector<float> response;
  std::vector<double> compliance;

  explicit Recorder(const DeviceModel& model) : engine(make_reference(model)) {}
  void solve(const std::vector<float>& b, std::vector<float>& x) override { engine->solve(b, x); }
  void set_responses(const std::vector<float>& Y, const std::vector<double>& F) override {
    response = Y, compliance = F;
  }
  void set_state(const DeviceState&) override {}
  DeviceState state() const override { return {}; }
  int advance(int, const std::vector<double>&, std::vector<StepLog>&) override { return 0; }
  std::string name() const override { return {}; }
};

/// Threads in the place of a device's.
struct BarrierLanes {
  int lane, lanes;
  std::barrier<>* all;
  void sync() const { all->arrive_and_wait(); }
};

/// What joints and rigid bodies are after one iteration, by so many blocks of so many lanes: the numbers of each block.
std::vector<std::vector<double>> iterate_once(const System& system, int blocks, int lanes) {
  const GeneralizedAlphaSettings settings = precise(ConstraintForm::stabilised);
  AlphaHistory history(system, settings.parameters, settings.newton);
  const State start = history.ready(system.initial_state(), 1e-3);
  const DeviceModel model(system, settings, 1e-3, 4, start);
  Recorder engine(model);
  find_responses(model, engine);
  DeviceState state = model.state_of(start);
  const std::vector<double> courses = model.courses(0, 1);
  StepData d = model.data();
  d.q = state.q.data(), d.v = state.v.data(), d.courses = courses.data();
  d.response = engine.response.data(), d.compliance = engine.compliance.data();
  std::vector<double> dense(static_cast<std::size_t>(dense_numbers(d)));
  d.dense = dense.data();
  SmallWorld sizes{};
  std::vector<std::vector<double>> memory(
      static_cast<std::size_t>(blocks),
      std::vector<double>(static_cast<std::size_t>(sizes.place(d, nullptr))));
  std::barrier<> everybody(blocks * lanes);
  std::vector<std::unique_ptr<std::barrier<>>> of_block;
  for (int b = 0; b < blocks; ++b) of_block.push_back(std::make_unique<std::barrier<>>(lanes));
  std::vector<std::jthread> threads;
  for (int k = 0; k < blocks * lanes; ++k)
    threads.emplace_back([&, k] {
      const int b = k / lanes;
      const BarrierLanes own{k % lanes, lanes, of_block[b].get()}, all{k, blocks * lanes, &everybody};
      SmallWorld world{};
      world.place(d, memory[b].data());
      if (own.lane == 0) {
        std::copy(state.R.begin(), state.R.end(), world.R);
        std::copy(state.bodies.begin(), state.bodies.end(), world.points.q);
        std::copy(state.lambda.begin(), state.lambda.end(), world.lambda);
      }
      own.sync();
      predict_bodies(d, world, own);
      own.sync();
      evaluate_joints(d, world, 0, own);
      factorize_rows(d, world, all, own);
      collect_rows(
          d, world, [](int e, int i) { return 1e-6 * (e % 7 + i); }, own);
      substitute_rows(d, world, own);
      apply_rows(d, world, own);
    });
  threads.clear();
  return memory;
}

/// Nobody reads what another has not written yet, and sums do not depend on who makes them.
TEST(Beside, AnyNumberOfLanesAndBlocksIsTheSameInEveryBit) {
  const Machine machine(true);
  const TiedBars few(2, 0, true), many(4, 0, true);
  for (const System* system : {&machine.system, &few.system, &many.system}) {
    const auto one = iterate_once(*system, 1, 1), others = iterate_once(*system, 2, 5);
    EXPECT_TRUE(std::all_of(one[0].begin(), one[0].end(), [](double x) { return std::isfinite(x); }));
    for (const auto& numbers : others) EXPECT_EQ(one[0], numbers);
  }
}

TEST(Device, RigidBodiesAndTiesAsThePlainCode) {
  std::string why;
  const int blocks = device_blocks(why);
  if (blocks == 0) GTEST_SKIP() << why;
  const Machine machine(true);
  const TiedBars few(2, 1e-3, true), many(4, 1e-3, true), most(8);
  for (const System* system : {&machine.system, &few.system, &many.system, &most.system})
    expect_device_as_plain(*system, precise(ConstraintForm::stabilised), blocks, 1e-3);
}

}  // namespace
}  // namespace hooke::gpu
