// From a model to a System: where joints and forces are put, what they report, and what is refused.
#include "hooke/catalog/build.h"

#include <gmock/gmock.h>

#include <numbers>

#include "support/finite_difference.h"
#include "support/mechanisms.h"

namespace hooke::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

/// Two boxes side by side.
Model two_bodies() {
  Model model;
  model.bodies = {rigid("left", 1, {1, 1, 1}, {0, 0, 0}), rigid("right", 2, {1, 1, 1}, {1, 0, 0})};
  return model;
}

std::string complaint(const Model& model) {
  try {
    build(model);
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model);
    return error.what();
  }
  return "nothing is wrong";
}

std::string complaint_about(NamedJoint joint) {
  Model model = two_bodies();
  model.joints = {std::move(joint)};
  return complaint(model);
}

struct At {
  const System& system;
  State state;
  std::unique_ptr<Workspace> workspace = system.workspace();
  SystemWorkspace& w = static_cast<SystemWorkspace&>(*workspace);

  At(const System& s, const State& at) : system(s), state(at) { system.update(state, w); }
  explicit At(const BuiltModel& built) : At(*built.system, built.system->initial_state()) {}
  const FramePose& frame(int constraint, int k) const {
    return w.frames.pose[system.constraint_frame(constraint, k)];
  }
  VectorX gap() {
    VectorX g;
    system.position_constraints(state, w, g);
    return g;
  }
};

// ---- placing joints -----------------------------------------------------------------------------

TEST(Build, AJointIsPutWhereItIsSaidWithZAlongItsAxis) {
  Model model = two_bodies();
  model.joints = {joint("hinge", "revolute", "left", "right", Vec3(0.5, 1, 2), Vec3(0, 3, 4))};
  const BuiltModel built = build(model);
  const At at(built);
  for (int k : {0, 1}) {
    EXPECT_MATRIX_NEAR(at.frame(0, k).p, Vec3(0.5, 1, 2), 1e-15);
    EXPECT_MATRIX_NEAR(at.frame(0, k).R.col(2), Vec3(0, 0.6, 0.8), 1e-15);
  }
  EXPECT_MATRIX_NEAR(at.frame(0, 0).R, at.frame(0, 1).R, 1e-15);
}

TEST(Build, AJointWithoutAPlaceIsAtTheOriginOfTheSecondBody) {
  Model model = two_bodies();
  model.joints = {joint("ball", "spherical", "left", "right", {})};
  EXPECT_MATRIX_NEAR(At(build(model)).frame(0, 0).p, Vec3(1, 0, 0), 1e-15);
}

TEST(Build, FramesThatAreNamedAreUsedAsTheyAre) {
  Model model = two_bodies();
  model.bodies["left"].frames["pin"] =
      PlacementSettings{.at = Vec3(0, 0, 1), .rotate = AxisAngle{unit_x, 0.3}};
  model.bodies["right"].frames["eye"] = PlacementSettings{.at = Vec3(0, 2, 0)};
  model.joints["hinge"] = RevoluteSettings{.between = {"left.pin", "right.eye"}};
  const BuiltModel built = build(model);
  const At at(built);
  EXPECT_MATRIX_NEAR(at.frame(0, 0).p, Vec3(0, 0, 1), 1e-15);
  EXPECT_MATRIX_NEAR(at.frame(0, 0).R, exp_so3(0.3 * unit_x), 1e-15);
  EXPECT_MATRIX_NEAR(at.frame(0, 1).p, Vec3(1, 2, 0), 1e-15);
}

TEST(Build, ASideThatNamesNoFrameGoesWhereTheOtherIs) {
  for (const bool named_first : {true, false}) {
    Model model = two_bodies();
    model.bodies[named_first ? "left" : "right"].frames["pin"] =
        PlacementSettings{.at = Vec3(0, 0.3, 1), .rotate = AxisAngle{unit_x, 0.3}};
    model.joints["hinge"] =
        RevoluteSettings{.between = {named_first ? "left.pin" : "left", named_first ? "right" : "right.pin"}};
    const BuiltModel built = build(model);
    At at(built);
    EXPECT_MATRIX_NEAR(at.frame(0, 0).p, at.frame(0, 1).p, 1e-15);
    EXPECT_MATRIX_NEAR(at.frame(0, 0).R, at.frame(0, 1).R, 1e-15);
    EXPECT_LT(at.gap().norm(), 1e-15);
  }
}

TEST(Build, EveryJointTypeIsClosedWhereItIsPut) {
  for (const std::string& type : Catalog::built_in().names("joint")) {
    if (type == "gear" || type == "rack-and-pinion" || type == "tie") continue;
    SCOPED_TRACE(type);
    Model model = two_bodies();
    AnyJoint& made = model.joints["it"] = joint_of(type, "left", "right");
    if (type == "screw") field_of<double>(made, "pitch") = 0.1;
    if (type == "perpendicular-axes") field_of<std::optional<Vec3>>(made, "axis2") = Vec3(1, 0, 1);
    if (type != "distance") {
      field_of<std::optional<Vec3>>(made, "at") = Vec3(0.3, 0.4, 0.5);
      field_of<std::optional<Vec3>>(made, "axis") = Vec3(1, 2, -1);
    }
    const BuiltModel built = build(model);
    At at(built);
    EXPECT_LT(at.gap().norm(), 1e-14);
    for (const BuiltCoordinate& c : built.joints[0].coordinates)
      EXPECT_NEAR(built.system->coordinate(c.number, at.state, at.w), 0, 1e-14);
  }
}

TEST(Build, TheArmsOfAUniversalJoint) {
  Model model = two_bodies();
  model.joints = {joint("cross", "universal", "left", "right", Vec3(0.5, 0, 0), unit_z)};
  const BuiltModel built = build(model);
  const At by_itself(built);
  EXPECT_MATRIX_NEAR(by_itself.frame(0, 0).R.col(0), unit_z, 1e-15);
  EXPECT_NEAR(std::abs(by_itself.frame(0, 1).R.col(1).dot(unit_y)), 1, 1e-15)
      << "perpendicular to the axis and to the second body";
  model.joints["cross"].get_if<UniversalSettings>()->axis2 = Vec3(1, 1, 0);
  EXPECT_MATRIX_NEAR(At(build(model)).frame(0, 1).R.col(1), Vec3(1, 1, 0).normalized(), 1e-15);
}

TEST(Build, ADistanceIsKeptAsItIsUnlessALengthIsGiven) {
  Model model = two_bodies();
  model.joints["rod"] = DistanceSettings{.between = {"left", "right"}};
  EXPECT_NEAR(At(build(model)).gap()[0], 0, 1e-15);
  model.joints["rod"] = DistanceSettings{.between = {"left", "right"}, .length = 1.5};
  EXPECT_GT(std::abs(At(build(model)).gap()[0]), 0.1);
}

// ---- gears --------------------------------------------------------------------------------------

Model gear_pair() {
  Model model = two_bodies();
  model.joints["mesh"] = GearSettings{.between = {"a", "b"}, .ratio = 2};
  model.joints["a"] = RevoluteSettings{.between = {"ground", "left"}, .at = Vec3(0, 0, 0), .axis = unit_z};
  model.joints["b"] = RevoluteSettings{.between = {"ground", "right"}, .at = Vec3(1, 0, 0), .axis = unit_z};
  return model;
}

TEST(Build, AGearMayStandBeforeItsJointsAndMeshesAsAssembled) {
  const BuiltModel built = build(gear_pair());
  At at(built);
  EXPECT_EQ(at.gap().size(), 11);
  EXPECT_LT(at.gap().norm(), 1e-15);
  // turned by 0.2 and -0.1 it still meshes, by 0.2 and 0.1 it does not
  const auto turned = [&](double a, double b) {
    State state = at.state;
    VectorX x = VectorX::Zero(12);
    x[5] = a, x[11] = b;
    built.system->plus(at.state.q, x, state.q);
    return At(*built.system, state).gap().norm();
  };
  EXPECT_LT(turned(0.2, -0.1), 1e-15);
  EXPECT_NEAR(turned(0.2, 0.1), 0.4, 1e-14);
}

TEST(Build, ARackAndPinion) {
  Model model = gear_pair();
  model.joints["mesh"] = RackAndPinionSettings{.between = {"a", "b"}, .ratio = 0.25};
  model.joints["a"] = PrismaticSettings{.between = {"ground", "left"}, .at = Vec3(0, 0, 0), .axis = unit_x};
  const BuiltModel built = build(model);
  const At at(built);
  State state = at.state;
  VectorX x = VectorX::Zero(12);
  x[0] = 0.5, x[11] = -2;
  built.system->plus(at.state.q, x, state.q);
  EXPECT_LT(At(*built.system, state).gap().norm(), 1e-15);
}

// ---- what a System tells ------------------------------------------------------------------------

TEST(BuiltSystem, ReactionsAreTheLoadsOnEachBody) {
  Model model;  // a lamp of 2 kg on an arm, at rest: the joint carries its weight and the moment of it
  model.gravity = {0, 0, -10};
  model.bodies = {rigid("arm", 2, {1, 1, 1}, {0.5, 0, 0})};
  model.joints = {joint("clamp", "fixed", "ground", "arm", Vec3(0, 0, 0))};
  const BuiltModel built = build(model);
  State state = built.system->initial_state();
  At at(*built.system, state);
  // lambda that balances: solved from the residual, which is linear in it
  KktMatrix kkt(built.system->structure());
  VectorX r;
  built.system->residual(state, at.w, r);
  built.system->tangent(state, {.m = 1}, at.w, kkt);
  state.lambda = kkt.matrix.dense().topRightCorner(6, 6).partialPivLu().solve(-r);
  Vec6 on_arm;
  on_arm << 0, 0, 20, 0, -10, 0;
  EXPECT_MATRIX_NEAR(built.system->reaction(0, 1, state, at.w), on_arm, 1e-13);
  EXPECT_MATRIX_NEAR(built.system->reaction(0, 0, state, at.w), Vec6(-on_arm), 1e-13);
}

TEST(BuiltSystem, AnglesAreFollowedOverFullTurns) {
  Model model = two_bodies();
  model.joints = {joint("hinge", "revolute", "ground", "left", Vec3(0, 0, 0), unit_z)};
  const BuiltModel built = build(model);
  const System& system = *built.system;
  State state = system.initial_state();
  VectorX x = VectorX::Zero(12);
  x[5] = 0.7;
  for (int i = 1; i <= 30; ++i) {
    const VectorX q = state.q;
    system.plus(q, x, state.q);
    At at(system, state);
    EXPECT_NEAR(system.coordinate(built.joints[0].coordinates[0].number, state, at.w), 0.7 * i, 1e-12);
    system.accept(state, at.w);
  }
}

TEST(BuiltSystem, RatesAreThoseOfTheCoordinates) {
  Model model = two_bodies();
  model.joints = {joint("slide", "cylindrical", "left", "right", Vec3(1, 0, 0), unit_x)};
  model.bodies["right"].velocity = Vec3(3, 0, 0);
  model.bodies["right"].angular_velocity = Vec3(-2, 0, 0);
  const BuiltModel built = build(model);
  const At at(built);
  ASSERT_EQ(built.joints[0].coordinates.size(), 2u);
  EXPECT_EQ(built.joints[0].coordinates[0].name, "displacement");
  EXPECT_NEAR(built.system->coordinate_rate(built.joints[0].coordinates[0].number, at.w), 3, 1e-15);
  EXPECT_NEAR(built.system->coordinate_rate(built.joints[0].coordinates[1].number, at.w), -2, 1e-15);
}

TEST(BuiltSystem, NamesItsDofsAndRows) {
  const BuiltModel built = build(slider_crank());
  EXPECT_EQ(built.system->dof_name(0), "body 'crank', motion along x");
  EXPECT_EQ(built.system->dof_name(11), "body 'rod', rotation about its z");
  EXPECT_THAT(built.system->row_name(0), HasSubstr("joint 'A', force along world x"));
  EXPECT_THAT(built.system->row_name(16), HasSubstr("joint 'D'"));
}

TEST(BuiltSystem, ForcesTellTheirWrenches) {
  Model model = two_bodies();
  model.forces["spring"] =
      SpringSettings{.between = {"left", "right"}, .law = {.stiffness = 10, .free = 0.4}};
  const BuiltModel built = build(model);
  const At at(built);
  ASSERT_EQ(built.forces.size(), 1u);
  EXPECT_MATRIX_NEAR(built.system->force_wrench(built.forces[0].force, 0, at.state, at.w).head<3>(),
                     Vec3(6, 0, 0), 1e-14);
  EXPECT_MATRIX_NEAR(built.system->force_wrench(built.forces[0].force, 1, at.state, at.w).head<3>(),
                     Vec3(-6, 0, 0), 1e-14);
}

TEST(BuiltSystem, AFollowerLoadTurnsWithItsBodyADeadLoadDoesNot) {
  for (const bool follower : {true, false}) {
    Model model = two_bodies();
    model.bodies["left"].place.rotate = AxisAngle{unit_z, pi / 2};
    model.forces["push"] = LoadSettings{.on = "left",
                                        .at = Vec3(0, 1, 0),
                                        .force = {{5, 0, 0}},
                                        .in = follower ? LoadAxes::body : LoadAxes::world};
    const BuiltModel built = build(model);
    At at(built);
    VectorX r;
    built.system->residual(at.state, at.w, r);  // minus the force; the moment about the body's own axes
    EXPECT_MATRIX_NEAR(-r.head<3>(), follower ? Vec3(0, 5, 0) : Vec3(5, 0, 0), 1e-14);
    EXPECT_MATRIX_NEAR(-r.segment<3>(3), follower ? zero3 : Vec3(0, 0, -5), 1e-14);
  }
}

TEST(BuiltModel, KnowsWhatTheStartMustLeaveAlone) {
  Model model = two_bodies();
  model.bodies["left"].hold = true;
  model.bodies["right"].angular_velocity = Vec3(1, 0, 0);
  const BuiltModel built = build(model);
  EXPECT_EQ(built.held_position, (std::vector<char>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(built.held_velocity, (std::vector<char>{1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(BuildErrors, NamesThatAreNotThere) {
  EXPECT_THAT(complaint_about(joint("a", "revolute", "left", "rihgt", Vec3(0, 0, 0), unit_z)),
              HasSubstr("joints.a.revolute[1]: no body named 'rihgt' (did you mean 'right'?)"));
  EXPECT_THAT(complaint_about(joint("a", "fixed", "left.pin", "right", {})),
              HasSubstr("body 'left' has no frame named 'pin'"));
}

TEST(BuildErrors, JointsThatCannotBe) {
  EXPECT_THAT(complaint_about(joint("a", "fixed", "left", "left", {})), HasSubstr("joins 'left' to itself"));
  EXPECT_THAT(complaint_about(joint("a", "revolute", "left", "right", Vec3(0, 0, 0))),
              HasSubstr("needs an 'axis'"));
  EXPECT_THAT(complaint_about(joint("a", "revolute", "left", "right", Vec3(0, 0, 0), Vec3(0, 0, 0))),
              HasSubstr("must not be zero"));
  EXPECT_THAT(complaint_about(joint("a", "screw", "left", "right", Vec3(0, 0, 0), unit_z)),
              HasSubstr("joints.a.pitch"));
  EXPECT_THAT(complaint_about(joint("a", "perpendicular-axes", "left", "right", Vec3(0, 0, 0), unit_z)),
              HasSubstr("'axis2'"));
  EXPECT_THAT(complaint_about({"a", UniversalSettings{.between = {"left", "right"},
                                                      .at = Vec3(0, 0, 0),
                                                      .axis = unit_z,
                                                      .axis2 = Vec3(0, 1, 1)}}),
              HasSubstr("must be perpendicular"));
  EXPECT_THAT(complaint_about({"a", FixedSettings{.between = {"left", "right"},
                                                  .friction = FrictionSettings{.viscous = 1}}}),
              HasSubstr("no coordinate that friction could act along"));
}

TEST(BuildErrors, CoordinatesThatAreNotThere) {
  Model model = gear_pair();
  model.joints["a"] = SphericalSettings{.between = {"ground", "left"}, .at = Vec3(0, 0, 0)};
  EXPECT_THAT(complaint(model), HasSubstr("joint 'a' (spherical) has no angle to act on"));
  model = gear_pair();
  model.joints["a"] = UniversalSettings{.between = {"ground", "left"}, .at = Vec3(0, 0, 0), .axis = unit_z};
  EXPECT_THAT(complaint(model), HasSubstr("joint 'a' has several coordinates: say which, 'a.angle_x'"));
  model = gear_pair();
  model.joints["a"].get_if<RevoluteSettings>()->start["displacement"].value = 1;
  EXPECT_THAT(
      complaint(model),
      HasSubstr(
          "joints.a.start.displacement: a revolute joint has no coordinate 'displacement'; it has angle"));
  model = gear_pair();
  model.drives["motor"] = JointDriveSettings{.joint = "c"};
  EXPECT_THAT(complaint(model), HasSubstr("drives.motor.joint: no joint named 'c'"));
}

TEST(BuildErrors, ForcesThatCannotBe) {
  Model model = two_bodies();
  model.bodies["right"].place.at = zero3;
  model.forces["spring"] = SpringSettings{.between = {"left", "right"}};
  EXPECT_THAT(complaint(model), HasSubstr("forces.spring: both ends are at the same point"));
  model.bodies["right"].place.at = Vec3(std::cos(pi / 2), 0, 0);
  EXPECT_THAT(complaint(model), HasSubstr("forces.spring: both ends are at the same point"));
  TorsionSpringSettings torsion{.between = {"left", "right"}};
  model.forces["spring"] = torsion;
  EXPECT_THAT(complaint(model), HasSubstr("needs an 'axis'"));
  torsion.law.law = LawFormula{"k*x"};
  torsion.axis = unit_z;
  model.forces["spring"] = torsion;
  EXPECT_THAT(complaint(model), HasSubstr("forces.spring.law"));
  model = two_bodies();
  model.forces["push"] = LoadSettings{.on = "ground", .force = {{1, 0, 0}}};
  EXPECT_THAT(complaint(model), HasSubstr("a load on the ground does nothing"));
}

TEST(BuildErrors, AllAreReportedAtOnce) {
  Model model = two_bodies();
  model.joints = {joint("a", "fixed", "lef", "right", {}),
                  joint("b", "revolute", "left", "right", Vec3(0, 0, 0)),
                  joint("c", "spherical", "left", "right", {}), joint("c", "spherical", "left", "right", {})};
  EXPECT_THAT(complaint(model),
              AllOf(HasSubstr("joints.a"), HasSubstr("joints.b"), HasSubstr("two joints named 'c'")));
  model = two_bodies();
  model.bodies[1].first = "left";
  model.bodies.push_back(rigid("ground", 1, {1, 1, 1}, {0, 0, 0}));
  EXPECT_THAT(complaint(model),
              AllOf(HasSubstr("two bodies named 'left'"), HasSubstr("'ground' is the world itself")));
}

TEST(BuildErrors, AModelWithoutBodies) {
  EXPECT_THAT(complaint({}), HasSubstr("bodies: the model has no bodies"));
}

}  // namespace
}  // namespace hooke::test
