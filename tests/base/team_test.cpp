#include "hooke/base/team.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hooke {
namespace {

using namespace std::chrono_literals;

TEST(Team, EveryMemberDoesItsPart) {
  Team team(3);
  for (int round = 0; round < 1000; ++round) {
    std::array<int, 3> done{};
    team.run([&](int member) { ++done[static_cast<std::size_t>(member)]; });
    EXPECT_EQ(done, (std::array{1, 1, 1}));
  }
}

/// Pieces of work, of `own` seconds with the team and `alone` without; what the account says after each.
struct Played {
  TeamAccount account;
  TeamAccount::Clock::time_point now{};
  double together = 0, by_itself = 0;  ///< seconds so spent

  void play(int pieces, double team, double wait, double alone) {
    for (int k = 0; k < pieces; ++k) {
      const bool is_alone = account.alone();
      const double piece = is_alone ? alone : team + wait;
      (is_alone ? by_itself : together) += piece;
      now += std::chrono::duration_cast<TeamAccount::Clock::duration>(TeamAccount::Seconds(piece));
      account.add(now, TeamAccount::Seconds(is_alone ? 0 : team), TeamAccount::Seconds(is_alone ? 0 : wait));
    }
  }
};

TEST(TeamAccount, WhatTheTeamDoesFasterItDoes) {
  Played run;
  run.play(200000, 1e-5, 1e-5, 4e-5);
  EXPECT_LT(run.by_itself, 0.05 * run.together);
}

TEST(TeamAccount, WhereTheTeamLosesItIsLeftOut) {
  for (double wait :
       {1.2e-5, 3e-5, 3e-3}) {  // a little slower, twice as slow, members that lose their processors
    Played run;
    run.play(2000, 1e-5, wait, 2e-5);  // the first looks are the dearest
    run.together = run.by_itself = 0;
    run.play(2000000, 1e-5, wait, 2e-5);
    EXPECT_LT(run.together + run.by_itself, 1.05 * 2000000 * 2e-5) << wait;
  }
}

TEST(TeamAccount, ATeamThatWasHinderedIsTriedAgain) {
  Played run;
  run.play(20000, 1e-5, 3e-3, 2e-5);
  EXPECT_TRUE(run.account.alone());
  run.play(2000000, 1e-5, 0, 2e-5);
  EXPECT_FALSE(run.account.alone());
}

/// Pieces so long that waking and waiting are nothing beside them are not done alone without need.
TEST(TeamAccount, LongPiecesAreNotTriedAlone) {
  Played run;
  run.play(1000, 0.1, 0.01, 0.2);
  EXPECT_EQ(run.by_itself, 0);
}

/// A member that is kept from its work, as by another program on its processor, is left out for a while; then it is back.
TEST(Team, AMemberThatKeepsOthersWaitingIsLeftOutForAWhile) {
  Team team(2);
  const auto helper = [&](std::chrono::microseconds work) {
    std::thread::id id;
    team.run([&](int member) {
      if (member == 1) id = std::this_thread::get_id();
      std::this_thread::sleep_for(work);
    });
    return id;
  };
  const std::thread::id self = std::this_thread::get_id();
  EXPECT_NE(helper(100us), self);
  team.run([&](int member) {
    if (member == 1) std::this_thread::sleep_for(30ms);
  });
  EXPECT_EQ(helper(100us), self);
  const auto limit = std::chrono::steady_clock::now() + 60s;  // of a busy machine
  while (helper(100us) == self && std::chrono::steady_clock::now() < limit) {
  }
  EXPECT_LT(std::chrono::steady_clock::now(), limit);
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
