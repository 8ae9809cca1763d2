#include "hooke/analysis/modes.h"

#include <Eigen/Eigenvalues>
#include <numbers>

#include "hooke/analysis/statics.h"
#include "support/crank.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi, g = 9.81;

Linearisation at_equilibrium(const Model& model) {
  const Ready ready(model);
  State state = ready.start();
  EXPECT_TRUE(find_equilibrium(ready.system(), state, {}).converged);
  return linearise(ready.system(), state);
}

Model hanging_links(int n) {
  Model model = chain(n);
  for (int i = 0; i < n; ++i) {
    model.bodies[i].second.place = {.at = Vec3(0, -i - 0.5, 0), .rotate = AxisAngle{unit_z, -pi / 2}};
    AnyJoint& link = model.joints[i].second;
    link = RevoluteSettings{
        .between = link.get_if<SphericalSettings>()->between, .at = Vec3(0, -i, 0), .axis = unit_z};
  }
  return model;
}

/// Masses on one slide, a spring and a damper between neighbours and to the ground in front.
Model masses_in_a_row(const std::vector<double>& masses, double stiffness, double damping = 0) {
  Model model;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double x = static_cast<double>(i + 1);
    const std::string name = "mass" + std::to_string(i),
                      before = i ? "mass" + std::to_string(i - 1) : "ground";
    model.bodies.push_back(rigid(name, masses[i], {1, 1, 1}, {x, 0, 0}));
    model.joints.push_back(
        joint("slide" + std::to_string(i), "prismatic", "ground", name, Vec3(x, 0, 0), unit_x));
    model.forces["spring" + std::to_string(i)] =
        SpringSettings{.between = {before, name},
                       .points = {Vec3(x - 1, 0, 0), Vec3(x, 0, 0)},
                       .law = {.stiffness = stiffness, .damping = damping, .free = 1}};
  }
  return model;
}

std::vector<double> frequencies(const MatrixX& M, const MatrixX& K) {
  const VectorX squares = Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(K, M).eigenvalues();
  std::vector<double> f;
  for (double w2 : squares) f.push_back(std::sqrt(w2) / (2 * pi));
  return f;
}

TEST(Modes, OfAPendulum) {
  const Linearisation linear =
      at_equilibrium(hanging_links(1));  // 1 kg, 1 kg m2 about the centre, which is at 0.5 m
  ASSERT_EQ(linear.modes.size(), 1u);
  EXPECT_NEAR(linear.modes[0].frequency, std::sqrt(g * 0.5 / (1 + 0.25)) / (2 * pi), 1e-10);
  EXPECT_NEAR(linear.modes[0].damping, 0, 1e-10);
}

TEST(Modes, OfAPointMassOnAString) {
  Model model = hanging_links(1);
  model.bodies["link0"].formulation.get_if<RigidSettings>()->inertia.matrix = 1e-9 * identity3;
  model.joints["joint0"] = SphericalSettings{.between = {"ground", "link0"}, .at = Vec3(0, 0, 0)};
  const Linearisation linear = at_equilibrium(model);
  int swings = 0;
  for (const Mode& mode : linear.modes)
    swings += std::abs(mode.frequency - std::sqrt(g / 0.5) / (2 * pi)) < 1e-6;
  EXPECT_EQ(swings, 2);  // to both sides; the third motion turns the mass about the string and costs nothing
}

TEST(Modes, OfADoublePendulum) {
  const Linearisation linear = at_equilibrium(hanging_links(2));
  MatrixX M(2, 2), K(2, 2);
  M << 1 + 0.25 + 1, 0.5, 0.5, 1 + 0.25;  // of the two angles from the vertical
  K << g * 1.5, 0, 0, g * 0.5;
  const std::vector<double> expected = frequencies(M, K);
  ASSERT_EQ(linear.modes.size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(linear.modes[i].frequency, expected[i], 1e-9);
}

TEST(Modes, OfTwoMassesAndTwoSprings) {
  const Linearisation linear = at_equilibrium(masses_in_a_row({2, 3}, 50));
  MatrixX M(2, 2), K(2, 2);
  M << 2, 0, 0, 3;
  K << 100, -50, -50, 50;
  const std::vector<double> expected = frequencies(M, K);
  ASSERT_EQ(linear.modes.size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(linear.modes[i].frequency, expected[i], 1e-10);
}

TEST(Modes, ShapesAreMotionsOfAllDofs) {
  const Linearisation linear = at_equilibrium(masses_in_a_row({1, 1}, 1));
  for (const Mode& mode : linear.modes) {
    ASSERT_EQ(mode.shape.size(), 12);
    const std::complex<double> first = mode.shape[0], second = mode.shape[6];
    const double w2 = std::norm(mode.eigenvalue);
    EXPECT_NEAR(std::abs(second / first - (2 - w2)), 0, 1e-9);  // from the first row of K - w2 M
    for (int dof : {1, 2, 3, 4, 5, 7, 8, 9, 10, 11}) EXPECT_LT(std::abs(mode.shape[dof]), 1e-12);
  }
}

TEST(Modes, OfADampedOscillator) {
  const double m = 2, k = 50;
  for (const double ratio : {0.01, 0.3, 0.9}) {
    const Linearisation linear = at_equilibrium(masses_in_a_row({m}, k, 2 * ratio * std::sqrt(k * m)));
    ASSERT_EQ(linear.modes.size(), 1u);
    EXPECT_NEAR(linear.modes[0].frequency, std::sqrt(k / m) / (2 * pi), 1e-10);
    EXPECT_NEAR(linear.modes[0].damping, ratio, 1e-10);
    EXPECT_NEAR(linear.modes[0].eigenvalue.imag(), std::sqrt(k / m * (1 - ratio * ratio)), 1e-9);
  }
  const Linearisation creeping =
      at_equilibrium(masses_in_a_row({m}, k, 3 * std::sqrt(k * m)));  // ratio 1.5: two real rates
  ASSERT_EQ(creeping.modes.size(), 2u);
  for (const Mode& mode : creeping.modes) EXPECT_NEAR(mode.damping, 1, 1e-12);
  EXPECT_NEAR(creeping.modes[0].eigenvalue.real() * creeping.modes[1].eigenvalue.real(), k / m, 1e-9);
}

/// What holds a pendulum up is a multiplier: without the stiffness of the multipliers it would have no
/// frequency.
TEST(Modes, AnUprightPendulumFalls) {
  Model model = hanging_links(1);
  model.gravity *= -1;
  const Ready ready(model);
  const Linearisation linear = linearise(ready.system(), ready.start());
  ASSERT_EQ(linear.modes.size(), 2u);
  const double rate = std::sqrt(g * 0.5 / 1.25);
  for (const Mode& mode : linear.modes) EXPECT_NEAR(std::abs(mode.eigenvalue.real()), rate, 1e-9);
  EXPECT_NEAR(linear.modes[0].eigenvalue.real() + linear.modes[1].eigenvalue.real(), 0, 1e-9);
}

TEST(Modes, AMechanismWithoutMotionsHasNone) {
  Model model = hanging_links(1);
  model.joints["joint0"] = FixedSettings{.between = {"ground", "link0"}, .at = Vec3(0, 0, 0)};
  EXPECT_TRUE(at_equilibrium(model).modes.empty());
}

TEST(Modes, RedundantRowsDoNotMatter) {
  Model model = hanging_links(1);
  model.joints.push_back(joint("second", "spherical", "ground", "link0", Vec3(0, 0, 0)));
  const Linearisation linear = at_equilibrium(model);
  ASSERT_EQ(linear.modes.size(), 1u);
  EXPECT_NEAR(linear.modes[0].frequency, std::sqrt(g * 0.5 / 1.25) / (2 * pi), 1e-9);
}

TEST(Modes, AMotionThatIsNotSteadyIsRefused) {
  const Ready crank(slider_crank());
  try {
    linearise(crank.system(), crank.start());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_model);
    EXPECT_THAT(error.what(), HasSubstr("this one moves otherwise"));
  }
}

}  // namespace
}  // namespace hooke::test
