// The estimated error of a run beside its true one.
#include <gmock/gmock.h>

#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test::estimate {
namespace {

using Changes = std::vector<std::string>;

/// A model, and what finds its motion to more digits than any of the runs has.
struct Motion {
  std::string file;
  double end;
  Changes reference, changes = {};

  std::vector<State> states(const Changes& how, double* estimate = nullptr) const {
    Changes all = changes;
    all.insert(all.end(), {formatted("run.end={}", end), formatted("outputs.every={}", end / 10)});
    all.insert(all.end(), how.begin(), how.end());
    std::vector<State> found;
    Simulation simulation(load(HOOKE_ROOT "/models/" + file + ".yaml", all));
    const Summary summary = simulation.run(
        {.on_output = [&](const State& state, const SystemWorkspace&) { found.push_back(state); }});
    EXPECT_EQ(summary.status, RunStatus::finished) << file << ": " << summary.failure;
    if (estimate) *estimate = summary.quality.error;
    return found;
  }
};

const Changes exactly{"run.integrator=dormand-prince", "run.tolerance=1e-12"};
Changes finely(const std::string& step) {
  return {"run.integrator={generalized-alpha: 0.9}", "run.newton_tolerance=1e-13", "run.step=" + step};
}

const Motion pendulum{"pendulum", 2, exactly}, crank{"slider_crank", 1, exactly},
    chain{"chain", 0.5, exactly, {"parameters.n=8"}}, cable{"flexible/cable", 0.5, finely("5e-5")},
    solids{"flexible/solid_beam",
           0.1,
           finely("5e-5"),
           {"bodies.arm.solid.mesh.box.divisions=[4,1,1]", "bodies.beam.solid.mesh.box.divisions=[4,1,1]"}},
    soft_crank{"flexible/slider_crank", 0.1, finely("1e-5"), {"bodies.rod.cosserat.damping=1e-3"}};

struct Range {
  double least, most;
};

/// The estimate over the true error, which is to be in that range.
void expect_ratios(const Motion& motion, const Changes& steps, const Changes& integrators, Range range) {
  const Simulation simulation(load(HOOKE_ROOT "/models/" + motion.file + ".yaml", motion.changes));
  const System& system = simulation.system();
  const std::vector<State> exact = motion.states(motion.reference);
  VectorX x;
  for (const std::string& integrator : integrators)
    for (const std::string& step : steps) {
      double estimate = 0, error = 0;
      const std::vector<State> found = motion.states(
          {"run.integrator=" + integrator, "run.tolerance=null", "run.step=" + step}, &estimate);
      const std::string what = motion.file + ", " + integrator + ", " + step;
      ASSERT_EQ(found.size(), exact.size()) << what;
      for (std::size_t i = 0; i < found.size(); ++i) {
        system.minus(found[i].q, exact[i].q, x);
        error = std::max(error, x.cwiseQuotient(system.dof_scale()).lpNorm<Eigen::Infinity>());
      }
      EXPECT_LT(error, 0.01) << what;  // beyond that a run is warned of
      EXPECT_GT(estimate, range.least * error) << what;
      EXPECT_LT(estimate, range.most * error) << what;
    }
}

const Changes damp{"generalized-alpha", "hht", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm", "stabilised-ode"},
    keep{"trapezoidal", "energy-momentum"}, lose{"newmark", "linearly-implicit"},
    are_explicit{"dormand-prince", "merson"};

/// Methods of order 2 that damp what a step does not resolve.
TEST(Estimate, IsNearTheErrorOfMethodsThatDamp) {
  const Range near{0.3, 10};
  expect_ratios(pendulum, {"1e-3", "1e-2"}, damp, near);
  expect_ratios(crank, {"5e-4", "2e-3"}, damp, near);
  expect_ratios(chain, {"2e-3", "1e-2"}, damp, near);
  expect_ratios(cable, {"5e-4", "2e-3"}, damp, near);
  expect_ratios(soft_crank, {"5e-4", "2e-3"}, damp, near);
  expect_ratios(solids, {"5e-4", "2e-3"}, damp, near);
}

/// Those that damp nothing feel vibrations that a step does not resolve, and call that an error of the motion.
TEST(Estimate, IsNoLessThanTheErrorOfMethodsThatKeepVibrations) {
  const Range near{0.3, 10}, above{1, 3000};
  expect_ratios(pendulum, {"1e-3", "1e-2"}, keep, near);
  expect_ratios(crank, {"5e-4", "2e-3"}, keep, near);
  expect_ratios(chain, {"2e-3", "1e-2"}, keep, near);
  expect_ratios(cable, {"5e-4", "2e-3"}, keep, above);
  expect_ratios(soft_crank, {"5e-4", "2e-3"}, keep, above);
  expect_ratios(solids, {"5e-4", "2e-3"}, keep, above);
}

/// Order 1: what they take of a motion is missing in all that follows, and the estimate is of each step.
TEST(Estimate, IsNearTheErrorOfMethodsOfOrderOneAsLongAsTheMotionReturns) {
  const Range near{0.3, 10};
  expect_ratios(pendulum, {"2e-4"}, {"newmark"}, near);
  expect_ratios(pendulum, {"1e-4"}, {"linearly-implicit"}, {0.25, 10});
  expect_ratios(chain, {"1e-3", "5e-3"}, lose, near);
  expect_ratios(soft_crank, {"5e-4"}, lose, near);
}

/// The pair's difference is the error of its lesser method.
TEST(Estimate, IsNoLessThanTheErrorOfExplicitMethods) {
  const Range above{1, 1e3};
  expect_ratios(pendulum, {"2e-2", "5e-2"}, are_explicit, above);
  expect_ratios(crank, {"5e-3", "1e-2"}, are_explicit, above);
  expect_ratios(chain, {"2e-2", "5e-2"}, are_explicit, above);
}

}  // namespace
}  // namespace hooke::test::estimate
