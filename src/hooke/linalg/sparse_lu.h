#pragma once
#include <memory>
#include <string_view>

#include "hooke/math/types.h"

namespace hooke {

/// A = L U of a square compressed-column matrix, rows exchanged for stability. The pattern stays the same.
class SparseLu {
 public:
  virtual ~SparseLu() = default;
  /// False when it is singular. The matrix stays where it is while the factor is used.
  virtual bool factorize(int size, const int* outer, const int* inner, const double* values) = 0;
  /// Replaces each column b of x by A^-1 b.
  virtual void solve(Eigen::Ref<MatrixX> x) = 0;
  virtual std::string_view name() const = 0;
};

/// KLU (left-looking, for matrices with little fill); null in a build without it.
std::unique_ptr<SparseLu> make_klu();
/// Eigen's, which every build has.
std::unique_ptr<SparseLu> make_eigen_lu();
/// The first of these that there is.
inline std::unique_ptr<SparseLu> make_sparse_lu() {
  auto klu = make_klu();
  return klu ? std::move(klu) : make_eigen_lu();
}

}  // namespace hooke
