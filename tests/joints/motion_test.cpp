// What each joint is for: the motions it allows, exactly those, measured by its coordinates.
#include <Eigen/Dense>
#include <numbers>

#include "any_constraint.h"

namespace hooke::test {
namespace {

using std::numbers::pi;

FramePose shift(double x, double y, double z) { return {identity3, Vec3(x, y, z)}; }
FramePose turn(const Vec3& rotation) { return {exp_so3(rotation), zero3}; }
FramePose turn_x(double angle) { return turn(angle * unit_x); }
FramePose turn_y(double angle) { return turn(angle * unit_y); }
FramePose turn_z(double angle) { return turn(angle * unit_z); }

using Motion = std::function<FramePose(const VectorX&)>;  // 6 - rows numbers -> X_AB
using Measured =
    std::function<std::vector<double>(const VectorX&)>;  // the same numbers -> the joint's coordinates

/// B moved against A as the joint should allow leaves g at zero; the velocities of these motions are all that
/// G allows; and any other small motion of B violates g.
void allows_exactly(const AnyConstraint& joint, const Motion& motion, const Measured& measured) {
  const int freedoms = 6 - joint.rows;
  Random random(3);
  for (int i = 0; i < 10; ++i) {
    const FramePose A = random_pose(random);
    const VectorX u = random_vector(freedoms, random);
    const auto frames_at = [&](const VectorX& parameters) {
      return Frames{.pose = {A, A * motion(parameters)}};
    };
    const Frames frames = frames_at(u);
    const FramePose B = frames.pose[1];

    EXPECT_LT(joint.g(frames).norm(), 1e-14);

    const MatrixX allowed = finite_difference(
        [&](const VectorX& du) -> VectorX {
          const FramePose moved_B = frames_at(u + du).pose[1];
          return (Vec6() << moved_B.p - B.p, log_so3(Mat3(moved_B.R * B.R.transpose()))).finished();
        },
        freedoms);
    const MatrixX G_B = joint.G(frames).rightCols<6>();
    EXPECT_MATRIX_NEAR(G_B * allowed, MatrixX::Zero(joint.rows, freedoms), 1e-8);

    const Eigen::SelfAdjointEigenSolver<MatrixX> directions(allowed *
                                                            allowed.transpose());  // forbidden ones first
    for (int k = 0; k < 6; ++k) {
      if (k >= joint.rows) {
        EXPECT_GT(directions.eigenvalues()[k], 1e-2) << "the motion is no full basis";
        continue;
      }
      VectorX forbidden = VectorX::Zero(12);
      forbidden.tail<6>() = 1e-3 * directions.eigenvectors().col(k);
      EXPECT_GT(joint.g(frames.moved(forbidden)).norm(), 1e-5) << "motion " << forbidden.transpose();
    }

    const std::vector<double> coordinates = joint.coordinates(frames), expected = measured(u);
    ASSERT_EQ(coordinates.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(coordinates[k], expected[k], 1e-14);
  }
}

/// The first n parameters are the coordinates.
Measured first(int n) {
  return [n](const VectorX& u) { return std::vector<double>(u.begin(), u.begin() + n); };
}

TEST(JointMotion, Fixed) {
  allows_exactly(
      any(joints::Fixed{}), [](const VectorX&) { return FramePose{}; }, first(0));
}

TEST(JointMotion, Revolute) {
  allows_exactly(
      any(joints::Revolute{}), [](const VectorX& u) { return turn_z(u[0]); }, first(1));
}

TEST(JointMotion, Prismatic) {
  allows_exactly(
      any(joints::Prismatic{}), [](const VectorX& u) { return shift(0, 0, u[0]); }, first(1));
}

TEST(JointMotion, Cylindrical) {
  allows_exactly(
      any(joints::Cylindrical{}), [](const VectorX& u) { return shift(0, 0, u[0]) * turn_z(u[1]); },
      first(2));
}

TEST(JointMotion, Screw) {
  auto screw = example<joints::Screw>();
  const double lead = screw.pitch / (2 * pi);
  allows_exactly(
      any(screw), [&](const VectorX& u) { return shift(0, 0, lead * u[0]) * turn_z(u[0]); },
      [&](const VectorX& u) {
        return std::vector{lead * u[0], u[0]};
      });
}

TEST(JointMotion, Universal) {
  allows_exactly(
      any(joints::Universal{}), [](const VectorX& u) { return turn_x(u[0]) * turn_y(u[1]); }, first(2));
}

TEST(JointMotion, ConstantVelocity) {
  allows_exactly(
      any(joints::ConstantVelocity{}), [](const VectorX& u) { return turn(Vec3(u[0], u[1], 0)); },
      [](const VectorX& u) {
        const Mat3 R = exp_so3(Vec3(u[0], u[1], 0));
        return std::vector{std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), R(2, 2))};
      });
}

TEST(JointMotion, Spherical) {
  allows_exactly(
      any(joints::Spherical{}), [](const VectorX& u) { return turn(u); }, first(0));
}

TEST(JointMotion, Planar) {
  allows_exactly(
      any(joints::Planar{}), [](const VectorX& u) { return shift(u[0], u[1], 0) * turn_z(u[2]); }, first(3));
}

TEST(JointMotion, PointOnLine) {
  allows_exactly(
      any(joints::PointOnLine{}), [](const VectorX& u) { return shift(0, 0, u[0]) * turn(u.tail<3>()); },
      first(1));
}

TEST(JointMotion, PointOnPlane) {
  allows_exactly(
      any(joints::PointOnPlane{}), [](const VectorX& u) { return shift(u[0], u[1], 0) * turn(u.tail<3>()); },
      first(2));
}

TEST(JointMotion, ParallelAxes) {
  allows_exactly(
      any(joints::ParallelAxes{}), [](const VectorX& u) { return shift(u[1], u[2], u[3]) * turn_z(u[0]); },
      first(1));
}

TEST(JointMotion, PerpendicularAxes) {
  allows_exactly(
      any(joints::PerpendicularAxes{}),
      [](const VectorX& u) { return shift(u[2], u[3], u[4]) * turn_z(u[0]) * turn_x(pi / 2) * turn_z(u[1]); },
      first(0));
}

TEST(JointMotion, Distance) {
  const auto joint = example<joints::FixedDistance>();
  allows_exactly(
      any(joint),
      [&](const VectorX& u) {
        return turn_x(u[0]) * turn_y(u[1]) * shift(0, 0, joint.length) * turn(u.tail<3>());
      },
      first(0));
}

/// Two shafts at an angle, each turning in its own bearing: through a constant velocity joint one full turn
/// of equal angles is possible, through one Hooke's joint it is not.
TEST(JointMotion, ShaftsTurnEquallyFastThroughTheConstantVelocityJoint) {
  const AnyConstraint constant_velocity = any(joints::ConstantVelocity{}),
                      universal = any(joints::Universal{});
  double universal_error = 0;
  for (double phi = 0; phi < 2 * pi; phi += 0.1) {
    const Frames frames{.pose = {turn_z(phi), turn_x(0.6) * turn_z(phi)}};
    EXPECT_LT(constant_velocity.g(frames).norm(), 1e-15);
    universal_error = std::max(universal_error, universal.g(frames).norm());
  }
  EXPECT_GT(universal_error, 0.05);
}

/// The multipliers of the joints as their comments name them.
TEST(JointReactions, HaveTheDocumentedSigns) {
  const Frames apart{.pose = {FramePose{}, shift(0, 0, 2)}};
  const AnyConstraint distance = any(joints::FixedDistance{});
  const VectorX tension = VectorX::Constant(1, 5.0);
  EXPECT_MATRIX_NEAR(distance.reaction_on(1, apart, tension), (Vec6() << 0, 0, -5, 0, 0, 0).finished(),
                     1e-15);
  EXPECT_MATRIX_NEAR(distance.reaction_on(0, apart, tension), (Vec6() << 0, 0, 5, 0, 0, 0).finished(), 1e-15);

  const Frames together{.pose = {FramePose{}, FramePose{}}};
  const VectorX force = Vec3(1, 2, 3);
  EXPECT_MATRIX_NEAR(any(joints::Spherical{}).reaction_on(0, together, force),
                     (Vec6() << 1, 2, 3, 0, 0, 0).finished(), 1e-15);

  const AnyConstraint drive = any(Drive<Angle>{Angle::about_z(), Function(0.0)});
  EXPECT_MATRIX_NEAR(drive.reaction_on(1, together, tension), (Vec6() << 0, 0, 0, 0, 0, -5).finished(),
                     1e-15);
}

TEST(DistanceCoordinate, HasNoDirectionWherePointsCoincide) {
  Mat12 H = Mat12::Zero();
  const FramePose F;
  Distance{}.add_hessian(F, F, 1, H);
  EXPECT_EQ(Distance{}.value(F, F), 0);
  EXPECT_TRUE(Distance{}.gradient(F, F).isZero(0));
  EXPECT_TRUE(H.isZero(0));
}

// ---- many turns ---------------------------------------------------------------------------------

/// check(angle) at steps of 0.7 rad through 20 turns forward and 40 back.
void for_many_turns(const std::function<void(double)>& check) {
  double angle = 0;
  for (; angle < 40 * pi; angle += 0.7) check(angle);
  for (; angle > -40 * pi; angle -= 0.7) check(angle);
}

TEST(ManyTurns, ScrewAdvancesByItsPitch) {
  auto screw = example<joints::Screw>();
  const AnyConstraint constraint = any(screw);
  Frames frames{.pose = {FramePose{}, FramePose{}}};
  for_many_turns([&](double angle) {
    frames.pose[1] = shift(0, 0, screw.pitch * angle / (2 * pi)) * turn_z(angle);
    EXPECT_LT(constraint.g(frames).norm(), 1e-12);
    constraint.accept(frames);
    EXPECT_NEAR(frames.memory[0], angle, 1e-12);
  });
}

TEST(ManyTurns, GearsKeepTheirRatio) {
  const Gear gear{Angle::about_z(), Angle::about_z(), 1.7, 0};
  const AnyConstraint constraint = any(gear);
  Frames frames{.pose = std::vector<FramePose>(4)};
  for_many_turns([&](double angle) {
    frames.pose[1] = turn_z(-1.7 * angle);
    frames.pose[3] = turn_z(angle);
    EXPECT_LT(constraint.g(frames).norm(), 1e-12);
    constraint.accept(frames);
    EXPECT_NEAR(frames.memory[0], -1.7 * angle, 1e-12);
    EXPECT_NEAR(frames.memory[angle_memory], angle, 1e-12);
  });
}

TEST(ManyTurns, RackFollowsThePinion) {
  const AnyConstraint constraint = any(RackAndPinion{Displacement{}, Angle::about_z(), -0.05, 0});
  Frames frames{.pose = std::vector<FramePose>(4)};
  for_many_turns([&](double angle) {
    frames.pose[1] = shift(0, 0, 0.05 * angle);
    frames.pose[3] = turn_z(angle);
    EXPECT_LT(constraint.g(frames).norm(), 1e-12);
    constraint.accept(frames);
    EXPECT_NEAR(frames.memory[0], angle, 1e-12);
  });
}

TEST(ManyTurns, DriveMeasuresItsErrorFromTheDrivenAngle) {
  const AnyConstraint constraint =
      any(Drive<Angle>{Angle::about_z(), Function::polynomial({25, 1})});  // 25 + t
  for_many_turns([&](double angle) {
    const double error = 0.1;
    const Frames frames{.pose = {FramePose{}, turn_z(angle + error)}, .t = angle - 25};
    EXPECT_NEAR(constraint.g(frames)[0], error, 1e-12);
  });
}

}  // namespace
}  // namespace hooke::test
