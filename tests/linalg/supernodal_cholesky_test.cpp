// Sparse Cholesky in both precisions.
#include "hooke/linalg/supernodal_cholesky.h"

#include <limits>

#include "hooke/fe/solid_element.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

SparseMatrix dynamic_stiffness(double h) {
  const SolidMatrices m =
      assemble(box_mesh(Vec3(3, 1, 1), {6, 2, 2}), {SolidMaterial::isotropic({10, 0.3, 1})});
  return of_all_coordinates(m.mass) + h * h * m.stiffness;
}

TEST(SupernodalCholesky, Solves) {
  Random random(1);
  SupernodalCholesky factor;
  for (double h : {0.1, 1.0}) {  // the second in the pattern of the first
    const SparseMatrix A = dynamic_stiffness(h);
    ASSERT_TRUE(factor.factorize(A, 3));
    const MatrixX x = random_vector(2 * static_cast<int>(A.rows()), random).reshaped(A.rows(), 2);
    MatrixX b = A * x, c = b;
    factor.solve(b);
    EXPECT_MATRIX_NEAR(b, x, 1e-12);
    const SupernodalCholesky single = factor.single();
    single.solve(c);
    EXPECT_MATRIX_NEAR(c, x, 1e-4);
    EXPECT_GT((c - x).norm(), 1e-9);
  }
}

/// So large that the elimination tree has branches for threads.
TEST(SupernodalCholesky, SolvesTheSameWithAnyNumberOfThreadsAndColumns) {
  Random random(2);
  const SolidMatrices m =
      assemble(box_mesh(Vec3(4, 1, 1), {24, 6, 6}), {SolidMaterial::isotropic({10, 0.3, 1})});
  const SparseMatrix A = of_all_coordinates(m.mass) + m.stiffness;
  SupernodalCholesky factor;
  ASSERT_TRUE(factor.factorize(A, 3));
  ASSERT_GT(factor.branches(), 1);
  const int n = static_cast<int>(A.rows());
  for (int columns : {1, 3, 4, 6, 13}) {
    SCOPED_TRACE(columns);
    const MatrixX x = random_vector(n * columns, random).reshaped(n, columns), b = A * x;
    for (const bool is_single : {false, true}) {
      const SupernodalCholesky single = factor.single();
      const SupernodalCholesky& of = is_single ? single : factor;
      MatrixX alone = b;
      of.solve(alone);
      EXPECT_MATRIX_NEAR(alone, x, is_single ? 1e-3 : 1e-11);
      for (int members : {2, 3}) {
        Team team(members);
        MatrixX together = b;
        of.solve(together, &team);
        EXPECT_EQ(together, alone) << members << " threads";
      }
    }
  }
}

TEST(SupernodalCholesky, FactorizesTheSameWithAnyNumberOfThreads) {
  Random random(3);
  const SolidMatrices m =
      assemble(box_mesh(Vec3(4, 1, 1), {24, 6, 6}), {SolidMaterial::isotropic({10, 0.3, 1})});
  const SparseMatrix A = of_all_coordinates(m.mass) + m.stiffness;
  const VectorX b = random_vector(static_cast<int>(A.rows()), random);
  SupernodalCholesky alone;
  ASSERT_TRUE(alone.factorize(A, 3));
  MatrixX expected = b;
  alone.solve(expected);
  for (int members : {2, 3}) {
    Team team(members);
    SupernodalCholesky shared;
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(shared.factorize(A, 3, &team));
      MatrixX x = b;
      shared.solve(x);
      EXPECT_EQ(x, expected) << members << " threads";
    }
  }
}

/// The three coordinates have nothing to do with each other: three trees of elimination, not one three times as
/// wide.
TEST(SupernodalCholesky, StoresNoMoreOfAMassThanItHas) {
  const SparseMatrix mass = assemble(box_mesh(Vec3(3, 1, 1), {6, 2, 2}), {SolidMaterial::isotropic({10, 0.3, 1})}).mass;
  SupernodalCholesky of_one, of_all;
  ASSERT_TRUE(of_one.factorize(mass));
  ASSERT_TRUE(of_all.factorize(of_all_coordinates(mass), 3));
  EXPECT_LT(static_cast<double>(of_all.nonzeros()), 3.5 * static_cast<double>(of_one.nonzeros()));
}

TEST(SupernodalCholesky, TakesDiagonalMatricesAndOneByOne) {
  for (int n : {1, 7}) {
    SparseMatrix A(n, n);
    for (int i = 0; i < n; ++i) A.insert(i, i) = 2.0 + i;
    A.makeCompressed();
    SupernodalCholesky factor;
    ASSERT_TRUE(factor.factorize(A));
    MatrixX b = A * VectorX::Ones(n);
    factor.solve(b);
    EXPECT_MATRIX_NEAR(b, VectorX::Ones(n), 1e-14);
  }
}

TEST(SupernodalCholesky, SaysWhenTheMatrixIsNotPositiveAndRecovers) {
  const SparseMatrix good = dynamic_stiffness(0.1);
  SupernodalCholesky factor;
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    SparseMatrix A = good;
    A.coeffRef(7, 7) = bad;
    EXPECT_FALSE(factor.factorize(A, 3));
    EXPECT_TRUE(factor.factorize(good, 3));
  }
}

}  // namespace
}  // namespace hooke::test
