#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/comparison.h"
#include "gpu/pendulum.h"
#include "hooke/forces/point_load.h"
#include "hooke/gpu/cuda_engine.h"
#include "hooke/gpu/device_stepper.h"
#include "hooke/integrators/march.h"
#include "hooke/joints/drive.h"

namespace hooke::gpu {
namespace {

TEST(Stages, SolveAsTheSparseFactorDoes) {
  const Pendulum pendulum(20, 4);
  for (int blocks : {1, 7, 132}) {
    const DeviceModel model(pendulum.system, newmark(), h, blocks, pendulum.system.initial_state());
    const auto engine = make_reference(model);
    std::vector<float> b(static_cast<std::size_t>(model.layout.dofs)), x;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(1.0f + 3.0f * static_cast<float>(i));
    engine->solve(b, x);
    std::vector<double> twice(x.begin(), x.end()), Cx;
    model.times_newton_matrix(twice, Cx);
    double left = 0, all = 0;
    for (std::size_t i = 0; i < b.size(); ++i) left += std::pow(Cx[i] - b[i], 2), all += b[i] * b[i];
    EXPECT_LT(std::sqrt(left / all), 1e-4) << blocks;
  }
}

TEST(Stages, PendulumAsOnTheProcessor) {
  const Pendulum pendulum(20, 2);
  for (auto form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
    const Comparison both = compare(pendulum.system, newmark(form), 200, 5);
    EXPECT_LT(both.distance(), 1e-8 * 40);
    EXPECT_LT((both.cpu.lambda - both.device.lambda).norm(), 1e-6 * both.cpu.lambda.norm());
    EXPECT_LE(both.device_iterations, both.cpu_iterations + 200);
  }
}

TEST(Stages, EveryMemberOfTheFamilyAndDamping) {
  const Pendulum damped(box_mesh(Vec3(4, 4, 40), {1, 1, 10}), 0.3, 1e-3);
  for (const AlphaParameters& p : {AlphaParameters::generalized_alpha(0.8), AlphaParameters::hht(-0.1),
                                   AlphaParameters::newmark(0.3025, 0.6), AlphaParameters::trapezoidal()}) {
    GeneralizedAlphaSettings settings = newmark(ConstraintForm::stabilised);
    settings.parameters = p;
    EXPECT_LT(compare(damped.system, settings, 100, 3).distance(), 1e-8 * 40);
  }
}

TEST(Stages, SumsDoNotDependOnTheNumberOfBlocksButForRoundOff) {
  const Pendulum pendulum(20, 2);
  const State few = compare(pendulum.system, newmark(), 20, 2).device,
              many = compare(pendulum.system, newmark(), 20, 132).device;
  EXPECT_LT((few.q - many.q).lpNorm<Eigen::Infinity>(), 1e-9 * 40);
}

/// Two bars on hinges, the first of which is driven; a load on the end of the second.
struct Arm {
  System system;

  Arm(bool with_drive, bool load_follows) {
    const auto model = std::make_shared<const SolidModel>(
        box_mesh(Vec3(0.1, 0.1, 1), {2, 2, 8}), std::vector{SolidMaterial::isotropic({2e9, 0.3, 1000})},
        SolidOptions{});
    const auto end_of = [&](double z) {
      std::vector<int> nodes;
      for (int i = 0; i < model->nodes(); ++i)
        if (std::abs(model->mesh.nodes[i].z() - z) < 1e-9) nodes.push_back(i);
      return nodes;
    };
    Mat3 about_x;  // z of the hinge along x
    about_x << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    std::array<int, 2> near{}, far{};
    for (int b : {0, 1}) {
      CorotationalSolid bar(model);
      bar.start.p = Vec3(0, 0, 0.5 + b);
      const int number = system.add_body(bar, b == 0 ? "upper" : "lower");
      near[b] =
          system.add_frame<CorotationalSolid>(number, bar.attach({about_x, Vec3(0, 0, -0.5)}, end_of(-0.5)));
      far[b] =
          system.add_frame<CorotationalSolid>(number, bar.attach({about_x, Vec3(0, 0, 0.5)}, end_of(0.5)));
    }
    const int ground = system.add_ground_frame({about_x, zero3});
    system.add_constraint(joints::Revolute{}, std::array{ground, near[0]}, "shoulder");
    system.add_constraint(joints::Revolute{}, std::array{far[0], near[1]}, "elbow");
    if (with_drive)
      system.add_constraint(Drive<Angle>{Angle::about_z(), Function::expression("0.5*sin(3*t)")},
                            std::array{ground, near[0]}, "drive");
    system.add_force(PointLoad{.force = TimeVector(Vec3(0, 1, 0.5), Function::expression("20*t")),
                               .follower = load_follows},
                     std::array{far[1]}, "load");
    system.finish(Vec3(0, -9.81, 0));
  }
};

TEST(Stages, BarsOnHingesWithADriveAndALoad) {
  for (bool with_drive : {false, true})
    for (auto form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
      const Arm arm(with_drive, with_drive);
      GeneralizedAlphaSettings settings = newmark(form);
      settings.parameters = AlphaParameters::generalized_alpha(0.8);
      settings.newton.tolerance = 1e-12;
      const Comparison both = compare(arm.system, settings, 60, 4);
      EXPECT_LT(both.distance(), 1e-7) << with_drive;
      EXPECT_LT((both.cpu.lambda - both.device.lambda).norm(), 1e-4 * both.cpu.lambda.norm());
    }
}

TEST(Stages, WhatIsNotDoneIsSaid) {
  const Pendulum pendulum(10, 1);
  GeneralizedAlphaSettings settings = newmark();
  settings.projection = Projection::velocity;
  EXPECT_EQ(DeviceModel::refusal(pendulum.system, settings), "projections after steps");
}

// --- as March sees it

/// Outputs of a run by March, on the processor or by the plain C++ of the device.
std::vector<State> run(const Pendulum& pendulum, const GeneralizedAlphaSettings& settings, bool on_device,
                       std::string* note = nullptr) {
  const System& system = pendulum.system;
  std::vector<State> outputs;
  State state = system.initial_state();
  March march({.end = 0.505, .step = h, .output_every = 0.1});
  march.on_output = [&](const State& s) { outputs.push_back(s); };
  const auto make = [&] { return std::make_unique<GeneralizedAlpha>(system, settings); };
  Watch watch(system, true);
  watch.begin(state, h);
  if (on_device) {
    auto model = std::make_unique<const DeviceModel>(system, settings, h, 3, state);
    auto engine = make_reference(*model);
    find_responses(*model, *engine);
    DeviceStepper stepper(system, std::move(model), std::move(engine), settings, state, &watch,
                          {10, 1000, 50}, make);
    march.run(stepper);
    if (note) *note = stepper.note();
  } else {
    const auto integrator = make();
    IntegratorStepper stepper(system, *integrator, state, &watch);
    march.run(stepper);
  }
  return outputs;
}

TEST(DeviceStepper, OutputsAreThoseOfTheProcessor) {
  const Pendulum pendulum(10, 1);
  const auto here = run(pendulum, newmark(), false);
  std::string note;
  const auto there = run(pendulum, newmark(), true, &note);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t k = 0; k < here.size(); ++k) {
    EXPECT_NEAR(here[k].t, there[k].t, 1e-12);
    EXPECT_LT((here[k].q - there[k].q).lpNorm<Eigen::Infinity>(), 1e-8 * 40) << k;
    EXPECT_LT((here[k].v - there[k].v).lpNorm<Eigen::Infinity>(), 1e-6 * 40) << k;
  }
  EXPECT_THAT(note, testing::HasSubstr("a step of 0.005 s follows"));  // the last one is shorter
}

TEST(DeviceStepper, GoesOverToTheProcessorWhereAStepFails) {
  const Pendulum pendulum(10, 1);
  GeneralizedAlphaSettings settings = newmark();
  settings.newton.max_iterations = 1;
  settings.newton.tolerance = 1e-14;
  State state = pendulum.system.initial_state();
  auto model = std::make_unique<const DeviceModel>(pendulum.system, settings, h, 3, state);
  auto engine = make_reference(*model);
  find_responses(*model, *engine);
  DeviceStepper stepper(pendulum.system, std::move(model), std::move(engine), settings, state, nullptr,
                        {10, 1000, 50},
                        [&] { return std::make_unique<GeneralizedAlpha>(pendulum.system, newmark()); });
  stepper.save();
  EXPECT_TRUE(stepper.step(h).accepted);
  EXPECT_NEAR(state.t, h, 1e-15);
  EXPECT_THAT(stepper.note(), testing::HasSubstr("does not converge"));
}

TEST(Device, StepsAsThePlainCode) {
  std::string why;
  const int blocks = device_blocks(why);
  if (blocks == 0) GTEST_SKIP() << why;
  const Pendulum pendulum(20, 2);
  const Arm arm(true, true);
  for (const System* system : {&pendulum.system, &arm.system}) {
    GeneralizedAlphaSettings settings = newmark(ConstraintForm::stabilised);
    settings.parameters = AlphaParameters::generalized_alpha(0.8);
    expect_device_as_plain(*system, settings, blocks);
  }
}

}  // namespace
}  // namespace hooke::gpu
