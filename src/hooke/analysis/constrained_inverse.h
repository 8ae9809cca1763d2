#pragma once
#include <memory>

#include "hooke/linalg/block_lanczos.h"
#include "hooke/linalg/sparse_lu.h"
#include "hooke/linalg/supernodal_cholesky.h"

namespace hooke {

/// x of  A x + G^T lambda = b,  G x = 0  for many b, with one sparse factor. A is symmetric; rows of G may depend on
/// each other.
///
/// Few rows: a Cholesky factor of A, and the rows by their Schur complement. Many, as a mechanism of many joints has: LU of
/// the whole. Both let rows give way a little, which keeps dependent ones solvable; a second pass takes that out.
class ConstrainedInverse {
 public:
  using Sparse = Eigen::SparseMatrix<double>;
  /// Rows of A come in blocks of `block`, which stay together. False when A is not positive definite.
  bool factorize(const Sparse& A, const Sparse& G, int block, std::shared_ptr<Team> team);
  void solve(Eigen::Ref<MatrixX> x) const;
  /// Brings x, which meets the constraints but for little, onto them.
  void project(Eigen::Ref<MatrixX> x) const;

 private:
  bool factorize_schur();
  bool factorize_whole(const Sparse& A);

  Sparse G_;  ///< rows of about unit compliance
  std::shared_ptr<Team> team_;
  std::unique_ptr<SupernodalCholesky> cholesky_;
  MatrixX response_, inverse_of_schur_;  ///< A^-1 G^T, (G A^-1 G^T)^-1
  Sparse whole_;
  std::unique_ptr<SparseLu> lu_;
};

}  // namespace hooke
