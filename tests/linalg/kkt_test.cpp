#include "hooke/linalg/kkt.h"

#include "support/random_kkt.h"

namespace hooke::test {
namespace {

/// Random blocks on a random pattern, in a BlockMatrix and in a plain one.
struct Both {
  std::vector<int> sizes, offsets{0};
  std::vector<std::pair<int, int>> pattern;
  BlockMatrix sparse;
  MatrixX dense;

  explicit Both(Random& random) {
    const int n = 2 + random() % 5;
    for (int i = 0; i < n; ++i) {
      sizes.push_back(1 + random() % 6);
      offsets.push_back(offsets.back() + sizes.back());
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (i == j || random() % 3 == 0) pattern.emplace_back(i, j);
    std::shuffle(pattern.begin(), pattern.end(), random);
    auto with_duplicates = pattern;
    with_duplicates.push_back(pattern.front());
    sparse = BlockMatrix(sizes, with_duplicates);
    dense = MatrixX::Zero(offsets.back(), offsets.back());
    for (const auto& [i, j] : pattern) {
      const MatrixX values = random_vector(sizes[i] * sizes[j], random).reshaped(sizes[i], sizes[j]);
      sparse.block(sparse.handle(i, j)) += values;
      dense.block(offsets[i], offsets[j], sizes[i], sizes[j]) += values;
    }
  }
};

void on_random_matrices(const std::function<void(Both&, Random&)>& check) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    Both both(random);
    check(both, random);
  }
}

TEST(BlockMatrixAgainstDense, HasTheSameEntries) {
  on_random_matrices([](Both& both, Random&) {
    EXPECT_EQ(both.sparse.size(), both.dense.rows());
    EXPECT_EQ(both.sparse.dense(), both.dense);
    EXPECT_EQ(both.sparse.diagonal(), both.dense.diagonal());
    EXPECT_EQ(both.sparse.offsets(), both.offsets);
  });
}

TEST(BlockMatrixAgainstDense, MultipliesAlike) {
  on_random_matrices([](Both& both, Random& random) {
    const VectorX x = random_vector(both.sparse.size(), random);
    VectorX y = VectorX::Constant(3, 9);  // to be replaced
    both.sparse.multiply(x, y);
    EXPECT_MATRIX_NEAR(y, both.dense * x, 1e-14);
  });
}

TEST(BlockMatrixAgainstDense, IsolatesAlike) {
  on_random_matrices([](Both& both, Random& random) {
    std::vector<char> marked(both.sparse.size() / 2);
    for (char& m : marked) m = random() % 2;
    both.sparse.isolate(marked);
    for (std::size_t i = 0; i < marked.size(); ++i)
      if (marked[i]) {
        both.dense.row(i).setZero();
        both.dense.col(i).setZero();
        both.dense(i, i) = 1;
      }
    EXPECT_EQ(both.sparse.dense(), both.dense);
  });
}

TEST(BlockMatrixAgainstDense, IsCompressedByColumnsWithSortedRows) {
  on_random_matrices([](Both& both, Random&) {
    const BlockMatrix& A = both.sparse;
    EXPECT_EQ(A.outer()[0], 0);
    EXPECT_EQ(A.outer()[A.size()], A.nonzeros());
    for (int c = 0; c < A.size(); ++c)
      for (int k = A.outer()[c] + 1; k < A.outer()[c + 1]; ++k) EXPECT_LT(A.inner()[k - 1], A.inner()[k]);
  });
}

TEST(BlockMatrixAgainstDense, KeepsItsPatternWhenItIsSetToZero) {
  on_random_matrices([](Both& both, Random&) {
    const int nonzeros = both.sparse.nonzeros();
    both.sparse.set_zero();
    EXPECT_EQ(both.sparse.nonzeros(), nonzeros);
    EXPECT_TRUE(both.sparse.dense().isZero(0));
  });
}

TEST(BlockMatrix, HasNoHandleForABlockThatIsNotThere) {
  const BlockMatrix A({2, 3}, {{0, 0}, {1, 1}});
  EXPECT_LT(A.handle(0, 1).start, 0);
  EXPECT_EQ(A.handle(1, 1).rows, 3);
}

TEST(KktMatrix, PutsBlocksWhereTheStructureSays) {
  Random random(2);
  for (const Graph& graph : graphs()) {
    SCOPED_TRACE(graph.name);
    const KktStructure structure = graph.structure();
    KktMatrix kkt(structure);
    fill_random(kkt, random);
    const int n = structure.dofs(), m = structure.rows();
    EXPECT_EQ(kkt.dofs(), n);
    EXPECT_EQ(kkt.rows(), m);
    const MatrixX A = kkt.matrix.dense();
    EXPECT_EQ(A.bottomLeftCorner(m, n), A.topRightCorner(n, m).transpose());
    int row = n;
    for (std::size_t c = 0; c < structure.row_sizes.size(); row += structure.row_sizes[c++])
      for (int b : structure.constraint_blocks[c])
        EXPECT_EQ(A.block(row, kkt.matrix.offsets()[b], structure.row_sizes[c], structure.dof_sizes[b]),
                  MatrixX(kkt.matrix.block(kkt.G(static_cast<int>(c), b))));
  }
}

TEST(KktMatrix, RegularisationIsMinusEpsilonOnTheRowsAlone) {
  Random random(3);
  const KktStructure structure = graphs()[2].structure();
  KktMatrix kkt(structure);
  fill_random(kkt, random);
  MatrixX expected = kkt.matrix.dense();
  const VectorX eps = random_vector(kkt.rows(), random);
  kkt.set_regularisation(eps);
  expected.bottomRightCorner(kkt.rows(), kkt.rows()).diagonal() = -eps;
  EXPECT_EQ(kkt.matrix.dense(), expected);
  EXPECT_EQ(kkt.regularisation(), eps);
}

TEST(KktMatrix, RegularisationFollowsTheComplianceOfARowUpToTheTypicalOne) {
  Random random(4);
  const KktStructure structure = graphs()[2].structure();
  KktMatrix kkt(structure);
  fill_random(kkt, random);
  const MatrixX A = kkt.matrix.dense();
  const int n = kkt.dofs();
  VectorX typical = VectorX::Constant(kkt.rows(), 1e-3), expected(kkt.rows());
  typical[0] = 1e30;
  for (int i = 0; i < kkt.rows(); ++i) {
    double compliance = 0;
    for (int j = 0; j < n; ++j) compliance += A(n + i, j) * A(n + i, j) / std::abs(A(j, j));
    expected[i] = 1e-8 * std::max(1e-9 * typical[i], std::min(typical[i], 100 * compliance));
  }
  Team team(3);
  for (Team* threads : {static_cast<Team*>(nullptr), &team}) {
    kkt.regularise(1e-8, typical, threads);
    EXPECT_LT((kkt.regularisation() - expected).cwiseQuotient(expected).norm(), 1e-12);
    EXPECT_EQ(kkt.matrix.dense().diagonal().tail(kkt.rows()), -kkt.regularisation());
  }
}

}  // namespace
}  // namespace hooke::test
