#pragma once
#include <Eigen/LU>
#include <type_traits>

#include "hooke/math/pack.h"

/// The algebra of divide and conquer for four leaves or four joints of the same shape at once. Matrices are
/// plain arrays of packs, column by column; sizes that rigid bodies and common joints have are known when
/// compiling.
namespace hooke::dca {

using Mat3P = Eigen::Matrix<Pack, 3, 3>;
using Mat6P = Eigen::Matrix<Pack, 6, 6>;

/// f(std::integral_constant<int, n>) when n is one of the sizes, else with 0: "see the argument".
template <int... Sizes, class F>
void with_size(int n, F&& f) {
  if (!((n == Sizes && (f(std::integral_constant<int, Sizes>{}), true)) || ...))
    f(std::integral_constant<int, 0>{});
}
/// Rows of joints, and of a body between two of them: a slider crank has 7, 8 and 9.
template <class F>
void with_joint_size(int rows, F&& f) {
  with_size<1, 2, 3, 4, 5, 6>(rows, f);
}
template <class F>
void with_leaf_size(int rows, F&& f) {
  with_size<3, 5, 6, 7, 8, 9, 10, 12>(rows, f);
}

/// Two 3 x 3 inverses: C is a mass matrix with smaller additions.
inline void invert_body(Eigen::Map<Mat6P> C) {
  const Mat3P A = C.topLeftCorner<3, 3>().inverse(), B = C.topRightCorner<3, 3>();
  const Mat3P DA = C.bottomLeftCorner<3, 3>() * A, AB = A * B;
  const Mat3P S = (C.bottomRightCorner<3, 3>() - DA * B).inverse();
  const Mat3P below = -S * DA;
  C.bottomRightCorner<3, 3>() = S;
  C.bottomLeftCorner<3, 3>() = below;
  C.topRightCorner<3, 3>() = -AB * S;
  C.topLeftCorner<3, 3>() = A - AB * below;
}

/// Gauss-Jordan in place. No pivoting: what is inverted here is a compliance, positive definite but for small
/// terms.
template <int Size>
void invert(Pack* A, int stride, int size) {
  const int n = Size ? Size : size;
  for (int k = 0; k < n; ++k) {
    const Pack pivot = Pack(1) / A[k * stride + k];
    A[k * stride + k] = 1;
    for (int c = 0; c < n; ++c) A[c * stride + k] *= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Pack factor = A[k * stride + i];
      A[k * stride + i] = 0;
      for (int c = 0; c < n; ++c) A[c * stride + i] -= factor * A[c * stride + k];
    }
  }
}

/// The same with pivots, which differ from lane to lane: for springs, whose 1 + S Phi is not near a symmetric matrix.
template <int Size>
void invert_with_pivots(Pack* A, int stride, int count) {
  Eigen::Matrix<double, Size, Size> one;
  for (int lane = count - 1; lane >= 0; --lane) {
    for (int c = 0; c < Size; ++c)
      for (int r = 0; r < Size; ++r) one(r, c) = A[c * stride + r][lane];
    one = one.partialPivLu().inverse().eval();
    for (int c = 0; c < Size; ++c)
      for (int r = 0; r < Size; ++r) {
        Pack& entry = A[c * stride + r];
        if (lane == 0)  // also for lanes that are not in use
          for (int unused = count; unused < Pack::lanes; ++unused) entry.v[unused] = one(r, c);
        entry.v[lane] = one(r, c);
      }
  }
}

/// X = C^-1 G^T and Phi = G X of bodies with six dofs, given C^-1; G is rows x 6, and so is Gt, its own or another.
template <int Rows>
void leaf_compliance(const Pack* inverse, const Pack* G, const Pack* Gt, int rows, Pack* X, Pack* Phi) {
  const int n = Rows ? Rows : rows;
  for (int c = 0; c < n; ++c) {
    Pack x[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 6; ++i) x[i] += inverse[6 * k + i] * Gt[n * k + c];
    for (int i = 0; i < 6; ++i) X[6 * c + i] = x[i];
    for (int r = 0; r < n; ++r) {
      Pack sum = 0;
      for (int k = 0; k < 6; ++k) sum += G[n * k + r] * x[k];
      Phi[n * c + r] = sum;
    }
  }
}

/// p becomes C^-1 p, load = G C^-1 p.
template <int Rows>
void leaf_load(const Pack* inverse, const Pack* G, int rows, Pack* p, Pack* load) {
  const int n = Rows ? Rows : rows;
  Pack x[6] = {0, 0, 0, 0, 0, 0};
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 6; ++i) x[i] += inverse[6 * k + i] * p[k];
  for (int i = 0; i < 6; ++i) p[i] = x[i];
  for (int r = 0; r < n; ++r) {
    Pack sum = 0;
    for (int k = 0; k < 6; ++k) sum += G[n * k + r] * x[k];
    load[r] = sum;
  }
}

/// Eliminates the first `rows` of a front with Phi in it, and (Phi_jj + eps)^-1 already in place:
///   [ (Phi_jj + eps)^-1             Phi_jh            ]
///   [ L = Phi_hj (Phi_jj + eps)^-1  Phi_hh - L Phi_jh ]
template <int Rows>
void eliminate(Pack* front, int rows, int size) {
  const int r = Rows ? Rows : rows;
  Pack few[Rows ? Rows : 1];
  Pack* row = Rows ? few : front + size * size;  // scratch behind the front
  for (int i = r; i < size; ++i) {
    for (int k = 0; k < r; ++k) row[k] = front[size * k + i];
    for (int k = 0; k < r; ++k) {
      Pack sum = 0;
      for (int l = 0; l < r; ++l) sum += row[l] * front[size * k + l];
      front[size * k + i] = sum;
    }
  }
  for (int c = r; c < size; ++c)
    for (int i = r; i < size; ++i) {
      Pack sum = front[size * c + i];
      for (int k = 0; k < r; ++k) sum -= front[size * k + i] * front[size * c + k];
      front[size * c + i] = sum;
    }
}

/// Loads of the handles: f_h -= L f_j.
template <int Rows>
void pass_up(const Pack* front, int rows, int size, Pack* f) {
  const int r = Rows ? Rows : rows;
  for (int i = r; i < size; ++i) {
    Pack sum = f[i];
    for (int k = 0; k < r; ++k) sum -= front[size * k + i] * f[k];
    f[i] = sum;
  }
}

/// Multipliers of the joint from those of the handles (in f behind the joint's loads): (Phi_jj + eps)^-1 (f_j
/// - Phi_jh f_h).
template <int Rows>
void pass_down(const Pack* front, int rows, int size, Pack* f, Pack* scratch) {
  const int r = Rows ? Rows : rows;
  Pack few[Rows ? Rows : 1];
  Pack* load = Rows ? few : scratch;
  for (int k = 0; k < r; ++k) load[k] = f[k];
  for (int c = r; c < size; ++c)
    for (int k = 0; k < r; ++k) load[k] -= front[size * c + k] * f[c];
  for (int k = 0; k < r; ++k) {
    Pack sum = 0;
    for (int l = 0; l < r; ++l) sum += front[size * l + k] * load[l];
    f[k] = sum;
  }
}

}  // namespace hooke::dca
