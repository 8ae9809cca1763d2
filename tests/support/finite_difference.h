#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "hooke/frames/coordinates.h"
#include "hooke/math/so3.h"

/// Finite differences for the tests: every analytic derivative of the engine is checked against these. Sizes
/// are dynamic throughout, so that a test of many types compiles the algebra once.
namespace hooke::test {

/// df/dx at x = 0 for f: R^n -> R^m, by the central difference of fourth order
///   f' ~ (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h,    error ~ h^4 f'''''/30 + round-off 1e-16 f/h.
inline MatrixX finite_difference(const std::function<VectorX(const VectorX&)>& f, int n, double h = 1e-4) {
  VectorX x = VectorX::Zero(n);
  const auto at = [&](int j, double step) {
    x[j] = step;
    const VectorX value = f(x);
    x[j] = 0;
    return value;
  };
  MatrixX D(f(x).size(), n);
  for (int j = 0; j < n; ++j)
    D.col(j) = (8 * (at(j, h) - at(j, -h)) - (at(j, 2 * h) - at(j, -2 * h))) / (12 * h);
  return D;
}

/// Largest difference, relative to the largest entry or to 1 if all are smaller.
inline ::testing::AssertionResult matrices_near(const MatrixX& a, const MatrixX& b, double tolerance) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return ::testing::AssertionFailure()
           << a.rows() << "x" << a.cols() << " against " << b.rows() << "x" << b.cols();
  if (a.size() == 0) return ::testing::AssertionSuccess();
  const double scale = std::max({1.0, a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()});
  const double error = (a - b).cwiseAbs().maxCoeff() / scale;
  if (error <= tolerance) return ::testing::AssertionSuccess();  // false for nan
  return ::testing::AssertionFailure() << "relative error " << error << " > " << tolerance << "\n"
                                       << a << "\nagainst\n"
                                       << b;
}

#define EXPECT_MATRIX_NEAR(a, b, tolerance) EXPECT_TRUE(::hooke::test::matrices_near((a), (b), (tolerance)))
#define ASSERT_MATRIX_NEAR(a, b, tolerance) ASSERT_TRUE(::hooke::test::matrices_near((a), (b), (tolerance)))

using Random = std::mt19937;

/// Entries in (-1, 1).
inline VectorX random_vector(int n, Random& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  VectorX x(n);
  for (double& entry : x) entry = uniform(random);
  return x;
}

inline FramePose random_pose(Random& random) {
  return {exp_so3(3 * random_vector(3, random)), random_vector(3, random)};
}

/// The frame after the motion (dp_W, dtheta_W), see frame.h.
inline FramePose moved(const FramePose& F, const Vec6& motion) {
  return {exp_so3(motion.tail<3>()) * F.R, F.p + motion.head<3>()};
}

/// Frames with what they carry, to be looked at through FrameInputs<N>.
struct Frames {
  std::vector<FramePose> pose;
  std::vector<FrameTwist> twist = std::vector<FrameTwist>(pose.size(), zero6);
  std::vector<double> memory = std::vector<double>(angle_memory * pose.size(), 0.0);
  double t = 0;

  static Frames random(int n, Random& random) {
    Frames frames;
    for (int i = 0; i < n; ++i) {
      frames.pose.push_back(random_pose(random));
      frames.twist.push_back(random_vector(6, random));
    }
    frames.memory.resize(angle_memory * n);
    frames.t = 0.5 + 0.5 * random_vector(1, random)[0];
    return frames;
  }

  template <int N>
  FrameInputs<N> inputs() const {
    FrameInputs<N> in;
    for (int i = 0; i < N; ++i) in.pose[i] = &pose.at(i), in.twist[i] = &twist.at(i);
    in.memory = memory.data();
    in.t = t;
    return in;
  }

  /// All frames after their motions, 6 entries each; twists and memory stay.
  Frames moved(const VectorX& motion) const {
    Frames frames = *this;
    for (std::size_t i = 0; i < pose.size(); ++i)
      frames.pose[i] = test::moved(pose[i], motion.segment<6>(6 * i));
    return frames;
  }

  /// All twists changed, 6 entries each.
  Frames sped_up(const VectorX& change) const {
    Frames frames = *this;
    for (std::size_t i = 0; i < pose.size(); ++i) frames.twist[i] += change.segment<6>(6 * i);
    return frames;
  }
};

}  // namespace hooke::test
