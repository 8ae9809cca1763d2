#pragma once
#include "hooke/math/types.h"

/// Factorizations of dense matrices for what is done once in a run or rarely: thin functions around Eigen, which
/// takes seconds to compile each of them wherever it is used.
namespace hooke {

/// Eigenvalues in ascending order and eigenvectors, a column each.
struct SymmetricEigen {
  VectorX values;
  MatrixX vectors;
};
struct SymmetricEigen3 {
  Vec3 values;
  Mat3 vectors;
};
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};

/// A x = s x with symmetric A; orthonormal vectors.
SymmetricEigen symmetric_eigen(const MatrixX& A);
SymmetricEigen3 symmetric_eigen3(const Mat3& A);
/// A x = s B x with symmetric A and positive definite B; the vectors are orthonormal in B.
SymmetricEigen symmetric_eigen(const MatrixX& A, const MatrixX& B);
double smallest_eigenvalue(const MatrixX& symmetric);
GeneralEigen general_eigen(const MatrixX& A);
Eigen::VectorXcd general_eigenvalues(const MatrixX& A);
/// exp(A)
MatrixX exponential(const MatrixX& A);

bool is_positive_definite(const MatrixX& symmetric);
/// A^-1 b: by Cholesky's factor of a positive definite A, by L D L^T of a symmetric one, by L U of any that is not
/// singular.
MatrixX solve_positive(const MatrixX& A, const MatrixX& b);
MatrixX solve_symmetric(const MatrixX& A, const MatrixX& b);
MatrixX solve_general(const MatrixX& A, const MatrixX& b);
MatrixX pseudo_inverse(const MatrixX& A);
/// Orthonormal columns that span the null space of A; a pivot below `threshold` of the largest counts as zero.
MatrixX null_space(const MatrixX& A, double threshold);
/// The rotation that is nearest to A, by its singular values.
Mat3 nearest_rotation(const Mat3& A);

}  // namespace hooke
