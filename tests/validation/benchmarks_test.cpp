// The benchmark problems of the field, models/benchmarks: published values, exact solutions, and what each is
// about.
#include <gtest/gtest.h>

#include "support/reference.h"
#include "support/trajectory.h"

namespace hooke::test {
namespace {

const std::string explicit_rule = "run.integrator=dormand-prince";

// --- heavy top

/// The reference has nine digits.
TEST(HeavyTop, DormandPrinceReproducesTheReference) {
  const std::pair<double, Vec3> reference[] = {{0.5, {-0.702468297, -0.021165185, -0.711400258}},
                                               {1, {0.173343964, 0.640088592, -0.748490791}},
                                               {2, {-0.150416823, -0.724165592, -0.673022270}}};
  for (const auto& [t, centre] : reference) {
    const Trajectory top("benchmarks/heavy_top.yaml", {explicit_rule, "run.step=1e-4", "run.tolerance=1e-11",
                                                       fmt::format("run.end={}", t)});
    EXPECT_LT((top.position(top.last(), "top") - centre).norm(), 2e-9) << "at " << t << " s";
  }
}

// --- Andrews' squeezing mechanism (A03)

const std::pair<const char*, double> andrews_angles[] = {
    {"O", 15.81077119629904},   {"P", -15.75637105984298},  {"B", 0.04082224013073101},
    {"G", -0.5347301163226948}, {"A5", 0.5244099658805304}, {"H", 0.5347301163226948},
    {"A7", 1.048080741042263}};

double andrews_error(const Trajectory& run) {
  double error = 0;
  for (const auto& [joint, angle] : andrews_angles)
    error = std::max(error, std::abs(run.coordinate(run.last(), joint) - angle));
  return error;
}

TEST(Andrews, StartsClosedAtTheAnglesOfTheTestSet) {
  const Trajectory run("benchmarks/a03_andrews.yaml", {"run.end=1e-5"});
  const std::pair<const char*, double> start[] = {{"O", -0.0617138900142764496}, {"P", 0},
                                                  {"B", 0.455279819163070380},   {"G", 0.222668390165885885},
                                                  {"A5", 0.487364979543842550},  {"H", -0.222668390165885885},
                                                  {"A7", 1.23054744454982119}};
  for (const auto& [joint, angle] : start) EXPECT_NEAR(run.coordinate(0, joint), angle, 1e-14) << joint;
  EXPECT_EQ(run.summary().degrees_of_freedom, 1);
  EXPECT_EQ(run.summary().redundant_rows, 0);
}

/// The published values are good to about 1e-9 (tests/data/reference/README.md).
TEST(Andrews, DormandPrinceReproducesTheTestSet) {
  const Trajectory run("benchmarks/a03_andrews.yaml",
                       {explicit_rule, "run.tolerance=1e-11", "outputs.every=0.03"});
  EXPECT_LT(andrews_error(run), 1e-8);
  EXPECT_NEAR(run.rate(run.last(), "O"), 1139.920302151208, 1e-6);
  EXPECT_NEAR(run.rate(run.last(), "P"), -1424.379294994111, 1e-6);
  // (lambda1, lambda2) of the test set: the force on K3 in the point where the three loops meet
  const Vec3 force = -run.force(run.last(), "E2") - run.force(run.last(), "E4") - run.force(run.last(), "E6");
  EXPECT_NEAR(force.x(), 199.1753333731910, 5e-5);
  EXPECT_NEAR(force.y(), -29.75531228015052, 5e-5);
}

TEST(Andrews, GeneralizedAlphaConvergesWithSecondOrder) {
  const auto error = [](const char* step) {
    return andrews_error(Trajectory("benchmarks/a03_andrews.yaml", {step, "outputs.every=0.03"}));
  };
  EXPECT_NEAR(std::log2(error("run.step=2e-5") / error("run.step=1e-5")), 2, 0.1);
}

TEST(Andrews, ASmallerToleranceGivesASmallerError) {
  double last = 1;
  for (const char* tolerance : {"run.tolerance=1e-5", "run.tolerance=1e-6", "run.tolerance=1e-7"}) {
    const double error =
        andrews_error(Trajectory("benchmarks/a03_andrews.yaml", {tolerance, "outputs.every=0.03"}));
    EXPECT_LT(error, 0.5 * last) << tolerance;
    last = error;
  }
}

// --- A01: pendulum

TEST(A01Pendulum, AsShippedMeetsTheBenchmark) {
  const Trajectory run("benchmarks/a01_pendulum.yaml", {});
  EXPECT_LT(run.summary().energy_drift, 5e-5);  // what the benchmark asks for
  EXPECT_LT((run.position(run.last(), "mass") - Vec3(0.275087462576, -0.961419205099, 0)).norm(), 5e-5);
}

TEST(A01Pendulum, DormandPrinceReproducesTheReference) {
  const Trajectory run("benchmarks/a01_pendulum.yaml", {explicit_rule, "run.step=5e-3"});
  EXPECT_LT((run.position(100, "mass") - Vec3(-0.986291751132, -0.165010853125, 0)).norm(), 1e-9);
  EXPECT_LT((run.position(500, "mass") - Vec3(0.942305435044, -0.334754338414, 0)).norm(), 2e-9);
  EXPECT_LT((run.position(1000, "mass") - Vec3(0.275087462576, -0.961419205099, 0)).norm(), 5e-9);
}

// --- A02: N windows through the position in which all links lie flat

double four_bar_error(const Trajectory& run, int N) {
  const double k = 9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
  const auto exact = solve_pendulum([k](double phi) { return k * std::sin(phi); }, {0, 1}, run.times());
  double error = 0;
  for (std::size_t i = 0; i < run.size(); ++i)
    error = std::max(error, std::abs(-run.coordinate(i, "A0") - exact[i][0]));
  return error;
}

/// Ten singular positions in 10 s (phi = 31.75).
TEST(A02FourBars, TwoWindowsPassTheSingularPositionWithoutLosingOrder) {
  const Trajectory coarse("benchmarks/a02_n_four_bar.yaml", {"run.step=4e-3", "outputs.every=0.02"});
  const Trajectory fine("benchmarks/a02_n_four_bar.yaml", {"run.step=2e-3", "outputs.every=0.02"});
  ASSERT_NEAR(fine.time(fine.last()), 10, 1e-9);
  EXPECT_EQ(fine.summary().degrees_of_freedom, 1);
  EXPECT_GT(std::log2(four_bar_error(coarse, 2) / four_bar_error(fine, 2)), 1.8);
  EXPECT_LT(fine.summary().energy_drift, 1e-4 * fine.summary().largest_kinetic_energy);
}

TEST(A02FourBars, DormandPrincePassesItToo) {
  const Trajectory run("benchmarks/a02_n_four_bar.yaml", {explicit_rule, "run.tolerance=1e-9"});
  ASSERT_NEAR(run.time(run.last()), 10, 1e-9);
  EXPECT_LT(four_bar_error(run, 2), 1e-5);
}

/// 83 bodies, of which 41 could move on their own for a moment; twice in 2 s.
TEST(A02FourBars, FortyWindowsPassIt) {
  const Trajectory run("benchmarks/a02_n_four_bar.yaml", {"parameters.N=40", "run.step=5e-3", "run.end=2"});
  ASSERT_NEAR(run.time(run.last()), 2, 1e-9);
  EXPECT_GT(-run.coordinate(run.last(), "A0"), 2 * M_PI);
  EXPECT_LT(four_bar_error(run, 40), 1e-2);
  EXPECT_LT(run.summary().energy_drift, 1e-3 * run.summary().largest_kinetic_energy);
}

// --- A04: Bricard

TEST(A04Bricard, RedundantRowIsFoundAndTheMechanismMoves) {
  const Trajectory coarse("benchmarks/a04_bricard.yaml", {"run.step=4e-3"}),
      fine("benchmarks/a04_bricard.yaml", {"run.step=2e-3"});
  const Summary& summary = fine.summary();
  EXPECT_EQ(summary.constraint_rows, 30);
  EXPECT_EQ(summary.redundant_rows, 1);
  EXPECT_EQ(summary.degrees_of_freedom, 1);
  ASSERT_NEAR(fine.time(fine.last()), 10, 1e-9);
  EXPECT_NEAR(std::log2(coarse.summary().energy_drift / summary.energy_drift), 2, 0.1);
  EXPECT_LT(summary.energy_drift, 1e-5 * summary.largest_kinetic_energy);
}

TEST(A04Bricard, ImplicitAndExplicitMethodAgree) {
  const Trajectory reference("benchmarks/a04_bricard.yaml", {explicit_rule, "run.step=1e-2", "run.end=5"});
  const Trajectory coarse("benchmarks/a04_bricard.yaml", {"run.step=2e-3", "run.end=5"});
  const Trajectory fine("benchmarks/a04_bricard.yaml", {"run.step=1e-3", "run.end=5"});
  double coarse_error = 0, fine_error = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    coarse_error =
        std::max(coarse_error, (coarse.position(i, "rod3") - reference.position(i, "rod3")).norm());
    fine_error = std::max(fine_error, (fine.position(i, "rod3") - reference.position(i, "rod3")).norm());
  }
  EXPECT_NEAR(std::log2(coarse_error / fine_error), 2, 0.1) << coarse_error << ", " << fine_error;
}

// --- A05: stiff flyball governor

TEST(A05Governor, StiffSpringsNeedNoSmallSteps) {
  const std::string model = "benchmarks/a05_flyball_governor.yaml";
  const Trajectory reference(model, {explicit_rule, "run.step=1e-4", "run.tolerance=1e-8", "run.end=2"});
  double last = 0;
  for (double step : {4e-3, 2e-3, 1e-3}) {
    const Trajectory run(model, {fmt::format("run.step={}", step), "run.end=2", "outputs.every=0.02"});
    ASSERT_EQ(run.summary().totals.rejected, 0);
    double error = 0;
    for (std::size_t i = 1; i < run.size(); ++i)
      error = std::max(error, std::abs(run.coordinate(i, "slide") - reference.coordinate(2 * i, "slide")));
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.2) << step;
    }
    last = error;
  }
  EXPECT_GT(reference.summary().totals.steps, 2000);  // what following the springs costs an explicit method
  EXPECT_LT(last, 1e-4);                              // m, of a motion of 0.24 m
}

/// The springs start a little out of balance and their dampers settle it within milliseconds; afterwards
/// almost nothing is lost.
TEST(A05Governor, DampersTakeTheFastMotionOnly) {
  const Trajectory run("benchmarks/a05_flyball_governor.yaml", {"run.step=5e-4", "run.end=3"});
  const double lost_early = run.energy(0) - run.energy(2), lost_late = run.energy(2) - run.energy(run.last());
  EXPECT_GT(lost_early, 0);
  EXPECT_GT(lost_late, 0);
  EXPECT_LT(lost_late, 1e-4 * run.summary().largest_kinetic_energy);
}

}  // namespace
}  // namespace hooke::test
