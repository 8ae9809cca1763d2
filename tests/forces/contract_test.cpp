// What every force must be: exact tangents on any frames, the gradient of its energy, in balance, never a
// source of power where it damps, and blind to where the world is. Written once; a force listed in examples.h
// is met by all.
#include "examples.h"

namespace hooke::test {
namespace {

class ForceContract : public ::testing::TestWithParam<Example> {
 protected:
  Random random{11};

  /// Random forces on random frames, angles having been wound up by a few turns.
  void on_random_frames(Part part, const std::function<void(const AnyForce&, const Frames&)>& check) {
    for (int i = 0; i < 20; ++i) {
      const AnyForce force = GetParam().random(part, random);
      Frames frames = Frames::random(force.frame_count, random);
      frames.memory[0] = 15 * random_vector(1, random)[0];
      force.track(frames);
      check(force, frames);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, ForceContract, ::testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

TEST_P(ForceContract, TangentsAreTheDerivativesOfTheWrench) {
  on_random_frames(Part::whole, [](const AnyForce& force, const Frames& frames) {
    const auto [K, D] = force.tangent(frames);
    const auto of_motion = [&](const VectorX& dx) { return force.wrench(frames.moved(dx)); };
    const auto of_twist = [&](const VectorX& du) { return force.wrench(frames.sped_up(du)); };
    EXPECT_MATRIX_NEAR(K, finite_difference(of_motion, 6 * force.frame_count), 1e-7);
    EXPECT_MATRIX_NEAR(D, finite_difference(of_twist, 6 * force.frame_count), 1e-7);
  });
}

TEST_P(ForceContract, TheElasticWrenchIsTheGradientOfTheEnergy) {
  on_random_frames(Part::elastic, [](const AnyForce& force, const Frames& frames) {
    if (!force.energy) return;
    const auto energy = [&](const VectorX& dx) {
      return VectorX::Constant(1, force.energy(frames.moved(dx))).eval();
    };
    EXPECT_MATRIX_NEAR(force.wrench(frames), -finite_difference(energy, 6 * force.frame_count).transpose(),
                       1e-7);
  });
}

// Newton's third law: the wrenches add up to nothing about the origin.
TEST_P(ForceContract, WhatActsBetweenFramesIsInBalance) {
  on_random_frames(Part::whole, [](const AnyForce& force, const Frames& frames) {
    if (force.frame_count == 1) return;
    const VectorX w = force.wrench(frames);
    Vec6 net = Vec6::Zero();
    for (int i = 0; i < force.frame_count; ++i) {
      net += w.segment<6>(6 * i);
      net.tail<3>() += frames.pose[i].p.cross(w.segment<3>(6 * i));
    }
    EXPECT_MATRIX_NEAR(net, zero6, 1e-13 * std::max(1.0, w.norm()));
  });
}

TEST_P(ForceContract, DampingNeverGivesPower) {
  on_random_frames(Part::dissipative, [](const AnyForce& force, const Frames& frames) {
    if (force.frame_count == 1) return;
    const VectorX w = force.wrench(frames);
    double power = 0;
    for (int i = 0; i < force.frame_count; ++i) power += w.segment<6>(6 * i).dot(frames.twist[i]);
    EXPECT_LT(power, 0);
  });
}

// A rigid motion of everything turns the wrenches with it, and a rigid velocity on top changes nothing.
TEST_P(ForceContract, ItDoesNotMatterWhereTheWorldIs) {
  if (GetParam().world_axes) return;
  on_random_frames(Part::whole, [this](const AnyForce& force, const Frames& frames) {
    const FramePose motion = random_pose(random);
    const Vec6 velocity = random_vector(6, random);
    const auto turned = [&](const Vec6& a) {
      Vec6 b;
      b << motion.R * a.head<3>(), motion.R * a.tail<3>();
      return b;
    };
    Frames elsewhere = frames;
    VectorX expected = force.wrench(frames);
    for (int i = 0; i < force.frame_count; ++i) {
      elsewhere.pose[i] = motion * frames.pose[i];
      elsewhere.twist[i] = turned(frames.twist[i]) + velocity;
      elsewhere.twist[i].head<3>() += velocity.tail<3>().cross(elsewhere.pose[i].p);
      expected.segment<6>(6 * i) = turned(expected.segment<6>(6 * i));
    }
    EXPECT_MATRIX_NEAR(force.wrench(elsewhere), expected, 1e-12);
  });
}

}  // namespace
}  // namespace hooke::test
