// A motion that repeats itself: its multipliers are those of Mathieu's equation, and a coupling that is unstable is seen.
#include "hooke/simulation/cycle_stability.h"
#include "parse.h"

#include <gtest/gtest.h>

#include <numbers>

namespace hooke::test::cycles {
namespace {

/// A point mass upside down on a massless rod, on a pivot that is shaken up and down.
const char* const shaken = R"yaml(
hooke: 1
parameters: {a: 0.1, w: 60}
gravity: [0, 0, -9.81]
bodies:
  cart: {rigid: {mass: 1, inertia: 1}}
  bob: {rigid: {mass: 1, inertia: 1e-9}, at: [0, 0, 0.5]}
joints:
  rail: {prismatic: [ground, cart], axis: z}
  pivot: {revolute: [cart, bob], at: [0, 0, 0], axis: y}
drives:
  shaker: {joint: rail, function: "a*cos(w*t)"
}
subsystems:
  below: [cart]
  above: {bodies: [bob], steps: 2}
coupling: multirate
run: {integrator: {generalized-alpha: 1}, step: 1e-4, end: 1}
)yaml";

/// l theta'' = (g - a w^2 cos(w t)) theta, by the classical Runge-Kutta method; both columns of the matrix.
double mathieu_radius(double a, double w, double period) {
  const auto end = [&](double x, double v) {
    constexpr int n = 20000;
    const double h = period / n;
    const auto slope = [&](double t, double y) { return (9.81 - a * w * w * std::cos(w * t)) / 0.5 * y; };
    for (int k = 0; k < n; ++k) {
      const double t = k * h;
      const double a1 = slope(t, x), a2 = slope(t + h / 2, x + h / 2 * v),
                   a3 = slope(t + h / 2, x + h / 2 * (v + h / 2 * a1)),
                   a4 = slope(t + h, x + h * (v + h / 2 * a2));
      x += h * v + h * h / 6 * (a1 + a2 + a3);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return std::pair{x, v};
  };
  const auto [p, q] = end(1, 0);
  const auto [r, s] = end(0, 1);
  const double half = (p + s) / 2;  // the determinant is 1
  return std::abs(half) > 1 ? std::abs(half) + std::sqrt(half * half - 1) : 1.0;
}

TEST(CycleStability, HasTheMultipliersOfMathieusEquation) {
  for (const double w : {20.0, 60.0}) {  // falls; stands, since the pivot is shaken fast
    const double period = 2 * std::numbers::pi / w, exact = mathieu_radius(0.1, w, period);
    Problem file = parse(shaken, {"parameters.w=" + std::to_string(w), "subsystems=null", "coupling=null"});
    const CycleStability found = cycle_stability(file, period);
    EXPECT_LT(found.open, 1e-6);
    EXPECT_NEAR(found.radius(), exact, 2e-3 * exact) << w;
    EXPECT_EQ(exact > 1.01, w < 40);
  }
}

TEST(CycleStability, CoupledAsTheWhole) {
  const double period = 2 * std::numbers::pi / 20;
  const std::vector<std::string> slow{"parameters.w=20"};
  Problem file = parse(shaken, slow), whole = file;
  whole.subsystems = {};
  EXPECT_NEAR(cycle_stability(file, period).radius(), cycle_stability(whole, period).radius(), 0.01);
}

TEST(CycleStability, NothingIsLeftFree) {
  const Problem file = load(HOOKE_ROOT "/models/crank_rocker_driven.yaml");
  EXPECT_TRUE(cycle_stability(file, 1).multipliers.empty());
}

/// Schneider et al. (2017), section 5: degree 2 is unstable with any step, degree 1 is not.
TEST(CycleStability, SeesWhatACouplingAdds) {
  const auto radius = [](int degree) {
    const std::string d = std::to_string(degree);
    return cycle_stability(load(HOOKE_ROOT "/models/coupled/cable.yaml",
                                {"parameters.ratio=3", "parameters.elements=2",
                                 "coupling.force-displacement.force_degree=" + d,
                                 "coupling.force-displacement.motion_degree=" + d}),
                           0.02)
        .radius();
  };
  EXPECT_LT(radius(1), 1.5);
  EXPECT_GT(radius(2), 10);
}

}  // namespace
}  // namespace hooke::test::cycles
