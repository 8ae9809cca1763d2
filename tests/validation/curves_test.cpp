// Runs of the shipped models beside curves made by other codes (tests/data/reference).
//
// No tolerance is guessed for the second-order methods. Their error is c h^2 + smaller, so from runs with h
// and h/2
//   - the error must fall by four, and
//   - (4 x(h/2) - x(h))/3, from which c h^2 has gone, must be nearer to the reference than both.
#include <gtest/gtest.h>

#include "support/reference.h"
#include "support/trajectory.h"

namespace hooke::test {
namespace {

using Value = std::function<double(const Trajectory&, std::size_t)>;
using Reference = std::function<double(std::size_t)>;

void expect_second_order(const Trajectory& coarse, const Trajectory& fine, std::size_t rows,
                         const Value& value, const Reference& reference) {
  ASSERT_GE(coarse.size(), rows);
  ASSERT_GE(fine.size(), rows);
  double coarse_error = 0, fine_error = 0, extrapolated_error = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = value(coarse, i), y = value(fine, i), exact = reference(i);
    coarse_error = std::max(coarse_error, std::abs(x - exact));
    fine_error = std::max(fine_error, std::abs(y - exact));
    extrapolated_error = std::max(extrapolated_error, std::abs((4 * y - x) / 3 - exact));
  }
  EXPECT_NEAR(std::log2(coarse_error / fine_error), 2, 0.15)
      << "errors " << coarse_error << ", " << fine_error;
  EXPECT_LT(extrapolated_error, 0.1 * fine_error)
      << "extrapolated " << extrapolated_error << ", fine " << fine_error;
}

double largest_error(const Trajectory& run, std::size_t rows, const Value& value,
                     const Reference& reference) {
  double error = run.size() < rows ? std::numeric_limits<double>::infinity() : 0;
  for (std::size_t i = 0; i < std::min(rows, run.size()); ++i)
    error = std::max(error, std::abs(value(run, i) - reference(i)));
  return error;
}

// --- spatial slider crank

struct SliderCrankCurve : testing::Test {
  const ReferenceTable table{"slider_crank_rigid.csv"};
  const Value slider = [](const Trajectory& r, std::size_t i) { return r.position(i, "slider").x(); };
  const Value velocity = [](const Trajectory& r, std::size_t i) { return r.rate(i, "D"); };
  const Value crank = [](const Trajectory& r, std::size_t i) { return r.coordinate(i, "A"); };
  const Value speed = [](const Trajectory& r, std::size_t i) { return r.rate(i, "A"); };
  Reference column(const std::string& name) const {
    return [this, name](std::size_t i) { return table[name][i]; };
  }
};

TEST_F(SliderCrankCurve, GeneralizedAlphaConvergesToIt) {
  const Trajectory coarse("slider_crank.yaml", {"run.step=5e-4"}),
      fine("slider_crank.yaml", {"run.step=2.5e-4"});
  expect_second_order(coarse, fine, table.rows(), slider, column("slider_x"));
  expect_second_order(coarse, fine, table.rows(), velocity, column("slider_vx"));
  expect_second_order(coarse, fine, table.rows(), crank, column("theta"));
  expect_second_order(coarse, fine, table.rows(), speed, column("theta_dot"));
}

/// MBDyn confirms the reference to 1e-9 m and 4e-8 rad.
TEST_F(SliderCrankCurve, DormandPrinceReproducesIt) {
  const Trajectory run("slider_crank.yaml", {"run.integrator=dormand-prince", "run.step=5e-4"});
  EXPECT_LT(largest_error(run, table.rows(), slider, column("slider_x")), 1e-9);
  EXPECT_LT(largest_error(run, table.rows(), crank, column("theta")), 4e-8);
  EXPECT_NEAR(run.summary().first_energy, 0.76643568, 1e-10);
  EXPECT_LT(run.summary().energy_drift, 1e-9);
}

// --- spatial double pendulum

struct DoublePendulumCurve : testing::Test {
  const ReferenceTable table{"double_pendulum.csv"};
  static Value place(const std::string& body, int axis) {
    return [=](const Trajectory& r, std::size_t i) { return r.position(i, body)[axis]; };
  }
  static Value force(int axis) {
    return [=](const Trajectory& r, std::size_t i) { return r.force(i, "joint1")[axis]; };
  }
  Reference column(const std::string& name) const {
    return [this, name](std::size_t i) { return table[name][i]; };
  }
};

TEST_F(DoublePendulumCurve, GeneralizedAlphaConvergesToIt) {
  const Trajectory coarse("double_pendulum.yaml", {"run.step=2.5e-3"}),
      fine("double_pendulum.yaml", {"run.step=1.25e-3"});
  for (int axis : {0, 1, 2}) {
    const std::string letter(1, "xyz"[axis]);
    expect_second_order(coarse, fine, table.rows(), place("A", axis), column("cA" + letter));
    expect_second_order(coarse, fine, table.rows(), place("B", axis), column("cB" + letter));
    expect_second_order(coarse, fine, table.rows(), force(axis), column("F1" + letter));
  }
}

/// The reference has 12 digits; MBDyn confirms it to 3e-11 m.
TEST_F(DoublePendulumCurve, DormandPrinceReproducesIt) {
  const Trajectory run("double_pendulum.yaml", {"run.integrator=dormand-prince", "run.step=5e-3"});
  for (int axis : {0, 1, 2}) {
    const std::string letter(1, "xyz"[axis]);
    EXPECT_LT(largest_error(run, table.rows(), place("A", axis), column("cA" + letter)), 1e-10);
    EXPECT_LT(largest_error(run, table.rows(), place("B", axis), column("cB" + letter)), 1e-10);
    EXPECT_LT(largest_error(run, table.rows(), force(axis), column("F1" + letter)), 2e-9);
  }
}

// --- over-constrained four-bar through its singular positions

/// Three redundant rows, and for 30 s all links in one line twice in every swing: it stays a parallelogram.
TEST(FourBarCurve, PassesItsSingularPositionsForThirtySeconds) {
  const Trajectory coarse("four_bar.yaml", {"run.step=5e-3"}), fine("four_bar.yaml", {"run.step=2.5e-3"});
  EXPECT_EQ(coarse.summary().redundant_rows, 3);
  EXPECT_EQ(coarse.summary().degrees_of_freedom, 1);
  ASSERT_NEAR(coarse.time(coarse.last()), 30, 1e-9);
  const auto exact = solve_pendulum([](double theta) { return -2 * 9.81 / 3.5 * std::cos(theta); },
                                    {M_PI / 4, 0}, coarse.times());
  const ReferenceTable table("fourbar.csv");
  for (std::size_t i = 0; i < table.rows(); ++i) ASSERT_NEAR(exact[i][0], table["theta"][i], 1e-10);

  const Value angle = [](const Trajectory& r, std::size_t i) { return M_PI / 4 + r.coordinate(i, "joint1"); };
  const double coarse_error =
      largest_error(coarse, exact.size(), angle, [&](std::size_t i) { return exact[i][0]; });
  const double fine_error =
      largest_error(fine, exact.size(), angle, [&](std::size_t i) { return exact[i][0]; });
  EXPECT_GT(std::log2(coarse_error / fine_error), 1.8) << coarse_error << ", " << fine_error;
  EXPECT_LT(fine.summary().energy_drift, 1e-4 * fine.summary().largest_kinetic_energy);
}

}  // namespace
}  // namespace hooke::test
