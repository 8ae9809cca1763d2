// Subsystems with steps of their own, coupled by mean reactions, move as the whole does: to second order in both steps, at
// any ratio of masses, over any joint.
#include "hooke/coupling/adapter/multirate.h"

#include <gmock/gmock.h>

#include <Eigen/Eigenvalues>

#include "hooke/simulation/force_displacement.h"
#include "hooke/simulation/simulation.h"
#include "parse.h"
#include "support/convergence.h"

namespace hooke::test::multirate {
namespace {

using ::testing::HasSubstr;

struct Coupled {
  Simulation simulation;
  explicit Coupled(Problem file) : simulation(std::move(file)) {}

  const State& start() const { return simulation.start().state; }
  double end() const { return simulation.problem().run.end; }
  std::unique_ptr<Multirate> integrator(int threads = 1) const {
    return make_multirate(simulation.problem(), simulation.built(),
                          threads > 1 ? std::make_shared<Team>(threads) : nullptr);
  }
  State whole(int steps) const {
    const auto integrator = make_integrator(simulation.system(), simulation.run_settings());
    return integrate(*integrator, start(), uniform_grid(0, end(), steps)).back();
  }
  State in_parts(int steps, int threads = 1) const {
    return integrate(*integrator(threads), start(), uniform_grid(0, end(), steps)).back();
  }
  double distance(const State& a, const State& b) const {
    VectorX x;
    simulation.system().minus(a.q, b.q, x);
    return x.cwiseQuotient(simulation.system().dof_scale()).lpNorm<Eigen::Infinity>();
  }
  double order(int steps, const State& reference) const {
    return std::log2(distance(in_parts(steps), reference) / distance(in_parts(2 * steps), reference));
  }
};

// --- two masses with an exact solution

/// A mass M on a spring; on it, by a joint that is cut, a carrier with an oscillator.
const char* const oscillator = R"(
hooke: 1
parameters: {ratio: 1, omega: 40, kick: 1}
gravity: [0, 0, 0]
bodies:
  base: {rigid: {mass: 1, inertia: 1}, velocity: [1, 0, 0]}
  carrier: {rigid: {mass: "${ratio/2}", inertia: 1}, at: [0.5, 0, 0], velocity: [1, 0, 0]}
  inner: {rigid: {mass: "${ratio/2}", inertia: 1}, at: [1, 0, 0], velocity: ["${kick}", 0, 0]}
joints:
  rail: {prismatic: [ground, base], axis: x}
  cut: {fixed: [base, carrier], at: [0.5, 0, 0]}
  slide: {prismatic: [carrier, inner], axis: x}
forces:
  spring: {joint-force: rail, stiffness: 100}
  stiff: {joint-force: slide, stiffness: "${ratio/2*omega^2}"}
subsystems:
  big: [base]
  small: {bodies: [carrier, inner], steps: 8}
coupling: multirate
run: {integrator: {generalized-alpha: 0.9}, step: 1e-2, end: 1}
)";

/// Displacements of base and inner, and their velocities.
Eigen::Vector4d exact_motion(double ratio, double omega, double t, double kick = 1) {
  const double m1 = 1 + ratio / 2, m2 = ratio / 2, k = m2 * omega * omega;
  Eigen::Matrix2d K;
  K << 100 + k, -k, -k, k;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d> modes(
      K, Eigen::Vector2d(m1, m2).asDiagonal().toDenseMatrix());
  const Eigen::Matrix2d V = modes.eigenvectors();
  const Eigen::Vector2d w = modes.eigenvalues().cwiseSqrt();
  const Eigen::Vector2d rate = V.transpose() * Eigen::Vector2d(m1, m2).cwiseProduct(Eigen::Vector2d(1, kick));
  Eigen::Vector2d x, v;
  for (int i = 0; i < 2; ++i) x[i] = rate[i] * std::sin(w[i] * t) / w[i], v[i] = rate[i] * std::cos(w[i] * t);
  Eigen::Vector4d result;
  result << V * x, V * v;
  return result;
}

Eigen::Vector4d motion_of(const Coupled& coupled, const State& state) {
  const System& system = coupled.simulation.system();
  VectorX x;
  system.minus(state.q, coupled.start().q, x);
  const int a = system.place_of(0).v, b = system.place_of(2).v;
  return {x[a], x[b], state.v[a], state.v[b]};
}

class MassRatio : public ::testing::TestWithParam<double> {};

TEST_P(MassRatio, SecondOrderAgainstTheExactSolution) {
  const double ratio = GetParam();
  const Coupled coupled(parse(oscillator, {formatted("parameters.ratio={}", ratio)}));
  const Eigen::Vector4d exact = exact_motion(ratio, 40, 1);
  const auto error = [&](int steps) {
    return (motion_of(coupled, coupled.in_parts(steps)) - exact)
        .cwiseQuotient(Eigen::Vector4d(0.1, 0.1, 1, 1))
        .norm();
  };
  const double coarse = error(200), fine = error(400), finest = error(800);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2);
  EXPECT_NEAR(std::log2(fine / finest), 2, 0.1);
  EXPECT_LT(finest, 1e-3);
}

/// Without dissipation the energy stays where it was, over many periods, and joints stay closed.
TEST_P(MassRatio, EnergyAndJointsStay) {
  const double ratio = GetParam();
  const Coupled coupled(
      parse(oscillator, {formatted("parameters.ratio={}", ratio), "run.integrator=trapezoidal"}));
  const System& system = coupled.simulation.system();
  const auto workspace = system.workspace();
  const auto integrator = coupled.integrator();
  State state = coupled.start();
  system.update(state, *workspace);
  const double first = system.energy(state, *workspace).total();
  VectorX g, g_v;
  double drift = 0, gap = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(integrator->step(state, 0.01).accepted);
    system.update(state, *workspace);
    drift = std::max(drift, std::abs(system.energy(state, *workspace).total() / first - 1));
    system.position_constraints(state, *workspace, g);
    system.velocity_constraints(state, *workspace, g_v);
    gap = std::max({gap, g.lpNorm<Eigen::Infinity>(), 0.01 * g_v.lpNorm<Eigen::Infinity>()});
  }
  EXPECT_LT(drift, 0.05);
  EXPECT_LT(gap, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Any, MassRatio, ::testing::Values(0.01, 1.0, 100.0), [](const auto& test) {
  return formatted("percent{}", static_cast<int>(100 * test.param));
});

// --- in space

/// A pendulum that carries another one, with a spring-mass on it.
const char* const pair = R"(
hooke: 1
parameters: {ratio: 0.05}
gravity: [0, 0, -9.81]
bodies:
  upper: {rigid: {mass: 2, inertia: [0.02, 0.02, 0.01]}, at: [0.5, 0, 0], angular_velocity: [0, 0, 1]}
  lower: {rigid: {mass: "${2*ratio}", inertia: ["${0.02*ratio}", "${0.02*ratio}", "${0.01*ratio}"]}, at: [1.2, 0, 0]}
  inner: {rigid: {mass: "${0.5*ratio}", inertia: "${1e-3*ratio}"}, at: [1.3, 0, 0]}
joints:
  top: {spherical: [ground, upper], at: [0, 0, 0]}
  cut: {spherical: [upper, lower], at: [1, 0, 0]}
  slide: {prismatic: [lower, inner], axis: z}
forces:
  stiff: {joint-force: slide, stiffness: "${2e3*ratio}", damping: "${ratio}"}
subsystems:
  above: [upper]
  below: {bodies: [lower, inner], steps: 8}
coupling: multirate
run: {integrator: {generalized-alpha: 0.9}, step: 1e-2, end: 0.4}
)";

/// With one step each they are as accurate as the whole.
TEST(Multirate, EqualStepsAreAsGoodAsTheWhole) {
  const Coupled coupled(parse(pair, {"subsystems.below.steps=1"}));
  const State reference = coupled.whole(8000);
  EXPECT_LT(coupled.distance(coupled.in_parts(80), reference),
            1.5 * coupled.distance(coupled.whole(80), reference));
}

class Cut : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Cut, ConvergesToTheWholeWithOrderTwo) {
  std::string text = pair;
  const std::string spherical = "spherical: [upper, lower], at: [1, 0, 0]";
  text.replace(text.find(spherical), spherical.size(), GetParam().second);
  const Coupled coupled(parse(text));
  EXPECT_NEAR(coupled.order(80, coupled.whole(8000)), 2, 0.25);
}

INSTANTIATE_TEST_SUITE_P(
    Joint, Cut,
    ::testing::Values(std::pair{"spherical", "spherical: [upper, lower], at: [1, 0, 0]"},
                      std::pair{"fixed", "fixed: [upper, lower], at: [1, 0, 0]"},
                      std::pair{"revolute", "revolute: [lower, upper], at: [1, 0, 0], axis: y"},
                      std::pair{"universal", "universal: [upper, lower], at: [1, 0, 0], axis: y, axis2: z"},
                      std::pair{"cylindrical", "cylindrical: [upper, lower], at: [1, 0, 0], axis: y"}),
    [](const auto& test) { return test.param.first; });

TEST(Multirate, ABushingCanBeCut) {
  const Coupled coupled(
      parse(pair, {"joints.cut=null",
                   "forces.cut={bushing: [upper, lower], at: [1, 0, 0], stiffness: [500, 500, 500, 1, 1, 1], "
                   "damping: [1, 1, 1, 0.1, 0.1, 0.1]}"}));
  EXPECT_NEAR(coupled.order(80, coupled.whole(8000)), 2, 0.25);
}

TEST(Multirate, AnotherMethodInTheFineSide) {
  for (const char* method : {"hht", "trapezoidal"}) {
    const Coupled coupled(parse(pair, {formatted("subsystems.below.integrator={}", method)}));
    EXPECT_NEAR(coupled.order(80, coupled.whole(8000)), 2, 0.25) << method;
  }
}

/// The inner mass vibrates too fast for the macro step: with that alone it is lost.
TEST(Multirate, ShortStepsWhereTheyAreNeededAreEnough) {
  const Coupled coupled(parse(oscillator, {"parameters.ratio=0.001", "parameters.omega=200",
                                           "parameters.kick=2", "subsystems.small.steps=80"}));
  const auto error = [&](Integrator& integrator) {  // of its velocity, which is 1 more than that of the base
    double worst = 0;
    for (const State& state : integrate(integrator, coupled.start(), uniform_grid(0, 1, 100), 100))
      worst =
          std::max(worst, std::abs(motion_of(coupled, state)[3] - exact_motion(0.001, 200, state.t, 2)[3]));
    return worst;
  };
  EXPECT_LT(error(*coupled.integrator()), 0.1);
  EXPECT_GT(error(*make_integrator(coupled.simulation.system(), coupled.simulation.run_settings())), 0.5);
}

/// Nothing holds them: both sides see the same impulse, as exactly as equations are solved. (In the first step the fine
/// side begins with a rate of its accelerations that the coarse side does not know.)
TEST(Multirate, MomentumIsKept) {
  const Coupled coupled(parse(pair, {"joints.top=null", "gravity=[0, 0, 0]", "run.newton_tolerance=1e-13",
                                     "coupling={scheme: multirate, tolerance: 1e-12}"}));
  const auto momentum = [&](const State& state) {
    const System& system = coupled.simulation.system();
    const std::array mass{2.0, 0.1, 0.025};
    Vec3 sum = Vec3::Zero();
    for (int b = 0; b < 3; ++b)
      sum += mass[static_cast<std::size_t>(b)] * state.v.segment<3>(system.place_of(b).v);
    return sum;
  };
  const std::vector<State> states =
      integrate(*coupled.integrator(), coupled.start(), uniform_grid(0, 0.4, 40), 40);
  EXPECT_LT((momentum(states.back()) - momentum(states.front())).norm(), 1e-8);
}

/// Another one that takes its place in the middle of a run goes on as it would have.
TEST(Multirate, GoesOnFromAnArchive) {
  const Coupled coupled(parse(pair));
  const auto first = coupled.integrator(), second = coupled.integrator();
  State a = integrate(*first, coupled.start(), uniform_grid(0, 0.2, 20)).back(), b = a;
  Archive written;
  first->archive(written);
  Archive read(written.bytes());
  second->archive(read);
  EXPECT_TRUE(read.is_at_end());
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(first->step(a, 0.01).accepted);
    ASSERT_TRUE(second->step(b, 0.01).accepted);
  }
  EXPECT_LT(coupled.distance(a, b), 1e-7);
}

TEST(Multirate, ThreadsDoNotChangeTheResult) {
  const Coupled coupled(parse(pair));
  EXPECT_EQ(coupled.in_parts(40, 1).q, coupled.in_parts(40, 2).q);
}

TEST(Multirate, FewIterationsAndFewQuestions) {
  const Coupled coupled(parse(pair));
  const auto integrator = coupled.integrator();
  integrate(*integrator, coupled.start(), uniform_grid(0, 0.4, 200));
  const MultirateCoupling::Totals& totals = integrator->coupling().totals();
  EXPECT_LT(static_cast<double>(totals.iterations) / static_cast<double>(totals.steps), 3.5);
  EXPECT_LT(totals.responses, 20);
}

/// Outputs between macro points are those of the fine side's own steps.
TEST(Multirate, OutputsBetweenMacroPointsFollowTheFineSide) {
  const Coupled coupled(parse(pair, {"subsystems.below.steps=40", "run.step=2e-2"}));
  const auto integrator = coupled.integrator();
  State state = coupled.start();
  IntegratorStepper stepper(coupled.simulation.system(), *integrator, state);
  for (int k = 0; k < 5; ++k) {
    stepper.save();
    ASSERT_TRUE(stepper.step(2e-2).accepted);
  }
  const double t = state.t - 0.7e-2;
  const auto exact = make_integrator(coupled.simulation.system(), coupled.simulation.run_settings());
  const State reference = integrate(*exact, coupled.start(), uniform_grid(0, t, 4000)).back();
  EXPECT_LT(coupled.distance(stepper.state(t), reference), 5e-4);
}

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    Simulation(parse(pair, overrides)).run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Multirate, SaysWhatIsWrong) {
  EXPECT_THAT(refusal({"run.tolerance=1e-6"}), HasSubstr("the macro step of multirate coupling is fixed"));
  EXPECT_THAT(refusal({"subsystems.below.tolerance=1e-6"}), HasSubstr("here steps are fixed"));
  EXPECT_THAT(refusal({"joints.cut=null"}), HasSubstr("there is nothing to couple"));
  EXPECT_THAT(refusal({"run.integrator=dormand-prince"}), HasSubstr("goes with generalized-alpha, hht"));
  EXPECT_THAT(refusal({"subsystems.below={bodies: [lower, inner], step: 3e-3}"}),
              HasSubstr("must be a whole fraction of the macro step, run.step = 0.01 s"));
  EXPECT_THAT(refusal({"subsystems.below.step=1e-3"}), HasSubstr("give either 'step' or 'steps'"));
  EXPECT_THAT(refusal({"subsystems.above={bodies: [upper], steps: 2}"}),
              HasSubstr("must take the macro step"));
  EXPECT_THAT(refusal({"subsystems.below={bodies: [lower], steps: 8}",
                       "subsystems.third={bodies: [inner], steps: 4}"}),
              HasSubstr("joins subsystems 'below' and 'third', each of which takes several steps"));
}

}  // namespace
}  // namespace hooke::test::multirate
