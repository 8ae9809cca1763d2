// The hand-written system of papers/malczyk: its derivatives, and its agreement with bodies on SO(3).
#include "../../papers/malczyk/euler_parameters.cpp"

#include <gtest/gtest.h>

#include "hooke/integrators/generalized_alpha.h"
#include "support/finite_difference.h"

namespace hooke::malczyk {
namespace {

/// Two bodies; closed, it cannot move, but its derivatives are those of any.
EulerSystem linkage(bool closed) {
  const Vec3 half(0.4, 0.2, 0.1);
  std::vector<EulerJoint> joints{{.A = -1, .B = 0, .s_B = -half, .revolute = true},
                                 {.A = 0, .B = 1, .s_A = half, .s_B = -half}};
  if (closed) joints.push_back({.A = 1, .B = -1, .s_A = half, .s_B = 4 * half, .revolute = true});
  return EulerSystem(
      {{.mass = 2, .inertia = {1, 2, 3}, .r = half}, {.mass = 1, .inertia = {0.5, 0.3, 0.2}, .r = 3 * half}},
      joints, {0, -9.81, 0});
}

State random_state(const EulerSystem& system) {
  std::srand(3);
  State s = system.initial_state();
  s.q += 0.3 * VectorX::Random(system.nq());
  s.v = VectorX::Random(system.nv());
  s.a = VectorX::Random(system.nv());
  s.lambda = VectorX::Random(system.nc());
  return s;
}

TEST(EulerParameters, TangentIsTheDerivative) {
  const EulerSystem system = linkage(true);
  const State state = random_state(system);
  auto w = system.workspace();
  const auto residual = [&](double m, double d, double k, const VectorX& x) {
    State s = state;
    s.q += k * x, s.v += d * x, s.a += m * x;
    VectorX r;
    system.residual(s, *w, r);
    return r;
  };
  KktMatrix kkt(system.structure());
  const int n = system.nv();
  const Weights weights{.m = 0.7, .d = 0.3, .k = 0.2};
  system.tangent(state, weights, *w, kkt);
  const MatrixX A = kkt.matrix.dense();
  const MatrixX C = test::finite_difference([&](const VectorX& x) { return residual(0.7, 0.3, 0.2, x); }, n);
  // Within a body the tangent is complete; the stiffness of revolute rows between two bodies is left out.
  for (int b = 0; b < 2; ++b)
    EXPECT_LT((A.block(7 * b, 7 * b, 7, 7) - C.block(7 * b, 7 * b, 7, 7)).norm(), 1e-6) << b;
  const MatrixX G = test::finite_difference(
      [&](const VectorX& x) {
        State s = state;
        s.q += x;
        VectorX g;
        system.position_constraints(s, *w, g);
        return g;
      },
      n);
  EXPECT_LT((A.bottomLeftCorner(system.nc(), n) - G).norm(), 1e-7);
  EXPECT_LT((A.topRightCorner(n, system.nc()) - G.transpose()).norm(), 1e-7);
}

TEST(EulerParameters, ConstraintsOfVelocitiesAndAccelerationsAreRates) {
  const EulerSystem system = linkage(true);
  const State state = random_state(system);
  auto w = system.workspace();
  const auto along = [&](double t) {
    State s = state;
    s.q += t * state.v + 0.5 * t * t * state.a;
    s.v += t * state.a;
    return s;
  };
  const double h = 1e-5;
  VectorX before, after, rate;
  system.position_constraints(along(-h), *w, before);
  system.position_constraints(along(h), *w, after);
  system.velocity_constraints(state, *w, rate);
  EXPECT_LT((rate - (after - before) / (2 * h)).norm(), 1e-8);
  system.velocity_constraints(along(-h), *w, before);
  system.velocity_constraints(along(h), *w, after);
  system.acceleration_constraints(state, *w, rate);
  EXPECT_LT((rate - (after - before) / (2 * h)).norm(), 1e-8);
}

/// A singular mass matrix and a constraint on one body alone: the leaf takes both into its own factor.
TEST(EulerParameters, DivideAndConquerEqualsSparse) {
  const EulerSystem system = linkage(false);
  State a = system.initial_state(), b = a;
  for (const char* solver : {"dca", "klu"}) {
    NewtonSettings newton;
    newton.solver = solver;
    newton.regularisation = 1e-6;
    GeneralizedAlpha integrator(system, {.newton = newton});
    State& state = solver[0] == 'd' ? a : b;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(integrator.step(state, 1e-3).accepted) << solver;
  }
  EXPECT_LT((a.q - b.q).norm(), 1e-9);
}

}  // namespace
}  // namespace hooke::malczyk
