// How large a step may I take, and with which integrator? One model, several runs, errors against an accurate
// one.
//
// A model file can be parsed from text as well as read from disk (hooke::load). What is not in the text keeps
// its default; here the same mechanism is run again and again with another entry of `run:`.
#include <fmt/format.h>

#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace {

constexpr const char* four_bar = R"(
hooke: 1
title: Four-bar linkage driven by its own weight
gravity: [0, 0, -9.81]
bodies:
  crank:   {rigid: {mass: 1, inertia: [0.01, 0.09, 0.09]}, between: [[0, 0, 0], [0, 0, 1]]}
  coupler: {rigid: {mass: 2, inertia: [0.01, 0.68, 0.68]}, between: [[0, 0, 1], [2, 0, 1.5]]}
  rocker:  {rigid: {mass: 1.5, inertia: [0.01, 0.3, 0.3]}, between: [[2, 0, 0], [2, 0, 1.5]]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: y, start: {angle: {rate: 1}}}
  B: {revolute: [crank, coupler], at: [0, 0, 1], axis: y}
  C: {spherical: [coupler, rocker], at: [2, 0, 1.5]}            # a third hinge about y would be redundant
  D: {universal: [ground, rocker], at: [2, 0, 0], axis: y, axis2: x}
run: {end: 1}
outputs: {every: 1}
)";

/// Where the coupler is at the end.
hooke::Vec3 run(const std::vector<std::string>& choices, long& iterations) {
  hooke::Diagnostics diagnostics;
  hooke::Problem problem = hooke::parse_model(four_bar, "four_bar.yaml", choices, diagnostics);
  diagnostics.throw_if_errors();
  hooke::Simulation simulation(std::move(problem));
  hooke::Vec3 coupler;
  const auto summary =
      simulation.run({.on_output = [&](const hooke::State& state, const hooke::SystemWorkspace&) {
        coupler = simulation.system().motion(1, state).pose.p;
      }});
  iterations = summary.totals.iterations;
  return coupler;
}

}  // namespace

int main() {
  long iterations = 0;
  const hooke::Vec3 exact = run({"run.integrator=dormand-prince", "run.tolerance=1e-12"}, iterations);
  fmt::print("position of the coupler after 1 s against Dormand-Prince at 1e-12\n\n");
  fmt::print("{:30} {:>10} {:>12} {:>12}\n", "integrator", "step [s]", "error [m]", "iterations");
  for (const char* integrator : {"{generalized-alpha: {rho: 0.8}}", "{generalized-alpha: {rho: 1}}",
                                 "trapezoidal", "{hht: {alpha: -0.1}}"})
    for (const char* step : {"1e-2", "5e-3", "2.5e-3"}) {
      const hooke::Vec3 end =
          run({std::string("run.integrator=") + integrator, std::string("run.step=") + step}, iterations);
      fmt::print("{:30} {:>10} {:12.3e} {:12}\n", integrator, step, (end - exact).norm(), iterations);
    }
  return 0;
}
