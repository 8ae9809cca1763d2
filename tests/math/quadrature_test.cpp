#include "hooke/math/quadrature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hooke {
namespace {

double integrate_power(const QuadratureView& rule, int k) {
  double sum = 0;
  for (int i = 0; i < rule.size(); ++i) sum += rule.weights[i] * std::pow(rule.points[i], k);
  return sum;
}

void expect_exact_up_to(int degree, const QuadratureView& rule) {
  for (int k = 0; k <= degree; ++k)
    EXPECT_NEAR(integrate_power(rule, k), k % 2 ? 0 : 2.0 / (k + 1), 4e-15) << k;
  const int next = degree + 1;  // even, as the rules are symmetric
  EXPECT_GT(std::abs(integrate_power(rule, next) - 2.0 / (next + 1)), 1e-8)
      << "should not be exact for x^" << next;
}

TEST(Quadrature, GaussIsExactToDegree2nMinus1) {
  for (int n = 1; n <= 10; ++n) expect_exact_up_to(2 * n - 1, gauss_legendre_rule(n));
}

TEST(Quadrature, LobattoIsExactToDegree2nMinus3) {
  const auto& rule = gauss_lobatto<5>;  // the one that is used
  expect_exact_up_to(7, {rule.points, rule.weights});
  EXPECT_EQ(rule.points.front(), -1);
  EXPECT_EQ(rule.points.back(), 1);
}

TEST(Quadrature, KnownPoints) {
  static_assert(gauss_legendre<1>.points[0] == 0);
  EXPECT_NEAR(gauss_legendre<2>.points[1], 1 / std::sqrt(3.0), 2e-16);
  EXPECT_NEAR(gauss_legendre<3>.points[0], -std::sqrt(0.6), 2e-16);
  EXPECT_NEAR(gauss_legendre<3>.weights[1], 8.0 / 9, 1e-15);
  EXPECT_NEAR(gauss_lobatto<3>.weights[1], 4.0 / 3, 1e-15);
  for (int n = 1; n <= 10; ++n) {
    const QuadratureView rule = gauss_legendre_rule(n);
    for (int i = 0; i < n; ++i) EXPECT_EQ(rule.points[i], -rule.points[n - 1 - i]);
    EXPECT_TRUE(std::is_sorted(rule.points.begin(), rule.points.end()));
  }
}

TEST(Quadrature, RefusesWhatItDoesNotHave) {
  EXPECT_THROW(gauss_legendre_rule(0), std::invalid_argument);
  EXPECT_THROW(gauss_legendre_rule(11), std::invalid_argument);
}

}  // namespace
}  // namespace hooke
