#pragma once
#include <string_view>

#include "hooke/linalg/kkt.h"

namespace hooke {

/// Solves the block KKT system of one Newton step (linalg/kkt.h). Symbolic work is done once, on the first
/// `factorize`; a later one with the same pattern only renews the numbers and allocates nothing.
/// They are made by name: solvers/catalog.h.
class NewtonSolver {
 public:
  virtual ~NewtonSolver() = default;
  /// False when the matrix is singular to working precision.
  virtual bool factorize(const KktMatrix& kkt) = 0;
  /// Replaces each column b of x by A^-1 b: one vector or several at once.
  virtual void solve(Eigen::Ref<MatrixX> x) = 0;
  virtual std::string_view name() const = 0;
  /// Whether the matrix should come with `turned` bodies (KktMatrix::accept_turned).
  virtual bool wants_turned() const { return false; }
  /// Whether the matrix depends much on the state, and a new one costs little: it is then renewed in every
  /// iteration.
  virtual bool should_renew() const { return false; }
};

}  // namespace hooke
