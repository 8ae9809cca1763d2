// When increments of Newton's iteration are shortened.
#include <gtest/gtest.h>

#include <cmath>

#include "hooke/integrators/newton_rule.h"

namespace hooke::test {
namespace {

/// atan(20 x) = 0 from x: a full step overshoots, and more so each time; limited to 0.5, it goes back and forth.
struct Overshooting {
  double x, last = 0;
  StepReport report;
  NewtonRule rule;

  explicit Overshooting(double start, const NewtonSettings& settings = {}) : x(start), rule(settings) {}
  const char* solve() {
    rule.begin(1e-15, 0);
    rule.renew_always(true);
    return rule.iterate(
        1, report, [] {}, [] { return true; },
        [&] {
          const double full = -std::atan(20 * x) * (1 + 400 * x * x) / 20, change = std::abs(full);
          last = rule.pace(change) * full;
          x += last;
          return change;
        },
        [] { return 0.0; });
  }
};

TEST(NewtonRule, IncrementsThatGrowAreShortenedUntilTheyShrink) {
  for (double start : {0.05, 0.1, 0.15, 0.3, 1.0}) {
    Overshooting problem(start);
    EXPECT_EQ(problem.solve(), nullptr) << start;
    EXPECT_NEAR(problem.x, 0, 1e-9) << start;
  }
}

TEST(NewtonRule, WhereTheFirstIncrementIsTakenItIsWhole) {
  NewtonRule rule{NewtonSettings()};
  rule.begin(1e-15, 0);
  const auto no_error = [] { return 0.0; };
  for (double change : {0.2, 0.1, 0.01, 1e-4}) {
    EXPECT_EQ(rule.pace(change), 1) << change;
    rule.judge(change, no_error);
  }
}

TEST(NewtonRule, FixedIterationsAreLimitedToo) {
  NewtonSettings settings;
  settings.fixed_iterations = 2;
  Overshooting problem(1, settings);
  EXPECT_EQ(problem.solve(), nullptr);
  EXPECT_EQ(problem.report.iterations, 2);
  EXPECT_LE(std::abs(problem.last), NewtonRule::longest);
}

}  // namespace
}  // namespace hooke::test
