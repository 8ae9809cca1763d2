#pragma once

// Forward-mode derivatives. A Jet carries a value and its partial derivatives; written with a scalar
// type S that may itself be a jet, the rules of first derivatives give second ones by nesting.
//
//   Jet1<N>   value and N partial derivatives
//   Jet2      value, first and second derivative with respect to one variable
//
// Where a slope is infinite (sqrt at 0) an argument that does not vary adds no derivative, rather
// than inf * 0. At kinks the derivative is that of one side, or 0 for abs and sign at 0.

#include <algorithm>
#include <array>
#include <cmath>

namespace hooke {

template <class S, int N>
struct Jet {
  S value;
  std::array<S, N> d;

  Jet() = default;
  Jet(double constant) : value(constant) { d.fill(S(0.0)); }  // NOLINT: numbers are jets
  Jet(const S& v, const std::array<S, N>& derivatives) : value(v), d(derivatives) {}

  /// The independent variable number `slot`.
  static Jet variable(const S& v, int slot) {
    Jet x(0.0);
    x.value = v;
    x.d[slot] = S(1.0);
    return x;
  }
};

template <int N>
using Jet1 = Jet<double, N>;
using Jet2 = Jet<Jet<double, 1>, 1>;

/// The variable itself, to differentiate twice with respect to it.
inline Jet2 jet2_variable(double x) { return Jet2::variable(Jet1<1>::variable(x, 0), 0); }

inline double value_of(double x) { return x; }
template <class S, int N>
double value_of(const Jet<S, N>& x) {
  return value_of(x.value);
}

inline bool is_zero(double x) { return x == 0; }
template <class S, int N>
bool is_zero(const Jet<S, N>& x) {
  return is_zero(x.value) && std::all_of(x.d.begin(), x.d.end(), [](const S& d) { return is_zero(d); });
}

inline bool is_constant(double) { return true; }
template <class S, int N>
bool is_constant(const Jet<S, N>& x) {
  return is_constant(x.value) && std::all_of(x.d.begin(), x.d.end(), [](const S& d) { return is_zero(d); });
}

// ---- arithmetic ---------------------------------------------------------------------------------

namespace jet {
/// f(x) with slope f'(x).
template <class S, int N>
Jet<S, N> chain(const Jet<S, N>& x, const S& f, const S& slope) {
  Jet<S, N> r(0.0);
  r.value = f;
  for (int i = 0; i < N; ++i)
    if (!is_zero(x.d[i])) r.d[i] = slope * x.d[i];
  return r;
}
/// f(x, y) with its two slopes.
template <class S, int N>
Jet<S, N> chain(const Jet<S, N>& x, const Jet<S, N>& y, const S& f, const S& slope_x, const S& slope_y) {
  Jet<S, N> r = chain(x, f, slope_x);
  for (int i = 0; i < N; ++i)
    if (!is_zero(y.d[i])) r.d[i] = r.d[i] + slope_y * y.d[i];
  return r;
}
}  // namespace jet

template <class S, int N>
Jet<S, N> operator-(const Jet<S, N>& x) {
  return jet::chain(x, -x.value, S(-1.0));
}
template <class S, int N>
Jet<S, N> operator+(const Jet<S, N>& x, const Jet<S, N>& y) {
  return jet::chain(x, y, S(x.value + y.value), S(1.0), S(1.0));
}
template <class S, int N>
Jet<S, N> operator-(const Jet<S, N>& x, const Jet<S, N>& y) {
  return jet::chain(x, y, S(x.value - y.value), S(1.0), S(-1.0));
}
template <class S, int N>
Jet<S, N> operator*(const Jet<S, N>& x, const Jet<S, N>& y) {
  return jet::chain(x, y, S(x.value * y.value), y.value, x.value);
}
template <class S, int N>
Jet<S, N> operator/(const Jet<S, N>& x, const Jet<S, N>& y) {
  const S quotient = x.value / y.value;
  return jet::chain(x, y, quotient, S(S(1.0) / y.value), S(-(quotient / y.value)));
}

// ---- elementary functions -----------------------------------------------------------------------

// clang-format off
inline double sign(double x) { return (x > 0) - (x < 0); }

template <class S, int N> Jet<S, N> sin(const Jet<S, N>& x) {
  using std::sin, std::cos;
  return jet::chain(x, S(sin(x.value)), S(cos(x.value)));
}
template <class S, int N> Jet<S, N> cos(const Jet<S, N>& x) {
  using std::sin, std::cos;
  return jet::chain(x, S(cos(x.value)), S(-sin(x.value)));
}
template <class S, int N> Jet<S, N> tan(const Jet<S, N>& x) {
  using std::tan;
  const S f = tan(x.value);
  return jet::chain(x, f, S(S(1.0) + f * f));
}
template <class S, int N> Jet<S, N> asin(const Jet<S, N>& x) {
  using std::asin, std::sqrt;
  return jet::chain(x, S(asin(x.value)), S(S(1.0) / sqrt(S((S(1.0) - x.value) * (S(1.0) + x.value)))));
}
template <class S, int N> Jet<S, N> acos(const Jet<S, N>& x) {
  using std::acos, std::sqrt;
  return jet::chain(x, S(acos(x.value)), S(S(-1.0) / sqrt(S((S(1.0) - x.value) * (S(1.0) + x.value)))));
}
template <class S, int N> Jet<S, N> atan(const Jet<S, N>& x) {
  using std::atan;
  return jet::chain(x, S(atan(x.value)), S(S(1.0) / (S(1.0) + x.value * x.value)));
}
template <class S, int N> Jet<S, N> atan2(const Jet<S, N>& y, const Jet<S, N>& x) {
  using std::atan2;
  const S r2 = x.value * x.value + y.value * y.value;
  return jet::chain(y, x, S(atan2(y.value, x.value)), S(x.value / r2), S(-(y.value / r2)));
}
template <class S, int N> Jet<S, N> sinh(const Jet<S, N>& x) {
  using std::sinh, std::cosh;
  return jet::chain(x, S(sinh(x.value)), S(cosh(x.value)));
}
template <class S, int N> Jet<S, N> cosh(const Jet<S, N>& x) {
  using std::sinh, std::cosh;
  return jet::chain(x, S(cosh(x.value)), S(sinh(x.value)));
}
template <class S, int N> Jet<S, N> tanh(const Jet<S, N>& x) {
  using std::tanh;
  const S f = tanh(x.value);
  return jet::chain(x, f, S((S(1.0) - f) * (S(1.0) + f)));
}
template <class S, int N> Jet<S, N> exp(const Jet<S, N>& x) {
  using std::exp;
  const S f = exp(x.value);
  return jet::chain(x, f, f);
}
template <class S, int N> Jet<S, N> log(const Jet<S, N>& x) {
  using std::log;
  return jet::chain(x, S(log(x.value)), S(S(1.0) / x.value));
}
template <class S, int N> Jet<S, N> log10(const Jet<S, N>& x) {
  using std::log10;
  return jet::chain(x, S(log10(x.value)), S(S(1 / std::log(10.0)) / x.value));
}
template <class S, int N> Jet<S, N> sqrt(const Jet<S, N>& x) {
  using std::sqrt;
  const S f = sqrt(x.value);
  return jet::chain(x, f, S(S(0.5) / f));
}
template <class S, int N> Jet<S, N> abs(const Jet<S, N>& x) {
  using std::abs;
  return jet::chain(x, S(abs(x.value)), S(sign(value_of(x))));
}
template <class S, int N> Jet<S, N> sign(const Jet<S, N>& x) { return sign(value_of(x)); }
template <class S, int N> Jet<S, N> floor(const Jet<S, N>& x) { return std::floor(value_of(x)); }
template <class S, int N> Jet<S, N> ceil(const Jet<S, N>& x) { return std::ceil(value_of(x)); }

template <class S, int N> Jet<S, N> hypot(const Jet<S, N>& x, const Jet<S, N>& y) {
  using std::hypot;
  const S f = hypot(x.value, y.value);
  if (value_of(f) == 0) return 0.0;
  return jet::chain(x, y, f, S(x.value / f), S(y.value / f));
}
/// A constant exponent allows negative bases; a varying one does not, as log(x) enters.
template <class S, int N> Jet<S, N> pow(const Jet<S, N>& x, const Jet<S, N>& n) {
  using std::pow, std::log;
  if (is_constant(n)) {
    const double exponent = value_of(n);
    if (exponent == 0) return 1.0;
    const S slope = S(exponent) * pow(x.value, S(exponent - 1));
    return jet::chain(x, S(pow(x.value, n.value)), slope);
  }
  const S f = pow(x.value, n.value);
  const S slope_n = value_of(x) == 0 ? S(0.0) : S(f * log(x.value));
  return jet::chain(x, n, f, S(n.value * pow(x.value, S(n.value - S(1.0)))), slope_n);
}
// clang-format on

// ---- functions for numbers and jets alike -------------------------------------------------------

template <class T>
T minimum(const T& x, const T& y) {
  return value_of(y) < value_of(x) ? y : x;
}
template <class T>
T maximum(const T& x, const T& y) {
  return value_of(y) > value_of(x) ? y : x;
}

/// x - y floor(x / y): the result has the sign of y, as in Python.
template <class T>
T modulo(const T& x, const T& y) {
  using std::floor;
  return x - y * floor(x / y);
}

/// 0 before x0, 1 after x1, and between them the polynomial with zero slope and curvature at both
/// ends:  s^3 (10 - 15 s + 6 s^2).  With x0 = x1 a jump, already 1 at x0.
template <class T>
T smooth_step(const T& x, const T& x0, const T& x1) {
  if (value_of(x0) == value_of(x1)) return T(value_of(x) >= value_of(x0) ? 1.0 : 0.0);
  const T s = (x - x0) / (x1 - x0);
  if (value_of(s) <= 0) return T(0.0);
  if (value_of(s) >= 1) return T(1.0);
  return s * s * s * (T(10.0) + s * (T(6.0) * s - T(15.0)));
}

}  // namespace hooke
