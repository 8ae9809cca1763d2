// Energy and momentum over many steps, and that the method is of order 2 all the same.
#include "support/drift.h"

#include "textbook.h"

namespace hooke::test {
namespace {

constexpr int many = 10000;
constexpr double kept = 1e-9;

std::vector<RodType> all_rods() { return {cosserat(1), cosserat(2), ancf(), ffrf(8)}; }

TEST(EnergyMomentum, KeepsTheEnergyOfAHeavyTopAndItsSpinAboutTheVertical) {
  const Drift found = drift(moving(heavy_top()), 1e-3, many, about_z);
  EXPECT_LT(found.energy, kept);
  EXPECT_LT(found.momentum, kept);
}

TEST(EnergyMomentum, KeepsEverythingOfABodyThatTumbles) {
  for (const double h : {1e-3, 1e-2, 0.1}) {
    const Drift found = drift(moving(tumbling_body()), h, many, all_six);
    EXPECT_LT(found.energy, kept) << h;
    EXPECT_LT(found.momentum, kept) << h;
  }
}

TEST(EnergyMomentum, KeepsEverythingOfALoopThatFloats) {
  for (const double h : {1e-3, 1e-2}) {
    const Drift found = drift(stirred(floating_ring(), 2), h, many, all_six);
    EXPECT_LT(found.energy, kept) << h;
    EXPECT_LT(found.momentum, kept) << h;
  }
}

TEST(EnergyMomentum, KeepsTheEnergyOfSliderCranks) {
  EXPECT_LT(drift(moving(slider_crank()), 1e-3, many).energy, kept);
  EXPECT_LT(drift(moving(parallelogram()), 1e-2, many).energy, kept);
  for (const RodType& type : {cosserat(2), ancf(), ffrf(8)})
    EXPECT_LT(drift(moving(flexible_crank(type)), 1e-4, many).energy, kept) << type.name;
}

TEST(EnergyMomentum, KeepsEverythingOfRodsThatTumble) {
  for (const RodType& type : all_rods()) {
    const Drift found = drift(moving(tumbling_rod(type)), 1e-3, many, all_six);
    EXPECT_LT(found.energy, kept) << type.name;
    EXPECT_LT(found.momentum, kept) << type.name;
  }
}

TEST(EnergyMomentum, KeepsTheEnergyOfACuboidPendulum) {
  for (const Corotation corotation : {Corotation::component, Corotation::element})
    EXPECT_LT(drift(moving(cuboid_pendulum(corotation)), 1e-3, many / 2).energy, kept);
}

/// The load ends at five seconds; what it has given stays.
TEST(EnergyMomentum, KeepsEverythingOfFlyingSpaghetti) {
  const Drift found = drift(moving(flying_spaghetti()), 0.01, many, all_six, 5.005);
  EXPECT_LT(found.energy, kept);
  EXPECT_LT(found.momentum, kept);
}

TEST(EnergyMomentum, KeepsEverythingWhileTheStepVaries) {
  const Moving ring = stirred(floating_ring(), 2);
  const auto workspace = ring.system().workspace();
  const Content first = content(ring.system(), ring.start, *workspace);
  EnergyMomentum integrator(ring.system(), {});
  for (const State& state : integrate(integrator, ring.start, jumping_grid(0, 10, 2000), 1000)) {
    const Content now = content(ring.system(), state, *workspace);
    ASSERT_NEAR(now.energy / first.energy, 1, kept);
    ASSERT_LT((now.momentum - first.momentum).norm(), kept * first.momentum.norm());
  }
}

TEST(EnergyMomentum, FindsTheFreeMotions) {
  const auto count = [](const Model& model) {
    const Moving of = moving(model);
    EnergyMomentum integrator(of.system(), {});
    State state = of.start;
    EXPECT_TRUE(integrator.step(state, 1e-3).accepted);
    return integrator.free_motions().cols();
  };
  EXPECT_EQ(count(tumbling_body()), 6);
  EXPECT_EQ(count(floating_ring()), 6);
  EXPECT_EQ(count(heavy_top()), 3);
  EXPECT_EQ(count(slider_crank()), 0);
  EXPECT_EQ(count(cuboid_pendulum(Corotation::component)), 1);
}

/// Dampers, friction, a drive, a load: the energy changes by what they give, to the order of the method.
TEST(EnergyMomentum, BalancesTheWorkOfWhatHasNoPotential) {
  Model model = slider_crank();
  model.forces["spring"] = SpringSettings{.between = {"ground", "slider"},
                                          .points = {Vec3(0.6, 0, 0.1), Vec3(0.2, 0, 0)},
                                          .law = {.stiffness = 30, .damping = 0.5}};
  model.joints["A"].get_if<RevoluteSettings>()->friction = FrictionSettings{.viscous = 0.01};
  const Ready machine(model);
  const Orders orders = measure_orders(
      machine.system(), machine.start(), 0.4,
      [&] { return std::make_unique<EnergyMomentum>(machine.system(), EnergyMomentumSettings{}); },
      uniform_grid, 200, 2, 4, [&](const Grid& times) { return machine.exact(times); });
  EXPECT_NEAR(orders.q, 2, 0.15) << describe(orders);
  EXPECT_NEAR(orders.v, 2, 0.15) << describe(orders);
}

void expect_order_two(const Ready& of, double end, int steps, double rho) {
  const Orders orders = measure_orders(
      of.system(), of.start(), end,
      [&] { return std::make_unique<EnergyMomentum>(of.system(), EnergyMomentumSettings{.rho = rho}); },
      uniform_grid, steps, 2, 4, [&](const Grid& times) { return of.exact(times); });
  EXPECT_NEAR(orders.q, 2, 0.2) << rho << ' ' << describe(orders);
  EXPECT_NEAR(orders.v, 2, 0.2) << rho << ' ' << describe(orders);
}

TEST(EnergyMomentum, IsOfOrderTwo) {
  for (const double rho : {1.0, 0.5}) {
    expect_order_two(Crank::instance(), 0.4, 200, rho);
    expect_order_two(Ready(tumbling_body()), 1, 100, rho);
    expect_order_two(Ready(tumbling_rod(ffrf(8)), 2e-5), 0.05, 400, rho);
  }
}

TEST(EnergyMomentum, NeverGainsEnergyWhereItDecays) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    for (const Model& model :
         {slider_crank(), heavy_top(), flexible_crank(cosserat(2)), cuboid_pendulum(Corotation::component)}) {
      const Drift found = drift(moving(model), 1e-3, 2000, {}, 0, rho);
      EXPECT_LT(found.gain, 1e-10) << rho;
      EXPECT_LT(found.loss, 0.05) << rho;
    }
    const Drift found = drift(moving(tumbling_rod(ancf())), 1e-3, 2000, all_six, 0, rho);
    EXPECT_LT(found.gain, 2e-10) << rho;
    EXPECT_LT(found.momentum, kept) << rho;
  }
}

TEST(EnergyMomentum, NeverGainsEnergyOverManySteps) {
  const auto expect_decay = [](const Moving& of, double h, const std::string& name) {
    for (const double rho : {0.0, 0.8}) {
      const Drift found = drift(of, h, many, {}, 0, rho);
      EXPECT_LT(found.gain, 2e-10) << name << ", " << rho;
      EXPECT_GT(found.loss, 1e-7) << name << ", " << rho;
      EXPECT_LT(found.loss, 0.15) << name << ", " << rho;
    }
  };
  expect_decay(moving(slider_crank()), 1e-3, "slider crank");
  expect_decay(moving(parallelogram()), 1e-2, "parallelogram");
  expect_decay(stirred(floating_ring(), 2), 5e-3, "loop");
  for (const RodType& type : all_rods()) {
    expect_decay(moving(tumbling_rod(type)), 2e-3, "tumbling " + type.name);
    expect_decay(moving(flexible_crank(type)), 5e-4, "crank of " + type.name);
  }
  for (const Corotation corotation : {Corotation::component, Corotation::element})
    expect_decay(moving(cuboid_pendulum(corotation)), 2e-3, "cuboid");
}

/// A stiff rod that starts to vibrate faster than the step can follow: with rho = 0 that is gone soon.
TEST(EnergyMomentum, DampsWhatIsNotResolved) {
  Model model = cantilever(cosserat(2), rod(RectangleSection{{0.05, 0.03}}, 2e11, 0.3, 7800, 1), 4);
  const Moving plucked = stirred(model, 1e-3);
  EXPECT_GT(drift(plucked, 0.02, 200, {}, 0, 0.0).loss, 0.9);
}

/// Without bodies there are no rigid motions, and no frames.
TEST(EnergyMomentum, TakesATextbookProblem) {
  const TextbookPendulum pendulum;
  EnergyMomentum integrator(pendulum, {});
  State state = TextbookPendulum::at(0, 2.5, 0.3);
  const auto workspace = pendulum.workspace();
  const double before = pendulum.energy(state, *workspace).total();
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(integrator.step(state, 0.01).accepted);
    ASSERT_NEAR(pendulum.energy(state, *workspace).total(), before, 2e-9);
  }
}

TEST(EnergyMomentum, RestsWhereNothingMoves) {
  Model model = chain(3);
  model.gravity.setZero();
  const Moving still = moving(model);
  EnergyMomentum integrator(still.system(), {});
  State state = still.start;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(integrator.step(state, 0.1).accepted);
  EXPECT_LT((state.q - still.start.q).norm(), 1e-14);
}

TEST(EnergyMomentum, SaysWhereAStepFails) {
  const Crank& crank = Crank::instance();
  EnergyMomentum integrator(crank.system(), {.newton = {.max_iterations = 3}});
  State state = crank.start();
  const StepReport report = integrator.step(state, 0.5);
  EXPECT_FALSE(report.accepted);
  EXPECT_NE(report.failure.find("body '"), std::string::npos) << report.failure;
  EXPECT_EQ(state.t, 0);
  EXPECT_EQ(state.q, crank.start().q);
  EXPECT_TRUE(integrator.step(state, 1e-3).accepted);
}

}  // namespace
}  // namespace hooke::test
