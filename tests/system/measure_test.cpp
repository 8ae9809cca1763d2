// How large a mechanism is, which its dofs are measured by.
#include <gtest/gtest.h>

#include "hooke/bodies/rigid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/joints.h"
#include "hooke/math/so3.h"
#include "hooke/system/system.h"

namespace hooke::test {
namespace {

/// A pendulum whose frames are all at its pivot: no two points tell how large it is, but its inertia does.
TEST(System, IsAsLargeAsItsBodiesWhereAllFramesAreAtOnePoint) {
  const Vec3 pivot(0.1, 0.7, 0.3);
  RigidBody body{2, Vec3(0.02, 0.02, 0.01).asDiagonal(), Vec3(0, 0, -0.5)};
  body.start = {exp_so3(Vec3(0.3, -0.2, 0.1)), pivot};
  System system;
  const int number = system.add_body(body, "pendulum");
  system.add_constraint(joints::Spherical{},
                        std::array{system.add_ground_frame({identity3, pivot}),
                                   system.add_frame<RigidBody>(number, body.attach({}))},
                        "pivot");
  system.finish(Vec3(0, 0, -9.81));
  EXPECT_GT(system.extent(), 0.05);
  EXPECT_LT(system.extent(), 1);
  GeneralizedAlpha integrator(system, {});
  State state = system.initial_state();
  for (int n = 0; n < 10; ++n) {
    const StepReport report = integrator.step(state, 1e-3);
    ASSERT_TRUE(report.accepted) << report.failure;
  }
}

}  // namespace
}  // namespace hooke::test
