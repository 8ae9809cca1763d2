#include "hooke/coupling/linear_coupling.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "../papers/schneider/two_masses.h"

namespace hooke {
namespace {

TEST(LinearCoupling, RadiiOfThePaper) {
  const double expected[] = {0.3162, 0.8518, 1.4108};
  for (int degree = 0; degree < 3; ++degree) {
    EXPECT_NEAR(zero_stability(TwoMasses{}.coupling(Forces::approximate, degree, degree)), expected[degree],
                5e-5);
    // With exact forces there is no loop: after as many exchanges as there are signals nothing is left.
    MatrixX Z = exchange(TwoMasses{}.coupling(Forces::exact, degree, degree));
    for (int k = 0; k < 4; ++k) Z = (Z * Z).eval();
    EXPECT_LT(Z.norm(), 1e-9);
  }
}

TEST(LinearCoupling, ThresholdsOfTheMassRatio) {
  const double thresholds[] = {1, 3 + 2 * std::sqrt(3.0), 31.640};
  for (int degree = 0; degree < 3; ++degree)
    for (const double factor : {1 - 1e-4, 1 + 1e-4}) {
      TwoMasses masses;
      masses.m_R = factor * thresholds[degree] * masses.m_F;
      EXPECT_EQ(zero_stability(masses.coupling(Forces::approximate, degree, degree)) < 1, factor > 1)
          << degree;
    }
}

TEST(LinearCoupling, InTurnHasOneFactorAndAWiderRange) {
  for (int degree = 0; degree < 3; ++degree) {
    LinearCoupling coupling = TwoMasses{}.coupling(Forces::approximate, degree, degree);
    const double side_by_side = zero_stability(coupling);
    coupling.outputs = LinearCoupling::Outputs::in_turn;
    EXPECT_LT(zero_stability(coupling), side_by_side);
  }
  LinearCoupling constant = TwoMasses{}.coupling(Forces::approximate, 0, 0);
  constant.outputs = LinearCoupling::Outputs::in_turn;
  EXPECT_NEAR(zero_stability(constant), 0.1, 1e-12);  // m_F / m_R instead of its root
}

/// With polynomial inputs of the extrapolated degree, a macro step is exact.
TEST(LinearCoupling, AdvancesPolynomialsExactly) {
  StateSpace
      system;  // x' = -2 x + u, y = u' t^2-like signal fed from outside: u is kept by L = identity of itself
  system.A = MatrixX::Constant(1, 1, -2);
  system.B = MatrixX::Ones(1, 1);
  system.C = MatrixX::Zero(1, 1);
  system.D = MatrixX::Ones(1, 1);
  const LinearCoupling coupling{{system}, MatrixX::Ones(1, 1), {{2, -1}}};
  const double h = 0.3;
  const auto u = [](double t) { return 1 - 3 * t + 2 * t * t; };
  VectorX z(4);
  z << 0.7, u(0), u(-h), u(-2 * h);
  z = (macro_step(coupling, h) * z).eval();
  EXPECT_NEAR(z[1], u(h), 1e-13);
  // x = p(t) + c exp(-2t) with p = t^2 - 2.5 t + 1.75
  const auto p = [](double t) { return t * t - 2.5 * t + 1.75; };
  EXPECT_NEAR(z[0], p(h) + (0.7 - p(0)) * std::exp(-2 * h), 1e-13);
}

TEST(LinearCoupling, ConvergesToTheWholeAtTheOrderOfTheExtrapolation) {
  const TwoMasses masses;
  const auto error = [&](Forces forces, int of_force, int of_motion, double h) {
    return masses.error(masses.coupling(forces, of_force, of_motion), h, 2.0);
  };
  for (const auto& [of_force, of_motion, order] : {std::tuple{0, 1, 1.0}, {0, 2, 1.0}, {1, 2, 2.0}})
    EXPECT_NEAR(std::log2(error(Forces::exact, of_force, of_motion, 2.5e-3) /
                          error(Forces::exact, of_force, of_motion, 1.25e-3)),
                order, 0.05);
  EXPECT_NEAR(std::log2(error(Forces::approximate, 0, 1, 2.5e-3) / error(Forces::approximate, 0, 1, 1.25e-3)),
              1.0, 0.05);
}

/// What the spectral radius says is what happens.
TEST(LinearCoupling, GrowsWhereItSaysSo) {
  int checked = 0;
  for (const Forces forces : {Forces::exact, Forces::approximate})
    for (int degree = 0; degree < 3; ++degree)
      for (double h = 0.005; h < 0.5; h *= 1.7)
        for (double ratio = 0.5; ratio < 80; ratio *= 1.8) {
          TwoMasses masses;
          masses.m_R = ratio * masses.m_F;
          const LinearCoupling coupling = masses.coupling(forces, degree, degree);
          const double radius = stability(coupling, h);
          if (std::abs(radius - 1) < 5e-3) continue;
          const MatrixX x = simulate(coupling, h, 4000, masses.start(), masses.start_inputs());
          EXPECT_EQ(!(x.col(4000).cwiseAbs().maxCoeff() < 1), radius > 1)
              << degree << ' ' << h << ' ' << ratio << ' ' << radius;
          ++checked;
        }
  EXPECT_GT(checked, 200);
}

}  // namespace
}  // namespace hooke
