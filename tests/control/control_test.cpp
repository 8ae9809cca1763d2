// Signals in models: what they measure, what they do, how accurate they are, and what is wrong with them.

#include "control/support.h"
#include "hooke/analysis/statics.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

const std::string pendulum =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {arm: {rigid: {mass: 1, inertia: 0.1}, at: [0.5, 0, 0], frames: {tip: {at: [0.5, 0, 0]}}}}\n"
    "joints: {pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: y}}\n";

TEST(Signals, MeasureWhatResultsSay) {
  Simulation simulation(
      problem(pendulum +
              "forces: {strut: {spring: [ground, arm.tip], points: [[0, 0, 2], null], stiffness: 3, damping: "
              "1, free: 1}}\n"
              "signals:\n"
              "  angle: joint.pivot.angle\n  rate: joint.pivot.angle.rate\n  short: joint.pivot\n"
              "  x: body.arm.position.x\n  vz: body.arm.velocity.z\n  w: body.arm.angular_velocity.y\n"
              "  length: force.strut.length\n  tension: force.strut.tension\n"
              "  tip: {position: arm.tip, axis: z}\n  tip_speed: {velocity: arm.tip, axis: z}\n"
              "  seen: {position: ground, relative_to: arm, axis: x}\n"
              "  far: {distance: [arm.tip, ground]}\n"
              "  own: {angle: arm, axis: y}\n"
              "run: {end: 1}\n"));
  simulation.advance(0.6);
  const auto arm = simulation.body("arm");
  const double angle = simulation.joint("pivot").angle(), rate = simulation.joint("pivot").rate();
  EXPECT_GT(std::abs(rate), 0.1);
  EXPECT_DOUBLE_EQ(simulation.signal("angle"), angle);
  EXPECT_DOUBLE_EQ(simulation.signal("short"), angle);
  EXPECT_DOUBLE_EQ(simulation.signal("rate"), rate);
  EXPECT_DOUBLE_EQ(simulation.signal("x"), arm.position().x());
  EXPECT_NEAR(simulation.signal("vz"), arm.velocity().z(), 1e-14);
  EXPECT_NEAR(simulation.signal("w"), arm.angular_velocity().y(), 1e-14);
  EXPECT_DOUBLE_EQ(simulation.signal("length"), simulation.force("strut").length());
  EXPECT_NEAR(simulation.signal("tension"), simulation.force("strut").tension(), 1e-12);
  EXPECT_NEAR(simulation.signal("tip"), -std::sin(angle), 1e-12);
  EXPECT_NEAR(simulation.signal("tip_speed"), -std::cos(angle) * rate, 1e-10);
  EXPECT_NEAR(simulation.signal("seen"), -0.5, 1e-12);
  EXPECT_NEAR(simulation.signal("far"), 1, 1e-12);
  EXPECT_NEAR(simulation.signal("own"), angle, 1e-12);
}

/// A spring and damper written as signals move the pendulum as the spring itself does, with every integrator.
TEST(Signals, AForceOfSignalsIsTheForceItself) {
  const std::string by_law = "forces: {s: {joint-force: pivot, stiffness: 30, damping: 0.4, free: 0.2}}\n";
  const std::string by_signal =
      "signals: {x: joint.pivot.angle, v: joint.pivot.angle.rate, torque: \"30*(x - 0.2) + 0.4*v\"}\n"
      "forces: {s: {joint-force: pivot, law: torque}}\n";
  const std::string by_load =
      "signals: {torque: \"30*(joint.pivot - 0.2) + 0.4*joint.pivot.rate\"}\n"
      "forces: {s: {load: arm, torque: [0, \"-torque\", 0]}}\n";
  for (const char* integrator : {"generalized-alpha", "dae-alpha", "energy-momentum", "stabilised-ode",
                                 "dormand-prince", "linearly-implicit"}) {
    std::vector<double> angles;
    for (const std::string& forces : {by_law, by_signal, by_load}) {
      Simulation simulation(problem(pendulum + forces + "run: {step: 2e-3, end: 1}\n",
                                    {std::string("run.integrator=") + integrator}));
      simulation.advance(1);
      angles.push_back(simulation.joint("pivot").angle());
    }
    const double accuracy =
        std::string(integrator) == "energy-momentum" ? 1e-4 : 1e-8;  // it keeps another account
    EXPECT_NEAR(angles[1], angles[0], accuracy) << integrator;
    EXPECT_NEAR(angles[2], angles[0], accuracy) << integrator;
  }
}

/// z' and the motion are solved together, so the order is that of the integrator.
TEST(Signals, StatesHaveTheOrderOfTheIntegrator) {
  const std::string model = disc(
      "signals: {error: \"sin(t) - joint.shaft.angle\"}\n"
      "control:\n  u: {pid: error, kp: 30, ki: 10, kd: 8, filter: 0.1}\n"
      "  f: {transfer-function: u, numerator: [1], denominator: [0.01, 0.1, 1]}\n"
      "forces: {motor: {joint-force: shaft, law: \"-f\"}}\n"
      "run: {end: 1}\n");
  const auto at_end = [&](const std::string& integrator, double h) {
    Simulation simulation(problem(model, {"run.integrator=" + integrator, fmt::format("run.step={}", h)}));
    simulation.advance(1);
    return Vec3(simulation.joint("shaft").angle(), simulation.signal("u"), simulation.signal("f"));
  };
  const Vec3 exact = at_end("dormand-prince", 1e-3);
  const std::vector<std::tuple<const char*, double, double>> methods{{"generalized-alpha", 4e-3, 2},
                                                                     {"trapezoidal", 4e-3, 2},
                                                                     {"dae-alpha", 4e-3, 2},
                                                                     {"energy-momentum", 4e-3, 2},
                                                                     {"stabilised-ode", 4e-3, 2},
                                                                     {"dormand-prince", 4e-2, 5},
                                                                     {"merson", 4e-2, 4}};
  for (const auto& [name, h, order] : methods) {
    const double coarse = (at_end(name, h) - exact).norm(), fine = (at_end(name, h / 2) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << name << " " << coarse << " " << fine;
  }
}

/// An integral controller holds the arm level; statics finds the torque it needs.
TEST(Signals, StaticsFindsTheStatesOfRest) {
  const std::string model = pendulum +
                            "signals: {error: \"0.3 - joint.pivot.angle\"}\n"
                            "control: {u: {pid: error, kp: 40, ki: 60, kd: 5, filter: 0.05}}\n"
                            "forces: {motor: {joint-force: pivot, law: \"-u\"}}\n";
  Problem p = problem(model + "run: {from: statics, end: 1}\n");
  Simulation simulation(std::move(p));
  EXPECT_NEAR(simulation.joint("pivot").angle(), 0.3, 1e-9);
  EXPECT_NEAR(simulation.signal("u"), -9.81 * 0.5 * std::cos(0.3), 1e-6);
  simulation.advance(0.5);
  EXPECT_NEAR(simulation.joint("pivot").angle(), 0.3, 1e-9);
}

/// x'' = -w^2 x - d x' - u/2 with u a filtered feedback: eigenvalues of the hand-made matrix.
TEST(Signals, ModesSeeTheStates) {
  Simulation simulation(
      problem(disc("control: {u: {low-pass: \"20*joint.shaft.angle.rate\", time: 0.25}}\n"
                   "forces: {spring: {joint-force: shaft, stiffness: 18, damping: 0.4}, motor: {joint-force: "
                   "shaft, law: u}}\n"
                   "run: {end: 1}\n")));
  const Linearisation linear = simulation.linearise();
  Mat3 A;
  A << 0, 1, 0, -9, -0.2, -0.5, 0, 80, -4;
  Eigen::EigenSolver<Mat3> exact(A);
  ASSERT_EQ(linear.modes.size(), 2u);  // a real one and a pair
  for (const Mode& mode : linear.modes) {
    double nearest = 1e9;
    for (int i = 0; i < 3; ++i)
      nearest = std::min(nearest, std::abs(exact.eigenvalues()[i] - mode.eigenvalue));
    EXPECT_LT(nearest, 1e-9);
  }
}

TEST(Signals, MotorFollowsItsCurve) {
  Simulation simulation(problem(
      disc("forces: {m: {motor: shaft, stall: 3, no_load: 50, gear: 4}}\nrun: {step: 1e-3, end: 10}\n")));
  simulation.advance(0.5);
  // 2 w' = 4 * 3 (1 - 4 w/50)
  EXPECT_NEAR(simulation.joint("shaft").rate(), 12.5 * (1 - std::exp(-6 * 4 * 0.5 / 50)), 1e-6);
  simulation.advance(10);
  EXPECT_NEAR(simulation.joint("shaft").rate(), 12.5, 0.2);
}

/// A drive is told where to go and is there an interval later, without a jump of its speed.
TEST(Signals, ADriveFollowsASignal) {
  Simulation simulation(problem(disc("control: {wanted: {low-pass: \"sin(2*t)\", time: 0.2, start: 0.3}}\n"
                                     "drives: {axis: {joint: shaft, function: wanted, every: 0.01}}\n"
                                     "run: {step: 2e-3, end: 2}\n"),
                                {"joints.shaft.start={angle: 0.3}"}));
  EXPECT_NEAR(simulation.joint("shaft").angle(), 0.3, 1e-12);
  double before = simulation.joint("shaft").rate();
  for (int k = 1; k <= 100; ++k) {
    simulation.advance(0.01 * k);
    const double rate = simulation.joint("shaft").rate();
    if (k > 2) {  // it has caught up with a signal that did not begin at rest
      EXPECT_LT(std::abs(rate - before), 0.2) << k;
    }
    before = rate;
  }
  const double wanted = simulation.signal("wanted");
  simulation.advance(1.01);
  EXPECT_NEAR(simulation.joint("shaft").angle(), wanted, 1e-9);
}

TEST(Signals, WhatIsWrongIsNamed) {
  EXPECT_THAT(complaint(disc("signals: {a: \"b + 1\", b: \"2*c\", c: \"a - 1\"}\n")), HasSubstr("circle"));
  EXPECT_THAT(complaint(disc("signals: {a: \"b + 1\", b: \"2*c\", c: \"a - 1\"}\n")),
              HasSubstr("a -> b -> c -> a"));
  EXPECT_EQ(complaint(disc("signals: {a: \"b + 1\", b: \"2*c\"}\ncontrol: {c: {low-pass: a, time: 1}}\n")),
            "");
  EXPECT_THAT(complaint(disc("signals: {a: joint.shaff.angle}\n")), HasSubstr("did you mean 'shaft'"));
  EXPECT_THAT(complaint(disc("signals: {a: joint.shaft.displacement}\n")), HasSubstr("it has angle"));
  EXPECT_THAT(complaint(disc("signals: {a: body.disc.posision.x}\n")), HasSubstr("did you mean 'position'"));
  EXPECT_THAT(complaint(disc("signals: {speed: 1}\nforces: {m: {joint-force: shaft, law: \"sped*2\"}}\n")),
              HasSubstr("sped"));
  EXPECT_THAT(complaint(disc("signals: {speed: 1, b: \"2*sped\"}\n")), HasSubstr("did you mean 'speed'"));
  EXPECT_THAT(complaint(disc("signals: {a: energy.kinetik}\n")), HasSubstr("did you mean 'kinetic'"));
  EXPECT_THAT(complaint(disc("signals: {a: 1}\ncontrol: {a: {low-pass: 1, time: 1}}\n")),
              HasSubstr("two signals or blocks named 'a'"));
  EXPECT_THAT(complaint(disc("signals: {t: 1}\n")), HasSubstr("it is the time"));
  EXPECT_THAT(complaint(disc("control: {u: {low-pass: 1, time: -1}}\n")), HasSubstr("must be positive"));
  EXPECT_THAT(complaint(disc("control: {u: {pid: 1, kp: 1, limits: [1, -1]}}\n")),
              HasSubstr("smaller than the second"));
  EXPECT_THAT(complaint(disc("signals: {a: \"sqrt(0 - 1 - t)\"}\n")), HasSubstr("'a' is not a number"));
  EXPECT_THAT(
      complaint(disc("signals: {a: 1}\ndrives: {d: {body: disc, coordinate: x, function: \"a*t\"}}\n")),
      HasSubstr("a function of time"));
}

}  // namespace
}  // namespace hooke::test
