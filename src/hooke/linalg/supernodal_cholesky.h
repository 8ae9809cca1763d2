#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/math/types.h"

namespace hooke {

/// A = P^T L L^T P of a sparse symmetric positive definite matrix: CHOLMOD orders (nested dissection by
/// METIS) and factorizes; the substitutions are ours, since all the time goes there when one factor serves
/// thousands of steps. They move every entry of L twice and are bound by memory, so a factor that is only a
/// Newton matrix may be kept in single precision, which halves them, several columns are taken at once, and
/// threads take branches of the elimination tree. The branches are the same for any number of threads, and so
/// is every bit of the result.
class SupernodalCholesky {
 public:
  SupernodalCholesky();
  ~SupernodalCholesky();
  SupernodalCholesky(SupernodalCholesky&&) noexcept;

  /// The lower triangle is read. Rows come in blocks of `block` (3: nodes), which stay together in the order.
  /// The pattern must stay the same. False when the matrix is not positive definite.
  bool factorize(const Eigen::SparseMatrix<double>& A, int block = 1);
  /// The same factor in single precision, which cannot be renewed.
  SupernodalCholesky single() const;
  bool is_single() const { return !single_.empty(); }
  std::size_t nonzeros() const { return nonzeros_; }
  int branches() const { return static_cast<int>(branches_.size()); }

  /// Replaces each column b of x by A^-1 b.
  void solve(Eigen::Ref<MatrixX> x, Team* team = nullptr) const;

 private:
  struct Cholmod;
  struct Supernode {
    int first, columns, rows;  ///< of L; rows include those of the diagonal block
    std::size_t row_list, values;
  };
  /// Supernodes [first, last) whose rows depend on no others.
  struct Branch {
    int first, last;
    std::size_t weight;  ///< entries of L
  };
  void find_branches();
  template <int width, class Scalar>
  void substitute(const Scalar* L, Scalar* x, Team* team) const;
  template <int width, class Scalar>
  void forward(const Supernode& s, const Scalar* L, Scalar* x) const;
  template <int width, class Scalar>
  void backward(const Supernode& s, const Scalar* L, Scalar* x) const;

  std::unique_ptr<Cholmod> cholmod_;
  std::vector<int> order_, rows_;
  std::vector<Supernode> supernodes_;
  std::vector<Branch> branches_;
  std::vector<int> trunk_;       ///< supernodes of no branch
  std::vector<int> trunk_rows_;  ///< their unknowns
  std::vector<int> targets_;     ///< rows_, but those that branches share are apart for each of them
  std::vector<float> single_;
  std::size_t nonzeros_ = 0;
  int most_rows_ = 0;
};

}  // namespace hooke
