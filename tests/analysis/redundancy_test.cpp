#include "hooke/analysis/redundancy.h"

#include "hooke/integrators/generalized_alpha.h"
#include "support/convergence.h"
#include "support/crank.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;

TEST(Redundancy, ThreeRowsOfAParallelogramFollowFromTheOthers) {
  const Ready model(parallelogram());
  const ConstraintRank& rank = model.assembled().rank;
  EXPECT_EQ(rank.rows, 20);
  EXPECT_EQ(rank.dofs, 18);
  EXPECT_EQ(rank.rank, 17);
  EXPECT_EQ(rank.redundant.size(), 3u);
  EXPECT_EQ(rank.degrees_of_freedom(), 1);
}

TEST(Redundancy, IsTheDependenceItClaimsToBe) {
  const Ready model(parallelogram());
  auto workspace = model.system().workspace();
  KktMatrix kkt(model.system().structure());
  model.system().update(model.start(), *workspace);
  model.system().tangent(model.start(), {.m = 1}, *workspace, kkt);
  const int n = model.system().nv();
  const MatrixX G = kkt.matrix.dense().bottomLeftCorner(model.system().nc(), n);
  for (const Redundancy& redundancy : model.assembled().rank.redundant) {
    VectorX sum = VectorX::Zero(n);
    for (const auto& [row, share] : redundancy.rows) sum += share * G.row(row).transpose();
    EXPECT_LT(sum.norm(), 1e-9);
    EXPECT_GT(G.row(redundancy.rows[0].first).norm(), 0.1);
  }
}

TEST(Redundancy, IsSaidInTheNamesOfTheJoints) {
  const Ready model(parallelogram());
  const std::vector<std::string> lines = describe(model.assembled().rank, model.system());
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string& line : lines) {
    EXPECT_THAT(line, HasSubstr("joint '"));
    EXPECT_THAT(line, HasSubstr("follows from"));
  }
  std::string warnings;
  for (const std::string& warning : model.assembled().warnings) warnings += warning;
  EXPECT_THAT(warnings, HasSubstr("3 of 20 constraint rows are redundant"));
  EXPECT_THAT(warnings, HasSubstr(lines[0]));
}

TEST(Redundancy, ARowThatHoldsNothingIsNamed) {
  Model model;  // a distance kept between two points that a fixed joint keeps already
  model.bodies = {rigid("box", 1, {1, 1, 1}, {1, 0, 0})};
  model.joints["weld"] = FixedSettings{.between = {"ground", "box"}, .at = Vec3(0, 0, 0)};
  model.joints["rod"] = DistanceSettings{.between = {"ground", "box"}};
  const Ready ready(model);
  EXPECT_EQ(ready.assembled().rank.redundant.size(), 1u);
  EXPECT_EQ(ready.assembled().rank.degrees_of_freedom(), 0);
}

TEST(Redundancy, NothingIsRedundantInTheSliderCrank) {
  const Ready model(slider_crank());
  EXPECT_EQ(model.assembled().rank.rank, 17);
  EXPECT_TRUE(model.assembled().rank.redundant.empty());
  EXPECT_TRUE(model.assembled().warnings.empty());
}

/// The motion is that of the same mechanism with joints that leave nothing double, and the loads of equal
/// joints are equal.
TEST(Redundancy, DoesNotChangeTheMotion) {
  Model proper = parallelogram();
  proper.joints["B"] = SphericalSettings{.between = {"left", "coupler"}, .at = Vec3(0, 0, -1)};
  proper.joints["C"] =
      CylindricalSettings{.between = {"coupler", "right"}, .at = Vec3(2, 0, -1), .axis = unit_y};
  // 5 + 3 + 4 + 5 = 17 rows
  const Ready redundant(parallelogram()), unique(proper);
  ASSERT_TRUE(unique.assembled().rank.redundant.empty());
  for (const ConstraintForm form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
    GeneralizedAlpha a(redundant.system(), {.form = form, .newton = {.regularisation = 1e-6}}),
        b(unique.system(), {.form = form});
    const State q1 = integrate(a, redundant.start(), uniform_grid(0, 1, 500)).back(),
                q2 = integrate(b, unique.start(), uniform_grid(0, 1, 500)).back();
    for (int body = 0; body < 3; ++body) {
      const BodyMotion m1 = redundant.system().motion(body, q1), m2 = unique.system().motion(body, q2);
      EXPECT_LT((m1.pose.p - m2.pose.p).norm() + (m1.pose.R - m2.pose.R).norm(), 1e-6) << body;
      EXPECT_LT((m1.twist - m2.twist).norm(), 1e-5) << body;
    }
  }
}

/// The longer way round: the multipliers that the motion determines are the same, the others those of minimum
/// norm.
TEST(Redundancy, LoadsAreThoseOfMinimumNorm) {
  const Ready model(parallelogram());
  const State& start = model.start();
  const System& system = model.system();
  auto workspace = system.workspace();
  KktMatrix kkt(system.structure());
  system.update(start, *workspace);
  system.tangent(start, {.m = 1}, *workspace, kkt);
  const MatrixX G = kkt.matrix.dense().bottomLeftCorner(system.nc(), system.nv());
  VectorX without;
  State unloaded = start;
  unloaded.lambda.setZero();
  system.residual(unloaded, *workspace, without);
  const VectorX minimum = G.transpose().completeOrthogonalDecomposition().solve(-without);
  // eps is in units of each row's own compliance, so the norm is weighted with it
  const VectorX weight = system.row_compliance().cwiseSqrt();
  const MatrixX scaled = G.transpose() * weight.cwiseInverse().asDiagonal();
  const VectorX weighted =
      weight.cwiseInverse().asDiagonal() * scaled.completeOrthogonalDecomposition().solve(-without);
  EXPECT_LT((G.transpose() * (start.lambda - minimum)).norm(), 1e-7);
  EXPECT_LT((start.lambda - weighted).norm(), 1e-5 * start.lambda.norm());
}

}  // namespace
}  // namespace hooke::test
