// Signals of what is known once a state is solved for: accelerations, reactions, stresses, section forces, energies.

#include "control/support.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

/// A point mass on a rod that turns at a constant rate about z: what an accelerometer and the hinge feel.
std::string arm(const std::string& rest) {
  return "hooke: 1\n"
         "bodies: {arm: {rigid: {mass: 2, inertia: [0.1, 0.1, 0.1]}, at: [0.5, 0, 0], velocity: [0, 1.5, "
         "0],\n"
         "  angular_velocity: [0, 0, 3], frames: {tip: {at: [0.5, 0, 0]}}}}\n"
         "joints: {hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: z}}\n" +
         rest;
}

struct Case {
  const char* signal;
  double exact;
};

class SolvedSignals : public testing::TestWithParam<const char*> {};

TEST_P(SolvedSignals, OfASteadyTurn) {
  const double w = 3, m = 2, r = 0.5;
  for (const Case& c : std::initializer_list<Case>{
           {"{acceleration: arm.tip, relative_to: arm, axis: x}", 0},
           {"\"sqrt(body.arm.acceleration.x^2 + body.arm.acceleration.y^2)\"", w * w * r},
           {"\"body.arm.angular_acceleration.z\"", 0},
           {"\"joint.hinge.angle.acceleration\"", 0},
           {"\"sqrt(joint.hinge.force.x^2 + joint.hinge.force.y^2)\"", m * w * w * r},
           {"\"energy.kinetic\"", 0.5 * m * w * r * w * r + 0.5 * 0.1 * w * w},
           {"\"energy.total - energy.potential - energy.kinetic\"", 0},
           {"\"body.arm.orientation.w^2 + body.arm.orientation.z^2\"", 1}}) {
    Simulation simulation(problem(arm(fmt::format("signals: {{y: {}}}\n", c.signal) +
                                      "run: {step: 1e-3, end: 1}\noutputs: {every: 0.25}\n"),
                                  {fmt::format("run.integrator={}", GetParam())}));
    for (const auto& [t, y] : history(simulation, "y"))
      EXPECT_NEAR(y, c.exact, 1e-5) << c.signal << " at " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, SolvedSignals,
                         testing::Values("generalized-alpha", "dormand-prince", "stabilised-ode",
                                         "energy-momentum"));

/// Seen from the ground the tip is pulled inwards; seen from a frame that turns with it, nothing moves.
TEST(SolvedSignals, AccelerationInAFrame) {
  Simulation simulation(
      problem(arm("signals: {y: {acceleration: arm.tip, axis: y}, z: \"-9*1*sin(joint.hinge.angle)\"}\n"
                  "run: {step: 1e-3, end: 1}\noutputs: {every: 0.25}\n")));
  const auto measured = history(simulation, "y");
  Simulation again(
      problem(arm("signals: {z: \"-9*1*sin(joint.hinge.angle)\"}\n"
                  "run: {step: 1e-3, end: 1}\noutputs: {every: 0.25}\n")));
  const auto exact = history(again, "z");
  ASSERT_EQ(measured.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(measured[i].second, exact[i].second, 1e-5);
}

/// A force cannot wait for the end of the step that it acts in; a sample of it can be used.
TEST(SolvedSignals, GoThroughASample) {
  const std::string loop =
      "forces: {motor: {joint-force: hinge, law: \"-0.1*{}\"}}\nrun: {step: 1e-3, end: 1}\n";
  const auto law = [&](const std::string& y) {
    std::string text = loop;
    return text.replace(text.find("{}"), 2, y);
  };
  EXPECT_THAT(complaint(arm("signals: {y: \"joint.hinge.force.x\"}\n" + law("y"))),
              HasSubstr("'motor' depends on an acceleration, reaction, stress or energy"));
  EXPECT_THAT(complaint(arm("control: {y: {low-pass: \"body.arm.acceleration.x\", time: 0.1}}\n" + law("y"))),
              HasSubstr("sample that first"));
  EXPECT_EQ(complaint(arm("control: {y: {sample: \"joint.hinge.force.x\", every: 0.01}}\n" + law("y"))), "");
}

/// The value at a sample is that of the moment (an output at the same time is written before it): the torque of a drive on a disc that speeds up.
TEST(SolvedSignals, AreSampledAtTheirTime) {
  for (const char* integrator : {"generalized-alpha", "dormand-prince"}) {
    Simulation simulation(
        problem(disc("drives: {d: {joint: shaft, function: \"t^3\"}}\n"
                     "control: {y: {sample: \"drive.d.torque.z\", every: 0.1}}\nrun: {step: 1e-3, end: 1}\n"
                     "outputs: {every: 0.1}\n"),
                {fmt::format("run.integrator={}", integrator)}));
    for (const auto& [t, y] : history(simulation, "y"))
      EXPECT_NEAR(y, 12 * std::max(0.0, t - 0.1), 1e-4) << integrator << " at " << t;
  }
}

/// A joint that breaks: the string of a pendulum is let go of where it pulls by more than so much.
TEST(SolvedSignals, EventsOnReactions) {
  Simulation simulation(problem(
      "hooke: 1\ngravity: [0, 0, -10]\n"
      "bodies: {bob: {rigid: {mass: 1, inertia: 1e-6}, at: [1, 0, 0]}}\n"
      "joints: {string: {revolute: [ground, bob], at: [0, 0, 0], axis: y}}\n"
      "signals: {pull: {formula: \"sqrt(joint.string.force.x^2 + joint.string.force.y^2)\", unit: N}}\n"
      "events: {breaks: {when: \"pull - 15\", crosses: rising, do: [{switch-off: string}, {stop: broken}]}}\n"
      "run: {step: 1e-3, end: 2}\n"));
  Vec3 last = zero3;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    last = simulation.system().motion(0, state).pose.p;
  }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  // The pull is m v^2/l + m g sin = 3 m g sin of the angle below the horizontal: 15 N at 30 degrees.
  EXPECT_NEAR(last.z(), -0.5, 1e-4);
}

/// The clamped end of a beam under its own weight, at rest.
TEST(SolvedSignals, InsideARod) {
  Simulation simulation(
      problem("hooke: 1\ngravity: [0, 0, -9.81]\n"
              "bodies: {beam: {cosserat: {section: {circle: 0.01}, material: {young: 2.1e11, poisson: 0.3, "
              "density: 7800}, length: 1, elements: 16},\n"
              "  at: [0.5, 0, 0], axes: {z: [1, 0, 0]}}}\n"
              "joints: {clamp: {fixed: [ground, beam.start], at: [0, 0, 0]}}\n"
              "signals: {cut: {section: beam, at: 0.5, quantity: moment, axis: y},\n"
              "          pull: {section: beam, at: 0.5, quantity: force, axis: x}}\n"
              "run: {analysis: statics}\n"));
  const auto at = [&](const char* name) { return std::abs(history(simulation, name).back().second); };
  const double weight = 9.81 * simulation.body("beam").mass_properties().mass;
  EXPECT_NEAR(at("pull"), 0.5 * weight, 0.02 * weight);
  EXPECT_NEAR(at("cut"), 0.125 * weight, 0.01 * weight);
}

/// A bar pulled at its end: stress F/A, displacement F l/(E A).
TEST(SolvedSignals, OfASolid) {
  const std::string bar =
      "hooke: 1\n"
      "bodies: {bar: {solid: {mesh: {box: {size: [1, 0.1, 0.1], divisions: [8, 2, 2]}},\n"
      "  material: {young: 2e11, poisson: 0, density: 7800},\n"
      "  surface_loads: [{nodes: x_max, traction: [1e8, 0, 0]}]}, at: [0.5, 0, 0]}}\n"
      "joints: {clamp: {tie: [ground, bar.x_min]}}\n"
      "signals:\n"
      "  most: {stress: bar}\n"
      "  middle: {stress: bar, at: [0, 0, 0]}\n"
      "  end: {displacement: bar, set: x_max, relative_to: ground}\n"
      "run: {analysis: statics}\n";
  Simulation simulation(problem(bar));
  EXPECT_NEAR(history(simulation, "middle").back().second, 1e8, 1e4);
  EXPECT_NEAR(history(simulation, "most").back().second, 1e8, 1e6);
  EXPECT_NEAR(history(simulation, "end").back().second, 5e-4, 1e-7);
  EXPECT_THAT(complaint(disc("signals: {y: {stress: disc}}\n")), HasSubstr("is no solid and has no modes"));
  std::string mistyped = bar;
  mistyped.replace(mistyped.find("x_max, relative"), 5, "x_mxa");
  EXPECT_THAT(complaint(mistyped), HasSubstr("no node set 'x_mxa'"));
}

}  // namespace
}  // namespace hooke::test
