// Threads change no bit, and the options of Newton's iteration change the way but not the end.
#include "hooke/integrators/energy_momentum.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/runge_kutta.h"
#include "support/crank.h"

namespace hooke::test {
namespace {

State after(const System& system, const State& start, Integrator& integrator, int steps) {
  State state = start;
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(integrator.step(state, 0.01).accepted);
  EXPECT_EQ(state.q.size(), system.nq());
  return state;
}

TEST(Threads, ChangeNoBitOfARun) {
  const Model model = chain(61);  // no multiple of four
  std::vector<State> ends;
  for (int threads : {1, 2, 3}) {
    const BuiltModel built = build(model);
    const State start = Ready(model).start();
    const auto team = std::make_shared<Team>(threads);
    built.system->use(team);
    NewtonSettings newton;
    newton.solver = "dca";
    newton.team = team;
    GeneralizedAlpha implicit(*built.system, {.projection = Projection::acceleration, .newton = newton});
    ends.push_back(after(*built.system, start, implicit, 10));
    DormandPrince explicit_one(*built.system, newton);
    ends.push_back(after(*built.system, start, explicit_one, 10));
  }
  for (std::size_t i = 2; i < ends.size(); ++i) {
    EXPECT_EQ(ends[i].q, ends[i % 2].q);
    EXPECT_EQ(ends[i].v, ends[i % 2].v);
    EXPECT_EQ(ends[i].lambda, ends[i % 2].lambda);
  }
}

TEST(Slices, CoverAllAndFindTheLargest) {
  const BuiltModel built = build(chain(61));
  const int n = built.system->nv(), m = built.system->nc();
  for (int threads : {1, 2, 3}) {
    const Slices slices(*built.system, std::make_shared<Team>(threads));
    VectorX x = VectorX::Zero(n), y = VectorX::Zero(m);
    slices.each([&](const Slice& s) {
      s.of_dofs(x).array() += 1;
      s.of_rows(y).array() += 1;
    });
    EXPECT_EQ(x, VectorX::Ones(n));
    EXPECT_EQ(y, VectorX::Ones(m));
    for (int at : {0, n / 2, n - 1}) {
      VectorX z = VectorX::LinSpaced(n, 0, 1);
      z[at] = 2;
      const auto size = [&](const Slice& s) { return s.of_dofs(z).maxCoeff(); };
      EXPECT_EQ(slices.largest(size), 2);
      EXPECT_TRUE(std::isnan(slices.largest(
          [&](const Slice& s) { return s.dof <= at && at < s.dof + s.dofs ? std::nan("") : size(s); })));
    }
  }
}

TEST(NewtonOptions, LeadToTheSameSolution) {
  const Ready ready(slider_crank());
  NewtonSettings exact;  // so that what is left of the iteration shows nothing
  exact.tolerance = 1e-14;
  exact.max_iterations = 100;
  // Index 3: the stabilised form moves positions along C^-1 G^T, and so depends a little on Newton's matrix.
  GeneralizedAlpha plain(ready.system(), {.form = ConstraintForm::index3, .newton = exact});
  const State expected = after(ready.system(), ready.start(), plain, 5);
  NewtonSettings without_stiffness = exact, with_penalty = exact;
  without_stiffness.geometric_stiffness = false;
  with_penalty.penalty = 1e9;
  for (const NewtonSettings& newton : {without_stiffness, with_penalty}) {
    GeneralizedAlpha other(ready.system(), {.form = ConstraintForm::index3, .newton = newton});
    const State state = after(ready.system(), ready.start(), other, 5);
    EXPECT_LT((state.q - expected.q).norm(), 1e-8);
    EXPECT_LT((state.lambda - expected.lambda).norm(), 1e-4 * expected.lambda.norm());
  }
}

/// A step that is halved because it does not converge would otherwise converge even less.
TEST(NewtonOptions, APenaltyClosesJointsInShortSteps) {
  const Ready ready(slider_crank());
  NewtonSettings newton;
  newton.penalty = 1e8;
  GeneralizedAlpha alpha(ready.system(), {.form = ConstraintForm::index3, .newton = newton});
  EnergyMomentum conserving(ready.system(), {.newton = newton});
  for (Integrator* integrator : std::initializer_list<Integrator*>{&alpha, &conserving})
    for (const double h : {1e-3, 1e-5, 1e-7}) {
      State state = ready.start();
      EXPECT_TRUE(integrator->step(state, h).accepted) << h;
    }
}

/// The geometric stiffness is part of the derivative: with it Newton's iteration converges faster.
TEST(NewtonOptions, GeometricStiffnessSavesIterations) {
  const Ready ready(slider_crank());
  const auto iterations = [&](bool geometric) {
    NewtonSettings newton;
    newton.geometric_stiffness = geometric;
    newton.reuse_rate = 0;
    newton.max_iterations = 50;
    GeneralizedAlpha integrator(ready.system(), {.newton = newton});
    State state = ready.start();
    int sum = 0;
    for (int i = 0; i < 20; ++i) sum += integrator.step(state, 0.01).iterations;
    return sum;
  };
  EXPECT_LE(iterations(true), iterations(false));
}

TEST(RealTime, EveryStepTakesTheIterationsItIsGiven) {
  const Ready ready(slider_crank());
  for (int n : {1, 2, 4}) {
    NewtonSettings newton;
    newton.fixed_iterations = n;
    newton.solver = "dca";
    GeneralizedAlpha integrator(ready.system(), {AlphaParameters::trapezoidal(), ConstraintForm::index3,
                                                 Projection::acceleration, newton});
    State state = ready.start();
    for (int i = 0; i < 50; ++i) {
      const StepReport report = integrator.step(state, 1e-3);
      ASSERT_TRUE(report.accepted);
      EXPECT_EQ(report.iterations, n);
      EXPECT_EQ(report.factorizations, 1);
    }
    auto w = ready.system().workspace();
    VectorX g;
    ready.system().update(state, *w);
    ready.system().position_constraints(state, *w, g);
    EXPECT_LT(g.norm(), n == 1 ? 1e-5 : 1e-8);
    ready.system().velocity_constraints(state, *w, g);
    EXPECT_LT(g.norm(), 1e-4);
  }
}

}  // namespace
}  // namespace hooke::test
