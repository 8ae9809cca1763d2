// Every sparse LU there is in the build.
#include "hooke/linalg/sparse_lu.h"

#include <Eigen/SparseCore>
#include <limits>

#include "hooke/linalg/gpl.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

TEST(SparseLu, SolvesSaysWhatIsSingularAndRecovers) {
  Random random(7);
  const int n = 60;
  for (auto* make : {&make_eigen_lu, &make_klu, &make_umfpack}) {
    const auto lu = make();
    if (!lu) continue;
    SCOPED_TRACE(std::string(lu->name()));
    MatrixX dense = MatrixX::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int j : {i, (i + 1) % n, (i + 17) % n}) dense(i, j) = random_vector(1, random)[0] + (i == j ? 2 : 0);
    dense(5, 5) = 1e-14;  // rows must be exchanged
    Eigen::SparseMatrix<double> A = dense.sparseView();
    const auto factorize = [&] {
      return lu->factorize(n, A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr());
    };
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(factorize());
      const MatrixX x = random_vector(2 * n, random).reshaped(n, 2);
      MatrixX b = A * x;
      lu->solve(b);
      EXPECT_MATRIX_NEAR(b, x, 1e-10);
      A *= 3;
    }
    const double good = A.coeff(7, 7);
    A.coeffRef(7, 7) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(factorize());
    A.coeffRef(7, 7) = good;
    EXPECT_TRUE(factorize());
  }
}

}  // namespace
}  // namespace hooke::test
