#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"
#include "hooke/math/function.h"

namespace hooke {

/// A coordinate follows a given function of time:  g = c(A, B) - f(t)                   (1 row, unit of c)
/// evaluate writes c, time writes -f and its derivatives. The multiplier is minus the driving force or moment
/// along c.
///
/// An angle is taken on the branch nearest to f(t). So it is right over any number of turns without memory,
/// from the start on, as long as the joint is within half a turn of f(t).
template <Coordinate C>
struct Drive {
  static constexpr std::string_view name = "drive";
  static constexpr int frames = 2;
  static constexpr int rows = 1;
  static constexpr std::array<const char*, rows> labels() {
    return {C::periodic ? "driving moment" : "driving force"};
  }
  static constexpr std::array needs_orientation = C::needs_orientation;

  C coordinate;
  Function function;

  void evaluate(const FrameInputs<2>& in, Rows<1>& out) const {
    const FramePose &A = *in.pose[0], &B = *in.pose[1];
    out.g[0] = coordinate.value(A, B);
    if constexpr (C::periodic) out.g[0] = C::nearest(out.g[0], function(in.t).value);
    out.G = coordinate.gradient(A, B).transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const Eigen::Matrix<double, 1, 1>& lambda, Mat12& H) const {
    coordinate.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
  }

  std::optional<NotFinite> not_finite(double t) const {
    std::string text = function.not_finite(t, "t", 2);
    if (text.empty()) return {};
    return NotFinite{"function", std::move(text)};
  }

  void time(double t, TimeRows<1>& out) const {
    const auto f = function(t);
    out.value[0] = -f.value;
    out.d1[0] = -f.d1;
    out.d2[0] = -f.d2;
  }
};

/// A coordinate follows what a signal asks for, as a positioning drive does: it is told a place at every sample and goes
/// there by the next one, along the cubic that begins with the place and speed it has and ends with those asked for.
///
///   g = c(A, B) - s(t)                                                                      (1 row, unit of c)
///
/// Its memory: place and speed at the last sample, the time of that, the interval, the place and speed asked for.
template <Coordinate C>
struct ServoDrive {
  static constexpr std::string_view name = "drive";
  static constexpr int frames = 2;
  static constexpr int rows = 1;
  static constexpr int memory = 2 * angle_memory;
  static constexpr std::array<const char*, rows> labels() {
    return {C::periodic ? "driving moment" : "driving force"};
  }
  static constexpr std::array needs_orientation = C::needs_orientation;

  C coordinate;

  void evaluate(const FrameInputs<2>& in, Rows<1>& out) const {
    const FramePose &A = *in.pose[0], &B = *in.pose[1];
    out.g[0] = C::nearest(coordinate.value(A, B), at(in.t, in.memory).value);
    out.G = coordinate.gradient(A, B).transpose();
  }
  void add_stiffness(const FrameInputs<2>& in, const Eigen::Matrix<double, 1, 1>& lambda, Mat12& H) const {
    coordinate.add_hessian(*in.pose[0], *in.pose[1], lambda[0], H);
  }
  void time(double t, const double* servo, TimeRows<1>& out) const {
    const Sample s = at(t, servo);
    out.value[0] = -s.value;
    out.d1[0] = -s.d1;
    out.d2[0] = -s.d2;
  }
  static Sample at(double t, const double* servo) {
    const double p = servo[0], v = servo[1], T = servo[3], ahead = servo[4] - p - v * T,
                 faster = servo[5] - v;
    if (!(T > 0)) return {p, 0, 0};
    const double u = t - servo[2], a = (3 * ahead / T - faster) / T, b = (faster - 2 * ahead / T) / (T * T);
    return {p + u * (v + u * (a + u * b)), v + u * (2 * a + 3 * u * b), 2 * a + 6 * u * b};
  }
};

}  // namespace hooke
