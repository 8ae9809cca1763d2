#pragma once
#include <Eigen/SparseCore>
#include <functional>

#include "hooke/math/types.h"

namespace hooke {

/// Replaces each column.
using Replace = std::function<void(Eigen::Ref<MatrixX>)>;

/// M x of a symmetric M, which is read once for eight columns: for one it takes as long to come.
MatrixX symmetric_product(const Eigen::SparseMatrix<double>& M, const Eigen::Ref<const MatrixX>& x);

/// Vectors that are mass-orthonormal, and their products with M. Room for more is made when it is needed.
class Orthonormal {
 public:
  /// `project` brings vectors back onto constraints: what is left of one after the others are taken out may be
  /// mostly round-off, and without constraints that is a soft motion.
  explicit Orthonormal(const Eigen::SparseMatrix<double>& mass, Replace project = {})
      : M_(mass), project_(std::move(project)) {}
  void reserve(Eigen::Index columns) {
    if (size_ == 0) Q_.resize(M_.rows(), columns), MQ_.resize(M_.rows(), columns);
  }
  int size() const { return size_; }
  auto vectors() const { return Q_.leftCols(size_); }
  auto products() const { return MQ_.leftCols(size_); }
  void remove_from(Eigen::Ref<MatrixX> x) const;
  /// Adds the columns that are no combinations of those that are there; how many.
  int add(MatrixX x);

 private:
  bool is_allowed(Eigen::Ref<MatrixX> x) const;

  const Eigen::SparseMatrix<double>& M_;
  Replace project_;
  MatrixX Q_, MQ_;
  int size_ = 0;
};

/// Mass-orthonormal vectors with their theta, largest |theta| first.
struct EigenPairs {
  MatrixX vectors;
  VectorX values;
};

/// Is told how much of the work is done, from 0 to 1; false stops it.
using GoOn = std::function<bool(double)>;
/// Asks, and throws Error (interrupted) where the answer is no.
void report(const GoOn& go_on, double part);

/// The `count` eigenvalues theta of A^-1 M, `inverse` being A^-1, that are largest in size, of those whose vectors are mass-orthogonal to
/// the columns of `known`; fewer where there are fewer. A is symmetric and need not be positive; where constraints
/// hold it, `project` and A^-1 lead to motions they allow. By block Lanczos, all vectors orthogonal to each other, up to a relative residual
/// of 1e-9. A block finds values that are there several times; those that are there still more often are found from
/// random vectors that are thrown in until nothing changes. Throws std::invalid_argument where the mass is
/// not positive, std::runtime_error where it does not converge.
EigenPairs largest_of_inverse(const Eigen::SparseMatrix<double>& M, const Replace& inverse, int count,
                              const MatrixX& known, const GoOn& go_on = {}, const Replace& project = {});

}  // namespace hooke
