// What deforms and is fast: nothing passes a thin solid unseen.
#include "control/support.h"

namespace hooke::test {
namespace {

/// A plate of 4 mm that floats, and something above it that comes down by more than that in a step.
std::string shot(const std::string& what, const std::string& surface, double speed) {
  return fmt::format(
      "hooke: 1\nbodies:\n"
      "  plate: {{solid: {{mesh: {{box: {{size: [0.1, 0.1, 0.004], divisions: [4, 4, 1]}}}}, material: &m "
      "{{young: "
      "1e9, poisson: 0.3, density: 2000}}, stiffness_damping: 1e-5}}}}\n"
      "  shot: {{{}, velocity: [0, 0, {}]}}\n"
      "surfaces: {{top: {{nodes: z_max, body: plate}}, shot: {{{}, body: shot}}}}\n"
      "contacts: {{touch: {{between: [shot, top], stiffness: 1e6, exponent: 1, damping: 0.1}}}}\n"
      "run: {{step: 5e-4, tolerance: 1e-4, end: 3e-3}}\noutputs: {{every: 5e-4}}\n",
      what, -speed, surface);
}

/// How fast the shot moves away from the plate in the end, and how far above it is.
void expect_stopped(const std::string& model) {
  Simulation simulation(problem(model));
  double above = 0;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    const auto mean = [&](int body) {
      Vec3 sum = zero3;
      const auto nodes = simulation.system().nodes(body, state);
      for (const FramePose& node : nodes) sum += node.p;
      return Vec3(sum / static_cast<double>(nodes.size()));
    };
    above = (mean(1) - mean(0)).z();
  }});
  EXPECT_GT(above, 0) << "it went through";
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
}

TEST(Passage, ASmallSolidDoesNotPassAThinOne) {
  for (const double speed : {5.0, 20.0, 60.0}) {
    SCOPED_TRACE(speed);
    expect_stopped(
        shot("solid: {mesh: {box: {size: [0.01, 0.01, 0.01], divisions: [1, 1, 1]}}, material: *m, "
             "stiffness_damping: 1e-5}, at: [0.003, 0.002, 0.0113]",
             "nodes: z_min", speed));
  }
}

TEST(Passage, ARodDoesNotPassAThinSolid) {
  for (const double speed : {5.0, 20.0, 100.0}) {
    SCOPED_TRACE(speed);
    expect_stopped(
        shot("cosserat: {section: {circle: 0.002}, material: *m, elements: 4, damping: 1e-4}, between: "
             "[[-0.03, 0.002, 0.0093], [0.03, 0.002, 0.0093]], axes: {z: x}",
             "rod: {radius: 0.002}", speed));
  }
}

}  // namespace
}  // namespace hooke::test
