#pragma once
#include <Eigen/Core>
#include <array>

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
  friend bool operator==(Pack a, Pack b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
  }
};

/// Element k of four arrays.
inline Pack gather(const std::array<const double*, Pack::lanes>& from, int k) {
  return Pack::Register{from[0][k], from[1][k], from[2][k], from[3][k]};
}

}  // namespace hooke

template <>
struct Eigen::NumTraits<hooke::Pack> : Eigen::GenericNumTraits<double> {
  using Real = hooke::Pack;
  using NonInteger = hooke::Pack;
  using Literal = hooke::Pack;
  using Nested = hooke::Pack;
};
