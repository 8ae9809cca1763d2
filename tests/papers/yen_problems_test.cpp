// The problems of the DAE alpha-method: derivatives against finite differences, the equations of motion
// against the energy.
#include "papers/yen/problems.h"

#include <gtest/gtest.h>

#include "support/finite_difference.h"

namespace hooke::test {
namespace {

State random_state(const Dae& dae, unsigned seed) {
  Random random(seed);
  State s;
  s.t = 0.1;
  s.q = random_vector(dae.nv(), random);
  s.v = random_vector(dae.nv(), random);
  s.a = random_vector(dae.nv(), random);
  s.lambda = random_vector(dae.nc(), random);
  return s;
}

VectorX residual(const Dae& dae, const State& s) {
  VectorX r;
  const auto workspace = dae.workspace();
  dae.residual(s, *workspace, r);
  return r;
}
VectorX g(const Dae& dae, const State& s, int level) {
  VectorX g;
  const auto w = dae.workspace();
  if (level == 0) dae.position_constraints(s, *w, g);
  if (level == 1) dae.velocity_constraints(s, *w, g);
  if (level == 2) dae.acceleration_constraints(s, *w, g);
  return g;
}

template <class Change>
MatrixX by(const State& s, int n, const Change& change) {
  return finite_difference(
      [&](const VectorX& x) {
        State moved = s;
        return change(moved, x);
      },
      n);
}

void expect_consistent(const yen::PlainDae& dae, double tolerance = 1e-8) {
  const int n = dae.nv(), m = dae.nc();
  for (unsigned seed = 1; seed < 4; ++seed) {
    const State s = random_state(dae, seed);
    MatrixX M = MatrixX::Zero(n, n), D = M, K = M, G = MatrixX::Zero(m, n);
    dae.derivatives(s, M, D, K, G);
    const auto r = [&](State& moved) { return residual(dae, moved); };
    EXPECT_MATRIX_NEAR(M, by(s, n, [&](State& z, const VectorX& x) { return z.a += x, r(z); }), tolerance);
    EXPECT_MATRIX_NEAR(D, by(s, n, [&](State& z, const VectorX& x) { return z.v += x, r(z); }), tolerance);
    EXPECT_MATRIX_NEAR(K, by(s, n, [&](State& z, const VectorX& x) { return z.q += x, r(z); }), tolerance);
    const VectorX before = residual(dae, s);
    if (m > 0) {
      EXPECT_MATRIX_NEAR(G, by(s, n, [&](State& z, const VectorX& x) { return z.q += x, g(dae, z, 0); }),
                         tolerance);
      EXPECT_MATRIX_NEAR(G.transpose(),
                         by(s, m, [&](State& z, const VectorX& x) { return z.lambda += x, r(z); }),
                         tolerance);
      // Along the motion q + v x + a x^2/2: each level is the rate of the one above.
      const auto along = [&](State& z, double x) {
        z.t += x;
        z.q += x * s.v + 0.5 * x * x * s.a;
        z.v += x * s.a;
      };
      for (int level : {0, 1}) {
        const MatrixX rate =
            by(s, 1, [&](State& z, const VectorX& x) { return along(z, x[0]), g(dae, z, level); });
        EXPECT_MATRIX_NEAR(g(dae, s, level + 1), rate, tolerance);
      }
    }
  }
}

/// v . r(a, lambda = 0) is the rate of the energy, less the power of what drives it.
void expect_power_balance(const Dae& dae, const std::function<double(const State&)>& power) {
  for (unsigned seed = 1; seed < 4; ++seed) {
    State s = random_state(dae, seed);
    s.lambda.setZero();
    const auto workspace = dae.workspace();
    const auto energy = [&](const VectorX& x) {
      State z = s;
      z.q += x[0] * s.v + 0.5 * x[0] * x[0] * s.a;
      z.v += x[0] * s.a;
      return VectorX::Constant(1, dae.energy(z, *workspace).total()).eval();
    };
    const double rate = finite_difference(energy, 1)(0, 0);
    EXPECT_NEAR(s.v.dot(residual(dae, s)), rate - power(s), 1e-8 * (1 + std::abs(rate)));
  }
}

const auto no_power = [](const State&) { return 0.0; };

/// Numbers of order one, so that no term hides behind the stiffness.
const yen::FlexibleSliderCrank::Data soft{
    .l1 = 0.6, .J1 = 0.7, .l2 = 1.3, .m3 = 0.5, .modulus = 20, .density = 1.5, .width = 0.9};

TEST(YenProblems, DerivativesAreExact) {
  expect_consistent(yen::Oscillator(3));
  expect_consistent(yen::ShakenPendulum());
  expect_consistent(yen::SpringPendulum(0.1));
  expect_consistent(yen::Bushing(0.5));
  expect_consistent(yen::FlexibleSliderCrank(1, soft));
  expect_consistent(yen::FlexibleSliderCrank(3, soft));
}

TEST(YenProblems, ForcesBelongToTheEnergy) {
  expect_power_balance(yen::Oscillator(3), no_power);
  expect_power_balance(yen::SpringPendulum(0.1), no_power);
  expect_power_balance(yen::Bushing(0.5), no_power);
  const yen::FlexibleSliderCrank crank(3, soft);
  expect_power_balance(crank, [&](const State& s) { return crank.torque(s.t) * s.v[0]; });
}

/// A rod that turns as a whole: N p = x and a rotation of the frame are the same motion to first order, and
/// both have the inertia of a rigid rod.
TEST(YenProblems, TheBeamKnowsItsRigidMotions) {
  for (int k : {1, 2, 5}) {
    const yen::FlexibleSliderCrank crank(k);
    const int n = crank.nv();
    MatrixX M = MatrixX::Zero(n, n), D = M, K = M, G = MatrixX::Zero(2, n);
    crank.derivatives(crank.initial_state(), M, D, K, G);
    VectorX turn = VectorX::Zero(n);
    for (int node = 1; node <= k; ++node) turn[1 + 2 * node] = 0.3 * node / k, turn[2 + 2 * node] = 1;
    // The clamped node lacks the slope N_2 of the first element, so only where it does not enter: c and b of
    // the tip alone, the last rows of M_f.
    const double line = 7870 * 0.008 * 0.008, l = 0.3 / k;
    if (k > 1) {
      EXPECT_NEAR(M.row(crank.tip()).dot(turn), M(1, crank.tip()), 1e-12);
    }
    EXPECT_NEAR(M(1, 1), line * 0.027 / 3, 1e-12);
    EXPECT_NEAR(M(0, crank.tip()), 0.15 * line * l / 2, 1e-12);
  }
}

}  // namespace
}  // namespace hooke::test
