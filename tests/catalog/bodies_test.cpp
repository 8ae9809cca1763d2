// From what a user writes of a body to its mass, mass centre, inertia and place.
#include <numbers>

#include "hooke/catalog/build.h"
#include "support/finite_difference.h"
#include "support/mechanisms.h"

namespace hooke::test {
namespace {

constexpr double pi = std::numbers::pi;

/// The mass matrix of a model's only body at its start: mass on the first three, inertia about the centre on
/// the last.
MatrixX mass_matrix(const RigidSettings& settings) {
  Model model;
  model.bodies["body"].formulation = settings;
  const BuiltModel built = build(model);
  const State state = built.system->initial_state();
  auto workspace = built.system->workspace();
  KktMatrix kkt(built.system->structure());
  built.system->update(state, *workspace);
  built.system->tangent(state, {.m = 1}, *workspace, kkt);
  return kkt.matrix.dense();
}

Vec3 start_of_centre(const RigidSettings& settings) {
  Model model;
  model.bodies["body"].formulation = settings;
  return build(model).system->initial_state().q.head<3>();
}

RigidSettings plain(double mass, const Mat3& inertia) {
  RigidSettings settings;
  settings.mass = mass;
  settings.inertia = {inertia, true};
  return settings;
}

TEST(RigidSettings, MassAndInertiaAboutTheCentre) {
  Mat3 J;
  J << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
  RigidSettings settings = plain(2, J);
  settings.centre = Vec3(1, 2, 3);
  const MatrixX M = mass_matrix(settings);
  EXPECT_MATRIX_NEAR(M.topLeftCorner(3, 3), 2 * identity3, 1e-15);
  EXPECT_MATRIX_NEAR(M.bottomRightCorner(3, 3), J, 1e-15);
  EXPECT_MATRIX_NEAR(start_of_centre(settings), Vec3(1, 2, 3), 1e-15);
}

TEST(RigidSettings, InertiaAboutAnotherFrameIsTurnedAndMoved) {
  const Mat3 J = Vec3(3, 4, 5).asDiagonal();
  RigidSettings settings =
      plain(2, Mat3(J + 2 * Vec3(4, 4, 0).asDiagonal().toDenseMatrix()));  // a distance of 2 along z
  settings.inertia_frame = PlacementSettings{.at = Vec3(0, 0, 2)};
  EXPECT_MATRIX_NEAR(mass_matrix(settings).bottomRightCorner(3, 3), J, 1e-14);
  settings = plain(2, J);
  settings.inertia_frame = PlacementSettings{.rotate = AxisAngle{unit_x, pi / 2}};
  EXPECT_MATRIX_NEAR(mass_matrix(settings).bottomRightCorner(3, 3),
                     Vec3(3, 5, 4).asDiagonal().toDenseMatrix(), 1e-14);
}

TEST(RigidSettings, ShapesHaveTheirMassAndInertia) {
  RigidSettings box;
  box.shape = BoxShape{Vec3(1, 2, 3)};
  box.density = 10;
  const MatrixX M = mass_matrix(box);
  EXPECT_DOUBLE_EQ(M(0, 0), 60);
  EXPECT_MATRIX_NEAR(M.diagonal().tail<3>(), 60.0 / 12 * Vec3(4 + 9, 1 + 9, 1 + 4), 1e-13);

  RigidSettings rod;
  rod.shape = CylinderShape{0.1, 2};
  rod.mass = 3;
  EXPECT_MATRIX_NEAR(mass_matrix(rod).diagonal().tail<3>(),
                     3 * Vec3(0.0025 + 4.0 / 12, 0.0025 + 4.0 / 12, 0.005), 1e-14);

  RigidSettings ball;
  ball.shape = SphereShape{0.5};
  ball.density = 2;
  EXPECT_DOUBLE_EQ(mass_matrix(ball)(0, 0), 2 * 4.0 / 3 * pi * 0.125);
}

/// Two point masses on a massless axis make a dumbbell; added to a body, centre and inertia follow.
TEST(RigidSettings, PointMassesAreAdded) {
  RigidSettings settings = plain(2, identity3);
  settings.points = {{.mass = 1, .at = Vec3(3, 0, 0)}};
  const Vec3 centre = Vec3(3, 0, 0) / 3;
  EXPECT_MATRIX_NEAR(start_of_centre(settings), centre, 1e-15);
  const MatrixX M = mass_matrix(settings);
  EXPECT_NEAR(M(0, 0), 3, 1e-15);
  EXPECT_MATRIX_NEAR(M.diagonal().tail<3>(), Vec3(1, 1 + 2 * 1 + 1 * 4, 1 + 2 * 1 + 1 * 4), 1e-14);
}

TEST(RigidSettings, AnOffCentreBodyMovesByItsReferenceFrame) {
  Model model;
  RigidSettings settings = plain(2, identity3);
  settings.centre = Vec3(0.5, 0, 0);
  model.bodies["body"] = {.formulation = settings,
                          .place = {.at = Vec3(1, 2, 3), .rotate = AxisAngle{unit_z, pi / 2}},
                          .velocity = Vec3(1, 0, 0),
                          .angular_velocity = Vec3(0, 0, 2)};
  const BuiltModel built = build(model);
  const State state = built.system->initial_state();
  EXPECT_MATRIX_NEAR(state.q.head<3>(), Vec3(1, 2.5, 3), 1e-15);
  EXPECT_MATRIX_NEAR(state.v.head<3>(), Vec3(1 - 2 * 0.5, 0, 0), 1e-15);
  const BodyMotion motion = built.system->motion(0, state);
  EXPECT_MATRIX_NEAR(motion.pose.p, Vec3(1, 2, 3), 1e-15);
  EXPECT_MATRIX_NEAR(motion.twist.head<3>(), Vec3(1, 0, 0), 1e-15);
  EXPECT_MATRIX_NEAR(motion.acceleration.head<3>(), Vec3(0, 2, 0),
                     1e-15);  // the centre goes straight, the origin about it: w^2 r
}

TEST(RigidSettings, AngularVelocityMayBeGivenInTheWorld) {
  Model model;
  model.bodies = {rigid("body", 1, {1, 1, 1}, {0, 0, 0})};
  model.bodies["body"].place.rotate = AxisAngle{unit_x, pi / 2};
  model.bodies["body"].angular_velocity_world = Vec3(0, 0, 3);
  const State state = build(model).system->initial_state();
  EXPECT_MATRIX_NEAR(state.v.tail<3>(), Vec3(0, 3, 0), 1e-14);
}

TEST(BodyEntry, BetweenTwoPointsItsOriginIsHalfWayAndZPointsAlong) {
  Model model;
  model.bodies = {rigid("rod", 1, {1, 1, 1}, {})};
  model.bodies["rod"].place.at.reset();
  model.bodies["rod"].between = {Vec3(1, 0, 0), "pin"};
  model.joints = {joint("pin", "spherical", "ground", "rod", Vec3(1, 4, 0))};
  const BuiltModel built = build(model);
  const FramePose X = built.system->motion(0, built.system->initial_state()).pose;
  EXPECT_MATRIX_NEAR(X.p, Vec3(1, 2, 0), 1e-15);
  EXPECT_MATRIX_NEAR(X.R.col(2), unit_y, 1e-15);
  EXPECT_MATRIX_NEAR(X.R * X.R.transpose(), identity3, 1e-15);
}

// ---- placements ---------------------------------------------------------------------------------

TEST(Placement, FourWaysToWriteOneOrientation) {
  const Mat3 R = exp_so3(Vec3(0.3, -0.8, 1.1));
  const Quat q(R);
  PlacementSettings quaternion, rotate, matrix, axes;
  quaternion.quaternion = Vec4(q.w(), q.x(), q.y(), q.z());
  rotate.rotate = AxisAngle{5 * Vec3(0.3, -0.8, 1.1), Vec3(0.3, -0.8, 1.1).norm()};
  matrix.matrix = std::array<Vec3, 3>{R.row(0), R.row(1), R.row(2)};
  axes.axes = AxesSettings{.x = R.col(0), .y = Vec3(R.col(1) + 0.2 * R.col(0)), .z = {}};
  for (const PlacementSettings& place : {quaternion, rotate, matrix, axes}) {
    EXPECT_TRUE(place.has_orientation());
    EXPECT_MATRIX_NEAR(place.pose().R, R, 1e-14);
  }
}

TEST(Placement, AnyTwoAxesGiveTheFrame) {
  const Mat3 R = exp_so3(Vec3(-1.3, 0.4, 0.2));
  for (int first = 0; first < 3; ++first)
    for (int second = first + 1; second < 3; ++second) {
      std::array<std::optional<Vec3>, 3> given;
      given[first] = 3 * R.col(first);
      given[second] = R.col(second) - 0.4 * R.col(first);  // as nearly as possible
      EXPECT_MATRIX_NEAR((AxesSettings{given[0], given[1], given[2]}.rotation()), R, 1e-14);
    }
}

TEST(Placement, OneAxisIsEnough) {
  for (int i = 0; i < 3; ++i) {
    std::array<std::optional<Vec3>, 3> given;
    given[i] = Vec3(0.3, -2, 0.5);
    const Mat3 R = AxesSettings{given[0], given[1], given[2]}.rotation();
    EXPECT_MATRIX_NEAR(R.col(i), given[i]->normalized(), 1e-15);
    EXPECT_MATRIX_NEAR(R * R.transpose(), identity3, 1e-15);
    EXPECT_NEAR(R.determinant(), 1, 1e-15);
  }
}

}  // namespace
}  // namespace hooke::test
