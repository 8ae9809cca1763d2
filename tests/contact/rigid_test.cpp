// Rigid contact against closed forms.
#include <numbers>

#include "control/support.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

constexpr double g = 9.81;

struct Motion {
  std::vector<double> t;
  std::vector<FramePose> pose;
  std::vector<Vec6> twist, acceleration;
  Summary summary;
};

Motion run(const Problem& of, int body = 0) {
  Simulation simulation(of);
  Motion motion;
  motion.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    const BodyMotion now = simulation.system().motion(body, state);
    motion.t.push_back(state.t);
    motion.pose.push_back(now.pose);
    motion.twist.push_back(now.twist);
    motion.acceleration.push_back(now.acceleration);
  }});
  EXPECT_EQ(motion.summary.status, RunStatus::finished) << motion.summary.failure;
  return motion;
}

std::string ball(const std::string& start, const std::string& contact, const std::string& run) {
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {ball: {rigid: {mass: 1, inertia: 0.004}, " + start +
         "}}\nsurfaces: {ball: {sphere: 0.1, body: ball}, floor: {half-space: [0, 0, 1]}}\n"
         "contacts: {touch: {between: [ball, floor], law: rigid, " +
         contact + "}}\nrun: {" + run + "}\n";
}

/// Falls 1 m, leaves with 0.8 of its speed, twenty times: located impacts keep the accuracy of the motion in between.
TEST(RigidContact, TwentyBounces) {
  const double e = 0.8, first = std::sqrt(2 / g);
  for (const char* integrator : {"generalized-alpha", "dormand-prince", "energy-momentum"}) {
    const Motion motion = run(problem(
        ball("at: [0, 0, 1.1]", "restitution: 0.8, locate: true, rest_speed: 1e-6", "step: 1e-3, end: 3.9"),
        {fmt::format("run.integrator={}", integrator), "outputs.every=0.01"}));
    for (std::size_t i = 0; i < motion.t.size(); ++i) {
      double begin = 0, speed = 0, t = motion.t[i];  // of the arc that it is in
      if (t > first) {
        begin = first, speed = e * g * first;
        while (t > begin + 2 * speed / g) begin += 2 * speed / g, speed *= e;
      }
      const double s = t - begin;
      EXPECT_NEAR(motion.pose[i].p.z() - 0.1, begin == 0 ? 1 - 0.5 * g * s * s : speed * s - 0.5 * g * s * s,
                  2e-8)
          << integrator << " at " << t;
    }
    EXPECT_LT(motion.summary.quality.energy_error, 1e-6);
  }
}

/// The bounces add up to a finite time, after which the ball lies still.
TEST(RigidContact, ComesToRestAfterInfinitelyManyBounces) {
  const double zeno = std::sqrt(2 / g) * (1 + 0.5) / (1 - 0.5);
  const Motion motion = run(problem(
      ball("at: [0, 0, 1.1]", "restitution: 0.5, locate: true, rest_speed: 1e-5", "step: 1e-3, end: 3"),
      {"outputs.every=0.001"}));
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    if (motion.t[i] < zeno + 2e-3) continue;
    EXPECT_NEAR(motion.pose[i].p.z(), 0.1, 1e-9);
    EXPECT_NEAR(motion.twist[i].norm(), 0, 1e-9);
    EXPECT_NEAR(motion.acceleration[i].norm(), 0, 1e-6);
  }
}

/// Without locating impacts the error is of the order of the step.
TEST(RigidContact, StepsThatDoNotEndAtImpacts) {
  const auto height = [](double step) {
    const Motion motion = run(problem(ball("at: [0, 0, 1.1]", "restitution: 1", "step: 1e-3, end: 1"),
                                      {fmt::format("run.step={}", step), "outputs.every=1"}));
    return motion.pose.back().p.z();
  };
  const double exact = [] {
    const double s = 1 - std::sqrt(2 / g), v = std::sqrt(2 * g);
    const double after = std::fmod(s, 2 * v / g);
    return 0.1 + v * after - 0.5 * g * after * after;
  }();
  EXPECT_NEAR(height(1e-3), exact, 2e-2);
  EXPECT_NEAR(height(1e-4), exact, 2e-3);
}

/// 5/7 of the speed, and from then on no force along the floor.
TEST(RigidContact, SlidingBallComesToRoll) {
  for (const char* integrator : {"generalized-alpha", "dormand-prince", "stabilised-ode"}) {
    const Motion motion =
        run(problem(ball("at: [0, 0, 0.1], velocity: [1.4, 0, 0]", "friction: 0.2", "step: 1e-3, end: 1.5"),
                    {fmt::format("run.integrator={}", integrator), "outputs.every=0.05"}));
    EXPECT_NEAR(motion.twist.back()[0], 1.0, 1e-6) << integrator;
    EXPECT_NEAR(motion.twist.back()[4], 10, 1e-5);
    // While it slides, v = v0 - mu g t.
    EXPECT_NEAR(motion.twist[2][0], 1.4 - 0.2 * g * 0.1, 1e-9);
  }
}

TEST(RigidContact, BoxOnAnIncline) {
  const auto box = [](double friction) {
    return fmt::format(
        "hooke: 1\ngravity: [0, 0, -9.81]\n"
        "ground: {{frames: {{slope: {{rotate: {{axis: [0, 1, 0], angle: \"${{pi/6}}\"}}}}}}}}\n"
        "bodies: {{box: {{rigid: {{shape: {{box: [0.4, 0.3, 0.1]}}, mass: 2}}, rotate: {{axis: [0, 1, 0], "
        "angle: "
        "\"${{pi/6}}\"}}, at: [\"${{0.05*sin(pi/6)}}\", 0, \"${{0.05*cos(pi/6)}}\"]}}}}\n"
        "surfaces: {{box: {{box: [0.4, 0.3, 0.1], body: box}}, slope: {{half-space: [0, 0, 1], body: "
        "ground.slope}}}}\n"
        "contacts: {{touch: {{between: [box, slope], law: rigid, friction: {}}}}}\n"
        "run: {{step: 1e-3, end: 1}}\noutputs: {{every: 0.05}}\n",
        friction);
  };
  const double s = std::sin(std::numbers::pi / 6), c = std::cos(std::numbers::pi / 6);
  const Motion slides = run(problem(box(0.3)));
  EXPECT_NEAR(slides.twist.back().head<3>().norm(), g * (s - 0.3 * c), 1e-8);
  const Motion sticks = run(problem(box(0.6)));
  EXPECT_LT((sticks.pose.back().p - sticks.pose[0].p).norm(), 1e-9);
  EXPECT_LT(sticks.acceleration.back().norm(), 1e-6);
}

/// Ten boxes on each other. (Over 100 s, 10,000 steps, they stay within 1e-6 m.)
TEST(RigidContact, AStackStands) {
  std::string bodies, surfaces, names;
  for (int k = 0; k < 10; ++k) {
    bodies += fmt::format("  b{}: {{rigid: {{shape: {{box: [0.2, 0.2, 0.1]}}, mass: 1}}, at: [0, 0, {}]}}\n",
                          k, 0.05 + 0.1 * k);
    surfaces += fmt::format("  b{}: {{box: [0.2, 0.2, 0.1], body: b{}}}\n", k, k);
    names += fmt::format("{}b{}", k ? ", " : "", k);
  }
  const std::string model = "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "surfaces:\n" +
                            surfaces + "  floor: {half-space: [0, 0, 1]}\ncontacts: {all: {among: [" + names +
                            ", floor], law: rigid, friction: 0.5}}\nrun: {step: 1e-2, end: 2}\n"
                            "outputs: {every: 1}\n";
  const Motion top = run(problem(model), 9);
  EXPECT_NEAR(top.pose.back().p.z(), 0.95, 1e-6);
  EXPECT_LT(top.pose.back().p.head<2>().norm(), 1e-6);
  EXPECT_LT(top.twist.back().norm(), 1e-6);
}

/// Boxes on a floor, each turned to the one below: the polygons that they share have up to eight corners.
TEST(RigidContact, AStackOfTurnedBoxesStands) {
  std::string bodies, surfaces, names;
  for (int k = 0; k < 10; ++k) {
    bodies += fmt::format(
        "  b{}: {{rigid: {{shape: {{box: [0.2, 0.2, 0.1]}}, mass: 1}}, at: [0, 0, {}], rotate: {{axis: z, "
        "angle: \"${{{}*pi/6}}\"}}}}\n",
        k, 0.05 + 0.1 * k, k);
    surfaces += fmt::format("  b{}: {{box: [0.2, 0.2, 0.1], body: b{}}}\n", k, k);
    names += fmt::format("{}b{}", k ? ", " : "", k);
  }
  const Problem stack =
      problem("hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "surfaces:\n" + surfaces +
              "  floor: {half-space: [0, 0, 1]}\ncontacts: {all: {among: [" + names +
              ", floor], law: rigid, friction: 0.5}}\nrun: {step: 1e-2, end: 10}\noutputs: {every: 1}\n");
  const Motion top = run(stack, 9);
  EXPECT_LT((top.pose.back().p - Vec3(0, 0, 0.95)).norm(), 1e-6);
  EXPECT_LT((top.pose.back().R - top.pose.front().R).norm(), 1e-6);
  EXPECT_LT(top.twist.back().norm(), 1e-6);
  EXPECT_LT(top.summary.quality.energy_error, 1e-6);
}

std::string cube_on_box(double x, double y, const std::string& below = "0.2, 0.2, 0.2") {
  return fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{cube: {{rigid: {{shape: {{box: [0.2, 0.2, 0.2]}}, mass: "
      "8}}, at: [{}, {}, 0.3]}}}}\nsurfaces: {{cube: {{box: [0.2, 0.2, 0.2], body: cube}}, below: {{box: "
      "[{}], "
      "at: [0, 0, 0.1]}}}}\ncontacts: {{touch: {{between: [cube, below], law: rigid, friction: 0.5}}}}\n"
      "run: {{step: 5e-3, end: 3}}\noutputs: {{every: 0.5}}\n",
      x, y, below);
}

/// A cube on another, aside in both directions: edges cross, and each crossing carries.
TEST(RigidContact, ACubeStandsOnAnotherAside) {
  for (const auto& [x, y] :
       {std::pair{0.01, 0.0}, {0.01, 0.005}, {0.03, 0.02}, {-0.04, 0.07}, {1e-6, -1e-7}}) {
    const Motion top = run(problem(cube_on_box(x, y)));
    EXPECT_LT((top.pose.back().p - Vec3(x, y, 0.3)).norm(), 1e-8) << x << ", " << y;
    EXPECT_LT(top.twist.back().norm(), 1e-8);
    EXPECT_LT(top.summary.quality.energy_error, 1e-9);
  }
}

/// Faces, edges and corners that coincide: a cube exactly on its like, and on a box whose corners lie on its edges.
TEST(RigidContact, CoincidentSurfacesCarry) {
  for (const char* below : {"0.2, 0.2, 0.2", "0.2, 0.1, 0.2", "0.4, 0.2, 0.2"}) {
    const Motion top = run(problem(cube_on_box(0, 0, below)));
    EXPECT_LT((top.pose.back().p - Vec3(0, 0, 0.3)).norm(), 1e-9) << below;
    EXPECT_LT(top.twist.back().norm(), 1e-9);
  }
}

/// More than half of it is beside the other: it tips over.
TEST(RigidContact, ACubeTooFarAsideFalls) {
  const Motion top = run(problem(cube_on_box(0.102, 0.02), {"run.end=1"}));
  EXPECT_LT(top.pose.back().p.z(), 0.2);
}

/// A plank across a beam: two edges, met at both ends of where they lie on it. It can be loaded near its rim without tipping.
TEST(RigidContact, APlankLiesAcrossABeam) {
  const Motion plank = run(problem(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {plank: {rigid: {shape: {box: [1, 0.1, 0.02]}, mass: 1}, "
      "at: [0.02, 0.01, 0.11]}}\nsurfaces: {plank: {box: [1, 0.1, 0.02], body: plank}, beam: {box: [0.1, 1, "
      "0.1], at: [0, 0, 0.05]}}\ncontacts: {touch: {between: [plank, beam], law: rigid, friction: 0.5}}\n"
      "forces: {weight: {load: plank, at: [0, 0.04, 0.01], force: [0, 0, -20]}}\n"
      "run: {step: 5e-3, end: 1}\noutputs: {every: 0.5}\n"));
  EXPECT_LT((plank.pose.back().p - Vec3(0.02, 0.01, 0.11)).norm(), 1e-8);
  EXPECT_LT(plank.twist.back().norm(), 1e-8);
}

/// A capsule lies on a table, and on another capsule between two walls, whichever is the longer one.
TEST(RigidContact, CapsulesLieOnWhatIsShorter) {
  const auto lies = [](const std::string& below, double z) {
    const Motion top = run(problem(
        "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {log: {rigid: {mass: 1, inertia: [0.04, 0.04, 0.001]}, "
        "at: "
        "[0.1, 0, " +
        fmt::format("{}", z) +
        "], axes: {z: x}}}\nsurfaces: {log: {capsule: {radius: 0.05, length: 0.6}, body: log}, " + below +
        ", west: {half-space: [0, 1, 0], at: [0, -0.05, 0]}, east: {half-space: [0, -1, 0], at: [0, 0.05, "
        "0]}}\n"
        "contacts: {touch: {between: [log, [below, west, east]], law: rigid, friction: 0.5}}\n"
        "run: {step: 5e-3, end: 2}\noutputs: {every: 1}\n"));
    EXPECT_LT((top.pose.back().p - Vec3(0.1, 0, z)).norm(), 1e-9) << below;
    EXPECT_LT(top.twist.back().norm(), 1e-9) << below;
  };
  lies("below: {box: [0.4, 0.3, 0.1], at: [0, 0, 0.05]}", 0.15);
  lies("below: {capsule: {radius: 0.05, length: 0.4}, at: [0, 0, 0.05], axes: {z: x}}", 0.15);
  lies("below: {capsule: {radius: 0.05, length: 1}, at: [0, 0, 0.05], axes: {z: x}}", 0.15);
}

/// Painleve's rod jams at the start: what it loses is lost at once, and the balance of energy knows.
TEST(RigidContact, ARodThatJamsLosesItsEnergyAtOnce) {
  Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/contact/painleve.yaml", {}));
  const Summary summary = simulation.run({});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  EXPECT_LT(summary.quality.energy_error, 0.01 * summary.quality.energy_scale);
}

/// With joints: a pendulum swings against a wall and loses what the restitution says.
TEST(RigidContact, WorksWithJoints) {
  const std::string model =
      "hooke: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {bob: {rigid: {mass: 1, inertia: 0.004}, at: [1, 0, 0]}}\n"
      "joints: {pivot: {revolute: [ground, bob], at: [0, 0, 0], axis: y}}\n"
      "surfaces: {bob: {sphere: 0.1, body: bob}, wall: {half-space: [1, 0, 0], at: [-0.1, 0, 0]}}\n"
      "contacts: {touch: {between: [bob, wall], law: rigid, restitution: 0.5, locate: true}}\n"
      "run: {step: 1e-3, end: 1}\noutputs: {every: 0.001}\n";
  for (const char* integrator : {"generalized-alpha", "dormand-prince"}) {
    const Motion motion = run(problem(model, {fmt::format("run.integrator={}", integrator)}));
    double before = 0, after = 0;
    for (std::size_t i = 1; i < motion.t.size(); ++i)
      if (motion.twist[i - 1][0] < 0 && motion.twist[i][0] > 0 && before == 0)
        before = motion.twist[i - 1].norm(), after = motion.twist[i].norm();
    EXPECT_NEAR(after / before, 0.5, 1e-2);
    EXPECT_LT(motion.summary.position_violation, 1e-7);
    EXPECT_LT(motion.summary.velocity_violation, 1e-7);
  }
}

/// Where long steps end deep in a wall, joints stay closed although bodies are moved out of it.
TEST(RigidContact, JointsStayClosedWhenSurfacesAreBroughtApart) {
  const Motion motion =
      run(problem("hooke: 1\ngravity: [0, 0, -9.81]\n"
                  "bodies: {upper: {rigid: {mass: 1, inertia: 0.02}, at: [0.25, 0, 0]}, lower: {rigid: "
                  "{mass: 1, inertia: "
                  "0.02}, at: [0.75, 0, 0]}}\n"
                  "joints: {pivot: {revolute: [ground, upper], at: [0, 0, 0], axis: y}, elbow: {revolute: "
                  "[upper, lower], "
                  "at: [0.5, 0, 0], axis: y}}\n"
                  "surfaces: {tip: {sphere: 0.05, body: lower, at: [0.25, 0, 0]}, wall: {half-space: [1, 0, "
                  "0], at: [-0.1, "
                  "0, 0]}}\n"
                  "contacts: {touch: {between: [tip, wall], law: rigid, restitution: 0.3, friction: 0.2}}\n"
                  "run: {step: 1e-2, end: 3, integrator: dormand-prince}\noutputs: {every: 0.01}\n"));
  EXPECT_LT(motion.summary.position_violation, 1e-9);
  EXPECT_LT(motion.summary.velocity_violation, 1e-8);
}

/// What a contact exerts is known to formulas: here the weight, at the place below the ball.
TEST(RigidContact, FormulasKnowContacts) {
  const auto last = [](const std::string& law, const char* formula) {
    Simulation simulation(problem(
        "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {ball: {rigid: {mass: 1, inertia: 0.004}, at: "
        "[0.3, 0, 0.1]}}\nsurfaces: {ball: {sphere: 0.1, body: ball}, floor: {half-space: [0, 0, "
        "1]}}\ncontacts: {touch: {between: [ball, floor], " +
        law + "}}\nsignals: {y: \"" + formula + "\"}\nrun: {step: 1e-3, end: 0.5}\noutputs: {every: 0.5}\n"));
    return history(simulation, "y").back().second;
  };
  for (const char* law : {"law: rigid", "stiffness: 1e6, exponent: 1, damping: 100"}) {
    EXPECT_NEAR(last(law, "contact.touch.force.z"), -g, 1e-4) << law;
    EXPECT_NEAR(last(law, "contact.touch.place.x + contact.touch.points"), 1.3, 1e-6) << law;
    EXPECT_NEAR(last(law, "contact.touch.gap"), 0, 1.1e-5) << law;
  }
  EXPECT_THROW(last("law: rigid", "contact.tuch.gap"), Error);
  EXPECT_THROW(last("law: rigid", "contact.touch.depth"), Error);
}

/// What is apart by less than 1e-9 of its size touches, balls on balls too, and is held from the start: otherwise it would fall by the gap.
TEST(RigidContact, BallsThatNearlyTouchAreHeld) {
  const double gap = 5e-11;
  const Motion motion =
      run(problem(fmt::format(
              "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{lower: {{rigid: {{mass: 1, inertia: "
              "0.004}}, at: [0, 0, 0.1]}}, upper: {{rigid: {{mass: 1, inertia: 0.004}}, at: [0, "
              "0, {:.17g}]}}}}\nsurfaces: {{lower: {{sphere: 0.1, body: lower}}, upper: {{sphere: "
              "0.1, body: upper}}, floor: {{half-space: [0, 0, 1]}}}}\n"
              "contacts: {{all: {{among: [lower, upper, floor], law: rigid}}}}\n"
              "run: {{step: 1e-3, end: 1e-3}}\n",
              0.3 + gap)),
          1);
  EXPECT_NEAR(motion.pose.back().p.z(), 0.3 + gap, 0.01 * gap);
}

TEST(RigidContact, WhatIsWrongIsNamed) {
  const std::string start = "at: [0, 0, 0.1]", end = "step: 1e-3, end: 0.1";
  EXPECT_THAT(complaint(ball(start, "stiffness: 1e6", end)), HasSubstr("is for compliant contacts"));
  EXPECT_THAT(complaint(ball("at: [0, 0, 0.05]", "friction: 0", end)), HasSubstr("start 0.05 m deep"));
}

}  // namespace
}  // namespace hooke::test
