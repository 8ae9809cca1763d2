// What must not matter: where the world's origin is, the order of bodies and joints, the solver, and when it
// is run.
#include "hooke/integrators/generalized_alpha.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "support/finite_difference.h"
#include "support/trajectory.h"

namespace hooke::test {
namespace {

/// The slider crank with a spring and friction, every placement written out.
Model machine() {
  Model model = slider_crank();
  model.forces["spring"] = SpringSettings{.between = {"ground", "slider"},
                                          .points = {Vec3(0.6, 0, 0.1), Vec3(0.2, 0, 0)},
                                          .law = {.stiffness = 30, .damping = 2, .free = 0.3}};
  model.joints["D"].get_if<PrismaticSettings>()->at = Vec3(0.2, 0, 0);
  model.joints["A"].get_if<RevoluteSettings>()->friction = FrictionSettings{.viscous = 0.01};

  const BuiltModel built = build(model);
  const State start = built.system->initial_state();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const FramePose X = built.system->motion(static_cast<int>(b), start).pose;
    const Quat turn(X.R);
    model.bodies[b].second.between.reset();
    model.bodies[b].second.place = {.at = X.p, .quaternion = Vec4(turn.w(), turn.x(), turn.y(), turn.z())};
  }
  return model;
}

/// The whole world moved by X, gravity and all.
Model moved(Model model, const FramePose& X) {
  const auto point = [&X](std::optional<Vec3>& p) {
    if (p) p = X.p + X.R * *p;
  };
  const auto direction = [&X](std::optional<Vec3>& d) {
    if (d) d = X.R * *d;
  };
  model.gravity = X.R * model.gravity;
  for (auto& [name, body] : model.bodies) {
    const FramePose pose = X * body.place.pose();
    const Quat turn(pose.R);
    body.place = {.at = pose.p, .quaternion = Vec4(turn.w(), turn.x(), turn.y(), turn.z())};
    direction(body.velocity);
  }
  for (auto& [name, joint] : model.joints) {
    point(field_of<std::optional<Vec3>>(joint, "at"));
    for (const char* key : {"axis", "axis2"})
      if (joint.type().find(key)) direction(field_of<std::optional<Vec3>>(joint, key));
  }
  for (auto& [name, force] : model.forces)
    for (auto& p : force.get_if<SpringSettings>()->points) point(p);
  return model;
}

/// Motion of every body and the load of every joint after a second, by name.
struct Outcome {
  std::map<std::string, BodyMotion> bodies;
  std::map<std::string, Vec6> reactions;
  State state;
};

Outcome run(const Model& model, const std::string& solver = "auto") {
  const Ready ready(model);
  const System& system = ready.system();
  // A fresh tangent in every step: which steps keep an old one is decided by comparing numbers, so round-off
  // could decide it, and the direction of the stabilising increment is that of the tangent (below the
  // method's error, but above 1e-10).
  GeneralizedAlpha integrator(system, {.newton = {.tolerance = 1e-14, .reuse_rate = 0, .solver = solver}});
  Outcome outcome;
  outcome.state = integrate(integrator, ready.start(), uniform_grid(0, 1, 250)).back();
  auto workspace = system.workspace();
  auto& w = static_cast<SystemWorkspace&>(*workspace);
  system.update(outcome.state, w);
  for (int b = 0; b < system.bodies(); ++b)
    outcome.bodies[system.body_name(b)] = system.motion(b, outcome.state);
  for (int c = 0; c < system.constraints(); ++c)
    outcome.reactions[system.constraint_name(c)] = system.reaction(c, 1, outcome.state, w);
  return outcome;
}

Vec6 turned(const Mat3& R, const Vec6& a) {
  Vec6 b;
  b << R * a.head<3>(), R * a.tail<3>();
  return b;
}

/// `b` is `a` moved by X, to 1e-10 in the motion. Accelerations and loads stem from second differences: h^-2
/// times the round-off of q.
void expect_same(const Outcome& a, const Outcome& b, const FramePose& X = {}) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (const auto& [name, motion] : a.bodies) {
    SCOPED_TRACE(name);
    const BodyMotion& other = b.bodies.at(name);
    const FramePose expected = X * motion.pose;
    EXPECT_MATRIX_NEAR(other.pose.p, expected.p, 1e-10);
    EXPECT_MATRIX_NEAR(other.pose.R, expected.R, 1e-10);
    EXPECT_MATRIX_NEAR(other.twist, turned(X.R, motion.twist), 1e-10);
    EXPECT_MATRIX_NEAR(other.acceleration, turned(X.R, motion.acceleration), 1e-8);
  }
  for (const auto& [name, wrench] : a.reactions) {
    SCOPED_TRACE(name);
    EXPECT_MATRIX_NEAR(b.reactions.at(name), turned(X.R, wrench), 1e-8);
  }
}

TEST(Invariance, ARigidMotionOfTheWholeModelMovesItsResults) {
  const Model model = machine();
  const Outcome here = run(model);
  for (const FramePose& X :
       {FramePose{identity3, Vec3(3, -2, 5)}, FramePose{exp_so3(Vec3(0.7, -1.1, 0.4)), zero3},
        FramePose{exp_so3(Vec3(-2, 1, 0.3)), Vec3(-1, 4, 2)}}) {
    SCOPED_TRACE(fmt::format("shift {}", X.p.norm()));
    expect_same(here, run(moved(model, X)), X);
  }
}

TEST(Invariance, TheOrderOfBodiesAndJointsDoesNotMatter) {
  const Model model = machine();
  const Outcome given = run(model);
  Model reversed = model;
  std::reverse(reversed.bodies.begin(), reversed.bodies.end());
  expect_same(given, run(reversed));
  std::reverse(reversed.joints.begin(), reversed.joints.end());
  expect_same(given, run(reversed));
  std::swap(reversed.bodies[0], reversed.bodies[1]);
  std::swap(reversed.joints[1], reversed.joints[3]);
  expect_same(given, run(reversed));
}

TEST(Invariance, RunningTwiceGivesTheSameBits) {
  const Model model = machine();
  const Outcome first = run(model), second = run(model);
  const auto same = [](const VectorX& a, const VectorX& b) {
    return a.size() == b.size() && (a.array() == b.array()).all();
  };
  EXPECT_TRUE(same(first.state.q, second.state.q) && same(first.state.v, second.state.v));
  EXPECT_TRUE(same(first.state.a, second.state.a) && same(first.state.lambda, second.state.lambda));
}

TEST(Invariance, EverySolverGivesTheSameMotion) {
  const Model model = machine();
  const Outcome dense = run(model, "dense");
  for (const std::string& solver : SolverCatalog().names()) {
    SCOPED_TRACE(solver);
    expect_same(dense, run(model, solver));
  }
}

/// The mechanism goes through positions with more degrees of freedom than one; a step that lands on one is
/// beyond divide and conquer, but must not end the run.
TEST(Invariance, ExplicitIntegratorsGoThroughSingularPositions) {
  for (const char* integrator : {"dormand-prince", "merson"})
    for (const char* solver : {"auto", "dense", "sparse"})
      for (const char* tolerance : {"1e-10", "1e-8"}) {
        const Trajectory run(
            "benchmarks/a02_n_four_bar.yaml",
            {fmt::format("run.integrator={}", integrator), fmt::format("run.solver={}", solver),
             fmt::format("run.tolerance={}", tolerance), "run.step=1e-3", "run.end=10"});
        EXPECT_EQ(run.summary().status, RunStatus::finished)
            << integrator << ", " << solver << ", " << tolerance;
      }
}

}  // namespace
}  // namespace hooke::test
