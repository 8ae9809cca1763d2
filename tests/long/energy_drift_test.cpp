// Energy and momentum over a hundred thousand steps and more.
#include "support/drift.h"

namespace hooke::test {
namespace {

constexpr double kept = 1e-9;

void expect_kept(const Moving& of, double h, int steps, const MatrixX& momenta = {}, double from = 0) {
  const Drift found = drift(of, h, steps, momenta, from);
  EXPECT_LT(found.energy, kept);
  EXPECT_LT(found.momentum, kept);
}

TEST(LongDrift, OfAHeavyTop) { expect_kept(moving(heavy_top()), 1e-3, 1000000, about_z); }
TEST(LongDrift, OfABodyThatTumbles) { expect_kept(moving(tumbling_body()), 1e-2, 1000000, all_six); }
TEST(LongDrift, OfALoopThatFloats) { expect_kept(stirred(floating_ring(), 2), 1e-3, 1000000, all_six); }
TEST(LongDrift, OfASliderCrank) { expect_kept(moving(slider_crank()), 1e-3, 1000000); }
TEST(LongDrift, OfAFlexibleSliderCrank) {
  for (const RodType& type : {cosserat(2), ancf(), ffrf(8)}) {
    SCOPED_TRACE(type.name);
    expect_kept(moving(flexible_crank(type)), 1e-4, 100000);
  }
}
TEST(LongDrift, OfFlyingSpaghetti) { expect_kept(moving(flying_spaghetti()), 0.01, 100000, all_six, 5.005); }
TEST(LongDrift, OfRodsThatTumble) {
  for (const RodType& type : {cosserat(2), ancf(), ffrf(8)}) {
    SCOPED_TRACE(type.name);
    expect_kept(moving(tumbling_rod(type)), 1e-3, 100000, all_six);
  }
}
TEST(LongDrift, OfACuboidPendulum) {
  expect_kept(moving(cuboid_pendulum(Corotation::component)), 1e-3, 100000);
}

}  // namespace
}  // namespace hooke::test
