// Driven motion and the efforts it takes, against formulas.
#include "hooke/analysis/kinematics.h"

#include "hooke/integrators/march.h"
#include "support/crank.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;
constexpr double g = 9.81;

struct Driven {
  explicit Driven(const Model& model) : ready(model), motion(ready.system(), {}) {}
  std::vector<State> go(double end, double step) {
    std::vector<State> states;
    March march(ready.system(), motion, {.end = end, .step = step});
    march.on_output = [&](const State& state) { states.push_back(state); };
    State state = ready.start();
    march.run(state);
    return states;
  }
  Vec3 position(int body, const State& state) const { return ready.system().motion(body, state).pose.p; }
  /// The effort of a drive: minus its multiplier.
  double effort(const State& state) const { return -state.lambda[ready.system().nc() - 1]; }

  Ready ready;
  KinematicMotion motion;
};

/// A link of 1 m, mass centre in its middle, about z.
Model driven_link(const Function& angle) {
  Model model = chain(1);
  model.joints[0] = joint("hinge", "revolute", "ground", "link0", Vec3(0, 0, 0), unit_z);
  model.drives["motor"] = JointDriveSettings{.joint = "hinge", .function = angle};
  return model;
}

TEST(Kinematics, TheMotorOfALinkLiftsAndAcceleratesIt) {
  const Function angle = Function::harmonic(2, 3, 0.4, 0.1);
  Driven link(driven_link(angle));
  for (const State& state : link.go(3, 0.02)) {
    const Sample f = angle(state.t);
    EXPECT_NEAR((link.position(0, state) - 0.5 * Vec3(std::cos(f.value), std::sin(f.value), 0)).norm(), 0,
                1e-11);
    EXPECT_NEAR(state.v[5], f.d1, 1e-10);
    EXPECT_NEAR(state.a[5], f.d2, 1e-8);
    EXPECT_NEAR(link.effort(state), (1 + 0.25) * f.d2 + g * 0.5 * std::cos(f.value), 1e-7) << state.t;
  }
}

TEST(Kinematics, AnglesGoOnOverManyTurns) {
  Driven link(driven_link(Function::polynomial({0, 30})));
  const State end = link.go(2, 0.02).back();
  auto workspace = link.ready.system().workspace();
  auto& w = static_cast<SystemWorkspace&>(*workspace);
  link.ready.system().update(end, w);
  EXPECT_NEAR(link.ready.system().coordinate(link.ready.built().joints[0].coordinates[0].number, end, w), 60,
              1e-9);
}

/// Crank r, rod l, slider along x, all in the xy plane: the slider is at r cos(phi) + sqrt(l^2 - r^2
/// sin^2(phi)).
Model crank_slider() {
  const double r = 0.3, l = 1;
  Model model;
  model.gravity = {0, -g, 0};
  model.bodies = {rigid("crank", 1, {0.01, 0.02, 0.02}, {r / 2, 0, 0}),
                  rigid("rod", 2, {0.01, 0.2, 0.2}, {r + l / 2, 0, 0}),
                  rigid("slider", 3, {0.01, 0.01, 0.01}, {r + l, 0, 0})};
  model.joints = {joint("A", "revolute", "ground", "crank", Vec3(0, 0, 0), unit_z),
                  joint("B", "cylindrical", "crank", "rod", Vec3(r, 0, 0), unit_z),
                  joint("C", "spherical", "rod", "slider", Vec3(r + l, 0, 0)),
                  joint("D", "prismatic", "ground", "slider", Vec3(r + l, 0, 0), unit_x)};
  // 5 + 4 + 3 + 5 = 17 rows: one motion, which the motor takes
  model.drives["motor"] = JointDriveSettings{.joint = "A", .function = Function::polynomial({0, 10})};
  return model;
}

TEST(Kinematics, ACrankSliderIsWhereGeometryPutsIt) {
  Driven crank(crank_slider());
  ASSERT_EQ(crank.ready.assembled().rank.degrees_of_freedom(), 0);
  for (const State& state : crank.go(1, 0.01)) {
    const double phi = 10 * state.t, s = 0.3 * std::sin(phi), root = std::sqrt(1 - s * s);
    EXPECT_NEAR(crank.position(2, state).x(), 0.3 * std::cos(phi) + root, 1e-10);
    EXPECT_NEAR(state.v[12], -10 * 0.3 * std::sin(phi) * (1 + 0.3 * std::cos(phi) / root), 1e-9);
  }
}

/// The analytic torque at constant speed w: what changes the energy, tau w = dE/dphi w, with E from the
/// geometry:
///   x = r cos + root,  centre of the rod ((r cos + x)/2, r sin / 2),  angle of the rod psi, sin(psi) = -r
///   sin / l.
TEST(Kinematics, TheMotorTorqueOfACrankSliderIsTheAnalyticOne) {
  const double r = 0.3, w = 10, h = 1e-4;
  const auto energy = [&](double phi) {
    const double s = r * std::sin(phi), c = r * std::cos(phi), root = std::sqrt(1 - s * s);
    const double x_dot = -w * s * (1 + c / root), psi_dot = -w * c / root;
    const Vec2 rod((-w * s + x_dot) / 2, w * c / 2);
    return 0.5 * (0.02 + 1 * r * r / 4) * w * w + 0.5 * 2 * rod.squaredNorm() +
           0.5 * 0.2 * psi_dot * psi_dot + 0.5 * 3 * x_dot * x_dot + g * (1 * s / 2 + 2 * s / 2);
  };
  Driven crank(crank_slider());
  for (const State& state : crank.go(0.7, 0.01)) {
    const double phi = w * state.t;
    const double torque =
        (8 * (energy(phi + h) - energy(phi - h)) - (energy(phi + 2 * h) - energy(phi - 2 * h))) / (12 * h);
    EXPECT_NEAR(crank.effort(state), torque, 1e-6 * (1 + std::abs(torque))) << state.t;
  }
}

/// Why a slider is refused that is pushed with a speed until the rod is stretched, 0.3 m away.
std::string refusal_at(double speed) {
  Model bent = crank_slider();
  bent.joints["A"].get_if<RevoluteSettings>()->start["angle"].value = std::acos(0.15);  // the slider at 1 m
  bent.drives.clear();
  bent.drives["push"] = JointDriveSettings{.joint = "D", .function = Function::polynomial({-0.3, speed})};
  Driven crank(bent);
  State state = crank.ready.start();
  StepReport report{.accepted = true};
  while (report.accepted && state.t < 2) {
    const State before = state;
    report = crank.motion.step(state, 0.01);
    if (!report.accepted) {
      EXPECT_EQ(state.t, before.t);
      EXPECT_TRUE((state.q.array() == before.q.array()).all());
    }
  }
  EXPECT_FALSE(report.accepted);
  EXPECT_NEAR(state.t, 0.3 / speed, 0.02) << "as far as the rod reaches";
  return report.failure;
}

TEST(Kinematics, ADriveThatAsksTooMuchIsRefusedAndTheStateStays) {
  EXPECT_THAT(refusal_at(0.51), HasSubstr("cannot reach"));
  EXPECT_THAT(refusal_at(0.5), HasSubstr("dead centre")) << "a step ends where the rod is just stretched";
}

}  // namespace
}  // namespace hooke::test
