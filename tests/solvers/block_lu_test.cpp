// Block LU on patterns that fill in, that fall apart and that end up as one dense block.
#include "hooke/solvers/block_lu.h"

#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

void check(const std::vector<int>& sizes, const Pairs& pairs) {
  Random random(4);
  BlockLu lu;
  lu.plan(sizes, pairs);
  std::vector<int> start{0};
  for (int size : sizes) start.push_back(start.back() + size);
  for (int round = 0; round < 2; ++round) {  // the second in the pattern of the first
    MatrixX A = MatrixX::Zero(start.back(), start.back());
    lu.set_zero();
    const auto put = [&](int i, int j) {
      const MatrixX values =
          random_vector(sizes[i] * sizes[j], random).reshaped(sizes[i], sizes[j]);  // no symmetry at all
      A.block(start[i], start[j], sizes[i], sizes[j]) += values;
      lu.block(i, j) += values;
    };
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i) put(i, i);
    for (const auto& [i, j] : pairs) put(i, j), put(j, i);
    const MatrixX x = random_vector(2 * start.back(), random).reshaped(start.back(), 2);
    MatrixX b = A * x;
    ASSERT_TRUE(lu.factorize());
    lu.solve(b);
    EXPECT_MATRIX_NEAR(b, x, 1e-9);
  }
}

TEST(BlockLu, SolvesOnAChain) {
  Pairs pairs;
  for (int i = 0; i < 9; ++i) pairs.emplace_back(i, i + 1);
  check({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, pairs);
}
TEST(BlockLu, SolvesOnALoop) { check({3, 2, 4, 1, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}); }
TEST(BlockLu, SolvesWhereAllBlocksMeet) {
  check({2, 3, 1, 4}, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 2}});
}
TEST(BlockLu, SolvesOnTwoParts) { check({2, 3, 1, 4, 2}, {{0, 1}, {4, 2}, {2, 3}}); }
TEST(BlockLu, SolvesOnAStar) { check({2, 3, 1, 4, 2}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}); }

TEST(BlockLu, SaysWhenTheMatrixIsSingular) {
  BlockLu lu;
  lu.plan({2, 2}, {{0, 1}});
  lu.set_zero();
  lu.block(0, 0).setIdentity();
  lu.block(0, 1).setIdentity();
  lu.block(1, 0).setIdentity();
  lu.block(1, 1).setIdentity();
  EXPECT_FALSE(lu.factorize());
}

}  // namespace
}  // namespace hooke::test
