// Surfaces of different subsystems: a compliant contact between them is cut as other forces are.
#include "control/support.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

/// A ball strikes another that hangs on a spring, and both rub on each other's rims since one of them spins.
const std::string struck = R"(hooke: 1
bodies:
  ball: {rigid: {mass: 1, inertia: 0.004}, at: [-0.25, 0.02, 0], velocity: [1, 0, 0], angular_velocity: [0, 0, 20]}
  post: {rigid: {mass: 2, inertia: 0.008}}
joints: {rail: {prismatic: [ground, post], axis: x}}
forces: {back: {joint-force: rail, stiffness: 500}}
surfaces: {ball: {sphere: 0.1, body: ball}, post: {sphere: 0.1, body: post}}
contacts: {strike: {between: [ball, post], stiffness: 1e5, restitution: 0.6, friction: {coefficient: 0.2, bristle: 1e-4}}}
run: {integrator: stabilised-ode, step: 1e-4, end: 0.2}
outputs: {every: 0.01}
)";

struct Ends {
  std::vector<Vec3> places;  ///< of both, at the outputs
  Vec6 twist;                ///< of the first, at the end
};

Ends ends_of(const std::string& rest, const std::vector<std::string>& changes = {}) {
  Simulation simulation(problem(struck + rest, changes));
  Ends ends;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    for (const int body : {0, 1}) ends.places.push_back(simulation.system().motion(body, state).pose.p);
    ends.twist = simulation.system().motion(0, state).twist;
  }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return ends;
}

double distance(const Ends& a, const Ends& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.places.size(); ++k) most = std::max(most, (a.places[k] - b.places[k]).norm());
  return most;
}

const std::string parts = "subsystems: {one: [ball], two: [post]}\n";

/// With one step each the result is that of the whole.
TEST(ContactOfSubsystems, IsThatOfTheWhole) {
  const Ends whole = ends_of("", {"run.newton_tolerance=1e-13"});
  EXPECT_LT(whole.twist[0], 0.5) << "they have met";
  EXPECT_LT(distance(ends_of(parts, {"coupling.tolerance=1e-13", "run.newton_tolerance=1e-13"}), whole),
            1e-8);
  EXPECT_LT(distance(ends_of(parts, {"coupling.scheme=jacobi", "coupling.tolerance=1e-13",
                                     "run.newton_tolerance=1e-13"}),
                     whole),
            1e-8);
}

TEST(ContactOfSubsystems, OtherStepsAndOtherCouplings) {
  const Ends exact = ends_of("", {"run.step=1e-5"});
  const Ends several = ends_of("subsystems: {one: {bodies: [ball], steps: 4}, two: [post]}\n");
  EXPECT_LT(distance(several, exact), 2e-5);
  const Ends multirate =
      ends_of("subsystems: {one: {bodies: [ball], steps: 4}, two: [post]}\ncoupling: multirate\n",
              {"run.integrator=generalized-alpha"});
  EXPECT_LT(distance(multirate, exact), 1e-3);
  const Ends forced = ends_of(parts + "coupling: {force-displacement: {displaced: [one]}}\n",
                              {"run.integrator=generalized-alpha"});
  EXPECT_LT(distance(forced, exact), 1e-3);
}

/// A soft block slides on another, each a subsystem: nodes of one on the faces of the other.
TEST(ContactOfSubsystems, SolidsAreCutAsWell) {
  const auto places = [](const std::string& rest) {
    Simulation simulation(problem(R"(hooke: 1
gravity: [0, 0, -9.81]
bodies:
  lower: {solid: {mesh: {box: {size: [0.1, 0.1, 0.05], divisions: [3, 3, 1]}}, material: &r {young: 2e5, poisson: 0.4, density: 1100}, stiffness_damping: 2e-3}}
  upper: {solid: {mesh: {box: {size: [0.06, 0.06, 0.06], divisions: [2, 2, 2]}}, material: *r, stiffness_damping: 2e-3}, at: [0.005, 0.003, 0.0551], rotate: {axis: z, angle: 0.3}, velocity: [0.1, 0, 0]}
joints: {hold: {fixed: [ground, lower.z_min]}}
surfaces: {top: {nodes: z_max, body: lower}, block: {nodes: z_min, body: upper}}
contacts: {touch: {between: [block, top], stiffness: 2e4, exponent: 1, damping: 2, friction: {coefficient: 0.5, bristle: 1e-4}}}
run: {integrator: stabilised-ode, step: 1e-4, end: 0.02, newton_tolerance: 1e-13}
outputs: {every: 0.01}
)" + rest));
    std::vector<Vec3> all;
    int touched = 0;
    const Summary summary =
        simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
          for (const FramePose& node : simulation.system().nodes(1, state)) all.push_back(node.p);
          touched +=
              contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace).points;
        }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
    EXPECT_GT(touched, 0);
    return all;
  };
  const auto whole = places(""),
             cut = places("subsystems: {one: [lower], two: [upper]}\ncoupling: {tolerance: 1e-13}\n");
  ASSERT_EQ(whole.size(), cut.size());
  for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_LT((whole[k] - cut[k]).norm(), 1e-8);
}

TEST(ContactOfSubsystems, RigidOnesAreRefused) {
  const auto refusal = [](const std::string& coupling, const std::string& integrator) {
    std::string text = struck + parts + coupling;
    text.replace(text.find("stiffness: 1e5, "), 16, "law: rigid, ");
    text.replace(text.find("{coefficient: 0.2, bristle: 1e-4}"), 33, "0.2");
    try {
      Simulation simulation(problem(text, {"run.integrator=" + integrator}));
      simulation.run({});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const auto& [coupling, integrator] :
       {std::pair{"", "stabilised-ode"},
        {"coupling: multirate\n", "generalized-alpha"},
        {"coupling: {force-displacement: {displaced: [one]}}\n", "generalized-alpha"}})
    EXPECT_THAT(refusal(coupling, integrator),
                AllOf(HasSubstr("contacts.strike.law"), HasSubstr("cannot be divided among subsystems")))
        << coupling;
}

}  // namespace
}  // namespace hooke::test
