#pragma once
#include <array>
#include <optional>

#include "frames/frame.h"

namespace hooke {

/// Values at past macro points, newest first, and the polynomial through the newest of them.
template <class T>
class Past {
 public:
  static constexpr int most = 4;

  void clear() { count_ = 0; }
  void push(double t, const T& value) {
    count_ = std::min(count_ + 1, most);
    for (int i = count_ - 1; i > 0; --i) t_[i] = t_[i - 1], values_[i] = values_[i - 1];
    t_[0] = t, values_[0] = value;
  }
  const T& operator[](int i) const { return values_[i]; }
  double time(int i) const { return t_[i]; }
  /// How many values a polynomial of that degree goes through; fewer at the start, when few are known.
  int points(int degree) const { return std::min(degree + 1, count_); }

 private:
  std::array<double, most> t_{};
  std::array<T, most> values_{};
  int count_ = 0;
};

/// Weights of n values in the polynomial through them at time t, and in its first two derivatives.
struct PolynomialWeights {
  std::array<double, 4> value{}, rate{}, second{};
};
PolynomialWeights polynomial_weights(const double* times, int n, double t);

struct FrameMotion {
  FramePose pose;
  Vec6 twist = Vec6::Zero(), acceleration = Vec6::Zero();  ///< world components
};

/// What both sides of a coupling joint know of each other: how the frame on the forced side moves and the
/// reaction on it. Between macro points both follow polynomials through their last values: Schneider, Burger,
/// Arnold, Simeon (2017), 3.1 and 3.2.
///
/// Positions are extrapolated and velocities are the derivative (remark 3.1), rotations as rotation vectors
/// from the newest pose; accelerations and reactions (world components) each by themselves.
struct CouplingSignal {
  int force_degree = 0, motion_degree = 0;
  Past<FramePose> poses;
  Past<Vec6> accelerations, wrenches;
  /// In place of the polynomials, while the sides are asked what they answer to given values.
  std::optional<FrameMotion> held_motion;
  std::optional<Vec6> held_wrench;

  void clear() { poses.clear(), accelerations.clear(), wrenches.clear(); }
  void motion(double t, FramePose& pose, Vec6& twist, Vec6& acceleration) const;
  Vec6 acceleration(double t) const { return value(accelerations, motion_degree, t); }
  Vec6 wrench(double t) const { return held_wrench ? *held_wrench : value(wrenches, force_degree, t); }

 private:
  static Vec6 value(const Past<Vec6>& past, int degree, double t);
};

}  // namespace hooke
