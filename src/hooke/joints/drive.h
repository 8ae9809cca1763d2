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

}  // namespace hooke
