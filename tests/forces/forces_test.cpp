// What each force means: signs, units, limits. That the derivatives are right is the matter of
// contract_test.cpp.
#include <numbers>

#include "examples.h"

namespace hooke::test {
namespace {

constexpr double pi = std::numbers::pi;

Frames at_rest(const FramePose& A, const FramePose& B) { return {.pose = {A, B}}; }

VectorX wrench(const AnyForce& force, const Frames& frames) { return force.wrench(frames); }

Vec12 stacked(const Vec3& force_A, const Vec3& moment_A, const Vec3& force_B, const Vec3& moment_B) {
  Vec12 w;
  w << force_A, moment_A, force_B, moment_B;
  return w;
}

FramePose turned_about_z(double angle) { return {exp_so3(angle * unit_z), zero3}; }

// ---- along a coordinate -------------------------------------------------------------------------

TEST(DistanceForce, AStretchedSpringPullsItsEndsTogether) {
  const DistanceForce spring{{}, Law::spring_damper(100, 0, 2)};
  const auto frames = at_rest({}, {identity3, Vec3(0, 3, 4)});
  EXPECT_MATRIX_NEAR(wrench(spring, frames), stacked(Vec3(0, 180, 240), zero3, Vec3(0, -180, -240), zero3),
                     1e-14);
  EXPECT_NEAR(spring.energy(frames.inputs<2>()), 0.5 * 100 * 3 * 3, 1e-11);
}

TEST(DistanceForce, ADamperActsOnTheRateOfTheDistanceAlone) {
  const DistanceForce damper{{}, Law::spring_damper(0, 7)};
  auto frames = at_rest({}, {identity3, unit_x});
  frames.twist[1] << 2, 5, 0, 1, 1, 1;
  EXPECT_MATRIX_NEAR(wrench(damper, frames), stacked(14 * unit_x, zero3, -14 * unit_x, zero3), 1e-14);
}

TEST(DistanceForce, PointsThatCoincideAreNotPushedAnywhere) {
  const DistanceForce spring{{}, Law::spring_damper(100, 1, 2)};
  const auto frames = at_rest({}, {});
  Mat12 K, D;
  spring.tangent(frames.inputs<2>(), K, D);
  EXPECT_TRUE(wrench(spring, frames).isZero() && K.isZero() && D.isZero());
}

TEST(AngleForce, ATorsionSpringIsWoundUpOverManyTurns) {
  const AngleForce spring{Angle::about_z(), Law::spring_damper(3, 0)};
  Frames frames = at_rest({}, {});
  for (double angle = 0; angle <= 5 * pi; angle += 0.5) {
    frames.pose[1] = turned_about_z(angle);
    EXPECT_MATRIX_NEAR(wrench(spring, frames), stacked(zero3, 3 * angle * unit_z, zero3, -3 * angle * unit_z),
                       1e-13);
    EXPECT_NEAR(spring.energy(frames.inputs<2>()), 1.5 * angle * angle, 1e-11);
    spring.track(frames.inputs<2>(), frames.memory.data());
  }
}

TEST(AngleForce, AMotorIsANegativeTension) {
  const AngleForce motor{Angle::about_z(), Law::expression("-4*t")};
  Frames frames = at_rest({}, turned_about_z(0.3));
  frames.t = 2;
  EXPECT_MATRIX_NEAR(wrench(motor, frames), stacked(zero3, -8 * unit_z, zero3, 8 * unit_z), 1e-14);
  EXPECT_EQ(motor.energy(frames.inputs<2>()), 0);
}

TEST(DisplacementForce, ActsAlongTheAxisOfFrameAWhereBIs) {
  const DisplacementForce spring{{Axis::x}, Law::spring_damper(10, 0)};
  const auto frames =
      at_rest(turned_about_z(pi / 2), {identity3, Vec3(1, 2, 0)});  // the axis is the world's y
  EXPECT_MATRIX_NEAR(wrench(spring, frames), stacked(20 * unit_y, 20 * unit_z, -20 * unit_y, zero3), 1e-14);
}

// ---- friction -----------------------------------------------------------------------------------

TEST(Friction, FallsFromBreakawayToKineticAndDragsOnAtSpeed) {
  const Friction friction{
      .viscous = 0.5, .kinetic = 10, .breakaway = 15, .stick_rate = 1e-4, .stribeck_rate = 0.1};
  EXPECT_EQ(friction(0, 0, 0).force, 0);
  EXPECT_NEAR(friction(0, 1e-3, 0).force, 15, 0.01);
  EXPECT_NEAR(friction(0, 2, 0).force, 10 + 0.5 * 2, 1e-12);
  EXPECT_NEAR(friction(0, -2, 0).force, -10 - 0.5 * 2, 1e-12);
  EXPECT_NEAR(friction(0, 0, 0).d_v, 15 / 1e-4 + 0.5, 1e-9);
}

TEST(Friction, IsPlainCoulombUnlessMoreIsSaid) {
  const Friction friction{.kinetic = 10, .stick_rate = 0.01};
  for (const double v : {0.001, 0.01, 0.02, 0.1, 1.0})
    EXPECT_EQ(friction(0, v, 0).force, 10 * std::tanh(v / 0.01));
}

// ---- bushing ------------------------------------------------------------------------------------

TEST(Bushing, ResistsSmallMotionsInTheAxesOfFrameA) {
  Bushing bushing;
  bushing.stiffness.diagonal() << 1, 2, 3, 4, 5, 6;
  const FramePose A{exp_so3(Vec3(0.3, -0.4, 0.9)), Vec3(1, 2, 3)};
  for (int i = 0; i < 6; ++i) {
    const Vec6 x = 1e-6 * Vec6::Unit(i);
    const Vec12 w = wrench(bushing, at_rest(A, A * FramePose{exp_so3(x.tail<3>()), x.head<3>()}));
    Vec6 on_B;
    on_B << A.R.transpose() * w.segment<3>(6), A.R.transpose() * w.segment<3>(9);
    EXPECT_NEAR(on_B[i], -(i + 1) * 1e-6, 1e-14);
    EXPECT_NEAR(on_B.norm(), (i + 1) * 1e-6, 1e-14);
  }
}

TEST(Bushing, TheSameStiffnessAboutAllAxesTurnsStraightBackFromAnyAngle) {
  Bushing bushing;
  bushing.stiffness.diagonal() << zero3, Vec3::Constant(7);
  const Vec3 theta(1.5, -1.2, 2.0);
  const Vec12 w = wrench(bushing, at_rest({}, {exp_so3(theta), zero3}));
  EXPECT_MATRIX_NEAR(w, stacked(zero3, 7 * theta, zero3, -7 * theta), 1e-13);
}

TEST(Bushing, ThePreloadActsOnFrameB) {
  Bushing bushing;
  bushing.preload << 1, 2, 3, 4, 5, 6;
  EXPECT_MATRIX_NEAR(wrench(bushing, at_rest({}, {})),
                     stacked(Vec3(-1, -2, -3), Vec3(-4, -5, -6), Vec3(1, 2, 3), Vec3(4, 5, 6)), 1e-15);
}

TEST(Bushing, DampsTheRateOfTheRotationVector) {
  Bushing bushing;
  bushing.damping.diagonal() << zero3, Vec3::Constant(2);
  auto frames = at_rest({}, turned_about_z(1));
  frames.twist[1] << zero3, 3 * unit_z;  // about the axis of theta the rate is the angular velocity
  EXPECT_MATRIX_NEAR(wrench(bushing, frames), stacked(zero3, 6 * unit_z, zero3, -6 * unit_z), 1e-14);
}

// ---- applied loads ------------------------------------------------------------------------------

TEST(PointLoad, AFollowerTurnsWithItsFrameADeadLoadDoesNot) {
  PointLoad load{.force = Vec3(1, 0, 0), .torque = Vec3(0, 2, 0)};
  const Frames frames{.pose = {turned_about_z(pi / 2)}};
  Vec6 dead, follower;
  dead << 1, 0, 0, 0, 2, 0;
  follower << 0, 1, 0, -2, 0, 0;
  EXPECT_MATRIX_NEAR(wrench(load, frames), dead, 1e-15);
  load.follower = true;
  EXPECT_MATRIX_NEAR(wrench(load, frames), follower, 1e-15);
}

TEST(PointLoad, FollowsItsFunctionsOfTime) {
  const Frames frames{.pose = {FramePose{}}, .t = 3};
  const PointLoad components{.force = {Function::polynomial({0, 2}), 1.0, Function::expression("t^2")}};
  EXPECT_MATRIX_NEAR(wrench(components, frames).head<3>(), Vec3(6, 1, 9), 1e-14);
  const PointLoad along{
      .force = {Vec3(0, 3, 4), Function::expression("10*t")}};  // the direction is normalised
  EXPECT_MATRIX_NEAR(wrench(along, frames).head<3>(), Vec3(0, 18, 24), 1e-14);
}

TEST(PointLoad, AForceInWorldAxesMayActOnABarePoint) {
  EXPECT_FALSE(PointLoad{.force = unit_x}.needs_orientation());
  EXPECT_TRUE((PointLoad{.force = unit_x, .follower = true}).needs_orientation());
  EXPECT_TRUE((PointLoad{.torque = unit_x}).needs_orientation());
}

// ---- stored energy ------------------------------------------------------------------------------

TEST(LawPotential, IsTheIntegralOfTheElasticForce) {
  EXPECT_NEAR(Law::spring_damper(3, 9, 0.5, 0.2).potential(1.3), 0.2 * 0.8 + 1.5 * 0.8 * 0.8, 1e-15);
  const auto cubic = Function::polynomial({0, 2, 0, 4});
  EXPECT_NEAR(Law::functions(cubic, Function::polynomial({0, 1}), 5.0, 1).potential(3), 4 + 16, 1e-13);
  EXPECT_NEAR(Law::expression("3*x^2 + v").potential(-2), -8, 1e-13);
}

TEST(LawPotential, MeetsAStopHalfWay) {
  const Law stop = Law::expression("100*max(0, x - 0.9)");
  EXPECT_EQ(stop.potential(0.8), 0);
  EXPECT_NEAR(stop.potential(0.91), 50 * 0.01 * 0.01, 1e-9);
  EXPECT_NEAR(stop.potential(2), 50 * 1.1 * 1.1, 1e-8);
}

TEST(LawPotential, IsNothingWhereNoneCanBeCounted) {
  EXPECT_EQ(Law::expression("x*sin(t)").potential(2), 0);
  EXPECT_EQ(Law::expression("1/x").potential(2), 0);
}

}  // namespace
}  // namespace hooke::test
