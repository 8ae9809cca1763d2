#include "hooke/math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace hooke {

bool is_positive_definite(const MatrixX& symmetric) {
  return Eigen::LLT<MatrixX>(symmetric).info() == Eigen::Success;
}

MatrixX solve_positive(const MatrixX& A, const MatrixX& b) { return A.llt().solve(b); }
MatrixX solve_symmetric(const MatrixX& A, const MatrixX& b) { return A.ldlt().solve(b); }
MatrixX solve_general(const MatrixX& A, const MatrixX& b) {
  if (b.size() == 0) return b;
  return A.partialPivLu().solve(b);
}
MatrixX pseudo_inverse(const MatrixX& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

MatrixX null_space(const MatrixX& A, double threshold) {
  if (A.rows() == 0) return MatrixX::Identity(A.cols(), A.cols());
  Eigen::ColPivHouseholderQR<MatrixX> qr(A.transpose());
  qr.setThreshold(threshold);
  const MatrixX Q = qr.householderQ();
  return Q.rightCols(A.cols() - qr.rank());
}

Mat3 nearest_rotation(const Mat3& A) {
  const Eigen::JacobiSVD<Mat3> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  return svd.matrixU() * Vec3(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
}

}  // namespace hooke
