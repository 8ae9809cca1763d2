// What happens at certain moments: when exactly, and what it does to the motion.
#include <numbers>

#include "control/support.h"

namespace hooke::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Times in the notes of a run, of those that contain the text.
std::vector<double> times_of(const Summary& summary, const std::string& text) {
  std::vector<double> times;
  for (const std::string& note : summary.notes)
    if (note.starts_with("t = ") && note.find(text) != std::string::npos)
      times.push_back(std::stod(note.substr(4)));
  return times;
}

/// Falls from 1 m, bounces with 0.8 of its speed: the first 20 impacts in closed form.
TEST(Events, BouncesAreWhereTheyShouldBe) {
  for (const std::string integrator : {"generalized-alpha", "dormand-prince", "energy-momentum"}) {
    Simulation simulation(load(model_path("bouncing"), {"run.integrator=" + integrator}));
    const std::vector<double> found = times_of(simulation.run(), "floor");
    ASSERT_EQ(found.size(), 20u) << integrator;
    const double first = std::sqrt(2 / 9.81);
    double t = first, e = 1;
    for (double time : found) {
      EXPECT_NEAR(time, t, 1e-9) << integrator;
      e *= 0.8;
      t += 2 * e * first;
    }
  }
}

/// It comes to rest, stays there, and leaves when it is pulled away.
TEST(Events, ASlowImpactCloses) {
  Simulation simulation(
      load(model_path("bouncing"),
           {"run.end=8", "run.step=1e-3", "limits.floor.restitution=0.5", "limits.floor.rest=0.05",
            "forces={pull: {load: ball, force: [0, 0, \"4*max(0, t - 3)\"]}}"}));
  simulation.advance(2.9);
  EXPECT_NEAR(simulation.joint("rail").displacement(), 0, 1e-9);
  EXPECT_NEAR(simulation.joint("rail").rate(), 0, 1e-9);
  const double lift = 3 + 9.81 / 4;
  simulation.advance(lift - 0.01);
  EXPECT_NEAR(simulation.joint("rail").displacement(), 0, 1e-9);
  simulation.advance(lift + 1);
  EXPECT_NEAR(simulation.joint("rail").displacement(), 4.0 / 6, 1e-6);  // m x'' = 4 (t - lift)
}

/// The satellite of models/control/deployment.yaml with rigid panels and no damping. Springs turn both by a right angle, then
/// latches close. All momentum is zero and the two sides are alike, so that everything stands still after that.
TEST(Events, LatchesOfASatelliteTakeWhatTheHandCalculationSays) {
  const double l = 1.5, hub = 50, m = 2.7, I = m * l * l / 12, k = 0.4, free = 3.2,
               open = std::numbers::pi / 2;
  std::string bodies, joints, forces, events;
  for (const int side : {1, -1}) {
    const std::string n = side > 0 ? "1" : "2";
    bodies += fmt::format("  panel{}: {{rigid: {{mass: {}, inertia: [{}, {}, 0.08]}}, at: [{}, 0, {}]}}\n", n,
                          m, I, I, 0.2 * side, l / 2);
    joints +=
        fmt::format("  hinge{}: {{revolute: [hub, panel{}], at: [{}, 0, 0], axis: y}}\n", n, n, 0.2 * side);
    forces +=
        fmt::format("  spring{}: {{joint-force: hinge{}, stiffness: {}, free: {}}}\n", n, n, k, side * free);
    events += fmt::format(
        "  latch{}: {{when: \"abs(joint.hinge{}.angle) - pi/2\", crosses: rising, repeats: false, do: "
        "[{{lock: "
        "hinge{}}}, {{switch-off: spring{}}}]}}\n",
        n, n, n, n);
  }
  Simulation simulation(problem("hooke: 1\nbodies:\n  hub: {rigid: {mass: 50, inertia: 1.3}}\n" + bodies +
                                "joints:\n" + joints + "forces:\n" + forces + "events:\n" + events +
                                "run: {integrator: dormand-prince, tolerance: 1e-10, end: 8}\n"));
  const Summary summary = simulation.run();
  ASSERT_EQ(summary.status, RunStatus::finished) << summary.failure;

  // What the springs give, 2 k/2 (free^2 - (free - open)^2), is moving when they are open; panels turn by w about their
  // hinges, and the hub has the speed V against theirs: 50 V + 2 m (V + w l/2) = 0.
  const double given = k * (free * free - (free - open) * (free - open)), V_per_w = -m * l / (hub + 2 * m),
               of_panel = V_per_w + l / 2;
  const double w = std::sqrt(given / (0.5 * hub * V_per_w * V_per_w + m * of_panel * of_panel + I));
  const double impulse =
      I * w + 0.5 * l * m * of_panel * w;  // of momentum about the hinge, all of which goes
  int found = 0;
  for (const std::string& note : summary.notes)
    if (const std::size_t at = note.find("impulse "); at != std::string::npos) {
      std::string text = note.substr(at + 8);
      for (std::size_t from = 0; from != std::string::npos; ++found) {
        EXPECT_NEAR(std::abs(std::stod(text.substr(from))), impulse, 1e-5 * impulse) << note;
        from = text.find(", ", from);
        if (from != std::string::npos) from += 2;
      }
    }
  EXPECT_EQ(found, 2);
  // All of it is lost, and the springs that are let go of take theirs along.
  EXPECT_NEAR(summary.last_energy, 0, 1e-8 * given);
  EXPECT_LT(summary.quality.energy_error, 1e-6 * given);
}

/// Two discs on one shaft turn at different speeds; a latch makes them one. Angular momentum stays, energy does not.
const std::string two_discs =
    "hooke: 1\n"
    "bodies:\n"
    "  first: {rigid: {mass: 1, inertia: [1, 1, 2]}}\n"
    "  second: {rigid: {mass: 1, inertia: [2, 2, 3]}, at: [0, 0, 0.1]}\n"
    "joints:\n"
    "  shaft: {revolute: [ground, first], at: [0, 0, 0], axis: z, start: {angle: {rate: 4}}}\n"
    "  clutch: {revolute: [first, second], at: [0, 0, 0.1], axis: z, start: {angle: {rate: -1}}}\n";

TEST(Events, LockGivesTheImpulseOfTheHandCalculation) {
  for (const std::string integrator :
       {"generalized-alpha", "dae-alpha", "energy-momentum", "stabilised-ode", "dormand-prince"}) {
    Simulation simulation(
        problem(two_discs + "events: {latch: {when: \"joint.clutch.angle + 0.5\", do: [{lock: clutch}]}}\n"
                            "run: {end: 2}\n",
                {"run.integrator=" + integrator}));
    const Summary summary = simulation.run();
    ASSERT_EQ(summary.status, RunStatus::finished) << summary.failure;
    const std::vector<double> found = times_of(summary, "latch");
    ASSERT_EQ(found.size(), 1u) << integrator;
    EXPECT_NEAR(found[0], 0.5, 1e-9);
    // 2*4 + 3*3 = 5 w, the second disc gains 3 (3.4 - 3) = 1.2 N m s.
    EXPECT_THAT(summary.notes, Contains(HasSubstr("locked clutch; impulse 1.2 N m s"))) << integrator;
    const double before = 0.5 * 2 * 16 + 0.5 * 3 * 9, after = 0.5 * 5 * 3.4 * 3.4;
    EXPECT_NEAR(summary.first_energy - summary.last_energy, before - after, 1e-8) << integrator;
    EXPECT_LT(summary.quality.energy_error, 1e-6 * before) << integrator;
  }
}

/// Taken there in many pieces, one of which ends at the event itself, it is the same motion.
TEST(Events, HappenOnceHoweverOneGetsThere) {
  const std::string model = two_discs +
                            "control: {count: {parameter: 0}}\n"
                            "events: {latch: {when: \"joint.clutch.angle + 0.5\", do: [{lock: clutch}, {set: "
                            "count, to: \"count + 1\"}]}}\nrun: {end: 2}\n";
  Simulation at_once(problem(model)), in_pieces(problem(model));
  at_once.advance(1.5);
  for (int k = 1; k <= 30; ++k) in_pieces.advance(0.05 * k);
  EXPECT_EQ(at_once.signal("count"), 1);
  EXPECT_EQ(in_pieces.signal("count"), 1);
  EXPECT_NEAR(in_pieces.joint("clutch").angle(), -0.5, 1e-9);
  EXPECT_NEAR(in_pieces.joint("shaft").angle(), at_once.joint("shaft").angle(), 1e-9);
}

TEST(Events, LocksAreOpenedAgain) {
  Simulation simulation(problem(two_discs + "events:\n"
                                            "  latch: {at: 0.5, do: [{lock: clutch}]}\n"
                                            "  open: {at: 1, do: [{unlock: clutch}, {set: torque, to: 3}]}\n"
                                            "control: {torque: {parameter: 0}}\n"
                                            "forces: {push: {load: second, torque: [0, 0, torque]}}\n"
                                            "run: {end: 2}\n"));
  simulation.advance(0.9);
  EXPECT_NEAR(simulation.joint("clutch").rate(), 0, 1e-12);
  EXPECT_NEAR(simulation.joint("clutch").angle(), -0.5, 1e-9);
  simulation.advance(2);
  EXPECT_NEAR(simulation.joint("shaft").rate(), 3.4, 1e-9);
  EXPECT_NEAR(simulation.joint("clutch").rate(), 1, 1e-6);
}

/// A joint, a drive or a force that is switched off no longer acts.
TEST(Events, SwitchesJointsDrivesAndForces) {
  const std::string falls =
      "hooke: 1\ngravity: [0, 0, -10]\n"
      "bodies: {a: {rigid: {mass: 1, inertia: 0.1}}}\n";
  for (const std::string solver : {"dense", "sparse", "dca", "schur"}) {
    Simulation joint(problem(falls + "joints: {hold: {fixed: [ground, a], at: [0, 0, 0]}}\n"
                                     "events: {drop: {at: 0.25, do: {switch-off: hold}}}\nrun: {end: 1}\n",
                             {"run.solver=" + solver}));
    joint.advance(0.75);
    EXPECT_NEAR(joint.body("a").position().z(), -10 * 0.25 / 2, 1e-9) << solver;
  }
  Simulation drive(
      problem(falls + "joints: {rail: {prismatic: [ground, a], axis: z}}\n"
                      "drives: {lift: {joint: rail, function: \"2*t\"}}\n"
                      "events: {let_go: {when: \"joint.rail.displacement - 1\", do: {switch-off: lift}}}\n"
                      "run: {end: 1}\n"));
  drive.advance(0.7);
  EXPECT_NEAR(drive.joint("rail").displacement(), 1 + 2 * 0.2 - 5 * 0.04, 1e-8);
  Simulation force(problem(
      falls +
      "forces: {up: {load: a, force: [0, 0, 10]}}\n"
      "events: {off: {at: 0.3, do: {switch-off: up}}, on: {at: 0.5, do: {switch-on: up}}}\nrun: {end: 1}\n"));
  force.advance(0.9);
  EXPECT_NEAR(force.body("a").velocity().z(), -10 * 0.2, 1e-9);
}

TEST(Events, SetAndStop) {
  Simulation simulation(
      problem(disc("control: {gear: {parameter: 1}, way: {integrator: \"gear\"}}\n"
                   "events:\n"
                   "  second: {when: \"way - 1\", crosses: rising, repeats: false, do: [{set: gear, to: "
                   "\"gear + 1\"}, {set: way, to: 0}]}\n"
                   "  third: {when: \"way - 1.5\", crosses: rising, count: 1, do: {stop: far enough}}\n"
                   "run: {step: 0.01, end: 10}\n")));
  const Summary summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::finished);
  EXPECT_NEAR(summary.end, 1.75, 1e-9);
  EXPECT_THAT(summary.notes, Contains(HasSubstr("far enough")));
}

/// Two pendulums coupled at an event: the error at the end falls with the order of the method, event or not.
TEST(Events, OrderIsKeptAcrossAnEvent) {
  const std::string model =
      "hooke: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {arm: {rigid: {mass: 1, inertia: 0.1}, at: [0.5, 0, 0]}}\n"
      "joints: {pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: y}}\n"
      "control: {k: {parameter: 0}}\n"
      "forces: {s: {joint-force: pivot, law: \"k*(x - 1)\"}}\n"
      "events: {touch: {when: \"joint.pivot.angle - 1\", crosses: rising, do: {set: k, to: 50}}}\n"
      "run: {end: 1}\n";
  const auto at_end = [&](const std::string& integrator, double h) {
    Simulation simulation(problem(model, {"run.integrator=" + integrator, fmt::format("run.step={}", h)}));
    simulation.advance(1);
    return Vec2(simulation.joint("pivot").angle(), simulation.joint("pivot").rate());
  };
  const Vec2 exact = at_end("dormand-prince", 5e-4);
  const std::vector<std::tuple<const char*, double, double>> methods{{"generalized-alpha", 4e-3, 2},
                                                                     {"trapezoidal", 4e-3, 2},
                                                                     {"dae-alpha", 4e-3, 2},
                                                                     {"stabilised-ode", 4e-3, 2},
                                                                     {"dormand-prince", 2e-2, 5}};
  for (const auto& [name, h, order] : methods) {
    const double coarse = (at_end(name, h) - exact).norm(), fine = (at_end(name, h / 2) - exact).norm();
    EXPECT_GT(std::log2(coarse / fine), order - 0.4) << name << " " << coarse << " " << fine;
  }
}

/// An elastic stop keeps energy, one with damping loses some.
TEST(Events, ElasticStops) {
  for (const double damping : {0.0, 0.3}) {
    Simulation simulation(
        load(model_path("bouncing"),
             {"limits.floor={joint: rail, low: 0, stiffness: 1e5, damping: " + std::to_string(damping) + "}",
              "run.step=2e-4", "run.end=0.9"}));
    const Summary summary = simulation.run();
    const double lost = summary.first_energy - summary.last_energy;
    EXPECT_NEAR(lost / 9.81, damping > 0 ? 0.73 : 0, damping > 0 ? 0.2 : 1e-3);
    EXPECT_LT(summary.quality.energy_error, 1e-3 * 9.81);
  }
}

TEST(Events, OutputsAtEvents) {
  Simulation simulation(
      problem(disc("control: {a: {parameter: 1}}\n"
                   "events: {now: {at: 0.123, do: [{set: a, to: 2}, {output: true}]}}\n"
                   "run: {end: 1}\noutputs: {every: 0.5}\n")));
  const auto found = history(simulation, "a");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[1].first, 0.123, 1e-12);
  EXPECT_EQ(found[1].second, 2);
}

TEST(Events, TooManyAtOnceIsAnError) {
  Simulation simulation(
      problem(disc("control: {a: {parameter: 1}}\n"
                   "events: {flip: {when: \"a*(t - 0.5)\", do: {set: a, to: \"-a\"}}}\n"
                   "run: {end: 1}\n")));
  EXPECT_EQ(simulation.run().status, RunStatus::finished);  // a flip at zero is no crossing
  EXPECT_THAT(complaint("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}}}\n"
                        "joints: {r: {prismatic: [ground, a], axis: x, start: {displacement: 2}}}\n"
                        "limits: {l: {joint: r, high: 1, restitution: 1}}\n"),
              HasSubstr("beyond it"));
}

TEST(Events, WhatIsWrongIsNamed) {
  const auto with = [&](const std::string& event) {
    return complaint(two_discs + "events: {e: " + event + "}\n");
  };
  EXPECT_THAT(with("{when: \"t - 1\", do: {lock: cluch}}"), HasSubstr("did you mean 'clutch'"));
  EXPECT_THAT(with("{when: \"t - 1\", do: {switch-off: clutchh}}"), HasSubstr("did you mean 'clutch'"));
  EXPECT_THAT(with("{do: {lock: clutch}}"), HasSubstr("give 'when'"));
  EXPECT_THAT(with("{when: \"t - 1\", do: {lokc: clutch}}"), HasSubstr("did you mean 'lock'"));
  EXPECT_THAT(with("{when: \"t - 1\", do: {set: a, to: 1}}"), HasSubstr("cannot be set"));
}

}  // namespace
}  // namespace hooke::test
