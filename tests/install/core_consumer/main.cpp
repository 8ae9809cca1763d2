// The mechanics alone: a pendulum of system, joint, solver and integrator, without any file.
#include <hooke/core.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace hooke;
  System system;
  const int bar = system.add_body(RigidBody{.mass = 3, .start = {identity3, Vec3(0, 1, 0)}}, "bar");
  const int pivot = system.add_frame<RigidBody>(bar, {.s = Vec3(0, -1, 0)});
  system.add_constraint(joints::Spherical{}, std::array{system.add_ground_frame({identity3, zero3}), pivot},
                        "pivot");
  system.finish(Vec3(0, 0, -10));
  const auto workspace = system.workspace();
  const auto energy = [&](const State& state) {
    system.update(state, *workspace);
    return system.energy(state, *workspace);
  };

  State state = system.initial_state();
  const double start = energy(state).total();
  const RunSettings run{.integrator = DormandPrinceChoice{}};
  const auto integrator = make_integrator(system, run);
  for (int i = 0; i < 500; ++i)
    if (!integrator->step(state, 1e-3).accepted) return 2;
  const double drift = energy(state).total() - start, kinetic = energy(state).kinetic;
  std::printf("after 0.5 s: kinetic energy %g J, drift %g J\n", kinetic, drift);
  return kinetic > 1 && std::abs(drift) < 1e-6 ? 0 : 1;
}
