// What a user of the installed library writes: one header, and a body that falls. This is compiled without the
// library's -march: the objects of both must agree about the layout of what they share, and about who frees it.
#include <hooke/hooke.h>
#include <cmath>
#include <cstdio>

/// The pendulum of docs/library.md, step by step, with a torque of our own.
bool holds_an_arm() {
  using namespace hooke;
  double torque = 0;
  Problem problem;
  problem.model.gravity = {0, 0, -9.81};
  problem.model.bodies["arm"] = {RigidSettings{.mass = 1.0, .shape = BoxShape{{0.05, 1, 0.05}}},
                                 {.at = Vec3(0, 0.5, 0)}};
  problem.model.joints["pivot"] = RevoluteSettings{.between = {"ground", "arm"}, .at = zero3, .axis = unit_x};
  problem.model.forces["motor"] = JointForceSettings{
      .coordinate = "pivot", .law = {.code = Law::of([&](const LawInput&) { return LawSample{-torque}; })}};
  Simulation simulation(problem);
  while (simulation.time() < 2) {
    torque = 4.905 - 100 * simulation.joint("pivot").angle() - 20 * simulation.joint("pivot").rate();
    simulation.step();
  }
  return std::abs(simulation.joint("pivot").angle()) < 1e-3;
}

int main() {
  if (!holds_an_arm()) return 2;
  hooke::System system;
  system.add_body(hooke::RigidBody{.mass = 2, .start = {hooke::identity3, hooke::Vec3(0, 0, 3)}}, "stone");
  system.finish(hooke::Vec3(0, 0, -10));
  const hooke::State state = system.initial_state();  // made there, freed here
  const auto workspace = system.workspace();
  system.update(state, *workspace);
  const double energy = system.energy(state, *workspace).total();
  std::printf("energy %g J\n", energy);
  return std::abs(energy - 60) > 1e-12;
}
