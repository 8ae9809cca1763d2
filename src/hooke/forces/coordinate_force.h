#pragma once
#include <array>

#include "hooke/frames/coordinates.h"
#include "hooke/frames/force.h"
#include "hooke/math/function.h"

namespace hooke {

/// What may act along a coordinate: a tension f(c, c', t) with its derivatives by c and c'.
template <class L>
concept ScalarLaw = requires(const L law, double number) {
  { law(number, number, number) } -> std::convertible_to<LawSample>;
};

/// A law that can tell the energy stored at c.
template <class L>
concept StoringLaw = ScalarLaw<L> && requires(const L law, double number) {
  { law.potential(number) } -> std::convertible_to<double>;
  { law.stored(number) } -> std::convertible_to<double>;
};

/// The scalar law f(c, c', t) on a coordinate c of two frames: springs, dampers, actuators and friction along
/// a distance, about an angle or along an axis. f is a tension, a positive one acts to make c smaller:
///
///   w = -G^T f,   c' = G u                             G = dc/d(motion), u the twists of both frames
///   K = dw/d(motion) = -(G^T (f_c G + f_v u^T H) + f H)                 H = dG^T/d(motion)
///   D = dw/d(twist)  = -G^T f_v G
///
/// The elastic part is the exact gradient of the law's potential of c. An angle is followed over full turns:
/// the state remembers its last accepted value, so a spring may be wound up (see coordinates.h).
template <Coordinate C, ScalarLaw L = Law>
struct CoordinateForce {
  static constexpr int frames = 2;
  static constexpr std::array needs_orientation = C::needs_orientation;
  static constexpr int memory = C::periodic ? 1 : 0;

  C coordinate;
  L law;

  void evaluate(const FrameInputs<2>& in, Vec12& w) const {
    const Reading c = read(in);
    w = -c.law.force * c.gradient;
  }

  void tangent(const FrameInputs<2>& in, Mat12& K, Mat12& D) const {
    const Reading c = read(in);
    Mat12 H = Mat12::Zero();
    coordinate.add_hessian(*in.pose[0], *in.pose[1], 1.0, H);
    Vec12 u;
    u << *in.twist[0], *in.twist[1];
    const Vec12 df = c.law.d_x * c.gradient + c.law.d_v * (H.transpose() * u);
    K = -c.gradient * df.transpose() - c.law.force * H;
    D = (-c.law.d_v * c.gradient) * c.gradient.transpose();
  }

  // clang-format off
  double energy(const FrameInputs<2>& in) const requires StoringLaw<L> { return law.potential(value(in)); }
  double power(const FrameInputs<2>& in) const requires StoringLaw<L> {
    const Reading c = read(in);
    return -(c.law.force - law.stored(c.value)) * c.rate;
  }
  void track(const FrameInputs<2>& in, double* last) const requires C::periodic { *last = value(in); }
  // clang-format on

  double value(const FrameInputs<2>& in) const {
    return continuous_value(coordinate, *in.pose[0], *in.pose[1], in.memory);
  }

  /// The coordinate, its rate and what the law says there.
  struct Reading {
    double value, rate;
    LawSample law;
    Vec12 gradient;
  };
  Reading read(const FrameInputs<2>& in) const {
    const Vec12 G = coordinate.gradient(*in.pose[0], *in.pose[1]);
    const double c = value(in), rate = G.head<6>().dot(*in.twist[0]) + G.tail<6>().dot(*in.twist[1]);
    return {c, rate, law(c, rate, in.t), G};
  }
};

using DistanceForce = CoordinateForce<Distance>;          ///< spring, damper, actuator between two points
using AngleForce = CoordinateForce<Angle>;                ///< torsion spring, motor
using DisplacementForce = CoordinateForce<Displacement>;  ///< along an axis of frame A

static_assert(Force<DistanceForce> && Force<AngleForce> && Force<DisplacementForce>);

}  // namespace hooke
