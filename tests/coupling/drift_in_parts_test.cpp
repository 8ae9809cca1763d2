// The stabilising increment of a system in parts is that of the whole.
#include "hooke/coupling/adapter/drift_in_parts.h"

#include <gtest/gtest.h>

#include "hooke/integrators/projector.h"
#include "support/crank.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

/// The parts of a system at a state, ghosts where the frames are.
struct InParts {
  std::vector<Excerpt> excerpts;
  std::vector<State> states;
  std::vector<std::unique_ptr<Workspace>> workspaces;

  InParts(const System& whole, const std::vector<int>& part_of, const State& state) {
    const auto w = whole.workspace();
    whole.update(state, *w);
    const auto& at = static_cast<const SystemWorkspace&>(*w);
    const int parts = *std::max_element(part_of.begin(), part_of.end()) + 1;
    for (int p = 0; p < parts; ++p) {
      const Excerpt& excerpt = excerpts.emplace_back(extract(whole, part_of, p, Boundary::ghosts, at));
      State& own = states.emplace_back(excerpt.system->initial_state());
      excerpt.load(state, own);
      for (const Excerpt::Neighbour& n : excerpt.neighbours)
        for (int k = 0; k < static_cast<int>(n.ghost_frames.size()); ++k) {
          const int frame = n.ghost_frames[static_cast<std::size_t>(k)];
          RigidBody{}.place(at.frames.pose[frame], Vec6::Zero(), &own.q[n.at.q + 7 * k],
                            &own.v[n.at.v + 6 * k]);
          own.v.segment<6>(n.at.v + 6 * k) = frame_motion(whole, at, frame, state.a).v;
        }
      workspaces.push_back(excerpt.system->workspace());
      excerpt.system->update(own, *workspaces.back());
    }
  }

  std::vector<DriftInParts::Part> parts() {
    std::vector<DriftInParts::Part> result;
    for (std::size_t p = 0; p < excerpts.size(); ++p)
      result.push_back({excerpts[p], states[p], static_cast<SystemWorkspace&>(*workspaces[p])});
    return result;
  }
};

/// Off the constraints, by position and velocity, by amounts that differ from dof to dof.
State disturbed(const Ready& machine, double by) {
  State state = machine.start();
  VectorX x(machine.system().nv()), q;
  for (int i = 0; i < x.size(); ++i) x[i] = by * std::sin(1.0 + 3 * i);
  machine.system().plus(state.q, x, q);
  state.q = q;
  state.v += 10 * x;
  return state;
}

void expect_that_of_the_whole(const Ready& machine, const std::vector<int>& part_of,
                              std::shared_ptr<Team> team = nullptr) {
  const System& system = machine.system();
  const State state = disturbed(machine, 1e-4);
  Projector projector(system, {});
  VectorX whole, parts = VectorX::Zero(system.nv());
  ASSERT_TRUE(projector.drift(state, 100, whole));
  InParts in_parts(system, part_of, state);
  DriftInParts drift(system, in_parts.parts(), {}, std::move(team));
  ASSERT_TRUE(drift.find(100));
  for (std::size_t p = 0; p < in_parts.excerpts.size(); ++p)
    in_parts.excerpts[p].store_dofs(drift.of(static_cast<int>(p)), parts);
  EXPECT_GT(whole.norm(), 1e-5);
  EXPECT_LT((parts - whole).norm(), 1e-5 * whole.norm());
}

TEST(DriftInParts, IsThatOfTheWhole) {
  const Ready links(chain(8));
  expect_that_of_the_whole(links, {0, 0, 0, 1, 1, 1, 2, 2});
  expect_that_of_the_whole(links, {0, 1, 0, 1, 0, 1, 0, 1});  // nothing but cuts
  expect_that_of_the_whole(Crank::instance(), {0, 0, 1});     // a loop, cut twice
  expect_that_of_the_whole(Crank::instance(), {0, 1, 2});
}

TEST(DriftInParts, DoesNotDependOnThreads) {
  const Ready links(chain(8));
  expect_that_of_the_whole(links, {0, 0, 1, 1, 2, 2, 3, 3}, std::make_shared<Team>(3));
}

/// A factor of a state near by serves, in parts as in one: both find the same.
TEST(DriftInParts, FollowsTheState) {
  const Ready links(chain(6));
  const std::vector<int> part_of{0, 0, 1, 1, 2, 2};
  const State before = disturbed(links, 1e-4), later = disturbed(links, 5e-3);
  InParts at_start(links.system(), part_of, before);
  DriftInParts drift(links.system(), at_start.parts(), {}, nullptr);
  ASSERT_TRUE(drift.find(100));
  InParts there(links.system(), part_of, later);
  for (std::size_t p = 0; p < at_start.states.size(); ++p) {
    at_start.states[p] = there.states[p];
    at_start.excerpts[p].system->update(at_start.states[p], *at_start.workspaces[p]);
  }
  ASSERT_TRUE(drift.find(100));
  Projector projector(links.system(), {});
  VectorX whole, parts = VectorX::Zero(links.system().nv());
  ASSERT_TRUE(projector.drift(before, 100, whole));
  ASSERT_TRUE(projector.drift(later, 100, whole));
  for (std::size_t p = 0; p < there.excerpts.size(); ++p)
    there.excerpts[p].store_dofs(drift.of(static_cast<int>(p)), parts);
  EXPECT_LT((parts - whole).norm(), 1e-4 * whole.norm());
}

}  // namespace
}  // namespace hooke::test
