#pragma once
#include <Eigen/LU>

#include "math/types.h"

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
    for (int k = 0; k < rows_.size(); ++k) std::swap(b[k], b[rows_.coeff(k)]);
    matrix.triangularView<Eigen::UnitLower>().solveInPlace(b);
    matrix.triangularView<Eigen::Upper>().solveInPlace(b);
  }

 private:
  using Permutation = Eigen::Transpositions<Eigen::Dynamic, Eigen::Dynamic, Eigen::Index>;
  Permutation rows_;
};

}  // namespace hooke
