#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

#include "hooke/math/dense.h"

namespace hooke {

SymmetricEigen symmetric_eigen(const MatrixX& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen3 symmetric_eigen3(const Mat3& A) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen symmetric_eigen(const MatrixX& A, const MatrixX& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double smallest_eigenvalue(const MatrixX& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatrixX>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

GeneralEigen general_eigen(const MatrixX& A) {
  const Eigen::EigenSolver<MatrixX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd general_eigenvalues(const MatrixX& A) {
  return Eigen::EigenSolver<MatrixX>(A, false).eigenvalues();
}

MatrixX exponential(const MatrixX& A) { return A.exp(); }

}  // namespace hooke
