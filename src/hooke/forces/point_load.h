#pragma once
#include <array>
#include <optional>
#include <utility>

#include "hooke/frames/force.h"
#include "hooke/math/function.h"

namespace hooke {

/// A vector that varies with time: three components, or one function along a direction.
class TimeVector {
 public:
  TimeVector() = default;
  TimeVector(const Vec3& v) : components_{v.x(), v.y(), v.z()} {}  // NOLINT: a vector is a constant one
  TimeVector(Function x, Function y, Function z) : components_{std::move(x), std::move(y), std::move(z)} {}
  TimeVector(const Vec3& direction, Function magnitude) : components_{std::move(magnitude)} {
    axes_.col(0) = direction.normalized();
  }

  Vec3 operator()(double t) const {
    return axes_ * Vec3(components_[0](t).value, components_[1](t).value, components_[2](t).value);
  }
  std::optional<NotFinite> not_finite(const char* key, double t) const {
    for (int i = 0; i < 3; ++i)
      if (std::string text = components_[i].not_finite(t, "t"); !text.empty())
        return NotFinite{key + ("[" + std::to_string(i) + "]"), std::move(text)};
    return {};
  }

 private:
  std::array<Function, 3> components_;
  Mat3 axes_ = Mat3::Identity();
};

/// A force at the origin of a frame and a torque on it over time, in world axes or in those of the frame:
///
///   w = (f(t), m(t))    or, as a follower,    w = (R f, R m),   dw = dtheta x w
///
/// A load per length is made of these at points along a rod, each with its share of the length.
/// A follower load has no potential, and K is not symmetric (a compressed column flutters rather than
/// buckles); neither has a torque, even of fixed direction in the world. What the load gives is work, not
/// stored energy. Ziegler, Principles of Structural Stability (1968).
struct PointLoad {
  static constexpr int frames = 1;

  TimeVector force{};
  std::optional<TimeVector> torque{};  ///< no torque: the frame may be one without axes
  bool follower = false;
  double share = 1;  ///< factor, or the length (m) that the frame stands for

  bool needs_orientation() const { return follower || torque; }

  void evaluate(const FrameInputs<1>& in, Vec6& w) const {
    const Mat3 axes = share * (follower ? in.pose[0]->R : identity3);
    w << axes * force(in.t), axes * (torque ? (*torque)(in.t) : zero3);
  }

  std::optional<NotFinite> not_finite(const FrameInputs<1>& in, bool /*with_derivatives*/) const {
    if (auto found = force.not_finite("force", in.t)) return found;
    return torque ? torque->not_finite("torque", in.t) : std::nullopt;
  }

  void tangent(const FrameInputs<1>& in, Mat6& K, Mat6& D) const {
    K.setZero();
    D.setZero();
    if (!follower) return;
    Vec6 w;
    evaluate(in, w);
    K.topRightCorner<3, 3>() = -hat(w.head<3>());
    K.bottomRightCorner<3, 3>() = -hat(w.tail<3>());
  }
};

static_assert(Force<PointLoad> && !Conservative<PointLoad>);

}  // namespace hooke
