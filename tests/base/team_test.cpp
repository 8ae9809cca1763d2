#include "hooke/base/team.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hooke {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Team, EveryMemberDoesItsPart) {
  Team team(3);
  for (int round = 0; round < 1000; ++round) {
    std::array<int, 3> done{};
    team.run([&](int member) { ++done[static_cast<std::size_t>(member)]; });
    EXPECT_EQ(done, (std::array{1, 1, 1}));
  }
}

/// How many take part changes from step to step.
TEST(Team, WhoeverTakesPartAllIsDone) {
  Team team(4);
  std::vector<int> done(103, 0);
  int fewest = team.size(), steps = 0;
  const auto limit = std::chrono::steady_clock::now() + 60s;  // of a busy machine
  for (; steps < 3000 || (fewest == 4 && std::chrono::steady_clock::now() < limit); ++steps) {
    const Team::Step timed(&team);
    fewest = std::min(fewest, team.size());
    for (int piece = 0; piece < 3; ++piece)
      share_out(&team, [&](Share own) {
        const auto [first, last] = own.of_loop(103, 4);
        for (int i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
      });
  }
  EXPECT_EQ(done, std::vector<int>(103, 3 * steps));
  EXPECT_LT(fewest, 4);
}

/// A member that is kept from its work, as by another program on its processor, is left out for a while; then it is back.
TEST(Team, AMemberThatKeepsOthersWaitingIsLeftOutForAWhile) {
  Team team(2);
  const auto limit = std::chrono::steady_clock::now() + 60s;  // of a busy machine
  std::atomic<bool> has_begun;
  const auto run = [&](Clock::duration patience, Clock::duration work) {  // which thread does the second part
    std::thread::id id;
    has_begun = false;
    team.run([&](int member) {
      if (member == 1) {
        id = std::this_thread::get_id();
        has_begun = true;
        std::this_thread::sleep_for(work);
      } else {
        const auto until = Clock::now() + patience;
        while (!has_begun && Clock::now() < until) std::this_thread::yield();
      }
    });
    return id;
  };
  const auto is_left_out = [&] { return run(20ms, 0ms) == std::this_thread::get_id(); };
  for (int times = 0; times < 10 && Clock::now() < limit;) {
    times = is_left_out() ? times + 1 : 0;
    if (times == 0) run(20ms, 30ms);
  }
  while (is_left_out() && Clock::now() < limit) std::this_thread::sleep_for(10ms);
  EXPECT_LT(Clock::now(), limit);
}

/// One that comes after the caller's own part, here for want of a second processor. Of each team only the first piece: after a
/// long wait the caller is alone anyway.
TEST(Team, WhatAnotherHasNotBegunTheCallerDoes) {
  cpu_set_t allowed, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const auto caller = std::this_thread::get_id();
  int by_caller = 0;
  std::array<int, 3> done{};
  for (int times = 0; times < 100; ++times) {
    Team team(3);
    std::this_thread::sleep_for(1ms);
    team.run([&](int member) {
      ++done[static_cast<std::size_t>(member)];
      if (member > 0 && std::this_thread::get_id() == caller) ++by_caller;
    });
  }
  EXPECT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(done, (std::array{100, 100, 100}));
  EXPECT_GT(by_caller, 20);
}

TEST(Team, SharesOfALoopAreWholeGrainsAndAllOfIt) {
  for (int members : {1, 2, 3, 7}) {
    std::vector<int> all;
    for (int m = 0; m < members; ++m) {
      const auto [first, last] = Share{m, members}.of_loop(103, 4);
      EXPECT_EQ(first % 4, 0);
      for (int i = first; i < last; ++i) all.push_back(i);
    }
    std::vector<int> expected(103);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace hooke
