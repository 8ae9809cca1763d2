// A page of validations whose runs fail says so, and has the other cases.
#include <gmock/gmock.h>

#include "validation/cases.h"

namespace hooke::validation {
namespace {

using ::testing::HasSubstr;

void a_run_that_ends_early(Report& report) {
  report.text("Before.");
  const Trajectory pendulum("pendulum.yaml", {"run.newton_iterations=1", "run.newton_tolerance=1e-15",
                                              "run.step=0.5", "run.end=2"});
  report.expect("never reached", true);
}

void one_that_holds(Report& report) { report.expect("two is two", true); }

TEST(Report, GoesOnAfterARunThatFails) {
  Report report("");
  report.attempt({a_run_that_ends_early, one_that_holds});
  EXPECT_EQ(report.expectations(), 2);
  EXPECT_EQ(report.failures(), 1);
  EXPECT_THAT(report.body(), HasSubstr("pendulum.yaml with "));
  EXPECT_THAT(report.body(), HasSubstr("failed at t = "));
  EXPECT_THAT(report.body(), HasSubstr("**does not hold**"));
  EXPECT_THAT(report.body(), HasSubstr("two is two: holds"));
}

}  // namespace
}  // namespace hooke::validation
