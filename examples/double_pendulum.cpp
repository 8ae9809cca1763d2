// A double pendulum written in C++: the same model a file would describe, but free to use loops, functions
// and your data.
//
// 1. Describe the mechanism: bodies, then the joints between them. Everything is plain data with SI units.
// 2. Make a Simulation of it: this checks the model, builds the equations and finds a consistent start.
// 3. Run, and look at every output as it is computed.
#include <fmt/format.h>

#include "hooke/catalog/joint_settings.h"
#include "hooke/simulation/simulation.h"

int main() {
  hooke::Problem problem;
  hooke::Model& model = problem.model;
  model.title = "Double pendulum";
  model.gravity = {0, 0, -9.81};

  // Two slender rods of 1 m along x. A rigid body needs a mass and its moments of inertia, or a shape and a
  // density.
  for (const auto& [name, x] : {std::pair{"upper", 0.5}, {"lower", 1.5}}) {
    hooke::RigidSettings rod;
    rod.mass = 1.0;
    rod.shape = hooke::BoxShape{{1.0, 0.05, 0.05}};
    model.bodies[name] = {.formulation = rod, .place = {.at = hooke::Vec3(x, 0, 0)}};
  }

  // Hinges about y. A joint is given where it is at the start, in the world.
  model.joints["shoulder"] = hooke::RevoluteSettings{
      .between = {"ground", "upper"}, .at = hooke::Vec3(0, 0, 0), .axis = hooke::unit_y};
  model.joints["elbow"] = hooke::RevoluteSettings{
      .between = {"upper", "lower"}, .at = hooke::Vec3(1, 0, 0), .axis = hooke::unit_y};

  problem.run.end = 2.0;
  problem.run.step = 1e-3;
  problem.outputs.every = 0.25;

  hooke::Simulation simulation(problem);
  const hooke::System& system = simulation.system();

  // The joints of the built model carry the coordinates that can be asked for.
  const int shoulder = simulation.built().joints[0].coordinates[0].number;
  const int elbow = simulation.built().joints[1].coordinates[0].number;
  fmt::print("   t [s]   shoulder [rad]   elbow [rad]   tip height [m]\n");
  const hooke::Summary summary =
      simulation.run({.on_output = [&](const hooke::State& state, const hooke::SystemWorkspace& w) {
        const hooke::FramePose lower = system.motion(1, state).pose;
        const hooke::Vec3 tip = lower.p + lower.R * hooke::Vec3(0.5, 0, 0);
        fmt::print("{:8.2f} {:16.6f} {:13.6f} {:16.6f}\n", state.t, system.coordinate(shoulder, state, w),
                   system.coordinate(elbow, state, w), tip.z());
      }});

  fmt::print("\n{} degrees of freedom, {} steps, energy kept to {:.1e} J, joints closed to {:.1e} m\n",
             summary.degrees_of_freedom, summary.totals.steps, summary.energy_drift,
             summary.position_violation);
  return summary.status == hooke::RunStatus::finished ? 0 : 1;
}
