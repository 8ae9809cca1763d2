// Fixed-point iterations x = A x + b and what makes them converge.
#include "hooke/coupling/acceleration.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace hooke::test {
namespace {

struct ScalarProblem {
  MatrixX A;
  VectorX b;
  VectorX solution() const { return (MatrixX::Identity(A.rows(), A.cols()) - A).lu().solve(b); }
};

/// Eigenvalues from -spread to spread, far from symmetric.
ScalarProblem problem(int n, double spread) {
  ScalarProblem p{MatrixX::Zero(n, n), VectorX::LinSpaced(n, 1, 2)};
  for (int i = 0; i < n; ++i) {
    p.A(i, i) = n > 1 ? spread * (2.0 * i / (n - 1) - 1) : spread;
    if (i > 0) p.A(i - 1, i) = 0.3;
  }
  return p;
}

/// Iterations until x solves the problem, at most 100.
int iterations(const ScalarProblem& p, FixedPointAcceleration& acceleration, bool forget = true) {
  VectorX x = VectorX::Zero(p.b.size());
  acceleration.begin(forget);
  for (int k = 1; k <= 100; ++k) {
    const VectorX r = p.A * x + p.b - x;
    if (r.lpNorm<Eigen::Infinity>() < 1e-10) {
      EXPECT_LT((x - p.solution()).norm(), 1e-8);
      return k;
    }
    acceleration.next(x, r);
  }
  return 100;
}
int iterations(const ScalarProblem& p, Acceleration kind, double relaxation = 1) {
  CouplingSettings settings;
  settings.acceleration = kind;
  settings.relaxation = relaxation;
  FixedPointAcceleration acceleration(static_cast<int>(p.b.size()), settings);
  return iterations(p, acceleration);
}

TEST(FixedPointAcceleration, WithoutItTheIterationConvergesLikeItsLargestEigenvalue) {
  EXPECT_NEAR(iterations(problem(4, 0.5), Acceleration::none), 10 / std::log10(2.0), 8);
  EXPECT_EQ(iterations(problem(4, 1.5), Acceleration::none), 100);
  EXPECT_LT(iterations({MatrixX::Constant(1, 1, -1.5), VectorX::Ones(1)}, Acceleration::none, 0.4), 5);
}

TEST(FixedPointAcceleration, AitkenNeedsTwoIterationsForOneUnknown) {
  for (const double factor : {-3.0, -0.5, 0.9, 2.0})
    EXPECT_LE(iterations(problem(1, factor), Acceleration::aitken), 4) << factor;
}

TEST(FixedPointAcceleration, QuasiNewtonSolvesALinearProblemInAsManyIterationsAsUnknowns) {
  for (const int n : {1, 3, 6})
    for (const double spread : {0.5, 0.95, 3.0})
      EXPECT_LE(iterations(problem(n, spread), Acceleration::iqn_ils), n + 3) << n << ' ' << spread;
}

TEST(FixedPointAcceleration, QuasiNewtonRemembersThePreviousSteps) {
  CouplingSettings settings;
  FixedPointAcceleration acceleration(5, settings);
  ScalarProblem p = problem(5, 0.9);
  const int first = iterations(p, acceleration, false);
  p.b *= 1.3;
  EXPECT_LE(iterations(p, acceleration, false), 3);
  EXPECT_LE(first, 8);
  EXPECT_GT(iterations(p, acceleration, true), 3);  // and forgets when it is told to
}

/// Columns that say the same twice do not spoil the least squares.
TEST(FixedPointAcceleration, DependentColumnsAreLeftOut) {
  CouplingSettings settings;
  FixedPointAcceleration acceleration(3, settings);
  acceleration.begin(true);
  VectorX x = VectorX::Zero(3);
  for (int k = 0; k < 6; ++k) {
    const VectorX r = std::pow(0.5, k) * Eigen::Vector3d(1, 2, 3);
    acceleration.next(x, r);
    EXPECT_TRUE(x.allFinite());
    EXPECT_LE(acceleration.columns(), 1);
  }
}

}  // namespace
}  // namespace hooke::test
