#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "math/types.h"

namespace hooke {

/// A = P^T L L^T P of a sparse symmetric positive definite matrix: CHOLMOD orders (nested dissection by
/// METIS) and factorizes; the substitutions are ours, since all the time goes there when one factor serves
/// thousands of steps. They move every entry of L twice and are bound by memory, so a factor that is only a
/// Newton matrix may be kept in single precision, which halves them.
class SupernodalCholesky {
 public:
  SupernodalCholesky();
  ~SupernodalCholesky();
  SupernodalCholesky(SupernodalCholesky&&) noexcept;

  /// The lower triangle is read. Rows come in blocks of `block` (3: nodes), which stay together in the order.
  /// The pattern must stay the same. False when the matrix is not positive definite.
  bool factorize(const Eigen::SparseMatrix<double>& A, int block = 1);
  /// The same factor in single precision. Like a `finish`ed one it cannot be renewed.
  SupernodalCholesky single() const;
  /// Keeps only what substitutions need.
  void finish();
  bool is_single() const { return !single_.empty(); }
  std::size_t nonzeros() const { return nonzeros_; }

  /// Replaces each column b of x by A^-1 b.
  void solve(Eigen::Ref<MatrixX> x) const;

 private:
  struct Cholmod;
  struct Supernode {
    int first, columns, rows;  ///< of L; rows include those of the diagonal block
    std::size_t row_list, values;
  };
  template <class Scalar>
  void substitute(const std::vector<Scalar>& L, Eigen::Ref<Eigen::Matrix<Scalar, -1, -1>> x) const;

  std::unique_ptr<Cholmod> cholmod_;
  std::vector<int> order_, rows_;
  std::vector<Supernode> supernodes_;
  std::vector<double> twofold_;
  std::vector<float> single_;
  std::size_t nonzeros_ = 0;
  int most_rows_ = 0;
};

}  // namespace hooke
