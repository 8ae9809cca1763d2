#pragma once
// A rope of 40 mm that falls upright on the floor, and lies down on itself.
#include "control/support.h"

namespace hooke::test {

struct Heap {
  Summary summary;
  double nearest = 1;  ///< of two nodes that are no neighbours, m
  int touched = 0;     ///< places at which it touched itself, of all outputs
};

inline Heap fallen_rope(const std::string& law, int elements, double height) {
  Simulation simulation(problem(fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{rope: {{cosserat: {{section: {{circle: 0.02}}, material: "
      "{{young: "
      "2e5, poisson: 0.3, density: 1000}}, elements: {0}, damping: 2e-2}}, between: [[0, 0, 0.03], [0.06, "
      "0.02, "
      "{1}]], axes: {{z: [0.06, 0.02, '${{{1} - 0.03}}']}}}}}}\nsurfaces: {{rope: {{rod: {{radius: 0.02}}, "
      "body: "
      "rope}}, floor: {{half-space: [0, 0, 1]}}}}\ncontacts: {{itself: {{between: [rope, rope], {2}}}, "
      "floor: "
      "{{between: [rope, floor], {2}}}}}\nrun: {{step: 1e-3, end: 1}}\noutputs: {{every: 0.02}}\n",
      elements, height, law)));
  Heap heap;
  heap.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
    const auto nodes = simulation.system().nodes(0, state);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = i + 3; j < nodes.size(); ++j)
        heap.nearest = std::min(heap.nearest, (nodes[i].p - nodes[j].p).norm());
    heap.touched += contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace).points;
  }});
  return heap;
}

}  // namespace hooke::test
