#include "hooke/linalg/dense_kernels.h"

#include <cmath>
#include <cstddef>

#if HOOKE_WITH_BLAS
#include <cblas.h>
extern "C" void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
#else
#include <Eigen/Cholesky>
#endif

namespace hooke::dense {
namespace {

/// dpotrf of some libraries lets what is not a number pass.
bool has_positive_diagonal(const double* A, int size, int stride) {
  for (int i = 0; i < size; ++i)
    if (const double d = A[static_cast<std::ptrdiff_t>(i) * stride + i]; !(d > 0) || !std::isfinite(d))
      return false;
  return true;
}

#if HOOKE_WITH_BLAS
/// Threads are Hooke's own decision, and idle ones of a BLAS spin.
void use_one_thread() {
  static const bool done = (openblas_set_num_threads(1), true);
  static_cast<void>(done);
}
#else
template <class Scalar>
auto view(Scalar* A, int rows, int columns, int stride) {
  using Matrix = std::conditional_t<std::is_const_v<Scalar>, const Eigen::MatrixXd, Eigen::MatrixXd>;
  return Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(A, rows, columns, Eigen::OuterStride<>(stride));
}
#endif

}  // namespace

#if HOOKE_WITH_BLAS

bool cholesky(double* A, int size, int stride) {
  use_one_thread();
  int failed = 0;
  dpotrf_("L", &size, A, &stride, &failed, 1);
  return failed == 0 && has_positive_diagonal(A, size, stride);
}

void solve_from_right(const double* L, int size, int stride, double* B, int rows, int stride_B) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, size, 1.0, L, stride, B,
              stride_B);
}

void subtract_square(const double* B, int rows, int columns, int stride, double* C, int stride_C, bool add) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, rows, columns, -1.0, B, stride, add ? 1.0 : 0.0, C,
              stride_C);
}

#else

bool cholesky(double* A, int size, int stride) {
  auto L = view(A, size, size, stride);
  return Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(L) < 0 &&
         has_positive_diagonal(A, size, stride);
}

void solve_from_right(const double* L, int size, int stride, double* B, int rows, int stride_B) {
  auto right = view(B, rows, size, stride_B);
  view(L, size, size, stride)
      .transpose()
      .triangularView<Eigen::Upper>()
      .solveInPlace<Eigen::OnTheRight>(right);
}

void subtract_square(const double* B, int rows, int columns, int stride, double* C, int stride_C, bool add) {
  auto to = view(C, rows, rows, stride_C);
  if (!add) to.setZero();
  to.selfadjointView<Eigen::Lower>().rankUpdate(view(B, rows, columns, stride), -1.0);
}

#endif

}  // namespace hooke::dense
