#include "hooke/linalg/block_matrix.h"

#include <gtest/gtest.h>

namespace hooke {
namespace {

/// Writes a block through the fixed-size view and checks it against the view of dynamic size and the whole.
template <int R, int C>
void check_fixed_view() {
  BlockMatrix A({R, C, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {2, 2}});
  const Eigen::Matrix<double, R, C> values = MatrixX::Random(R, C);
  const BlockHandle handle = A.handle(0, 1);
  A.block<R, C>(handle) += values;
  EXPECT_EQ(A.block(handle), values);
  MatrixX expected = MatrixX::Zero(R + C + 2, R + C + 2);
  expected.block(0, R, R, C) = values;
  EXPECT_EQ(A.dense(), expected);
}

TEST(BlockMatrix, FixedSizeViewsWriteWhereDynamicOnesRead) {
  check_fixed_view<6, 6>();
  check_fixed_view<3, 6>();
  check_fixed_view<6, 3>();
  check_fixed_view<1, 6>();  // a row vector, which Eigen stores by rows
  check_fixed_view<6, 1>();
  check_fixed_view<1, 1>();
}

}  // namespace
}  // namespace hooke
