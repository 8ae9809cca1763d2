// The DAE alpha-method in its three iterations: orders, dissipation, and that all of them solve the same
// equations.
#include "hooke/integrators/dae_alpha.h"

#include <Eigen/Eigenvalues>

#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/march.h"
#include "papers/yen/problems.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "support/rods.h"
#include "textbook.h"

namespace hooke::test {
namespace {

constexpr DaeAlphaIteration iterations[] = {DaeAlphaIteration::newton, DaeAlphaIteration::split,
                                            DaeAlphaIteration::modified};

struct Member {
  std::string name;
  AlphaParameters parameters;
  int finer = 1;  ///< rho = 0 has large error terms of higher order
};
const Member members[] = {{"rho = 0", AlphaParameters::generalized_alpha(0), 2},
                          {"rho = 0.5", AlphaParameters::generalized_alpha(0.5)},
                          {"rho = 0.75", AlphaParameters::generalized_alpha(0.75)},
                          {"rho = 1", AlphaParameters::generalized_alpha(1)},
                          {"alpha = -0.3", AlphaParameters::hht(-0.3)},
                          {"alpha = -0.1", AlphaParameters::hht(-0.1)},
                          {"trapezoidal", AlphaParameters::trapezoidal()},
                          {"Newmark 1/6, 1/2", AlphaParameters::newmark(1.0 / 6, 0.5)}};

void expect_second_order(const Dae& dae, const State& start, double end, int steps, const MakeGrid& grid,
                         const std::function<std::vector<State>(const Grid&)>& exact) {
  for (const Member& member : members)
    for (const DaeAlphaIteration iteration : iterations) {
      const auto make = [&] {
        return std::make_unique<DaeAlpha>(
            dae, DaeAlphaSettings{member.parameters, iteration, {.tolerance = 1e-14}});
      };
      const Orders measured = measure_orders(dae, start, end, make, grid, steps * member.finer, 2, 4, exact);
      const std::string what = member.name + ", " + std::string(make()->name()) + ": " + describe(measured);
      EXPECT_NEAR(measured.q, 2, 0.1) << what;
      EXPECT_NEAR(measured.v, 2, 0.1) << what;
      EXPECT_NEAR(measured.lambda, 2, 0.1) << what;
    }
}

TEST(DaeAlphaOrder, IsTwoOnThePendulum) {
  const TextbookPendulum pendulum;
  expect_second_order(pendulum, TextbookPendulum::at(0, 1.5, 0.3), 2, 400, uniform_grid,
                      [](const Grid& times) {
                        std::vector<State> exact;
                        for (double t : times) exact.push_back(TextbookPendulum::exact(t, 1.5, 0.3));
                        return exact;
                      });
}

TEST(DaeAlphaOrder, IsTwoWithAConstraintThatDependsOnTime) {
  const yen::ShakenPendulum pendulum;
  const State start = pendulum.at_angle(0, 1.2, 0.3);
  for (const MakeGrid& grid : {MakeGrid(uniform_grid), MakeGrid(waving_grid)})
    expect_second_order(pendulum, start, 2, 400, grid, [&](const Grid& times) {
      std::vector<State> exact;
      for (double t : times) exact.push_back(pendulum.exact(t, 1.2, 0.3));
      return exact;
    });
}

/// Rotations on their Lie group, 17 constraints.
TEST(DaeAlphaOrder, IsTwoOnTheSpatialSliderCrank) {
  const Crank& crank = Crank::instance();
  expect_second_order(crank.system(), crank.start(), 0.4, 320, uniform_grid,
                      [&](const Grid& times) { return crank.exact(times); });
}

/// Newton, CS and CM converge to one solution, multipliers included, and it satisfies both levels.
TEST(DaeAlpha, IterationsAgree) {
  const Crank& crank = Crank::instance();
  std::vector<State> ends;
  for (const DaeAlphaIteration iteration : iterations) {
    DaeAlpha integrator(crank.system(),
                        {AlphaParameters::generalized_alpha(0.5), iteration, {.tolerance = 1e-14}});
    ends.push_back(integrate(integrator, crank.start(), uniform_grid(0, 0.5, 100)).back());
    const auto workspace = crank.system().workspace();
    VectorX g;
    crank.system().update(ends.back(), *workspace);
    crank.system().position_constraints(ends.back(), *workspace, g);
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-13);
    crank.system().velocity_constraints(ends.back(), *workspace, g);
    EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-12);
  }
  for (int i : {1, 2}) {  // 1e-14 left in q by a step is 1e-14/h in v: this is round-off over a hundred steps
    EXPECT_LT((ends[i].q - ends[0].q).norm(), 5e-11);
    EXPECT_LT((ends[i].v - ends[0].v).norm(), 5e-10);
    EXPECT_LT((ends[i].lambda - ends[0].lambda).norm(), 1e-7 * ends[0].lambda.norm());
  }
}

/// Redundant joints: the same motion and the same reactions of minimum norm from every iteration.
TEST(DaeAlpha, RedundantJointsHaveTheSameReactions) {
  const Ready machine(parallelogram());
  std::vector<State> ends;
  for (const DaeAlphaIteration iteration : iterations) {
    DaeAlpha integrator(
        machine.system(),
        {AlphaParameters::generalized_alpha(0.8), iteration, {.tolerance = 1e-13, .regularisation = 1e-6}});
    ends.push_back(integrate(integrator, machine.start(), uniform_grid(0, 0.5, 250)).back());
  }
  for (int i : {1, 2}) {
    EXPECT_LT((ends[i].q - ends[0].q).norm(), 1e-9);
    EXPECT_LT((ends[i].lambda - ends[0].lambda).norm(), 1e-4 * ends[0].lambda.norm()) << i;
  }
}

/// The three forms and generalized-alpha converge with order 2 to one motion, with the same error but for
/// terms of higher order.
TEST(DaeAlpha, FlexibleRodsMoveAsWithGeneralizedAlpha) {
  for (const RodType& type : {cosserat(2), ancf(), ffrf(8)}) {
    const Ready swinging(pushed_rod(type));
    const auto end = [&](Integrator& integrator, int steps) {
      return integrate(integrator, swinging.start(), uniform_grid(0, 0.2, steps)).back();
    };
    const AlphaParameters parameters = AlphaParameters::generalized_alpha(0.5);
    const auto alpha_end = [&](int steps) {
      GeneralizedAlpha integrator(swinging.system(), {.parameters = parameters});
      return end(integrator, steps);
    };
    const int steps = 400;
    const State exact = alpha_end(16 * steps);
    const auto error = [&](const State& state) {
      VectorX x;
      swinging.system().minus(state.q, exact.q, x);
      return size_of(x, swinging.system());
    };
    const double usual = error(alpha_end(steps));
    for (const DaeAlphaIteration iteration : iterations) {
      DaeAlpha coarse(swinging.system(), {parameters, iteration, {}});
      DaeAlpha fine(swinging.system(), {parameters, iteration, {}});
      const double e = error(end(coarse, steps));
      EXPECT_NEAR(std::log2(e / error(end(fine, 2 * steps))), 2, 0.15) << type.name << ' ' << coarse.name();
      EXPECT_NEAR(e / usual, 1, 0.1) << type.name << ' ' << coarse.name();
    }
  }
}

TEST(DaeAlpha, HhtWithoutDissipationIsTheTrapezoidalRule) {
  const Crank& crank = Crank::instance();
  const auto run = [&](const AlphaParameters& parameters) {
    DaeAlpha integrator(crank.system(), {parameters, DaeAlphaIteration::newton, {.tolerance = 1e-14}});
    return integrate(integrator, crank.start(), uniform_grid(0, 0.2, 100)).back();
  };
  EXPECT_EQ(run(AlphaParameters::hht(0)).q, run(AlphaParameters::trapezoidal()).q);

  // On q'' = -q: its classical form (1 + h^2/4) q_{n+1} = (1 - h^2/4) q_n + h v_n.
  const yen::Oscillator oscillator(1);
  DaeAlpha integrator(oscillator, {AlphaParameters::hht(0)});
  State state = oscillator.at(VectorX::Ones(1));
  double q = 1, v = 0;
  const double h = 0.3, k = 0.25 * h * h;
  for (int n = 0; n < 50; ++n) {
    ASSERT_TRUE(integrator.step(state, h).accepted);
    const double next = ((1 - k) * q + h * v) / (1 + k);
    v -= 0.5 * h * (q + next);
    q = next;
    EXPECT_NEAR(state.q[0], q, 1e-13);
    EXPECT_NEAR(state.v[0], v, 1e-13);
  }
}

/// The amplification matrix of (q, h v, h^2 a) for q'' = -w^2 q, made of steps.
Eigen::Matrix3d amplification(const AlphaParameters& parameters, double h) {
  const yen::Oscillator oscillator(1);
  DaeAlpha integrator(oscillator, {parameters});
  Eigen::Matrix3d A;
  for (int j = 0; j < 3; ++j) {
    const Vec3 unit = Vec3::Unit(j);
    State s = oscillator.at(VectorX::Constant(1, unit[0]));
    s.v[0] = unit[1] / h;
    s.a[0] = -s.q[0];
    s.history = Vec3(unit[2] / (h * h), 0, h);
    EXPECT_TRUE(integrator.step(s, h).accepted);
    A.col(j) << s.q[0], h * s.v[0], h * h * s.history[0];
  }
  return A;
}

double spectral_radius(const AlphaParameters& parameters, double h) {
  return amplification(parameters, h).eigenvalues().cwiseAbs().maxCoeff();
}

TEST(DaeAlpha, DampsInfiniteFrequenciesByRho) {
  // A triple eigenvalue at infinity, approached like (h w)^(-2/3).
  for (double rho : {0.0, 0.25, 0.5, 0.75, 1.0})
    EXPECT_NEAR(spectral_radius(AlphaParameters::generalized_alpha(rho), 1e6), rho, 1e-3);
  for (double alpha : {-0.3, -0.2, -0.1, 0.0})
    EXPECT_NEAR(spectral_radius(AlphaParameters::hht(alpha), 1e6), (1 + alpha) / (1 - alpha), 1e-3);
}

/// The principal root of the amplification matrix against its expansion: the numerical damping ratio of a
/// member with gamma = 1/2 - alpha_m + alpha_f is of order (h w)^3, so it falls by 8 when h is halved.
TEST(DaeAlpha, HardlyDampsLowFrequencies) {
  for (double rho : {0.0, 0.5, 0.75}) {
    const auto damping = [&](double h) {
      return -std::log(spectral_radius(AlphaParameters::generalized_alpha(rho), h)) / h;
    };
    EXPECT_NEAR(std::log2(damping(0.1) / damping(0.05)), 3, 0.1);
    EXPECT_GT(damping(0.05), 0);
  }
}

TEST(DaeAlpha, VariesItsStep) {
  const Crank& crank = Crank::instance();
  const State exact = crank.exact({0.4}).back();
  for (const DaeAlphaIteration iteration : iterations) {
    DaeAlpha integrator(crank.system(), {AlphaParameters::generalized_alpha(0.8), iteration, {}});
    March march(crank.system(), integrator, {.end = 0.4, .step = 1e-3, .tolerance = 1e-7});
    State state = crank.start();
    march.run(state);
    EXPECT_LT((state.q - exact.q).norm(), 1e-4);
    EXPECT_GT(march.totals().steps, 40);
    EXPECT_LT(march.totals().steps, 2000);
  }
}

TEST(DaeAlpha, SaysWhereAStepFails) {
  const Crank& crank = Crank::instance();
  for (const DaeAlphaIteration iteration : iterations) {
    DaeAlpha integrator(crank.system(),
                        {AlphaParameters::generalized_alpha(0.8), iteration, {.max_iterations = 3}});
    State state = crank.start();
    const StepReport report = integrator.step(state, 0.5);
    EXPECT_FALSE(report.accepted);
    EXPECT_NE(report.failure.find("body '"), std::string::npos) << report.failure;
    EXPECT_EQ(state.t, 0);
    EXPECT_TRUE(integrator.step(state, 1e-3).accepted);  // and it goes on from there
  }
}

}  // namespace
}  // namespace hooke::test
