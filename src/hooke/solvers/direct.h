#pragma once
#include "hooke/linalg/sparse_lu.h"
#include "hooke/solvers/choice.h"
#include "hooke/solvers/dense_lu.h"
#include "hooke/solvers/solver.h"

/// Solvers that take the whole matrix as one.
namespace hooke {

/// LU with partial pivoting.
class DenseSolver final : public NewtonSolver {
 public:
  explicit DenseSolver(int size) : lu_(size) {}

  bool factorize(const KktMatrix& kkt) override {
    const BlockMatrix& A = kkt.matrix;
    lu_.matrix.setZero();
    for (int column = 0; column < A.size(); ++column)
      for (int k = A.outer()[column]; k < A.outer()[column + 1]; ++k)
        lu_.matrix(A.inner()[k], column) = A.values()[k];
    return lu_.factorize();
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    for (int column = 0; column < x.cols(); ++column) lu_.solve(x.col(column));
  }
  std::string_view name() const override { return "dense"; }

 private:
  DenseLu lu_;
};

class DirectSolver final : public NewtonSolver {
 public:
  explicit DirectSolver(std::unique_ptr<SparseLu> lu) : lu_(std::move(lu)) {}

  bool factorize(const KktMatrix& kkt) override {
    const BlockMatrix& A = kkt.matrix;
    return lu_->factorize(A.size(), A.outer(), A.inner(), A.values());
  }
  void solve(Eigen::Ref<MatrixX> x) override { lu_->solve(x); }
  std::string_view name() const override { return lu_->name(); }

 private:
  std::unique_ptr<SparseLu> lu_;
};

/// What suits a matrix of which nothing but its size is known.
inline std::unique_ptr<NewtonSolver> make_direct(int size) {
  if (size <= dense_up_to) return std::make_unique<DenseSolver>(size);
  return std::make_unique<DirectSolver>(make_sparse_lu());
}

}  // namespace hooke
