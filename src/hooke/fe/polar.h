#pragma once
#include <cmath>

#include "hooke/math/pack.h"
#include "hooke/math/types.h"

namespace hooke {

template <class S>
Eigen::Matrix<S, 3, 3> cofactors(const Eigen::Matrix<S, 3, 3>& A) {
  Eigen::Matrix<S, 3, 3> C;
  C.col(0) = A.col(1).cross(A.col(2));
  C.col(1) = A.col(2).cross(A.col(0));
  C.col(2) = A.col(0).cross(A.col(1));
  return C;
}

/// The rotation R of H = R S, S symmetric and positive; of four H where S is a Pack. By Newton's iteration
///
///     Q <- (g Q + Q^-T / g) / 2,    g^2 = |Q^-1| / |Q|                              (Higham, SIAM J. Sci. Stat. Comput. 7, 1986)
///
/// from H with a multiple of its cofactors, which changes the singular values but not R, and supplies the direction that points in a plane
/// lack. What a step changes is the error before it; the error after it is half of the square of that. False where H is turned
/// inside out.
template <class S>
bool find_rotation(const Eigen::Matrix<S, 3, 3>& H, Eigen::Matrix<S, 3, 3>& Q) {
  using std::sqrt;
  using Matrix = Eigen::Matrix<S, 3, 3>;
  constexpr double known = 1e-16, near = 1e-4;  // squares
  Q = H * (S(1) / sqrt(H.squaredNorm()));
  Q += cofactors(Q);
  bool is_near = false;
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Matrix C = cofactors(Q);
    const S det = Q.col(0).dot(C.col(0));
    if (!all_below(-det, -1e-12)) return false;
    const S g = is_near ? S(1) : sqrt(sqrt(C.squaredNorm() / Q.squaredNorm()) / det);
    const Matrix next = (S(0.5) * g) * Q + (S(0.5) / (g * det)) * C;
    const S change = (next - Q).squaredNorm();
    Q = next;
    if (all_below(change, known)) return true;
    is_near = all_below(change, near);
  }
  return false;
}

}  // namespace hooke
