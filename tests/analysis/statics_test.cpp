#include "hooke/analysis/statics.h"

#include <numbers>

#include "support/crank.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;
constexpr double g = 9.81;

struct Equilibrium {
  explicit Equilibrium(const Model& model)
      : ready(model), state(ready.start()), result(find_equilibrium(ready.system(), state, {})) {}
  BodyMotion body(int b) const { return ready.system().motion(b, state); }

  Ready ready;
  State state;
  StaticResult result;
};

/// At rest and in balance, on the joints.
void expect_in_balance(const Equilibrium& e) {
  ASSERT_TRUE(e.result.converged) << e.result.failure;
  EXPECT_TRUE(e.state.v.isZero(0) && e.state.a.isZero(0));
  const System& system = e.ready.system();
  auto workspace = system.workspace();
  VectorX r, gap;
  system.update(e.state, *workspace);
  system.residual(e.state, *workspace, r);
  system.position_constraints(e.state, *workspace, gap);
  EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-6);
  if (gap.size()) {
    EXPECT_LT(gap.cwiseAbs().maxCoeff(), 1e-10);
  }
}

Model pendulum() {  // one link, horizontal
  Model model = chain(1);
  model.joints[0] = joint("hinge", "revolute", "ground", "link0", Vec3(0, 0, 0), unit_z);
  return model;
}

/// A mass on a vertical slide and a spring above it, unstretched.
Model mass_on_spring(double mass, double stiffness) {
  Model model;
  model.gravity = {0, 0, -g};
  model.bodies = {rigid("mass", mass, {1, 1, 1}, {0, 0, 0})};
  model.joints = {joint("slide", "prismatic", "ground", "mass", Vec3(0, 0, 0), unit_z)};
  model.forces["spring"] = SpringSettings{.between = {"ground", "mass"},
                                          .points = {Vec3(0, 0, 1), Vec3(0, 0, 0)},
                                          .law = {.stiffness = stiffness, .free = 1}};
  return model;
}

TEST(Statics, APendulumLetGoHorizontallyHangsDown) {
  const Equilibrium e(pendulum());
  expect_in_balance(e);
  EXPECT_LT((e.body(0).pose.p - Vec3(0, -0.5, 0)).norm(), 1e-8);
}

TEST(Statics, AChainOfLinksHangsStraightDown) {
  const Equilibrium e(chain(5));
  expect_in_balance(e);
  for (int i = 0; i < 5; ++i) EXPECT_LT((e.body(i).pose.p - Vec3(0, -i - 0.5, 0)).norm(), 1e-7) << i;
  EXPECT_NEAR(e.state.lambda.head<3>().norm(), 5 * g, 1e-6);
}

TEST(Statics, ASpringStretchesByWeightOverStiffness) {
  for (const double stiffness : {10.0, 1e3, 1e6}) {
    const Equilibrium e(mass_on_spring(3, stiffness));
    expect_in_balance(e);
    EXPECT_NEAR(e.body(0).pose.p.z(), -3 * g / stiffness, 1e-9) << stiffness;
  }
}

TEST(Statics, WhatIsInBalanceStaysThere) {
  Model model = pendulum();
  model.bodies["link0"].place = {.at = Vec3(0, -0.5, 0), .rotate = AxisAngle{unit_z, -std::numbers::pi / 2}};
  const Equilibrium e(model);
  expect_in_balance(e);
  EXPECT_LT((e.body(0).pose.p - Vec3(0, -0.5, 0)).norm(), 1e-12);
}

/// An upright link on a torsion spring that is too weak to hold it: it leans to the side it starts from,
///   k phi = m g l sin(phi).
TEST(Statics, OfTwoEquilibriaTheOneOnThisSideIsFound) {
  const double k = 2, weight = 9.81 * 0.5;
  double phi = 2;
  for (int i = 0; i < 100; ++i) phi -= (k * phi - weight * std::sin(phi)) / (k - weight * std::cos(phi));
  ASSERT_GT(phi, 1);
  for (const double tilt : {0.05, -0.05, 1.0, -1.0}) {
    Model model = pendulum();
    model.bodies["link0"].place = {.at = Vec3(0, 0.5, 0), .rotate = AxisAngle{unit_z, std::numbers::pi / 2}};
    model.joints["hinge"].get_if<RevoluteSettings>()->start["angle"].value = tilt;
    model.forces["spring"] = JointForceSettings{.coordinate = "hinge", .law = {.stiffness = k}};
    const Equilibrium e(model);
    expect_in_balance(e);
    const double leaning = std::copysign(phi, tilt);
    EXPECT_LT((e.body(0).pose.p - 0.5 * Vec3(-std::sin(leaning), std::cos(leaning), 0)).norm(), 1e-8) << tilt;
  }
}

/// A shallow truss of a spring that can snap through: above and below are both stable.
TEST(Statics, ATrussStaysOnTheSideItIsOn) {
  for (const double height : {0.3, -0.3}) {
    Model model = mass_on_spring(0.01, 0);
    model.bodies["mass"].place.at = Vec3(0, 0, height);
    SpringSettings& spring = *model.forces["spring"].get_if<SpringSettings>();
    spring.points = {Vec3(1, 0, 0), Vec3(0, 0, height)};
    spring.law.stiffness = 100, spring.law.free = std::hypot(1, 0.3);
    const Equilibrium e(model);
    expect_in_balance(e);
    EXPECT_NEAR(e.body(0).pose.p.z(), height, 0.05);
    EXPECT_LT(e.body(0).pose.p.z(), height);
  }
}

TEST(Statics, FallingForEverIsSaid) {
  Model model;
  model.gravity = {0, 0, -g};
  model.bodies = {rigid("stone", 1, {1, 1, 1}, {0, 0, 0})};
  const Equilibrium e(model);
  EXPECT_FALSE(e.result.converged);
  EXPECT_THAT(e.result.failure, HasSubstr("body 'stone'"));
  EXPECT_NEAR(e.result.residual, g, 1e-9);
}

TEST(Statics, DrivesAreKeptAtTheTimeOfTheState) {
  Model model = pendulum();
  model.drives["motor"] = JointDriveSettings{.joint = "hinge", .function = 0.3};
  const Equilibrium e(model);
  expect_in_balance(e);
  EXPECT_LT((e.body(0).pose.p - 0.5 * Vec3(std::cos(0.3), std::sin(0.3), 0)).norm(), 1e-10);
  EXPECT_NEAR(std::abs(e.state.lambda[5]), g * 0.5 * std::cos(0.3), 1e-8);
}

}  // namespace
}  // namespace hooke::test
