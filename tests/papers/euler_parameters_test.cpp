// Bodies in Euler parameters: the motion of those on SO(3), with every solver and integrator; and Malczyk's scheme on them.
// Their derivatives are tested in tests/system.
#include <gtest/gtest.h>

#include "hooke/integrators/generalized_alpha.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

Simulation open(const std::string& model, std::vector<std::string> changes = {}) {
  return Simulation(load(HOOKE_ROOT "/models/" + model, std::move(changes)));
}

constexpr double h = 2e-3;

/// Where the slider crank with these bodies is after a tenth of a second, over revolute, spherical, universal and prismatic
/// joints.
std::vector<Vec3> moved(const std::vector<std::string>& in_euler_parameters, const std::string& integrator,
                        const std::string& solver) {
  std::vector<std::string> changes{"run.integrator=" + integrator, "run.solver=" + solver, "run.step=5e-4",
                                   "run.end=0.1"};
  for (const std::string& body : in_euler_parameters)
    changes.push_back("bodies." + body + ".rigid.coordinates=euler-parameters");
  Simulation simulation = open("slider_crank.yaml", changes);
  simulation.advance(0.1);
  std::vector<Vec3> places;
  for (int b = 0; b < 3; ++b) places.push_back(simulation.system().motion(b, simulation.state()).pose.p);
  return places;
}

double off(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

TEST(EulerParameters, EverySolverFindsTheMotion) {
  const std::vector<Vec3> on_so3 = moved({}, "dormand-prince", "auto");
  for (const char* solver : {"auto", "dense", "klu", "sparse", "schur", "dca"})
    for (const auto& bodies : {std::vector<std::string>{"crank", "rod", "slider"}, {"rod"}})
      EXPECT_LT(off(moved(bodies, "generalized-alpha", solver), on_so3), 2e-6) << solver;
}

TEST(EulerParameters, EveryIntegratorFindsTheMotion) {
  const std::vector<Vec3> on_so3 = moved({}, "dormand-prince", "auto");
  for (const char* integrator : {"trapezoidal", "hht", "stabilised-ode", "dae-alpha", "dae-alpha-cs",
                                 "dae-alpha-cm", "energy-momentum", "dormand-prince", "merson"})
    EXPECT_LT(off(moved({"crank", "rod", "slider"}, integrator, "auto"), on_so3), 1e-5) << integrator;
}

/// Malczyk's scheme but for what is changed.
GeneralizedAlphaSettings scheme(Projection projection, InertiaTangent tangent,
                                std::optional<int> iterations) {
  GeneralizedAlphaSettings s{AlphaParameters::trapezoidal(), ConstraintForm::index3, projection, {}, tangent};
  s.newton.penalty = 1e9;
  s.newton.geometric_stiffness = false;
  s.newton.fixed_iterations = iterations;
  s.newton.max_iterations = 50;
  return s;
}
/// One that turns in space, with three different moments of inertia.
Simulation double_pendulum() {
  return open("papers/malczyk_double_pendulum_euler.yaml",
              {"bodies.A.rigid.inertia=[1,2,2.5]", "bodies.B.rigid.inertia=[0.5,0.3,0.4]"});
}

TEST(EulerParameters, MassesInTheTangentLeadToTheSameSolution) {
  const Simulation simulation = double_pendulum();
  const System& system = simulation.system();
  State exact = simulation.start().state, masses = exact;
  GeneralizedAlpha one(system, scheme(Projection::none, InertiaTangent::exact, {})),
      other(system, scheme(Projection::none, InertiaTangent::masses, {}));
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(one.step(exact, h).accepted);
    ASSERT_TRUE(other.step(masses, h).accepted);
  }
  EXPECT_LT((exact.q - masses.q).norm(), 1e-8);
  EXPECT_NE(exact.q, masses.q);  // or the option does nothing
}

TEST(EulerParameters, KinematicProjectionLeavesTheMultipliers) {
  const Simulation simulation = double_pendulum();
  const System& system = simulation.system();
  auto w = system.workspace();
  State velocity = simulation.start().state, kinematic = velocity;
  GeneralizedAlpha one(system, scheme(Projection::velocity, InertiaTangent::masses, 3)),
      other(system, scheme(Projection::kinematic, InertiaTangent::masses, 3));
  ASSERT_TRUE(one.step(velocity, 1e-2).accepted);
  ASSERT_TRUE(other.step(kinematic, 1e-2).accepted);
  EXPECT_EQ(velocity.lambda, kinematic.lambda);
  EXPECT_EQ(velocity.v, kinematic.v);
  const auto open_by = [&](const State& state) {
    VectorX g;
    system.update(state, *w);
    system.acceleration_constraints(state, *w, g);
    return g.norm();
  };
  EXPECT_LT(open_by(kinematic), 0.1 * open_by(velocity));
}

}  // namespace
}  // namespace hooke
