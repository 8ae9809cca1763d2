#include "hooke/math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

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

bool is_positive_definite(const MatrixX& symmetric) {
  return Eigen::LLT<MatrixX>(symmetric).info() == Eigen::Success;
}

GeneralEigen general_eigen(const MatrixX& A) {
  const Eigen::EigenSolver<MatrixX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

MatrixX solve_positive(const MatrixX& A, const MatrixX& b) { return A.llt().solve(b); }
MatrixX solve_general(const MatrixX& A, const MatrixX& b) { return A.partialPivLu().solve(b); }
MatrixX pseudo_inverse(const MatrixX& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

Mat3 nearest_rotation(const Mat3& A) {
  const Eigen::JacobiSVD<Mat3> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  return svd.matrixU() * Vec3(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
}

MatrixX null_space(const MatrixX& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixX> qr(A.transpose());
  qr.setThreshold(threshold);
  const MatrixX Q = qr.householderQ();
  return Q.rightCols(A.cols() - qr.rank());
}

}  // namespace hooke
