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

/// The paper's scheme but for what is changed.
GeneralizedAlphaSettings scheme(Projection projection, InertiaTangent tangent,
                                std::optional<int> iterations) {
  GeneralizedAlphaSettings s{AlphaParameters::trapezoidal(), ConstraintForm::index3, projection, {}, tangent};
  s.newton.penalty = 1e9;
  s.newton.geometric_stiffness = false;
  s.newton.fixed_iterations = iterations;
  s.newton.max_iterations = 50;
  return s;
}

TEST(EulerParameters, MassesInTheTangentLeadToTheSameSolution) {
  const EulerSystem system = linkage(false);
  State exact = system.initial_state(), masses = exact;
  GeneralizedAlpha one(system, scheme(Projection::none, InertiaTangent::exact, {})),
      other(system, scheme(Projection::none, InertiaTangent::masses, {}));
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(one.step(exact, 2e-3).accepted);
    ASSERT_TRUE(other.step(masses, 2e-3).accepted);
  }
  EXPECT_LT((exact.q - masses.q).norm(), 1e-8);
  EXPECT_NE(exact.q, masses.q);  // or the option does nothing
}

TEST(EulerParameters, KinematicProjectionLeavesTheMultipliers) {
  const EulerSystem system = linkage(false);
  auto w = system.workspace();
  State velocity = system.initial_state(), kinematic = velocity;
  GeneralizedAlpha one(system, scheme(Projection::velocity, InertiaTangent::masses, 3)),
      other(system, scheme(Projection::kinematic, InertiaTangent::masses, 3));
  ASSERT_TRUE(one.step(velocity, 1e-2).accepted);
  ASSERT_TRUE(other.step(kinematic, 1e-2).accepted);
  EXPECT_EQ(velocity.lambda, kinematic.lambda);
  EXPECT_EQ(velocity.v, kinematic.v);
  VectorX before, after;
  system.acceleration_constraints(velocity, *w, before);
  system.acceleration_constraints(kinematic, *w, after);
  EXPECT_LT(after.norm(), 0.1 * before.norm());
}

/// Section 4.4, until the chain hangs: -46.84 J in the paper.
TEST(EulerParameters, ChainLosesThePapersEnergy) {
  std::vector<EulerBody> bodies;
  std::vector<EulerJoint> joints;
  for (int i = 0; i < 128; ++i) {
    bodies.push_back({.r = {i + 0.5, 0, 0}});
    joints.push_back({.A = i - 1, .B = i, .s_A = {i ? 0.5 : 0, 0, 0}, .s_B = {-0.5, 0, 0}});
  }
  const EulerSystem system(bodies, joints, {0, -9.81, 0});
  auto w = system.workspace();
  GeneralizedAlphaSettings settings = scheme(Projection::kinematic, InertiaTangent::masses, 3);
  settings.newton.solver = "dca";
  GeneralizedAlpha integrator(system, settings);
  State state = system.initial_state();
  const double start = system.energy(state, *w).total();
  double lowest = 0, largest = 0, fastest = 0;
  for (int i = 0; i < 550; ++i) {
    ASSERT_TRUE(integrator.step(state, 0.01).accepted);
    const Energy energy = system.energy(state, *w);
    lowest = std::min(lowest, energy.total() - start);
    if (energy.kinetic > largest) largest = energy.kinetic, fastest = state.t;
  }
  EXPECT_NEAR(lowest, -46.84, 1);
  EXPECT_NEAR(fastest, 5.22, 0.011);
}

}  // namespace
}  // namespace hooke::malczyk
