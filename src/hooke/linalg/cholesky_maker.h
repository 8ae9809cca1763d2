#pragma once
#include <memory>

#include "hooke/base/team.h"
#include "hooke/linalg/supernodes.h"

namespace hooke {

/// Makes the panels of a supernodal factor A = P^T L L^T P.
class CholeskyMaker {
 public:
  virtual ~CholeskyMaker() = default;
  /// Done once, before the first factorisation; the matrix as find_supernodes takes it.
  virtual SupernodalPattern analyze(const Eigen::SparseMatrix<double>& A, int block) = 0;
  /// False when the matrix is not positive definite.
  virtual bool factorize(const Eigen::SparseMatrix<double>& A, const SupernodalPattern& pattern,
                         Team* team) = 0;
  virtual const double* values() const = 0;
  /// No other matrix will follow: gives back what only factorizing needs.
  virtual void finish() {}
};

enum class CholeskyKind { own, cholmod };

/// Fronts of the elimination tree on dense kernels; threads take its branches, with the same bits whatever
/// their number. Nothing is allocated when a second matrix of the same pattern is factorized.
std::unique_ptr<CholeskyMaker> make_multifrontal();

}  // namespace hooke
