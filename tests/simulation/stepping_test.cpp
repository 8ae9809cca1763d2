// A simulation step by step, as a program uses it: its state as a value, and what can be asked of the current state.
#include <gmock/gmock.h>

#include <numbers>

#include "hooke/hooke.h"

namespace hooke {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A bar of 1 m that swings about x, with a spring from its end to a point beside.
Problem pendulum() {
  Problem problem;
  problem.model.gravity = {0, 0, -9.81};
  problem.model.bodies["bar"] = {
      RigidSettings{.mass = 2, .inertia = {Vec3(0.2, 0.1, 0.3).asDiagonal().toDenseMatrix(), true}},
      {.at = Vec3(0, 0.5, 0)}};
  problem.model.joints["pivot"] = RevoluteSettings{.between = {"ground", "bar"}, .at = zero3, .axis = unit_x};
  problem.model.forces["strut"] = SpringSettings{.between = {"ground", "bar"},
                                                 .points = {Vec3(0, 1, 1), Vec3(0, 1, 0)},
                                                 .law = {.stiffness = 30, .damping = 2, .free = 0.4}};
  problem.run = {.integrator = GeneralizedAlphaChoice{}, .end = 1, .step = 1e-3};
  return problem;
}

/// A mass of 3 kg that slides along z, on a spring and a damper.
Problem oscillator() {
  Problem problem;
  problem.model.bodies["mass"] = {RigidSettings{.mass = 3, .inertia = {identity3, true}}, {.at = zero3}};
  problem.model.joints["slide"] =
      PrismaticSettings{.between = {"ground", "mass"}, .at = zero3, .axis = unit_z};
  problem.model.forces["spring"] =
      JointForceSettings{.coordinate = "slide", .law = {.stiffness = 75, .damping = 6}};
  return problem;
}

bool are_equal(const State& a, const State& b) {
  return a.t == b.t && a.q == b.q && a.v == b.v && a.a == b.a && a.lambda == b.lambda && a.memory == b.memory;
}

TEST(Stepping, ACopyOfTheStateIsACheckpoint) {
  Simulation simulation(pendulum());
  const State start = simulation.state();
  simulation.advance(0.3);
  const State here = simulation.state();
  EXPECT_NEAR(here.t, 0.3, 1e-12);
  simulation.advance(0.6);
  const double without_stop = simulation.joint("pivot").angle();

  simulation.set_state(here);
  EXPECT_TRUE(are_equal(simulation.state(), here));
  simulation.advance(0.6);
  const State once = simulation.state();
  EXPECT_NEAR(simulation.joint("pivot").angle(), without_stop, 1e-6);
  simulation.set_state(here);
  simulation.advance(0.6);
  EXPECT_TRUE(are_equal(simulation.state(), once)) << "the same way again, to the last bit";

  simulation.reset();
  EXPECT_TRUE(are_equal(simulation.state(), start));
  EXPECT_EQ(simulation.time(), 0);
}

TEST(Stepping, AStateMovesToAnotherSimulation) {
  Simulation one(pendulum()), other(pendulum());
  one.advance(0.2);
  other.set_state(one.state());
  one.set_state(one.state());  // the integrator begins anew, as that of the other does
  one.advance(0.5);
  other.advance(0.5);
  EXPECT_TRUE(are_equal(one.state(), other.state()));
}

TEST(Stepping, WrenchAndTensionAreThoseOfTheLaw) {
  Simulation simulation(pendulum());
  simulation.advance(0.4);
  const auto bar = simulation.body("bar");
  const Vec3 end = bar.position() + bar.orientation() * Vec3(0, 0.5, 0), arm = end - bar.position();
  const Vec3 v = bar.velocity() + bar.angular_velocity().cross(arm), along = end - Vec3(0, 1, 1);
  const double length = along.norm(), tension = 30 * (length - 0.4) + 2 * v.dot(along) / length;
  const auto strut = simulation.force("strut");
  EXPECT_NEAR(strut.length(), length, 1e-12);
  EXPECT_NEAR(strut.tension(), tension, 1e-10);
  const Vec6 wrench = strut.wrench();  // on the bar, which is the last it acts on
  EXPECT_LT((wrench.head<3>() + tension * along / length).norm(), 1e-10);
  EXPECT_LT(wrench.tail<3>().norm(), 1e-10) << "at the end of the spring";
}

TEST(Stepping, ReactionsAndForcesAreTheChangeOfMomentum) {
  Simulation simulation(pendulum());
  simulation.advance(0.4);
  const auto bar = simulation.body("bar");
  const Vec3 sum = simulation.force("strut").wrench().head<3>() +
                   simulation.joint("pivot").reaction(ReactionAxes::world).head<3>() + Vec3(0, 0, -2 * 9.81);
  EXPECT_LT((sum - 2 * bar.acceleration()).norm(), 1e-6);
}

/// The Jacobian of a body behind two others, whatever the velocities are.
TEST(Stepping, JacobianTimesVelocitiesIsTheTwist) {
  Problem problem = pendulum();
  CosseratSettings rod;
  rod.section = CircleSection{.radius = 0.005};
  rod.material = MaterialSettings{.young = 1e9, .density = 1000};
  rod.length = 1;
  rod.elements = 3;
  problem.model.bodies["rod"] = {rod, {.at = Vec3(0, 1, -0.5)}};
  problem.model.joints["hook"] = SphericalSettings{.between = {"bar", "rod.end"}, .at = Vec3(0, 1, 0)};
  Simulation simulation(problem);
  State state = simulation.state();
  for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = std::sin(3.0 * static_cast<double>(i) + 1);
  simulation.set_state(state);
  for (const char* name : {"bar", "rod"}) {
    const auto body = simulation.body(name);
    const MatrixX J = body.jacobian();
    ASSERT_EQ(J.rows(), 6);
    ASSERT_EQ(J.cols(), state.v.size());
    const VectorX twist = J * state.v;
    EXPECT_LT((twist.head(3) - body.velocity()).norm(), 1e-12) << name;
    EXPECT_LT((twist.tail(3) - body.angular_velocity()).norm(), 1e-12) << name;
    EXPECT_GT(twist.norm(), 0.1);
  }
}

TEST(Stepping, MassAndConstraintMatrices) {
  Simulation simulation(pendulum());
  simulation.advance(0.2);
  const MatrixX M = simulation.mass_matrix(), G = simulation.constraint_matrix();
  Vec6 diagonal;
  diagonal << 2, 2, 2, 0.2, 0.1, 0.3;
  EXPECT_LT((M - MatrixX(diagonal.asDiagonal())).norm(), 1e-12);
  ASSERT_EQ(G.rows(), 5);
  ASSERT_EQ(G.cols(), 6);
  EXPECT_LT((G * simulation.state().v).norm(), 1e-8);
  EXPECT_GT(simulation.state().v.norm(), 0.1);
  // One motion is free, all others are not.
  const Eigen::VectorXd singular = G.jacobiSvd().singularValues();
  EXPECT_GT(singular.minCoeff(), 0.1);
  EXPECT_NEAR(simulation.energy().kinetic, 0.5 * simulation.state().v.dot(M * simulation.state().v), 1e-12);
}

TEST(Stepping, TangentsAreDerivativesOfTheEquations) {
  Simulation simulation(oscillator());
  const Tangents at_rest = simulation.tangents_here();
  // Along z: m z'' + d z' + k z, and the slide holds the other five.
  EXPECT_NEAR(at_rest.M(2, 2), 3, 1e-12);
  EXPECT_NEAR(at_rest.D(2, 2), 6, 1e-9);
  EXPECT_NEAR(at_rest.K(2, 2), 75, 1e-9);
  EXPECT_LT(at_rest.G.col(2).norm(), 1e-14);
  EXPECT_EQ(at_rest.G.rows(), 5);
}

TEST(Stepping, LinearisationHasTheModesOfTheClosedForm) {
  Simulation simulation(oscillator());
  const Linearisation linear = simulation.linearise();
  ASSERT_EQ(linear.N.cols(), 1);
  EXPECT_NEAR(linear.K(0, 0) / linear.M(0, 0), 25, 1e-9);
  EXPECT_NEAR(linear.D(0, 0) / linear.M(0, 0), 2, 1e-9);
  ASSERT_EQ(linear.modes.size(), 1u);
  EXPECT_NEAR(linear.modes[0].frequency, 5 / (2 * std::numbers::pi), 1e-9);
  EXPECT_NEAR(linear.modes[0].damping, 0.2, 1e-9);
  State moving = simulation.state();
  moving.v[2] = 1;
  simulation.set_state(moving);
  EXPECT_THROW(simulation.linearise(), Error);
}

std::vector<std::string> notes_of(const Problem& problem) { return Simulation(problem).run().notes; }

TEST(Stepping, TheSummarySaysWhereDerivativesAreDifferences) {
  const char* const said = "are taken by differences";
  Problem law = oscillator();
  const auto cubic = [](const LawInput& in) { return 75 * in.x + in.x * in.x * in.x + 6 * in.v; };
  law.run.end = 0.01;
  law.model.forces["spring"] =
      JointForceSettings{.coordinate = "slide", .law = {.code = Law::by_differences(cubic)}};
  EXPECT_THAT(notes_of(law), Contains("force 'spring': derivatives of its law are taken by differences"));
  law.model.forces["spring"] = JointForceSettings{
      .coordinate = "slide", .law = {.code = Law::of([&](const LawInput& in) {
                                       return LawSample{cubic(in), 75 + 3 * in.x * in.x, 6};
                                     })}};
  EXPECT_THAT(notes_of(law), Not(Contains(HasSubstr(said))));

  Problem driven = pendulum();
  driven.run.end = 0.01;
  driven.model.drives["motor"] = JointDriveSettings{
      .joint = "pivot", .function = Function::by_differences([](double t) { return std::sin(t); })};
  EXPECT_THAT(notes_of(driven),
              Contains("drive 'motor': derivatives of its function are taken by differences"));

  // A load needs no derivative of its function, so none is taken.
  Problem loaded = oscillator();
  loaded.run.end = 0.01;
  int calls = 0;
  loaded.model.forces["push"] =
      LoadSettings{.on = "mass", .force = {{0, 0, Function::of([&](double t) {
                                              ++calls;
                                              return Sample{t, std::numeric_limits<double>::quiet_NaN(), 0};
                                            })}}};
  Simulation simulation(loaded);
  EXPECT_EQ(simulation.run().status, RunStatus::finished);
  EXPECT_GT(calls, 0);
  loaded.model.forces["push"] = LoadSettings{
      .on = "mass", .force = {{0, 0, Function::by_differences([](double t) { return std::sin(t); })}}};
  EXPECT_THAT(notes_of(loaded), Not(Contains(HasSubstr(said))));
}

TEST(Stepping, CodeReadsMeasuredQuantitiesByTheirNames) {
  Problem problem = oscillator();
  problem.model.forces.clear();
  problem.model.control["u"] = CodeBlock::of_inputs(
      {"joint.slide.displacement", "joint.slide.displacement.rate"}, [](const Measured& now) {
        return -75 * now["joint.slide.displacement"] - 6 * now["joint.slide.displacement.rate"];
      });
  problem.model.forces["push"] =
      LoadSettings{.on = "mass", .force = {{0, 0, Function::of_signals("u + 7.5")}}};
  problem.run = {.integrator = DormandPrinceChoice{}, .end = 0.5, .tolerance = 1e-10};
  Simulation simulation(problem);
  simulation.advance(0.5);
  // 3 z'' + 6 z' + 75 z = 7.5 from rest
  const double w = std::sqrt(24.0), t = 0.5;
  EXPECT_NEAR(simulation.joint("slide").displacement(),
              0.1 * (1 - std::exp(-t) * (std::cos(w * t) + std::sin(w * t) / w)), 1e-8);
  EXPECT_THAT(notes_of(problem),
              Contains("control block 'u': derivatives of its code are taken by differences"));

  problem.model.control["u"] = CodeBlock::of_inputs(
      {"joint.slide.displacement"}, [](const Measured& now) { return now["joint.slide.displacment"]; });
  try {
    Simulation wrong(problem);
    wrong.advance(0.1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'joint.slide.displacement'?"));
  }
}

}  // namespace
}  // namespace hooke
