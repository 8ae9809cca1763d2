// Outputs of coupled runs, at macro points and between them, are solutions of the whole: equations of motion, joints, their
// velocities and accelerations.
#include <gmock/gmock.h>

#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test::outputs {
namespace {

/// Largest values over a run. `left`: what is left of the equations of motion of a body, as a share of the largest force in them.
struct Largest {
  double left = 0, gap = 0, rate = 0, jerk = 0;
  std::string where;
  VectorX a;  ///< by body, in units of the mechanism
  double lambda = 0;
  int count = 0;

  void look(const System& system, const State& state, Workspace& workspace) {
    system.update(state, workspace);
    State free = state, still = state;
    still.a.setZero(), free.a.setZero(), free.lambda.setZero();
    const auto forces = [&](const State& at) {  // as work along a unit
      VectorX r;
      system.residual(at, workspace, r);
      return VectorX(r.cwiseProduct(system.dof_scale()).cwiseAbs());
    };
    const VectorX applied = forces(free), with_reactions = forces(still), rest = forces(state),
                  acceleration = state.a.cwiseQuotient(system.dof_scale()).cwiseAbs();
    a.conservativeResizeLike(VectorX::Zero(system.bodies()));
    for (int b = 0; b < system.bodies(); ++b) {
      const auto of_body = [&](const VectorX& x) {
        return x.segment(system.place_of(b).v, system.size_of(b).v).maxCoeff();
      };
      const double share = of_body(rest) / std::max(of_body(applied), of_body(with_reactions));
      if (share > left) left = share, where = formatted("body {}, t = {}", b, state.t);
      a[b] = std::max(a[b], of_body(acceleration));
    }
    const auto grow = [&](double& value, auto constraints) {
      VectorX g;
      (system.*constraints)(state, workspace, g);
      value = std::max(value, g.lpNorm<Eigen::Infinity>());
    };
    grow(gap, &System::position_constraints);
    grow(rate, &System::velocity_constraints);
    grow(jerk, &System::acceleration_constraints);
    lambda = std::max(lambda, state.lambda.lpNorm<Eigen::Infinity>());
    ++count;
  }
};

Largest largest_of(Problem problem) {
  Simulation simulation(std::move(problem));
  const auto workspace = simulation.system().workspace();
  Largest found;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    found.look(simulation.system(), state, *workspace);
  }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return found;
}

/// Nor are accelerations and reactions those of vibrations that interpolation makes up: they are as large as in the whole with
/// short steps. But a displaced side solves for its accelerations at macro points, and those of a stiff body are of vibrations.
void expect_solutions(const std::string& model, const std::string& short_step,
                      std::vector<std::string> changes, bool stiff_body_is_displaced = false) {
  Problem problem = load(HOOKE_ROOT "/models/coupled/" + model + ".yaml", changes);
  const Largest found = largest_of(problem);
  EXPECT_GT(found.count, 30) << model;
  EXPECT_LT(found.left, 1e-6) << model << ", " << found.where;
  EXPECT_LT(found.gap, 1e-9) << model;
  EXPECT_LT(found.rate, 1e-6) << model;
  EXPECT_LT(found.jerk, 1e-6) << model;
  changes.push_back("run.step=" + short_step);
  Problem whole = load(HOOKE_ROOT "/models/coupled/" + model + ".yaml", changes);
  whole.subsystems.clear();
  whole.coupling = {};
  const Largest reference = largest_of(whole);
  for (int b = 0; b < found.a.size() && !stiff_body_is_displaced; ++b)
    EXPECT_LT(found.a[b], 3 * reference.a[b]) << model << ", body " << b;
  EXPECT_LT(found.lambda, 2 * reference.lambda) << model;
}

TEST(CoupledOutputs, OfRelaxedSubsystemsAreSolutions) {
  expect_solutions("slider_crank", "5e-5", {"run.end=5e-3", "outputs.every=1.25e-4"});
  expect_solutions("solid_beams", "2e-4", {"run.end=0.02", "outputs.every=5e-4"});
}

TEST(CoupledOutputs, OfForceDisplacementCouplingAreSolutions) {
  expect_solutions("cable", "2e-4", {"run.end=0.02", "outputs.every=3e-4"}, true);
}

TEST(CoupledOutputs, OfMultirateCouplingAreSolutions) {
  expect_solutions("engine_on_boom", "5e-5", {"run.end=0.01", "outputs.every=2.7e-4", "parameters.n=2"});
}

}  // namespace
}  // namespace hooke::test::outputs
