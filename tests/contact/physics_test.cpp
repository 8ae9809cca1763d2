// Contact against closed forms.
#include <numbers>

#include "control/support.h"
#include "slip.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

constexpr double g = 9.81;

/// A ball of 1 kg and radius 0.1 m on a floor, in many ways.
std::string ball(const std::string& start, const std::string& contact, const std::string& run,
                 const std::string& normal = "[0, 0, 1]") {
  return "hooke: 1\ngravity: [0, 0, -9.81]\n"
         "bodies: {ball: {rigid: {mass: 1, inertia: 0.004}, " +
         start +
         "}}\n"
         "surfaces: {ball: {sphere: 0.1, body: ball}, floor: {half-space: " +
         normal + "}}\ncontacts: {touch: {between: [ball, floor], " + contact + "}}\nrun: {" + run + "}\n";
}

struct Motion {
  std::vector<double> t;
  std::vector<Vec3> p, v, spin;
  std::vector<double> energy_error;
};

Motion run(const Problem& of, int body = 0) {
  Simulation simulation(of);
  Motion motion;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    const BodyMotion now = simulation.system().motion(body, state);
    motion.t.push_back(state.t);
    motion.p.push_back(now.pose.p);
    motion.v.push_back(now.twist.head<3>());
    motion.spin.push_back(now.twist.tail<3>());
  }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  EXPECT_LT(summary.quality.energy_error, 2e-2 * summary.quality.energy_scale);
  return motion;
}

/// Fast ones, slow ones, soft and hard: the ball leaves with the speed asked for.
TEST(Contact, RestitutionComesOutAsAskedFor) {
  for (const double e : {1.0, 0.9, 0.5, 0.2})
    for (const double speed : {0.2, 3.0})
      for (const char* law :
           {"stiffness: 1e7", "stiffness: 1e6, exponent: 1", "stiffness: 1e9, exponent: 2"}) {
        const Motion motion =
            run(problem(ball(fmt::format("at: [0, 0, 0.1001], velocity: [0, 0, {}]", -speed),
                             fmt::format("{}, restitution: {}", law, e),
                             "integrator: dormand-prince, tolerance: 1e-10, step: 1e-5, end: 0.02"),
                        {"gravity=[0, 0, 0]", "outputs.every=0.02"}));
        EXPECT_NEAR(motion.v.back().z() / speed, e, 5e-5) << e << " " << speed << " " << law;
      }
}

/// Hertz: largest depth (5 m v^2/(4 k))^(2/5), duration 2.9432 depth/v.
TEST(Contact, HertzDepthAndDuration) {
  const std::string model =
      "hooke: 1\nbodies: {ball: {rigid: {mass: 1, inertia: 0.004}, at: [0, 0, 0.1], velocity: [0, 0, -2]}}\n"
      "surfaces: {ball: {sphere: 0.1, body: ball, young: 2e9, poisson: 0.25}, floor: {half-space: [0, 0, 1], "
      "young: 5e9, poisson: 0.3}}\n"
      "contacts: {touch: {between: [ball, floor]}}\n"
      "run: {integrator: dormand-prince, tolerance: 1e-11, step: 1e-6, end: 3e-3}\noutputs: {every: 1e-6}\n";
  const double E = 1 / ((1 - 0.0625) / 2e9 + (1 - 0.09) / 5e9), k = 4.0 / 3 * E * std::sqrt(0.1);
  const double depth = std::pow(5.0 / 4 * 4 / k, 0.4), duration = 2.943276 * depth / 2;
  const Motion motion = run(problem(model));
  double lowest = 1, leaves = 0;
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    lowest = std::min(lowest, motion.p[i].z());
    if (motion.p[i].z() < 0.1) leaves = motion.t[i];
  }
  EXPECT_NEAR(0.1 - lowest, depth, 1e-5 * depth);
  EXPECT_NEAR(leaves, duration, 2e-6);
}

/// A ball that slides at first rolls in the end, with 5/7 of its speed whatever the friction is.
TEST(Contact, SlidingBallComesToRoll) {
  for (const char* friction : {"0.2", "{coefficient: 0.5, bristle: 1e-5}"})
    for (const char* integrator : {"generalized-alpha", "dormand-prince"}) {
      const Motion motion =
          run(problem(ball("at: [0, 0, 0.0999], velocity: [1.4, 0, 0]",
                           fmt::format("stiffness: 1e7, restitution: 0.3, friction: {}", friction),
                           "step: 1e-4, end: 1.5"),
                      {fmt::format("run.integrator={}", integrator), "outputs.every=0.1"}));
      EXPECT_NEAR(motion.v.back().x(), 1.0, 2e-3) << friction << " " << integrator;
      EXPECT_NEAR(motion.spin.back().y(), 10, 0.03);
    }
}

/// A box on an incline of 30 degrees slides with g (sin - mu cos), or stays where it is.
TEST(Contact, BoxOnAnIncline) {
  const auto box = [](const std::string& friction) {
    return "hooke: 1\ngravity: [0, 0, -9.81]\n"
           "ground: {frames: {slope: {rotate: {axis: [0, 1, 0], angle: \"${pi/6}\"}}}}\n"
           "bodies: {box: {rigid: {shape: {box: [0.4, 0.3, 0.1]}, mass: 2}, rotate: {axis: [0, 1, 0], angle: "
           "\"${pi/6}\"}, at: [\"${0.05*sin(pi/6)}\", 0, \"${0.05*cos(pi/6)}\"]}}\n"
           "surfaces: {box: {box: [0.4, 0.3, 0.1], body: box}, slope: {half-space: [0, 0, 1], body: "
           "ground.slope}}\n"
           "contacts: {touch: {between: [box, slope], stiffness: 1e6, exponent: 1, damping: 500, friction: " +
           friction + "}}\nrun: {step: 1e-4, end: 1}\noutputs: {every: 0.05}\n";
  };
  const double s = std::sin(std::numbers::pi / 6), c = std::cos(std::numbers::pi / 6);
  const Motion slides = run(problem(box("0.3")));
  EXPECT_NEAR(slides.v.back().norm(), g * (s - 0.3 * c), 0.01);
  const Motion sticks = run(problem(box("{coefficient: 0.7, bristle: 1e-5}")));
  EXPECT_LT((sticks.p.back() - sticks.p[sticks.p.size() / 2]).norm(), 1e-9);
  EXPECT_LT((sticks.p.back() - sticks.p[0]).norm(), 2e-5);
}

/// A ring of four points spins down: torque mu N R.
TEST(Contact, SpinningDisc) {
  const Motion motion = run(problem(
      "hooke: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {disc: {rigid: {mass: 1, inertia: [0.0026, 0.0026, 0.005]}, at: [0, 0, 0.01], "
      "angular_velocity: "
      "[0, 0, 20]}}\n"
      "surfaces: {disc: {cylinder: {radius: 0.1, length: 0.02}, body: disc, edge_radius: 1e-6}, floor: "
      "{half-space: [0, 0, 1]}}\n"
      "contacts: {touch: {between: [disc, floor], stiffness: 1e6, exponent: 1, damping: 5, friction: 0.1}}\n"
      "run: {step: 1e-3, end: 0.5}\noutputs: {every: 0.05}\n"));
  EXPECT_NEAR(motion.spin.back().z(), 20 - 0.1 * g * 0.1 / 0.005 * 0.5, 0.02);
}

/// Five balls: the last takes all of what the first had.
TEST(Contact, NewtonsCradle) {
  std::string bodies, surfaces, contacts;
  for (int k = 0; k < 5; ++k) {
    bodies += fmt::format("  b{}: {{rigid: {{mass: 1, inertia: 0.004}}, at: [{}, 0, 0]{}}}\n", k, 0.2001 * k,
                          k ? "" : ", velocity: [1, 0, 0]");
    surfaces += fmt::format("  b{}: {{sphere: 0.1, body: b{}}}\n", k, k);
  }
  const std::string model = "hooke: 1\nbodies:\n" + bodies + "surfaces:\n" + surfaces +
                            "contacts: {all: {among: [b0, b1, b2, b3, b4], stiffness: 1e10}}\n"
                            "run: {integrator: dormand-prince, tolerance: 1e-9, step: 1e-5, end: 0.01}\n"
                            "outputs: {every: 0.01}\n";
  EXPECT_NEAR(run(problem(model), 4).v.back().x(), 1, 1e-4);
  EXPECT_NEAR(run(problem(model), 0).v.back().x(), 0, 1e-4);
}

/// Euler and Eytelwein: a cable around half of a drum slips at the ratio exp(mu pi R/(R + r)) of its pulls, since friction acts
/// at the drum's radius and the pulls at that of its axis.
TEST(Contact, CableAroundADrum) {
  EXPECT_NEAR(test::slip_ratio("capstan.yaml"), std::exp(0.3 * std::numbers::pi / 1.02), 0.025);
}

/// Two bodies at the same place, with the same surface: no direction leads out.
TEST(Contact, SurfacesThatCoincideAreRefused) {
  for (const char* shape : {"sphere: 0.1", "box: [0.1, 0.2, 0.3]", "cylinder: {radius: 0.1, length: 0.3}",
                            "capsule: {radius: 0.1, length: 0.3}", "cone: {bottom: 0.1, length: 0.3}",
                            "hull: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]"})
    for (const char* law : {"stiffness: 1", "law: rigid"}) {
      const auto pair = [&](const char* where) {
        return fmt::format(
            "hooke: 1\nbodies: {{a: {{rigid: {{mass: 1, inertia: 1}}, at: [1, 2, 3]}}, b: {{rigid: {{mass: "
            "1, "
            "inertia: 1}}, at: {}}}}}\nsurfaces: {{a: {{{}, body: a}}, b: {{{}, body: b}}}}\n"
            "contacts: {{touch: {{between: [a, b], {}}}}}\nrun: {{step: 1e-3, end: 1e-3}}\n",
            where, shape, shape, law);
      };
      EXPECT_THAT(complaint(pair("[1, 2, 3]")),
                  HasSubstr("contacts.touch: the surfaces of two bodies coincide"))
          << shape << ", " << law;
      EXPECT_NO_THROW(Simulation(problem(pair("[1, 2, 4]")))) << shape << ", " << law;
    }
}

/// What a user may get wrong.
TEST(Contact, WhatIsWrongIsNamed) {
  const std::string start = "at: [0, 0, 0.1]", end = "step: 1e-3, end: 0.1";
  EXPECT_THAT(complaint(ball(start, "restitution: 0.5", end)), HasSubstr("give a 'stiffness', or 'young'"));
  EXPECT_THAT(complaint(ball(start, "stiffness: -1", end)), HasSubstr("must be positive"));
  EXPECT_THAT(complaint(ball(start, "stiffness: 1e6, restitution: 1.5", end)), HasSubstr("restitution"));
  EXPECT_THAT(complaint(ball(start, "stiffness: 1e6", end, "[0, 0, 0]")), HasSubstr("no length"));
  std::string typo = ball(start, "stiffness: 1e6", end);
  typo.replace(typo.find("[ball, floor]"), 13, "[ball, flor]");
  EXPECT_THAT(complaint(typo), HasSubstr("did you mean 'floor'"));
  std::string own = ball(start, "stiffness: 1e6", end);
  own.replace(own.find("[ball, floor]"), 13, "[floor, floor]");
  EXPECT_THAT(complaint(own), HasSubstr("cannot touch each other"));
  Simulation deep(problem(ball("at: [0, 0, 0.02]", "stiffness: 1e8", end)));
  ASSERT_FALSE(deep.built().warnings.empty());
  EXPECT_THAT(deep.built().warnings[0], HasSubstr("start 0.08 m deep in each other"));
}

}  // namespace
}  // namespace hooke::test
