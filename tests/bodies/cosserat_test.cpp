#include <fmt/format.h>

#include "hooke/bodies/cosserat_rod.h"
#include "hooke/integrators/settings.h"
#include "hooke/math/se3.h"
#include "support/convergence.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

Section some_section() {
  Section section = Section::of(SectionShape::rectangle(0.02, 0.03, 0.3), {1e7, 0.3, 1200});
  section.centre = {0.004, -0.003, 0};
  return section;
}

template <class Rod>
class CosseratRodOf : public ::testing::Test {
 protected:
  Random random{7};
  Rod rod = Rod(some_section(), 1.5, 4, Vec3(0.6, -0.4, 0.8));
  VectorX q_ = VectorX::Zero(rod.nq()), v_ = VectorX::Zero(rod.nv());

  CosseratRodOf() {
    rod.place(random_pose(random), zero6, q_.data(), v_.data());
    const VectorX straight = q_;
    rod.plus(straight.data(), VectorX(0.1 * random_vector(rod.nv(), random)).data(), q_.data());
    v_ = random_vector(rod.nv(), random);
  }
};
using Both = ::testing::Types<CosseratRod<2>, CosseratRod<3>>;
TYPED_TEST_SUITE(CosseratRodOf, Both);

TYPED_TEST(CosseratRodOf, ARigidMotionOfADeformedRodChangesNoStrain) {
  const FramePose X = random_pose(this->random);
  VectorX moved = this->q_, v = VectorX::Zero(this->rod.nv());
  for (int n = 0; n < this->rod.nodes(); ++n) {
    const FramePose node = X * this->rod.node(n, this->q_.data());
    RigidBody::position(&moved[7 * n]) = node.p;
    RigidBody::set_orientation(&moved[7 * n], Quat(node.R));
  }
  for (int e = 0; e < 4; ++e) {
    const Vec6 before = this->rod.strain_and_stress(e, 0, this->q_.data(), v.data()).first;
    const Vec6 after = this->rod.strain_and_stress(e, 0, moved.data(), v.data()).first;
    EXPECT_GT(before.norm(), 0.1);
    EXPECT_LT((after - before).norm(), 1e-12);
  }
}

TYPED_TEST(CosseratRodOf, IsFreeOfStressWhereItIsPlaced) {
  VectorX q = this->q_, v = this->v_;
  this->rod.place(random_pose(this->random), Vec6(random_vector(6, this->random)), q.data(), v.data());
  for (int e = 0; e < 4; ++e)
    EXPECT_LT(this->rod.strain_and_stress(e, 0, q.data(), v.data()).first.norm(), 1e-12);
  const Energy energy = this->rod.energy(q.data(), v.data(), zero3);
  EXPECT_LT(energy.potential, 1e-15);
  EXPECT_GT(energy.kinetic, 0.1);
}

/// The consistent mass gives an undeformed rod in rigid motion the kinetic energy of a rigid body.
TYPED_TEST(CosseratRodOf, MovesAsARigidBodyWhenUndeformed) {
  const TypeParam straight(some_section(), 1.5, 4);
  const FramePose X = random_pose(this->random);
  const Vec6 twist = random_vector(6, this->random);
  VectorX q(straight.nq()), v(straight.nv());
  straight.place(X, twist, q.data(), v.data());
  const MassProperties same = straight.mass_properties();
  EXPECT_NEAR(same.inertia(0, 0), same.mass * 1.5 * 1.5 / 12, 0.01 * same.inertia(0, 0));
  const RigidBody rigid{same.mass, same.inertia, same.centre, X, twist};
  Eigen::Matrix<double, 7, 1> q_rigid;
  Vec6 v_rigid;
  rigid.initial(q_rigid.data(), v_rigid.data());
  const Vec3 gravity(1, 2, 3);
  const Energy a = straight.energy(q.data(), v.data(), gravity),
               b = rigid.energy(q_rigid.data(), v_rigid.data(), gravity);
  EXPECT_NEAR(a.kinetic, b.kinetic, 1e-12);
  EXPECT_NEAR(a.potential, b.potential, 1e-12);
}

/// Frames keep their place in the rest shape wherever they are attached, and are where their section is.
TYPED_TEST(CosseratRodOf, FramesAtNodesAndBetween) {
  VectorX q = this->q_, v = VectorX::Zero(this->rod.nv());
  this->rod.place({}, zero6, q.data(), v.data());
  for (double arc : {0.0, 0.2, 0.375, 0.75, 1.1, 1.5}) {
    const FramePose X =
        this->rod.section_at(arc) * FramePose{random_pose(this->random).R, Vec3(0.1, -0.2, 0)};
    const auto frame = this->rod.attach(X);
    FramePose pose;
    Vec6 twist, bias;
    Mat6X J(6, frame.node >= 0 ? 6 : this->rod.most_frame_dofs);
    this->rod.frame(frame, q.data(), v.data(), pose, twist, bias, J);
    EXPECT_MATRIX_NEAR(pose.R, X.R, 1e-12);
    EXPECT_MATRIX_NEAR(pose.p, X.p, 1e-12);
    EXPECT_EQ(frame.node >= 0, arc != 0.2 && arc != 1.1) << arc;
  }
}

/// Momentum of a free rod: on translations and on rotations about the origin.
Vec6 momentum(const System& system, const State& state) {
  auto workspace = system.workspace();
  KktMatrix kkt(system.structure());
  system.update(state, *workspace);
  system.tangent(state, {.m = 1}, *workspace, kkt);
  const VectorX p = kkt.matrix.dense() * state.v;
  Vec6 sum = zero6;
  const auto nodes = system.nodes(0, state);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Vec3 linear = p.segment<3>(6 * n), angular = p.segment<3>(6 * n + 3);
    sum.head<3>() += linear;
    sum.tail<3>() += nodes[n].p.cross(linear) + nodes[n].R * angular;
  }
  return sum;
}

TYPED_TEST(CosseratRodOf, FlyingFreelyKeepsMomentumAndEnergy) {
  Section section = some_section();
  section.centre.setZero();  // or momentum depends on q and is kept to second order only
  const TypeParam helix(section, 1.5, 4, Vec3(0.6, -0.4, 0.8));
  System system;
  system.add_body(helix, "rod");
  system.finish(zero3);
  State start = system.initial_state();
  helix.place(random_pose(this->random), zero6, start.q.data(), start.v.data());
  const VectorX placed = start.q;  // and gently bent
  system.plus(placed, VectorX(0.01 * random_vector(system.nv(), this->random)), start.q);
  start.v = 0.5 * this->v_;
  RunSettings settings;
  settings.integrator = GeneralizedAlphaChoice{{}, 1.0};
  auto workspace = system.workspace();
  const auto energy = [&](const State& state) {
    system.update(state, *workspace);
    return system.energy(state, *workspace).total();
  };
  std::vector<double> drifts, losses;
  for (int n : {400, 800}) {
    const auto integrator = make_integrator(system, settings);
    const State end = integrate(*integrator, start, uniform_grid(0, 0.02, n)).back();
    const Vec6 change = momentum(system, end) - momentum(system, start);
    EXPECT_LT(change.head<3>().norm(), 1e-11);
    losses.push_back(change.tail<3>().norm());
    drifts.push_back(std::abs(energy(end) / energy(start) - 1));
  }
  EXPECT_LT(losses[1], 1e-4);
  EXPECT_NEAR(std::log2(losses[0] / losses[1]), 2, 0.5);
  EXPECT_LT(drifts[1], 1e-3);
}

}  // namespace
}  // namespace hooke::test
