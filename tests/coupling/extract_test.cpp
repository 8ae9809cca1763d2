// A subsystem cut out of a system feels what it feels in the whole, whatever stands at the boundary.
#include <gmock/gmock.h>

#include "hooke/coupling/adapter/excerpt.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test {
namespace {

/// Everything that can act between bodies, on three of them.
const char* const machine = R"(
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  one: {rigid: {mass: 2, inertia: [0.02, 0.03, 0.01]}, at: [0.5, 0, 0]}
  two: {rigid: {mass: 1, inertia: [0.01, 0.02, 0.03]}, at: [1.2, 0, 0.1]}
  three: {rigid: {mass: 3, inertia: 0.05}, at: [1.5, 0.4, 0]}
joints:
  top: {revolute: [ground, one], at: [0, 0, 0], axis: y}
  hinge: {revolute: [one, two], at: [1, 0, 0], axis: y, friction: {viscous: 0.1, coulomb: 0.3}}
  slide: {cylindrical: [two, three], at: [1.3, 0, 0], axis: z}
  mesh: {gear: [top, hinge], ratio: 1.5}
  rack: {rack-and-pinion: [slide, top], ratio: 0.2}
  link: {distance: [one, three]}
drives:
  motor: {joint: slide.angle, function: "0.2*t"}
forces:
  S: {spring: [one, three], stiffness: 100, damping: 2, free: 0.3}
  B: {bushing: [three, two], at: [1.3, 0, 0], stiffness: 50, damping: 3}
  T: {torsion-spring: [ground, three], at: [1.5, 0.4, 0], axis: x, stiffness: 4}
  J: {joint-force: hinge, stiffness: 5}
  L: {load: two, force: [1, 2, 3]}
)";

class Cut : public ::testing::Test {
 protected:
  Cut() {
    Diagnostics diagnostics;
    const Problem file = parse_model(machine, "test.yaml", {}, diagnostics);
    diagnostics.throw_if_errors();
    built = build(file.model);
    state = system().initial_state();
    scratch = system().workspace();
    system().update(state, workspace());
    start = workspace();
    state.q += 0.01 * VectorX::Random(state.q.size());  // off the constraints: any state must do
    for (int b = 0; b < system().bodies(); ++b) state.q.segment<4>(7 * b + 3).normalize();
    state.v = VectorX::Random(state.v.size());
    state.a = VectorX::Random(state.a.size());
    state.lambda = 10 * VectorX::Random(state.lambda.size());
    state.t = 0.3;
    system().update(state, workspace());
    system().residual(state, workspace(), expected);
    VectorX g;
    system().acceleration_constraints(state, workspace(), g);
  }
  const System& system() const { return *built.system; }
  SystemWorkspace& workspace() { return static_cast<SystemWorkspace&>(*scratch); }

  /// The excerpt's residual at the state, on its bodies.
  void expect_same_residual(const Excerpt& excerpt, State& here) {
    auto its_scratch = excerpt.system->workspace();
    excerpt.system->update(here, *its_scratch);
    VectorX r, wanted = VectorX::Zero(excerpt.system->nv());
    excerpt.system->residual(here, *its_scratch, r);
    for (std::size_t i = 0; i < excerpt.own.size(); ++i)
      if (!excerpt.own[i]) r[static_cast<Eigen::Index>(i)] = 0;
    excerpt.load_dofs(expected, wanted);
    EXPECT_LT((r - wanted).lpNorm<Eigen::Infinity>(), 1e-11 * wanted.lpNorm<Eigen::Infinity>());
  }

  BuiltModel built;
  State state;
  std::unique_ptr<Workspace> scratch;
  SystemWorkspace start;
  VectorX expected;
};

const std::vector<std::vector<int>> splits{{0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 2}};

TEST_F(Cut, DrivenFramesMoveAsTheWholesDo) {
  for (const auto& subsystem_of : splits)
    for (int me = 0; me <= *std::max_element(subsystem_of.begin(), subsystem_of.end()); ++me) {
      const Excerpt excerpt = extract(system(), subsystem_of, me, Boundary::driven_frames, start);
      for (const Excerpt::Outside& each : excerpt.outside)
        each.motion->held =
            FrameMotion{workspace().frames.pose[each.id.frame], workspace().frames.twist[each.id.frame], {}};
      State here = excerpt.system->initial_state();
      excerpt.load(state, here);
      expect_same_residual(excerpt, here);
    }
}

TEST_F(Cut, LoadsAreWhatTheDrivenSideExerts) {
  for (const auto& subsystem_of : splits)
    for (int me = 0; me <= *std::max_element(subsystem_of.begin(), subsystem_of.end()); ++me) {
      const Excerpt excerpt = extract(system(), subsystem_of, me, Boundary::loads, start);
      for (const Excerpt::Inside& each : excerpt.inside) {
        Vec6 w = Vec6::Zero();
        const auto add = [&](const std::vector<int>& frames, auto&& wrench) {
          for (std::size_t k = 0; k < frames.size(); ++k)
            if (frames[k] == each.id.frame &&
                touched_subsystems(system(), frames, subsystem_of) == each.id.between)
              w += wrench(static_cast<int>(k));
        };
        for (int c = 0; c < system().constraints(); ++c)
          add(system().frames_of_constraint(c),
              [&](int k) { return system().reaction(c, k, state, workspace()); });
        for (int f = 0; f < system().forces(); ++f)
          add(system().frames_of_force(f),
              [&](int k) { return system().force_wrench(f, k, state, workspace()); });
        each.wrench->coefficients.col(0) = w;
      }
      State here = excerpt.system->initial_state();
      excerpt.load(state, here);
      expect_same_residual(excerpt, here);
    }
}

TEST_F(Cut, GhostsStandWhereTheWholesFramesAre) {
  for (const auto& subsystem_of : splits)
    for (int me = 0; me <= *std::max_element(subsystem_of.begin(), subsystem_of.end()); ++me) {
      const Excerpt excerpt = extract(system(), subsystem_of, me, Boundary::ghosts, start);
      State here = excerpt.system->initial_state();
      excerpt.load(state, here);
      for (const Excerpt::Neighbour& n : excerpt.neighbours)
        for (std::size_t k = 0; k < n.ghost_frames.size(); ++k) {
          const int f = n.ghost_frames[k], i = static_cast<int>(k);
          RigidBody{}.place(workspace().frames.pose[f], Vec6::Zero(), &here.q[n.at.q + 7 * i],
                            &here.v[n.at.v + 6 * i]);
          here.v.segment<6>(n.at.v + 6 * i) = frame_motion(system(), workspace(), f, state.a).v;
        }
      expect_same_residual(excerpt, here);
    }
}

TEST_F(Cut, GoesBackWhereItCameFrom) {
  State copy = state;
  copy.q.setZero(), copy.v.setZero(), copy.a.setZero(), copy.lambda.setZero();
  for (int me = 0; me < 3; ++me) {
    const Excerpt excerpt = extract(system(), {0, 1, 2}, me, Boundary::driven_frames, start);
    State here = excerpt.system->initial_state();
    excerpt.load(state, here);
    excerpt.store(here, copy);
  }
  EXPECT_EQ(copy.q, state.q);
  EXPECT_EQ(copy.v, state.v);
  EXPECT_EQ(copy.a, state.a);
  EXPECT_EQ(copy.lambda, state.lambda);
}

/// A joint and what acts along its coordinates use the same frames: they are told one motion and one wrench.
TEST_F(Cut, ItemsOnTheSameFramesAreOneInterface) {
  const Excerpt excerpt = extract(system(), {0, 1, 1}, 0, Boundary::loads, start);
  int hinge = 0;
  for (const Excerpt::Inside& each : excerpt.inside) hinge += each.name == "hinge";
  EXPECT_EQ(hinge, 1);
}

}  // namespace
}  // namespace hooke::test
