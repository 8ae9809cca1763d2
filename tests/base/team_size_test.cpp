// How many members of a team take part, played with a clock of its own: steps of which only the costs are known.
#include "hooke/base/team_size.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace hooke {
namespace {

/// Seconds of a step by the number of members.
using Cost = std::function<double(int members)>;

/// `serial` and `shared` work, and what waiting for each further member costs.
Cost cost(double serial, double shared, double wait) {
  return [=](int members) { return serial + shared / members + wait * (members - 1); };
}

struct Played {
  TeamSize size;
  std::mt19937 random{1};
  double time = 0;

  explicit Played(int most) : size(most) {}
  /// Steps of one to five iterations, whose times scatter; one of 30 has a tangent of so many times an iteration's cost.
  Played& play(int steps, const Cost& cost, double tangent = 0) {
    std::uniform_real_distribution<double> scatter(0.95, 1.05);
    time = 0;
    for (int k = 0; k < steps; ++k) {
      const int iterations = 1 + static_cast<int>(random() % 5);
      const double step = cost(size.members()) * scatter(random) * (iterations + (k % 30 == 0 ? tangent : 0));
      time += step;
      size.add(step, 10 * iterations);
    }
    return *this;
  }
};

/// Small, middling and large work, on machines of several kinds.
std::vector<Cost> costs() {
  std::vector<Cost> all;
  for (double shared : {1e-5, 1e-4, 1e-3, 1e-2})
    for (double wait : {0.0, 1e-6, 1e-5, 1e-4})
      for (double serial : {0.0, 0.2 * shared}) all.push_back(cost(serial, shared, wait));
  return all;
}

double mean_iterations = 3;

TEST(TeamSize, NeverLosesMoreThanFivePerCentAndFindsTheBest) {
  const int steps = 20000;
  for (int most : {2, 3, 4, 16})
    for (double tangent : {0.0, 100.0})
      for (const Cost& cost : costs()) {
        Played run(most);
        run.play(2000, cost, tangent).play(steps, cost, tangent);
        const double per_member = steps * (mean_iterations + tangent / 30);
        double best = cost(1);
        for (int m = 1; m < most; m *= 2) best = std::min(best, cost(m));
        best = std::min(best, cost(most));
        EXPECT_LT(run.time, 1.05 * per_member * cost(1)) << most;
        EXPECT_LT(run.time, 1.15 * per_member * best) << most;
      }
}

/// What it tries at the start costs little as well, whatever the work.
TEST(TeamSize, TheFirstTrialsAreShort) {
  for (const Cost& cost : costs()) {
    Played run(16);
    run.play(1000, cost);
    const double alone = 1000 * mean_iterations * cost(1);
    EXPECT_LT(run.time, 1.05 * alone + 50 * cost(16)) << alone;
  }
}

TEST(TeamSize, OneMemberAtOnceWhenOthersWantTheProcessors) {
  const Cost alone = cost(0, 1e-3, 1e-6), beside = [&](int members) { return members == 1 ? 1.1e-3 : 4e-3; };
  Played run(16);
  run.play(3000, alone);
  EXPECT_GE(run.size.members(), 8);
  int steps = 0;
  for (; run.size.members() != 1 && steps < 100; ++steps) run.play(1, beside);
  EXPECT_LT(steps, 12);
  run.play(5000, beside);
  EXPECT_LT(run.time, 1.05 * 5000 * mean_iterations * beside(1));
  run.play(3000, alone);  // and back
  run.play(3000, alone);
  EXPECT_LT(run.time, 1.2 * 3000 * mean_iterations * alone(8));
}

/// A model that becomes dearer for all numbers alike is no reason to take fewer.
TEST(TeamSize, DearerStepsChangeNothing) {
  Played run(8);
  run.play(3000, cost(0, 1e-3, 1e-6));
  run.play(10000, cost(0, 5e-3, 5e-6));
  EXPECT_LT(run.time, 1.05 * 10000 * mean_iterations * cost(0, 5e-3, 5e-6)(8));
}

/// Beside programs that stay busy trials become rare, but do not end.
TEST(TeamSize, AMemberThatIsKeptFromItsWorkLosesTheTrial) {
  TeamSize size(2);
  for (int k = 0; k < 1000; ++k) size.add(size.members() == 1 ? 1e-4 : 2e-4, 10);
  int trials = 0;
  double time = 0;
  for (int k = 0; k < 1000000; ++k) {
    const bool is_hindered = size.members() > 1;
    trials += is_hindered;
    time += is_hindered ? 4e-3 : 1e-4;
    size.add(is_hindered ? 4e-3 : 1e-4, 10, is_hindered);
  }
  EXPECT_GT(trials, 10);
  EXPECT_LT(time, 1.005 * 1000000 * 1e-4);
  for (int k = 0; k < 200000 && size.members() == 1; ++k) size.add(1e-4, 10);  // they are done
  double after = 0;
  for (int k = 0; k < 100000; ++k) {
    after += 1e-4 / size.members();
    size.add(1e-4 / size.members(), 10);
  }
  EXPECT_LT(after, 0.52 * 100000 * 1e-4);
}

/// The first step of a run may wait for much, and tells nothing.
TEST(TeamSize, AFirstStepThatWasHinderedDoesNotCount) {
  TeamSize size(2);
  double together = 0, time = 0;
  for (int k = 0; k < 1000; ++k) {
    const double step = k == 0 ? 1 : 1e-3 / size.members();
    if (k > 0) time += step, together += size.members() == 2 ? step : 0;
    size.add(step, 10, k == 0);
  }
  EXPECT_GT(together, 0.9 * time);
}

/// One that is kept from it now and then, and another that always is.
TEST(TeamSize, GivesWayWhereMembersAreHinderedOften) {
  for (const int often : {20, 10000}) {
    TeamSize size(4);
    double time = 0, together = 0;
    for (int k = 0; k < 200000; ++k) {
      const bool is_hindered = size.members() > 1 && k % often == 0;
      const double step = is_hindered ? 4e-3 : 1e-4 / size.members();
      time += step;
      together += size.members() > 1 ? step : 0;
      size.add(step, 10, is_hindered);
    }
    if (often == 20)
      EXPECT_LT(time, 1.05 * 200000 * 1e-4);
    else
      EXPECT_GT(together, 0.9 * time);
  }
}

}  // namespace
}  // namespace hooke
