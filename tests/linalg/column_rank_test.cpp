// Which columns of a sparse matrix follow from others.
#include "hooke/linalg/column_rank.h"

#include <Eigen/QR>

#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Columns of unit length in groups of three, each group on a few rows; `copies` of them are sums of others.
Sparse chain(int groups, int copies, Random& random, std::vector<int>& starts) {
  const int rows = 4 * groups + 8, columns = 3 * groups + copies;
  MatrixX A = MatrixX::Zero(rows, columns);
  starts = {0};
  for (int g = 0; g < groups; ++g) {
    A.block(4 * g, 3 * g, 8, 3) = random_vector(24, random).reshaped(8, 3);
    starts.push_back(3 * (g + 1));
  }
  for (int c = 0; c < copies; ++c) {
    A.col(3 * groups + c) = A.col(3 * c) - 2 * A.col(3 * c + 4) + 0.5 * A.col(3 * groups - 1);
    starts.push_back(3 * groups + c + 1);
  }
  for (int c = 0; c < columns; ++c) A.col(c).normalize();
  return A.sparseView();
}

TEST(ColumnRank, FindsTheRankAndTheDependence) {
  Random random(3);
  for (int groups : {3, 10, 60})
    for (int copies : {0, 1, 2}) {
      SCOPED_TRACE(testing::Message() << groups << " groups, " << copies << " copies");
      std::vector<int> starts;
      const Sparse A = chain(groups, copies, random, starts);
      const ColumnRank found = column_rank(A, starts, 1e-8);
      EXPECT_EQ(found.rank, 3 * groups);
      ASSERT_EQ(static_cast<int>(found.dependent.size()), copies);
      for (const ColumnRank::Dependence& d : found.dependent) {
        VectorX rest = A.col(d.column);
        for (const auto& [column, share] : d.on) rest -= share * VectorX(A.col(column));
        EXPECT_LT(rest.norm(), 1e-10);
      }
    }
}

TEST(ColumnRank, AgreesWithDenseElimination) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    MatrixX A = random_vector(120, random).reshaped(12, 10);
    for (int c = 0; c < 10; ++c)
      for (int r = 0; r < 12; ++r)
        if ((r * 7 + c * 3 + trial) % 4 > 1) A(r, c) = 0;
    A.col(trial % 10).setZero();  // a row that holds nothing
    A.col((trial + 3) % 10) = A.col((trial + 5) % 10);
    std::vector<int> starts{0, 1, 4, 6, 10};
    const ColumnRank found = column_rank(A.sparseView(), starts, 1e-8);
    Eigen::ColPivHouseholderQR<MatrixX> dense(A);
    dense.setThreshold(1e-9);
    EXPECT_EQ(found.rank, dense.rank());
    EXPECT_EQ(found.rank + static_cast<int>(found.dependent.size()), 10);
  }
}

}  // namespace
}  // namespace hooke::test
