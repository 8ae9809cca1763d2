#include "hooke/analysis/lowest_modes.h"

#include <gmock/gmock.h>

#include <malloc.h>
#include <numbers>

#include "hooke/analysis/statics.h"
#include "hooke/base/error.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

constexpr double pi = std::numbers::pi;

/// A model at rest.
struct AtRest {
  Simulation simulation;
  State state;

  explicit AtRest(const std::string& text)
      : simulation(parse_model("hooke: 1\n" + text)), state(simulation.start().state) {
    EXPECT_TRUE(find_equilibrium(system(), state, {}).converged);
  }
  const System& system() const { return simulation.system(); }
  LowestModes lowest(int count, const GoOn& go_on = {}) const {
    return lowest_modes(system(), state, count, go_on);
  }
};

std::string box(const std::string& name, const std::string& divisions, const std::string& at,
                const std::string& more = "") {
  return name + ": {solid: {mesh: {box: {size: [0.4, 0.04, 0.04], divisions: " + divisions +
         "}}, material: {young: 7e10, poisson: 0.3, density: 2700}" + more + "}, at: " + at + "}\n";
}

/// Eigenvalues as the dense way has them; both list zeros, on which round-off is all there is.
void expect_as_dense(const AtRest& model, int count, double accuracy = 1e-7) {
  const std::vector<Mode> dense = linearise(model.system(), model.state).modes;
  const LowestModes found = model.lowest(count);
  ASSERT_EQ(found.modes.size(), std::min<std::size_t>(count, dense.size()));
  EXPECT_LE(found.error, LowestModes::wanted_error);
  double lowest = 0;
  for (std::size_t k = 0; k < found.modes.size(); ++k) {
    const Mode &a = found.modes[k], &b = dense[k];
    if (a.frequency == 0) {
      EXPECT_LT(b.frequency, 10 * found.resolution + 1e-6) << k;
      continue;
    }
    if (lowest == 0) lowest = b.frequency;
    EXPECT_NEAR(a.frequency / b.frequency, 1, accuracy) << k;
    EXPECT_NEAR(a.damping, b.damping, 100 * accuracy) << k;
  }
  MatrixX G = tangents(model.system(), model.state).G;
  for (const Mode& mode : found.modes)  // shapes are motions that the joints allow
    if (G.rows() > 0) {
      EXPECT_LT((G.leftCols(mode.shape.size()) * mode.shape).cwiseAbs().maxCoeff(),
                1e-9 * mode.shape.cwiseAbs().maxCoeff() * (1 + G.cwiseAbs().maxCoeff()));
    }
}

TEST(LowestModes, OfAFreeSolid) {
  const AtRest model("bodies:\n  " + box("bar", "[6, 2, 2]", "[0, 0, 0]"));
  const LowestModes found = model.lowest(12);
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(found.modes[k].frequency, 0) << k;  // three translations, three rotations
  EXPECT_GT(found.modes[6].frequency, 100);
  // A square section bends to both sides alike.
  EXPECT_NEAR(found.modes[6].frequency / found.modes[7].frequency, 1, 1e-9);
  expect_as_dense(model, 12);
}

TEST(LowestModes, OfTwoFreeSolidsHaveTwelveZeros) {
  const AtRest model("bodies:\n  " + box("one", "[3, 1, 1]", "[0, 0, 0]") + "  " +
                     box("two", "[3, 1, 1]", "[0, 1, 0]"));
  const LowestModes found = model.lowest(16);
  ASSERT_EQ(found.modes.size(), 16u);
  for (int k = 0; k < 12; ++k) EXPECT_EQ(found.modes[k].frequency, 0) << k;
  for (int k = 12; k < 16; ++k)
    EXPECT_NEAR(found.modes[k].frequency / found.modes[12].frequency, 1, 1e-9) << k;
}

/// More copies of a frequency than a block of Lanczos' method has columns.
TEST(LowestModes, FindsEachOfManyEqualFrequencies) {
  std::string bodies = "bodies:\n", joints = "joints:\n";
  for (int k = 0; k < 15; ++k) {
    const std::string name = "bar" + std::to_string(k);
    bodies += "  " + box(name, "[3, 1, 1]", "[0, " + std::to_string(k) + ", 0]");
    joints += "  clamp" + std::to_string(k) + ": {tie: [ground, " + name + ".x_min]}\n";
  }
  const LowestModes found = AtRest(bodies + joints).lowest(32);
  ASSERT_EQ(found.modes.size(), 32u);
  for (int k = 0; k < 30; ++k) EXPECT_NEAR(found.modes[k].frequency / found.modes[0].frequency, 1, 1e-8) << k;
  EXPECT_GT(found.modes[30].frequency, 1.5 * found.modes[0].frequency);
}

/// A cantilever of hex20 elements against Euler and Bernoulli's beam: shear and turning sections lower it a little.
TEST(LowestModes, OfACantileverAgainstABeam) {
  const double L = 1, b = 0.02, E = 2.1e11, rho = 7800;
  const AtRest model(
      "bodies:\n  beam: {solid: {mesh: {box: {size: [1, 0.02, 0.02], divisions: [40, 1, 1], element: "
      "hex20}}, "
      "material: {young: 2.1e11, poisson: 0, density: 7800}}, at: [0.5, 0, 0]}\n"
      "joints:\n  clamp: {tie: [ground, beam.x_min]}\n");
  const LowestModes found = model.lowest(4);
  const double unit = std::sqrt(E * b * b / 12 / rho) / (L * L) / (2 * pi);
  for (const auto& [k, root] : {std::pair(0, 1.875104), std::pair(2, 4.694091)}) {
    const double beam = root * root * unit, slender = 3e-3 * (k + 1);
    EXPECT_NEAR(found.modes[k].frequency / beam, 1, slender) << k;
    EXPECT_LT(found.modes[k].frequency, beam);
    EXPECT_NEAR(found.modes[k + 1].frequency / found.modes[k].frequency, 1, 1e-8);
  }
}

TEST(LowestModes, OfSolidsInComponentsAndOnJoints) {
  const std::string two = "bodies:\n  " + box("beam", "[8, 2, 2]", "[0.2, 0, 0]", ", components: 4") + "  " +
                          box("arm", "[4, 1, 1]", "[0.6, 0, 0]") +
                          "joints:\n  clamp: {tie: [ground, beam.x_min]}\n"
                          "  hinge: {revolute: [beam.x_max, arm.x_min], axis: y}\n";
  expect_as_dense(AtRest(two), 12);
}

/// A solid as one mesh and cut into tied components are the same body.
TEST(LowestModes, TiesAddNothing) {
  const auto bar = [](const std::string& more) {
    return AtRest("bodies:\n  " + box("bar", "[8, 2, 2]", "[0, 0, 0]", more) +
                  "joints:\n  clamp: {tie: [ground, bar.x_min]}\n")
        .lowest(10);
  };
  const LowestModes whole = bar(""), cut = bar(", components: 4");
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(cut.modes[k].frequency / whole.modes[k].frequency, 1, 1e-8) << k;
}

/// One frame for the whole body: what holds it back is the turning of its internal forces.
TEST(LowestModes, OfASolidThatHangs) {
  const AtRest model(
      "gravity: [0, 0, -9.81]\nbodies:\n  bar: {solid: {mesh: {box: {size: [0.04, 0.04, 0.4], divisions: [2, "
      "2, 6]}}, material: {young: 7e10, "
      "poisson: 0.3, density: 2700}}, at: [0, 0, -0.2]}\njoints:\n  pivot: {revolute: [ground, bar.z_max], "
      "axis: y}\n");
  const double inertia = (0.4 * 0.4 + 0.04 * 0.04) / 12 + 0.2 * 0.2,
               rigid = std::sqrt(9.81 * 0.2 / inertia) / (2 * pi);
  EXPECT_NEAR(linearise(model.system(), model.state).modes[0].frequency / rigid, 1, 1e-5);
  const LowestModes found = model.lowest(6);
  EXPECT_NEAR(found.modes[0].frequency / rigid, 1, 1e-5);
  EXPECT_LT(found.error, LowestModes::told_error);
}

TEST(LowestModes, RedundantRowsDoNotMatter) {
  const std::string bar = "bodies:\n  " + box("bar", "[6, 2, 2]", "[0, 0, 0]") +
                          "joints:\n  clamp: {tie: [ground, bar.x_min]}\n",
                    more = "  again: {tie: [ground, bar.x_min]}\n  frame: {fixed: [ground, bar.x_min]}\n";
  const LowestModes once = AtRest(bar).lowest(8), twice = AtRest(bar + more).lowest(8);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(twice.modes[k].frequency / once.modes[k].frequency, 1, 1e-7) << k;
}

TEST(LowestModes, OfRods) {
  for (const char* type : {"cosserat", "ancf"})
    expect_as_dense(AtRest(std::string("gravity: [0, 0, -9.81]\nbodies:\n  rod: {") + type +
                           ": {length: 2, elements: 12, section: {circle: {radius: 0.01}}, material: {young: "
                           "2e11, poisson: 0.3, density: 7800}}, "
                           "axes: {x: [0, 1, 0], z: [1, 0, 0]}}\n"
                           "joints:\n  clamp: {fixed: [ground, rod.start]}\n"),
                    10, 1e-6);
}

std::string chain(int n) {
  std::string bodies = "gravity: [0, 0, -9.81]\nbodies:\n", joints = "joints:\n";
  for (int k = 0; k < n; ++k) {
    const std::string z = std::to_string(-k - 0.5), name = "link" + std::to_string(k);
    bodies += "  " + name + ": {rigid: {mass: 1, inertia: [0.1, 0.1, 0.01]}, at: [0, 0, " + z + "]}\n";
    joints += "  joint" + std::to_string(k) + ": {revolute: [" +
              (k ? "link" + std::to_string(k - 1) : "ground") + ", " + name + "], at: [0, 0, " +
              std::to_string(-k) + "], axis: y}\n";
  }
  return bodies + joints;
}

TEST(LowestModes, OfAMechanismHeldByItsMultipliers) { expect_as_dense(AtRest(chain(12)), 8); }

/// So many rows that they are factorized with the rest.
TEST(LowestModes, OfAMechanismOfManyJoints) {
  const AtRest model(chain(320));
  ASSERT_GT(model.system().nc(), 1500);
  const LowestModes found = model.lowest(3);
  // A hanging chain of many links is a hanging rope: zeros of J0 (2.404826, 5.520078, 8.653728).
  const double unit = std::sqrt(9.81 / 320) / (4 * pi);
  for (const auto& [k, zero] : {std::pair(0, 2.404826), std::pair(1, 5.520078), std::pair(2, 8.653728)})
    EXPECT_NEAR(found.modes[k].frequency / (zero * unit), 1, 5e-3) << k;
}

TEST(LowestModes, FewerWhereThereAreFewer) { EXPECT_EQ(AtRest(chain(3)).lowest(20).modes.size(), 3u); }

TEST(LowestModes, OfDampedSolids) {
  const std::string rayleigh = ", stiffness_damping: 1e-5, mass_damping: 3";
  expect_as_dense(AtRest("bodies:\n  " + box("bar", "[6, 2, 2]", "[0, 0, 0]", rayleigh) +
                         "joints:\n  clamp: {tie: [ground, bar.x_min]}\n"),
                  8, 1e-6);
}

/// Damping that no undamped mode has: a damper at the end of one of two beams.
TEST(LowestModes, OfADamperAtTheEnd) {
  const std::string model =
      "bodies:\n  " + box("bar", "[6, 2, 2]", "[0, 0, 0]", "") +
      "  block: {rigid: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}, at: [0.2, 0, -0.1]}\n"
      "joints:\n  clamp: {tie: [ground, bar.x_min]}\n  slide: {prismatic: [ground, block], axis: z}\n"
      "forces:\n  strut: {spring: [bar.x_max, block], points: [[0.2, 0, 0], [0.2, 0, -0.1]], stiffness: 2e4, "
      "damping: 60, free: 0.1}\n";
  const AtRest at_rest(model);
  expect_as_dense(at_rest, 8, 1e-6);
  EXPECT_GT(at_rest.lowest(1).modes[0].damping, 0.02);
}

TEST(LowestModes, TellHowFarTheyAreAndStopWhenAsked) {
  const AtRest model("bodies:\n  " + box("bar", "[10, 3, 3]", "[0, 0, 0]"));
  std::vector<double> parts;
  model.lowest(20, [&](double part) {
    parts.push_back(part);
    return true;
  });
  EXPECT_GE(parts.size(), 3u);
  EXPECT_EQ(parts.front(), 0);
  EXPECT_EQ(parts.back(), 1);
  int asked = 0;
  try {
    model.lowest(20, [&](double) { return ++asked < 3; });
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::interrupted);
  }
  EXPECT_EQ(asked, 3);
}

/// The largest amount of memory that is in use while `work` runs, beyond what is before; glibc counts it.
TEST(LowestModes, NeedNoDenseMatrix) {
  const AtRest model("bodies:\n  " + box("bar", "[40, 8, 8]", "[0, 0, 0]"));
  const double n = model.system().nv();
  ASSERT_GT(n, 9000);
  double most = 0;
  const double before = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
  model.lowest(10, [&](double) {
    most = std::max(most, static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) - before);
    return true;
  });
  EXPECT_LT(most, 0.3 * n * n * sizeof(double));  // one dense matrix: 0.8 GB
}

}  // namespace
}  // namespace hooke::test
