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
  const auto helper = [&] {
    std::thread::id id;
    team.run([&](int member) {
      if (member == 1) id = std::this_thread::get_id();
    });
    return id;
  };
  EXPECT_NE(helper(), std::this_thread::get_id());
  team.run([&](int member) {
    if (member == 1) std::this_thread::sleep_for(3ms);
  });
  for (int k = 0; k < 10; ++k) EXPECT_EQ(helper(), std::this_thread::get_id());
  const auto limit = std::chrono::steady_clock::now() + 60s;  // of a busy machine
  while (helper() == std::this_thread::get_id() && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(10ms);
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
