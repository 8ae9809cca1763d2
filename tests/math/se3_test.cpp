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

TEST(Se3, LogarithmInvertsTheExponential) {
  for_twists([](const Vec6& y) { expect_matrix_near(log_se3(exp_se3(y)), y, 1e-14); });
}

TEST(Se3, ExponentialIsAOneParameterGroup) {
  for_twists([](const Vec6& y) {
    const RigidMotion once = exp_se3(0.5 * y), twice = once * once, H = exp_se3(y), back = H * H.inverse();
    expect_matrix_near(twice.R, H.R, 1e-14);
    expect_matrix_near(twice.p, H.p, 1e-14);
    expect_matrix_near(back.R, identity3, 1e-14);
    expect_matrix_near(back.p, zero3, 1e-14);
    expect_matrix_near(H * (H.inverse() * unit_y), unit_y, 1e-14);
  });
}

TEST(Se3, TangentGivesTheBodyTwist) {
  for_twists([](const Vec6& y) {
    const RigidMotion H = exp_se3(y);
    const auto moved = [&](const Vec6& z) { return log_se3(H.inverse() * exp_se3(z)); };
    const auto moved_left = [&](const Vec6& z) { return log_se3(exp_se3(z) * H.inverse()); };
    expect_matrix_near(tangent_se3(y), finite_difference(moved, y), 1e-10);
    expect_matrix_near(left_tangent_se3(y), finite_difference(moved_left, y), 1e-10);
  });
}

TEST(Se3, InverseTangentInvertsAndTheAdjointSwapsSides) {
  for_twists([](const Vec6& y) {
    expect_matrix_near(tangent_se3(y) * inverse_tangent_se3(y), identity6, 1e-14);
    expect_matrix_near(left_tangent_se3(y) * inverse_left_tangent_se3(y), identity6, 1e-14);
    expect_matrix_near(left_tangent_se3(y), adjoint(exp_se3(y)) * tangent_se3(y), 1e-14);
  });
}

TEST(Se3, CommutatorIsTheDerivativeOfTheAdjoint) {
  test::Random random(8);
  Vec6 y, z;
  y << random.vector(), random.vector();
  z << random.vector(), random.vector();
  const auto turned = [&](const VectorX& h) { return Vec6(adjoint(exp_se3(h[0] * y)) * z); };
  expect_matrix_near(finite_difference(turned, VectorX::Zero(1)), ad(y) * z, 1e-11);
  expect_matrix_near(ad(y) * z, -ad(z) * y, 1e-15);
}

}  // namespace
}  // namespace hooke
