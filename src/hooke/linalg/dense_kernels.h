#pragma once

/// What a sparse factorisation spends its time in, on dense blocks stored by columns with a constant distance
/// between them: by BLAS and LAPACK where the build has them, else by Eigen.
namespace hooke::dense {

/// A = L L^T, in its lower triangle. False where it is not positive definite.
bool cholesky(double* A, int size, int stride);
/// B <- B L^-T
void solve_from_right(const double* L, int size, int stride, double* B, int rows, int stride_B);
/// C <- C - B B^T in the lower triangle of C; or C <- -B B^T.
void subtract_square(const double* B, int rows, int columns, int stride, double* C, int stride_C, bool add);

}  // namespace hooke::dense
