// What a user of the installed library writes: one header, and a body that falls. This is compiled without the
// library's -march: the objects of both must agree about the layout of what they share, and about who frees it.
#include <hooke/hooke.h>
#include <cmath>
#include <cstdio>

int main() {
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
