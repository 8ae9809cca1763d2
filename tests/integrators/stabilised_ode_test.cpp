// The beta-stabilised ODE form, implicit and explicit: order, constraints, and what beta does.
#include "hooke/integrators/stabilised_ode.h"

#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/projector.h"
#include "hooke/integrators/settings.h"
#include "hooke/integrators/stabilised_explicit.h"
#include "papers/yen/problems.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "support/finite_difference.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

StabilisedAlphaSettings with_rho(double rho, double tolerance = 1e-13) {
  return {AlphaParameters::generalized_alpha(rho), {}, {.tolerance = tolerance}};
}

struct Violation {
  double position = 0, velocity = 0;
};
Violation violation(const Dae& dae, const State& state) {
  const auto workspace = dae.workspace();
  VectorX g;
  Violation result;
  dae.update(state, *workspace);
  dae.position_constraints(state, *workspace, g);
  result.position = g.lpNorm<Eigen::Infinity>();
  dae.velocity_constraints(state, *workspace, g);
  result.velocity = g.lpNorm<Eigen::Infinity>();
  return result;
}

TEST(StabilisedOde, ImplicitFormHasOrderTwo) {
  const Crank& crank = Crank::instance();
  for (const double rho : {0.5, 0.8, 1.0}) {
    const auto make = [&] { return std::make_unique<StabilisedAlpha>(crank.system(), with_rho(rho)); };
    const Orders measured = measure_orders(crank.system(), crank.start(), 0.4, make, uniform_grid, 640, 2, 4,
                                           [&](const Grid& times) { return crank.exact(times); });
    EXPECT_NEAR(measured.q, 2, 0.1) << rho << ": " << describe(measured);
    EXPECT_NEAR(measured.v, 2, 0.1) << rho << ": " << describe(measured);
    EXPECT_NEAR(measured.lambda, 2, 0.1) << rho << ": " << describe(measured);
  }
}

/// u with G u = -(G v + beta g), by a factor of another position as by its own.
TEST(StabilisedOde, TheStabilisingVelocityMayBeFoundWithAnOlderFactor) {
  const Crank& crank = Crank::instance();
  const double beta = 100;
  Random random(1);
  Projector kept(crank.system(), {});
  VectorX u, fresh_u, g;
  for (double t : {0.0, 0.02, 0.04, 0.3}) {
    State state = crank.exact({0.0, t == 0 ? 1e-3 : t}).back();
    const VectorX q = state.q;
    crank.system().plus(q, 1e-5 * random_vector(crank.system().nv(), random), state.q);
    state.v += 1e-4 * random_vector(crank.system().nv(), random);
    Projector fresh(crank.system(), {});
    ASSERT_TRUE(kept.drift(state, beta, u));
    ASSERT_TRUE(fresh.drift(state, beta, fresh_u));
    EXPECT_MATRIX_NEAR(u, fresh_u, 0.05);
    const auto left = [&] {
      const auto workspace = crank.system().workspace();
      VectorX g_v;
      crank.system().update(state, *workspace);
      crank.system().position_constraints(state, *workspace, g);
      crank.system().velocity_constraints(state, *workspace, g_v);
      return VectorX(g_v + beta * g).lpNorm<Eigen::Infinity>();
    };
    const double before = left();
    state.v += u;
    EXPECT_LT(left(), 2e-6 * before) << t;
  }
}

TEST(StabilisedOde, ConstraintsMayDependOnTime) {
  const yen::ShakenPendulum pendulum;
  const auto exact = [&](const Grid& times) {
    std::vector<State> states;
    for (double t : times) states.push_back(pendulum.exact(t, 1.2, 0.3));
    return states;
  };
  const auto make = [&] { return std::make_unique<StabilisedAlpha>(pendulum, with_rho(0.8)); };
  const Orders measured =
      measure_orders(pendulum, pendulum.at_angle(0, 1.2, 0.3), 2, make, uniform_grid, 400, 2, 4, exact);
  EXPECT_NEAR(measured.q, 2, 0.1) << describe(measured);
  EXPECT_NEAR(measured.v, 2, 0.1) << describe(measured);
}

/// With a given beta the order is that of Dormand-Prince. With beta = 1/h it falls to 3: a first stage errs
/// by O(h^2) of a velocity constraint, which beta carries into v'.
TEST(StabilisedOde, ExplicitFormHasOrderFiveForAGivenBeta) {
  const Crank& crank = Crank::instance();
  const State exact = crank.exact({0.2}).back();
  const auto error = [&](double beta_h, int steps) {
    StabilisedExplicit integrator(crank.system(), {.tolerance = 1e-13}, StageTable::dormand_prince(), beta_h);
    VectorX x;
    crank.system().minus(integrate(integrator, crank.start(), uniform_grid(0, 0.2, steps)).back().q, exact.q,
                         x);
    return size_of(x, crank.system());
  };
  const double beta = 50;
  EXPECT_NEAR(std::log2(error(beta * 0.2 / 20, 20) / error(beta * 0.2 / 40, 40)), 5, 0.5);
  EXPECT_NEAR(std::log2(error(1, 320) / error(1, 640)), 3, 0.1);
}

/// Order 2 for a given beta, also where beta h is far beyond what other explicit methods bear.
TEST(StabilisedOde, ChebyshevBearsLargeBeta) {
  const Crank& crank = Crank::instance();
  const State exact = crank.exact({0.2}).back();
  const auto error = [&](double beta, int steps) {
    const double beta_h = beta * 0.2 / steps;
    StabilisedExplicit integrator(crank.system(), {.tolerance = 1e-13}, StageTable::chebyshev(beta_h),
                                  beta_h);
    VectorX x;
    crank.system().minus(integrate(integrator, crank.start(), uniform_grid(0, 0.2, steps)).back().q, exact.q,
                         x);
    return size_of(x, crank.system());
  };
  EXPECT_NEAR(std::log2(error(50, 100) / error(50, 200)), 2, 0.2);
  EXPECT_LT(error(2e4, 100), 1e-3);  // beta h = 40
  StabilisedExplicit other(crank.system(), {}, StageTable::dormand_prince(), 40.0);
  EXPECT_ANY_THROW({
    const State end = integrate(other, crank.start(), uniform_grid(0, 0.2, 100)).back();
    if (!end.q.allFinite() || std::abs(end.q[0]) > 1e-3) throw std::runtime_error("off");
  });
}

/// Where the mass matrix is constant its inverse is kept, body by body; where it is not, nothing is lost.
TEST(StabilisedOde, AConstantMassIsInvertedOnce) {
  for (const RodType& type : {ancf(), cosserat(2), ffrf(8)}) {
    const Ready swinging(pushed_rod(type));
    const auto after = [&](const char* solver) {
      StabilisedExplicit integrator(swinging.system(), {.solver = solver}, StageTable::dormand_prince(), 1.0);
      return integrate(integrator, swinging.start(), uniform_grid(0, 1e-5, 50)).back();
    };
    const State general = after("klu"), constant = after("auto");
    EXPECT_LT((general.v - constant.v).norm(), 1e-9 * general.v.norm()) << type.name;
    EXPECT_LT((general.lambda - constant.lambda).norm(), 1e-7 * general.lambda.norm()) << type.name;
  }
}

/// What a step leaves of a constraint is taken back by the next ones: of third order at both levels, so that
/// halving h leaves an eighth, and no more after a long time than after a short one.
TEST(StabilisedOde, ConstraintsStayAtThirdOrderAndDoNotDrift) {
  const Crank& crank = Crank::instance();
  std::vector<double> position, velocity;
  for (const int n : {1, 2}) {
    StabilisedAlpha integrator(crank.system(), with_rho(0.8));
    State state = crank.start();
    Violation largest, late;
    for (int k = 0; k < 4000 * n; ++k) {
      ASSERT_TRUE(integrator.step(state, 1e-3 / n).accepted);
      const Violation now = violation(crank.system(), state);
      Violation& of = k < 2000 * n ? largest : late;
      of.position = std::max(of.position, now.position);
      of.velocity = std::max(of.velocity, now.velocity);
    }
    EXPECT_LT(late.position, 1.5 * largest.position);
    position.push_back(largest.position);
    velocity.push_back(largest.velocity);
  }
  EXPECT_NEAR(std::log2(position[0] / position[1]), 3, 0.4) << position[0];
  EXPECT_NEAR(std::log2(velocity[0] / velocity[1]), 2.5, 0.6) << velocity[0];
}

/// (32): an error that the start has vanishes like exp(-beta t).
TEST(StabilisedOde, AnErrorOfTheStartDecaysAtTheRateBeta) {
  const Crank& crank = Crank::instance();
  const double beta = 50;
  StabilisedAlphaSettings settings = with_rho(0.8);
  settings.beta = beta;
  StabilisedAlpha integrator(crank.system(), settings);
  State state = crank.start();
  state.q[0] += 1e-4;
  state.v[1] += 1e-4;
  const Violation before = violation(crank.system(), state);
  for (int k = 0; k < 400; ++k) ASSERT_TRUE(integrator.step(state, 1e-4).accepted);
  const Violation after = violation(crank.system(), state);
  EXPECT_NEAR(after.position / before.position, std::exp(-beta * 0.04), 0.02);
}

/// Every kind of body: the motion of generalized-alpha, to the order of both.
TEST(StabilisedOde, FlexibleRodsMoveAsWithGeneralizedAlpha) {
  for (const RodType& type : {cosserat(2), ancf(), ffrf(8)}) {
    const Ready swinging(pushed_rod(type));
    const auto exact = [&](const Grid& times) {
      GeneralizedAlpha integrator(swinging.system(), {.parameters = AlphaParameters::generalized_alpha(0.5)});
      return integrate(integrator, swinging.start(), uniform_grid(0, times.back(), 3200));
    };
    const auto make = [&] {
      return std::make_unique<StabilisedAlpha>(swinging.system(), with_rho(0.5, 1e-10));
    };
    const Orders measured =
        measure_orders(swinging.system(), swinging.start(), 0.1, make, uniform_grid, 200, 1, 1, exact);
    EXPECT_NEAR(measured.q, 2, 0.2) << type.name << ": " << describe(measured);
  }
}

TEST(StabilisedOde, RedundantConstraintsAreFine) {
  const Ready machine(parallelogram());
  StabilisedAlpha integrator(
      machine.system(),
      {AlphaParameters::generalized_alpha(0.8), {}, {.tolerance = 1e-12, .regularisation = 1e-6}});
  const State end = integrate(integrator, machine.start(), uniform_grid(0, 0.5, 1000)).back();
  VectorX x;
  machine.system().minus(end.q, machine.exact({0.5}).back().q, x);
  EXPECT_LT(size_of(x, machine.system()), 1e-5);
}

}  // namespace
}  // namespace hooke::test
