#pragma once

// Gauss-Legendre and Gauss-Lobatto rules on [-1, 1], computed at compile time.
//
// Points are roots of the Legendre polynomial P_n (Gauss) or of P'_{n-1} together with -1 and 1
// (Lobatto). Newton from the right of all roots runs down monotonically to the largest one, as these
// polynomials have real roots only; dividing out the roots already found (Maehly) then leads to the
// next. Abramowitz and Stegun (1964), 25.4.29 and 25.4.32 for the weights.

#include <array>
#include <span>
#include <stdexcept>

namespace hooke {

/// integral of f over [-1, 1]  ~  sum weights[i] f(points[i]), points ascending.
template <int N>
struct Quadrature {
  std::array<double, N> points{}, weights{};
};

/// The same without the number of points in the type; refers to static data.
struct QuadratureView {
  std::span<const double> points, weights;
  int size() const { return int(points.size()); }
};

namespace quadrature {

struct Legendre {
  double P, dP, ddP;
};

constexpr Legendre legendre(int n, double x) {
  Legendre before{0, 0, 0}, now{1, 0, 0};
  for (int k = 0; k < n; ++k) {
    const Legendre next{((2 * k + 1) * x * now.P - k * before.P) / (k + 1), before.dP + (2 * k + 1) * now.P,
                        before.ddP + (2 * k + 1) * now.dP};
    before = now;
    now = next;
  }
  return now;
}

/// The Count roots of P_n, or of P'_n, in ascending order.
template <int Count>
constexpr std::array<double, Count> roots(int n, bool of_derivative) {
  std::array<double, Count> found{};
  for (int i = 0; i < Count; ++i) {
    double x = 1;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Legendre l = legendre(n, x);
      const double f = of_derivative ? l.dP : l.P, df = of_derivative ? l.ddP : l.dP;
      double deflation = 0;
      for (int j = 0; j < i; ++j) deflation += 1 / (x - found[Count - 1 - j]);
      const double step = f / (df - f * deflation);
      x -= step;
      if (step < 1e-16 && step > -1e-16) break;
    }
    found[Count - 1 - i] = x;
  }
  for (int i = 0; i < Count; ++i) {  // exactly symmetric
    const double x = 0.5 * (found[Count - 1 - i] - found[i]);
    found[i] = -x;
    found[Count - 1 - i] = x;
  }
  if (Count % 2) found[Count / 2] = 0;
  return found;
}

template <int N>
constexpr Quadrature<N> make_gauss() {
  Quadrature<N> rule{roots<N>(N, false), {}};
  for (int i = 0; i < N; ++i) {
    const double x = rule.points[i], d = legendre(N, x).dP;
    rule.weights[i] = 2 / ((1 - x * x) * d * d);
  }
  return rule;
}

template <int N>
constexpr Quadrature<N> make_lobatto() {
  static_assert(N >= 2, "a Lobatto rule has both end points");
  Quadrature<N> rule;
  rule.points[0] = -1;
  rule.points[N - 1] = 1;
  if constexpr (N > 2) {
    const auto inner = roots<N - 2>(N - 1, true);
    for (int i = 0; i < N - 2; ++i) rule.points[i + 1] = inner[i];
  }
  for (int i = 0; i < N; ++i) {
    const double p = legendre(N - 1, rule.points[i]).P;
    rule.weights[i] = 2 / (N * (N - 1) * p * p);
  }
  return rule;
}

}  // namespace quadrature

/// Exact for polynomials up to degree 2N - 1.
template <int N>
inline constexpr Quadrature<N> gauss_legendre = quadrature::make_gauss<N>();

/// Exact for polynomials up to degree 2N - 3, with both end points.
template <int N>
inline constexpr Quadrature<N> gauss_lobatto = quadrature::make_lobatto<N>();

namespace quadrature {
template <int N>
QuadratureView select(int n) {
  if constexpr (N > 10) {
    throw std::invalid_argument("quadrature rules have at most 10 points");
  } else {
    if (n == N) return {gauss_legendre<N>.points, gauss_legendre<N>.weights};
    return select<N + 1>(n);
  }
}
}  // namespace quadrature

/// 1 to 10 points.
inline QuadratureView gauss_legendre_rule(int n) { return quadrature::select<1>(n); }

}  // namespace hooke
