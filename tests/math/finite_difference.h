#pragma once

#include <gtest/gtest.h>

#include <random>

#include "hooke/math/types.h"

namespace hooke::test {

/// df/dx by central differences, Richardson-extrapolated to fourth order.
template <class F>
MatrixX finite_difference(F f, const VectorX& x, double h = 1e-3) {
  MatrixX D(VectorX(f(x)).size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto central = [&](double step) {
      VectorX after = x, before = x;
      after[i] += step;
      before[i] -= step;
      return VectorX((VectorX(f(after)) - VectorX(f(before))) / (2 * step));
    };
    D.col(i) = (4 * central(h / 2) - central(h)) / 3;
  }
  return D;
}

template <class F>
double derivative(F f, double x, double h = 1e-3) {
  const auto central = [&](double step) { return (f(x + step) - f(x - step)) / (2 * step); };
  return (4 * central(h / 2) - central(h)) / 3;
}

inline void expect_matrix_near(const MatrixX& actual, const MatrixX& expected, double tolerance) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  EXPECT_LE((actual - expected).norm(), tolerance * std::max(1.0, expected.norm()))
      << "actual\n"
      << actual << "\nexpected\n"
      << expected;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  Vec3 vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  Vec3 direction() { return vector().normalized(); }

 private:
  std::mt19937 engine_;
};

}  // namespace hooke::test
