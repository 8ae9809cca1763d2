#include "hooke/math/se3.h"

#include <gtest/gtest.h>

#include <numbers>

#include "finite_difference.h"

namespace hooke {
namespace {

using test::expect_matrix_near;
using test::finite_difference;

template <class F>
void for_twists(F f) {
  test::Random random(7);
  for (const double angle : {0.0, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 1.999, 2.001, 3.0, std::numbers::pi - 1e-9}) {
    SCOPED_TRACE(angle);
    for (int i = 0; i < 20; ++i) {
      Vec6 y;
      y << 2 * random.vector(), angle * random.direction();
      f(y);
    }
  }
}

TEST(Se3, ExponentialIsAOneParameterGroup) {
  for_twists([](const Vec6& y) {
    const RigidMotion half = exp_se3(0.5 * y), whole = exp_se3(y), back = exp_se3(-y);
    expect_matrix_near(half.R * half.R, whole.R, 1e-14);
    expect_matrix_near(half.R * half.p + half.p, whole.p, 1e-14);
    expect_matrix_near(whole.R * back.R, identity3, 1e-14);
    expect_matrix_near(whole.R * back.p + whole.p, zero3, 1e-14);
  });
}

/// Going along exp(s y), the velocities of the moved frame are y, in its own axes.
TEST(Se3, ExponentialHasAConstantTwist) {
  for_twists([](const Vec6& y) {
    const RigidMotion H = exp_se3(y);
    const auto p = [&](const VectorX& s) { return Vec3(exp_se3((1 + s[0]) * y).p); };
    const auto R_x = [&](const VectorX& s) { return Vec3(exp_se3((1 + s[0]) * y).R * unit_x); };
    const VectorX here = VectorX::Zero(1);
    expect_matrix_near(H.R.transpose() * finite_difference(p, here), y.head<3>(), 1e-10);
    expect_matrix_near(H.R.transpose() * finite_difference(R_x, here), y.tail<3>().cross(unit_x), 1e-10);
  });
}

}  // namespace
}  // namespace hooke
