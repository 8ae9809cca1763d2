// A PID controller holds an arm at half a radian: step by step, with a torque of our own.
#include <hooke/hooke.h>

#include <cstdio>

int main() {
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
  const JointHandle pivot = simulation.joint("pivot");
  double integral = 0;
  while (simulation.time() < 3) {
    const double error = 0.5 - pivot.angle();
    integral += error * problem.run.step;
    torque = 60 * error + 80 * integral - 12 * pivot.rate();
    simulation.step();
  }
  std::printf("angle %.6f rad, torque %.4f N m\n", pivot.angle(), torque);
  return std::abs(pivot.angle() - 0.5) < 1e-2 ? 0 : 1;
}
