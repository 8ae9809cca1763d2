#pragma once
#include <Eigen/LU>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// LU with partial pivoting that allocates nothing once it has its size.
class DenseLu {
 public:
  /// To be filled, then factorized in place.
  MatrixX matrix;

  DenseLu() = default;
  explicit DenseLu(int size) { resize(size); }
  void resize(int size) {
    matrix.setZero(size, size);
    rows_.resize(size);
  }
  bool factorize() {
    Permutation::StorageIndex swaps = 0;
    if (matrix.size() > 0) Eigen::internal::partial_lu_inplace(matrix, rows_, swaps);
    return matrix.allFinite() && (matrix.size() == 0 || matrix.diagonal().cwiseAbs().minCoeff() > 0);
  }
  void solve(auto&& b) const {
    solve_lower(b);
    solve_upper(b);
  }
  /// Its two halves: b <- L^-1 P b, then b <- U^-1 b.
  void solve_lower(auto&& b) const {
    if (b.size() == 0) return;  // of which there is no first entry
    for (int k = 0; k < rows_.size(); ++k)
      if (rows_.coeff(k) != k) b.row(k).swap(b.row(rows_.coeff(k)));
    matrix.triangularView<Eigen::UnitLower>().solveInPlace(b);
  }
  void solve_upper(auto&& b) const {
    if (b.size() > 0) matrix.triangularView<Eigen::Upper>().solveInPlace(b);
  }
  /// b <- b U^-1
  void solve_upper_from_right(auto&& b) const {
    if (b.size() > 0) matrix.triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(b);
  }

 private:
  using Permutation = Eigen::Transpositions<Eigen::Dynamic, Eigen::Dynamic, Eigen::Index>;
  Permutation rows_;
};

/// b <- A^-1 b, where A is lost. Allocates nothing once `pivots` has been as large.
inline void solve_in_place(Eigen::Ref<MatrixX> A, Eigen::Ref<VectorX> b, std::vector<Eigen::Index>& pivots) {
  if (A.size() == 0) return;
  pivots.resize(static_cast<std::size_t>(A.rows()));
  Eigen::Index swaps = 0;
  Eigen::internal::partial_lu_impl<double, Eigen::ColMajor, Eigen::Index, Eigen::Dynamic>::blocked_lu(
      A.rows(), A.cols(), A.data(), A.outerStride(), pivots.data(), swaps);
  for (Eigen::Index k = 0; k < A.rows(); ++k) std::swap(b[k], b[pivots[static_cast<std::size_t>(k)]]);
  A.triangularView<Eigen::UnitLower>().solveInPlace(b);
  A.triangularView<Eigen::Upper>().solveInPlace(b);
}

}  // namespace hooke
