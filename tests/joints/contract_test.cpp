// What every joint, gear and drive must be: exact derivatives on any frames, independent rows, and reactions
// that are in balance and do no work. Written once; a joint listed in joints::All is met by all of it.
#include <Eigen/Dense>

#include "any_constraint.h"

namespace hooke::test {
namespace {

class ConstraintContract : public ::testing::TestWithParam<AnyConstraint> {
 protected:
  const AnyConstraint& constraint = GetParam();
  Random random{7};

  VectorX random_multipliers() { return random_vector(constraint.rows, random); }

  void on_random_frames(const std::function<void(const Frames&)>& check) {
    for (int i = 0; i < 10; ++i) {
      Frames frames = Frames::random(constraint.frames, random);
      constraint.accept(frames);
      check(frames);
    }
  }

  /// Random frames moved by Gauss-Newton, with the smallest motion, until g = 0.
  void on_consistent_frames(const std::function<void(const Frames&)>& check) {
    on_random_frames([&](Frames frames) {
      for (int i = 0; i < 50; ++i) {
        const VectorX step =
            -constraint.G(frames).completeOrthogonalDecomposition().solve(constraint.g(frames));
        frames = frames.moved(step * std::min(1.0, 0.5 / step.norm()));
        constraint.accept(frames);
      }
      ASSERT_LT(constraint.g(frames).norm(), 1e-13);
      check(frames);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Every, ConstraintContract, ::testing::ValuesIn(all_constraints()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ConstraintContract, RowsAreTheDerivativeOfTheConstraint) {
  on_random_frames([&](const Frames& frames) {
    const auto g = [&](const VectorX& motion) { return constraint.g(frames.moved(motion)); };
    EXPECT_MATRIX_NEAR(constraint.G(frames), finite_difference(g, constraint.motions()), 1e-7);
  });
}

TEST_P(ConstraintContract, StiffnessIsTheDerivativeOfTheReactions) {
  on_random_frames([&](const Frames& frames) {
    const VectorX lambda = random_multipliers();
    const auto reactions = [&](const VectorX& motion) -> VectorX {
      return constraint.G(frames.moved(motion)).transpose() * lambda;
    };
    EXPECT_MATRIX_NEAR(constraint.stiffness(frames, lambda),
                       finite_difference(reactions, constraint.motions()), 1e-7);
  });
}

TEST_P(ConstraintContract, StiffnessIsAddedAndLinearInTheMultipliers) {
  on_random_frames([&](const Frames& frames) {
    const VectorX a = random_multipliers(), b = random_multipliers();
    MatrixX H = constraint.stiffness(frames, a);
    constraint.add_stiffness(frames, b, H);
    EXPECT_MATRIX_NEAR(H, constraint.stiffness(frames, a + b), 1e-13);
  });
}

TEST_P(ConstraintContract, FlatMeansNoStiffness) {
  double largest = 0;
  on_random_frames([&](const Frames& frames) {
    largest = std::max(largest, constraint.stiffness(frames, random_multipliers()).norm());
  });
  EXPECT_EQ(constraint.flat, largest == 0);
}

TEST_P(ConstraintContract, TimeRowsAreTheDerivativesInTime) {
  if (!constraint.g_t) return;
  on_random_frames([&](Frames frames) {
    const double t = frames.t;
    const auto g = [&](const VectorX& dt) {
      frames.t = t + dt[0];
      return constraint.g(frames);
    };
    const auto g_t = [&](const VectorX& dt) { return constraint.g_t(t + dt[0]); };
    EXPECT_MATRIX_NEAR(constraint.g_t(t), finite_difference(g, 1), 1e-8);
    EXPECT_MATRIX_NEAR(constraint.g_tt(t), finite_difference(g_t, 1), 1e-8);
  });
}

TEST_P(ConstraintContract, RowsAreIndependent) {
  on_consistent_frames([&](const Frames& frames) {
    EXPECT_GT(constraint.G(frames).jacobiSvd().singularValues().minCoeff(), 1e-2);
  });
}

TEST_P(ConstraintContract, ReactionsDoNoWorkOnMotionsTheConstraintAllows) {
  on_consistent_frames([&](const Frames& frames) {
    const MatrixX allowed = constraint.G(frames).fullPivLu().kernel();
    const VectorX twists = allowed * random_vector(int(allowed.cols()), random),
                  lambda = random_multipliers();
    double power = 0;
    for (int i = 0; i < constraint.frames; ++i)
      power += constraint.reaction_on(i, frames, lambda).dot(twists.segment<6>(6 * i));
    EXPECT_NEAR(power, 0, 1e-12 * twists.norm() * constraint.G(frames).norm());
  });
}

/// g does not change when everything moves together, so what acts on one frame is taken from the others.
TEST_P(ConstraintContract, ReactionsAreInBalance) {
  on_consistent_frames([&](const Frames& frames) {
    const VectorX lambda = random_multipliers();
    Vec6 sum = zero6;  // at the world's origin
    for (int i = 0; i < constraint.frames; ++i) {
      const Vec6 w = constraint.reaction_on(i, frames, lambda);
      sum += w;
      sum.tail<3>() += frames.pose[i].p.cross(w.head<3>());
    }
    EXPECT_MATRIX_NEAR(sum, zero6, 1e-12);
  });
}

TEST_P(ConstraintContract, OrientationIsReadOnlyWhereItIsNeeded) {
  on_random_frames([&](const Frames& frames) {
    const MatrixX G = constraint.G(frames);
    for (int i = 0; i < constraint.frames; ++i)
      EXPECT_EQ(constraint.needs_orientation[i], G.middleCols(6 * i + 3, 3).norm() > 0) << "frame " << i;
  });
}

}  // namespace
}  // namespace hooke::test
