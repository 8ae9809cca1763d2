// The start of a model: on the constraints, what is given kept, what moved told.
#include "hooke/analysis/assembly.h"

#include "support/crank.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Start assemble(const Model& model) { return assemble_start(model, build(model), {}, 0); }

struct Coordinates {
  BuiltModel built;
  State state;

  std::pair<double, double> of(const std::string& joint, int which = 0) const {
    auto workspace = built.system->workspace();
    auto& w = static_cast<SystemWorkspace&>(*workspace);
    built.system->update(state, w);
    for (const BuiltJoint& j : built.joints)
      if (j.name == joint)
        return {built.system->coordinate(j.coordinates[which].number, state, w),
                built.system->coordinate_rate(j.coordinates[which].number, w)};
    throw std::runtime_error("no joint " + joint);
  }
};

Coordinates coordinates(const Model& model) {
  Coordinates c{build(model), {}};
  c.state = assemble_start(model, c.built, {}, 0).state;
  return c;
}

double violation(const Model& model, const State& state,
                 void (System::*level)(const State&, Workspace&, VectorX&) const) {
  const BuiltModel built = build(model);
  auto workspace = built.system->workspace();
  VectorX g;
  built.system->update(state, *workspace);
  ((*built.system).*level)(state, *workspace, g);
  return g.cwiseAbs().maxCoeff();
}

void expect_consistent(const Model& model, const State& state) {
  EXPECT_LT(violation(model, state, &System::position_constraints), 1e-11);
  EXPECT_LT(violation(model, state, &System::velocity_constraints), 1e-11);
  EXPECT_LT(violation(model, state, &System::acceleration_constraints), 1e-8);
  const BuiltModel built = build(model);
  auto workspace = built.system->workspace();
  VectorX r;
  built.system->update(state, *workspace);
  built.system->residual(state, *workspace, r);
  EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Assembly, AClosedMechanismIsLeftWhereItIs) {
  const Model model = slider_crank();
  const Start start = assemble(model);
  const State given = build(model).system->initial_state();
  EXPECT_MATRIX_NEAR(start.state.q, given.q, 1e-12);
  EXPECT_THAT(start.warnings, IsEmpty());
  expect_consistent(model, start.state);
}

TEST(Assembly, AngularVelocityThatIsGivenIsKeptAndTheRestFollows) {
  const Start start = assemble(slider_crank());
  EXPECT_MATRIX_NEAR(start.state.v.segment<3>(3), Vec3(6, 0, 0), 1e-12);
  EXPECT_GT(std::abs(start.state.v[12]), 0.1) << "the slider moves";
  EXPECT_THAT(start.notes, Contains(HasSubstr("velocity of body 'slider'")));
}

TEST(Assembly, ALoopThatIsSlightlyOpenIsClosedAndItIsSaidWhatMoved) {
  Model model = slider_crank();
  // frames named on the bodies, so that the joint is not simply put where both happen to be
  model.bodies["slider"].frames["pin"].at = Vec3(0.003, 0.002, -0.001);
  model.bodies["rod"].frames["end"].at = Vec3(0, 0, 0.5 * (Vec3(0.2, 0, 0) - Vec3(0, 0.1, 0.2)).norm());
  (*model.bodies["rod"].between)[1] = Vec3(0.2, 0, 0);
  model.joints["C"] = SphericalSettings{.between = {"slider.pin", "rod.end"}};
  ASSERT_GT(violation(model, build(model).system->initial_state(), &System::position_constraints), 1e-3);
  const Start start = assemble(model);
  expect_consistent(model, start.state);
  EXPECT_THAT(start.notes, Contains(HasSubstr("was moved by")));
  EXPECT_THAT(start.notes, Contains(HasSubstr("'rod'")));
  VectorX moved;
  build(model).system->minus(start.state.q, build(model).system->initial_state().q, moved);
  EXPECT_LT(moved.cwiseAbs().maxCoeff(), 0.1) << "no farther than need be";
}

TEST(Assembly, ABodyToBeHeldStaysAndTheOthersCome) {
  Model model = chain(2);
  model.bodies["link0"].frames["tip"].at = Vec3(0.5, 0, 0);
  model.bodies["link1"].frames["end"].at = Vec3(-0.45, 0.02, 0);
  model.joints["joint1"] = SphericalSettings{.between = {"link0.tip", "link1.end"}};
  model.bodies["link0"].hold = true;
  const Start start = assemble(model);
  expect_consistent(model, start.state);
  EXPECT_MATRIX_NEAR(start.state.q.head<7>(), build(model).system->initial_state().q.head<7>(), 1e-15);
  EXPECT_THAT(start.notes, Contains(HasSubstr("'link1'")));
  EXPECT_THAT(start.warnings, IsEmpty());
}

TEST(Assembly, HoldingWhatCannotStayIsAWarning) {
  Model model = chain(1);
  model.bodies["link0"].hold = true;
  model.bodies["link0"].frames["end"].at = Vec3(-0.45, 0, 0);
  model.ground.frames["origin"].at = Vec3(0, 0, 0);
  model.joints["joint0"] = SphericalSettings{.between = {"ground.origin", "link0.end"}};
  const Start start = assemble(model);
  EXPECT_THAT(start.warnings, Contains(HasSubstr("cannot all stay")));
  expect_consistent(model, start.state);
}

TEST(Assembly, StartValuesOfJointCoordinatesAreMetExactly) {
  Model model = slider_crank();
  model.bodies["crank"].angular_velocity.reset();
  model.joints["A"].get_if<RevoluteSettings>()->start = {{"angle", {.value = 0.4, .rate = -2.5}}};
  const Coordinates c = coordinates(model);
  EXPECT_NEAR(c.of("A").first, 0.4, 1e-12);
  EXPECT_NEAR(c.of("A").second, -2.5, 1e-11);
  expect_consistent(model, c.state);
}

TEST(Assembly, StartValuesOfSeveralCoordinatesAreMetTogether) {
  Model model;
  model.bodies = {rigid("a", 1, {1, 1, 1}, {0, 0, 0.5}), rigid("b", 1, {1, 1, 1}, {0, 0, 1.5})};
  model.joints["slide"] = CylindricalSettings{
      .between = {"ground", "a"},
      .at = Vec3(0, 0, 0),
      .axis = unit_z,
      .start = {{"displacement", {.value = 0.3, .rate = 0.1}}, {"angle", {.value = 2.5, .rate = -1}}}};
  model.joints["hinge"] =
      UniversalSettings{.between = {"a", "b"},
                        .at = Vec3(0, 0, 1),
                        .axis = unit_x,
                        .start = {{"angle_x", {.value = -0.7}}, {"angle_y", {.value = 0.2, .rate = 3}}}};
  const Coordinates c = coordinates(model);
  EXPECT_NEAR(c.of("slide", 0).first, 0.3, 1e-12);
  EXPECT_NEAR(c.of("slide", 1).first, 2.5, 1e-12);
  EXPECT_NEAR(c.of("hinge", 0).first, -0.7, 1e-12);
  EXPECT_NEAR(c.of("hinge", 1).first, 0.2, 1e-12);
  EXPECT_NEAR(c.of("slide", 0).second, 0.1, 1e-11);
  EXPECT_NEAR(c.of("slide", 1).second, -1, 1e-11);
  EXPECT_NEAR(c.of("hinge", 1).second, 3, 1e-11);
}

TEST(Assembly, AStartAngleOfMoreThanHalfATurnIsReached) {
  for (const double angle : {3.0, -2.0, 3.5, 6.0}) {
    Model model = chain(1);
    model.joints[0] = {"hinge", RevoluteSettings{.between = {"ground", "link0"},
                                                 .at = Vec3(0, 0, 0),
                                                 .axis = unit_z,
                                                 .start = {{"angle", {.value = angle}}}}};
    const Coordinates c = coordinates(model);
    const Vec3 centre = c.built.system->motion(0, c.state).pose.p;
    EXPECT_LT((centre - 0.5 * Vec3(std::cos(angle), std::sin(angle), 0)).norm(), 1e-11) << angle;
  }
}

TEST(Assembly, VelocitiesOfADriveAreMet) {
  Model model = slider_crank();
  model.bodies["crank"].angular_velocity.reset();
  model.drives["motor"] = JointDriveSettings{.joint = "A", .function = Function::polynomial({0, 4, 3})};
  const Coordinates c = coordinates(model);
  EXPECT_NEAR(c.of("A").second, 4, 1e-12);
  expect_consistent(model, c.state);
}

TEST(Assembly, GivenVelocitiesThatContradictAJointAreReplacedByTheNearest) {
  Model model = chain(1);
  model.bodies["link0"].velocity = Vec3(1, 0, 0);  // the joint allows only y and z there
  model.bodies["link0"].angular_velocity = Vec3(0, 0, 2);
  const Start start = assemble(model);
  EXPECT_THAT(start.warnings, Contains(HasSubstr("contradict")));
  expect_consistent(model, start.state);
}

/// A rod too short to reach: the closest it comes is said, by the joint's name.
TEST(Assembly, AContradictionNamesTheJoint) {
  Model model = slider_crank();
  model.bodies["crank"].frames["pin"].at = Vec3(0, 0, 0.04);
  model.joints["strut"] = DistanceSettings{.between = {"ground", "crank.pin"}, .length = 5};
  try {
    assemble(model);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_assembled);
    EXPECT_THAT(error.what(), HasSubstr("joint 'strut'"));
    EXPECT_THAT(error.what(), HasSubstr("cannot all be closed"));
  }
}

TEST(Assembly, DrivesThatContradictEachOtherStopIt) {
  Model model = slider_crank();
  model.bodies["crank"].angular_velocity.reset();
  model.drives["slow"] = JointDriveSettings{.joint = "A", .function = Function::polynomial({0, 1})};
  model.drives["fast"] = JointDriveSettings{.joint = "A", .function = Function::polynomial({0, 2})};
  try {
    assemble(model);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_assembled);
    EXPECT_THAT(error.what(), HasSubstr("joint 'slow'"));
    EXPECT_THAT(error.what(), HasSubstr("joint 'fast'"));
  }
}

TEST(Assembly, AFreeBodyHasAStart) {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {rigid("stone", 2, {1, 1, 1}, {0, 0, 5})};
  model.bodies["stone"].velocity = Vec3(1, 2, 3);
  const Start start = assemble(model);
  EXPECT_MATRIX_NEAR(start.state.a.head<3>(), model.gravity, 1e-14);
  EXPECT_MATRIX_NEAR(start.state.v.head<3>(), Vec3(1, 2, 3), 1e-15);
}

TEST(Assembly, APendulumAtRestHasAStart) {
  Model model = chain(1);
  model.gravity = {-9.81, 0, 0};
  model.bodies["link0"].place.at = Vec3(-0.5, 0, 0);
  const Start start = assemble(model);
  EXPECT_LT(start.state.a.norm(), 1e-10);
  EXPECT_NEAR(std::abs(start.state.lambda[0]), 9.81, 1e-9);
}

}  // namespace
}  // namespace hooke::test
