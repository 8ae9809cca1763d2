#pragma once
#include <Eigen/Core>
#include <array>
#include <cmath>

namespace hooke {

/// Four numbers computed with at once, one of each of four bodies or joints: what a vector register holds.
/// Code written for a number works on packs unchanged, as long as it decides nothing by a number.
struct Pack {
  static constexpr int lanes = 4;
  using Register = double __attribute__((vector_size(lanes * sizeof(double))));
  Register v;

  Pack() = default;
  Pack(double x) : v{x, x, x, x} {}  // numbers mix with packs as they do with numbers
  Pack(Register x) : v(x) {}
  double operator[](int lane) const { return v[lane]; }

  Pack& operator+=(Pack b) { return v += b.v, *this; }
  Pack& operator-=(Pack b) { return v -= b.v, *this; }
  Pack& operator*=(Pack b) { return v *= b.v, *this; }
  Pack& operator/=(Pack b) { return v /= b.v, *this; }
  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  friend bool all_below(Pack a, double limit) {
    return a[0] < limit && a[1] < limit && a[2] < limit && a[3] < limit;
  }
  friend Pack sqrt(Pack a) {
    return Register{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
  }
  friend bool operator==(Pack a, Pack b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
  }
};

inline bool all_below(double a, double limit) { return a < limit; }

using PackSource = std::array<const double*, Pack::lanes>;
using PackTarget = std::array<double*, Pack::lanes>;

/// Element k of four arrays.
inline Pack gather(const PackSource& from, int k) {
  return Pack::Register{from[0][k], from[1][k], from[2][k], from[3][k]};
}

inline void scatter(const Pack& value, const PackTarget& to, int k) {
  to[0][k] = value.v[0], to[1][k] = value.v[1], to[2][k] = value.v[2], to[3][k] = value.v[3];
}

/// A fixed-size matrix out of four of them, stored column by column from element k on; and back.
template <class Matrix>
Matrix gather_matrix(const PackSource& from, int k = 0) {
  Matrix matrix;
  for (int i = 0; i < Matrix::SizeAtCompileTime; ++i) matrix.data()[i] = gather(from, k + i);
  return matrix;
}

template <class Matrix>
void scatter_matrix(const Matrix& matrix, const PackTarget& to, int k = 0) {
  for (int i = 0; i < Matrix::SizeAtCompileTime; ++i) scatter(matrix.data()[i], to, k + i);
}

}  // namespace hooke

template <>
struct Eigen::NumTraits<hooke::Pack> : Eigen::GenericNumTraits<double> {
  using Real = hooke::Pack;
  using NonInteger = hooke::Pack;
  using Literal = hooke::Pack;
  using Nested = hooke::Pack;
};
