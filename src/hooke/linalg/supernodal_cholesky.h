#pragma once
#include <memory>
#include <vector>

#include "hooke/linalg/cholesky_maker.h"
#include "hooke/math/types.h"

namespace hooke {

/// A = P^T L L^T P of a sparse symmetric positive definite matrix, in an order of nested dissection. All the time
/// goes into substitutions when one factor serves thousands of steps. They move every entry of L twice and are
/// bound by memory, so a factor that is only a Newton matrix may be kept in single precision, which halves
/// them, several columns are taken at once, and threads take branches of the elimination tree. The branches
/// are the same for any number of threads, and so is every bit of the result.
class SupernodalCholesky {
 public:
  /// By CHOLMOD only in a build that has it.
  explicit SupernodalCholesky(CholeskyKind kind = CholeskyKind::own);
  ~SupernodalCholesky();
  SupernodalCholesky(SupernodalCholesky&&) noexcept;

  /// The lower triangle of a compressed matrix is read. Rows come in blocks of `block` (3: nodes), which stay together in the order.
  /// The pattern must stay the same. False when the matrix is not positive definite.
  bool factorize(const Eigen::SparseMatrix<double>& A, int block = 1, Team* team = nullptr);
  /// Gives back what only another `factorize` would need.
  void finish() { maker_->finish(); }
  /// The same factor in single precision, which cannot be renewed.
  SupernodalCholesky single() const;
  bool is_single() const { return !single_.empty(); }
  int size() const { return static_cast<int>(pattern_.order.size()); }
  std::size_t nonzeros() const { return nonzeros_; }
  int branches() const { return static_cast<int>(pattern_.branches.size()); }

  /// Replaces each column b of x by A^-1 b.
  void solve(Eigen::Ref<MatrixX> x, Team* team = nullptr) const;

 private:
  void plan_substitution();
  template <int width, class Scalar>
  void substitute(const Scalar* L, Scalar* x, Team* team) const;
  template <int width, class Scalar>
  void forward(const Supernode& s, const Scalar* L, Scalar* x) const;
  template <int width, class Scalar>
  void backward(const Supernode& s, const Scalar* L, Scalar* x) const;

  std::unique_ptr<CholeskyMaker> maker_;
  SupernodalPattern pattern_;
  std::vector<int> trunk_rows_;  ///< unknowns of the trunk
  std::vector<int> targets_;     ///< rows of the pattern, but those that branches share are apart for each
  std::vector<float> single_;
  std::size_t nonzeros_ = 0;
  int most_rows_ = 0;
};

}  // namespace hooke
