#pragma once
#include <concepts>

#include "hooke/frames/frame.h"
#include "hooke/frames/power.h"
#include "hooke/math/so3.h"

/// The contract of a force: a fixed-size function of N frames that gives the wrench acting on each.
///
///   w(frames, twists, t)                        6N
///   K = dw / d(motion), D = dw / d(twist)       6N x 6N each (optional: without `tangent` they are taken by differences)
///
/// Note the sign: K and D are derivatives of the force, the system subtracts them from the residual.
/// Optional: `energy`, the potential of the conservative share, and with it `power`, what the rest supplies and
/// dissipates (without them all that the wrenches do is supplied); `memory` and `track` as for constraints.
namespace hooke {

template <class F>
concept Force = requires(const F f, const FrameInputs<F::frames>& in,
                         Eigen::Matrix<double, 6 * F::frames, 1>& w) {
  { F::frames } -> std::convertible_to<int>;
  f.evaluate(in, w);  // sets w
};

/// K and D of a force: its own, or by differences.
template <class F>
void tangent_of(const F& force, const FrameInputs<F::frames>& in,
                Eigen::Matrix<double, 6 * F::frames, 6 * F::frames>& K,
                Eigen::Matrix<double, 6 * F::frames, 6 * F::frames>& D) {
  if constexpr (requires { force.tangent(in, K, D); }) {
    force.tangent(in, K, D);
  } else {
    constexpr double h = 1e-6;
    constexpr int N = F::frames;
    std::array<FramePose, N> pose;
    std::array<FrameTwist, N> twist;
    FrameInputs<N> moved = in;
    for (int k = 0; k < N; ++k) moved.pose[k] = &pose[k], moved.twist[k] = &twist[k];
    const auto at = [&](int k, int i, double pose_step, double twist_step) {
      for (int f = 0; f < N; ++f) pose[f] = *in.pose[f], twist[f] = *in.twist[f];
      twist[k][i] += twist_step;
      if (i < 3)
        pose[k].p[i] += pose_step;
      else
        pose[k].R = exp_so3(pose_step * Vec3::Unit(i - 3)) * pose[k].R;
      Eigen::Matrix<double, 6 * N, 1> w;
      force.evaluate(moved, w);
      return w;
    };
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < 6; ++i) {
        K.col(6 * k + i) = (at(k, i, h, 0) - at(k, i, -h, 0)) / (2 * h);
        D.col(6 * k + i) = (at(k, i, 0, h) - at(k, i, 0, -h)) / (2 * h);
      }
  }
}

template <class F>
concept Conservative = requires(const F f, const FrameInputs<F::frames>& in) {
  { f.energy(in) } -> std::convertible_to<double>;
};

/// What a force does beside its potential.
template <class F>
Power power_of(const F& force, const FrameInputs<F::frames>& in) {
  if constexpr (requires { force.power(in); }) {
    return force.power(in);
  } else {
    static_assert(!Conservative<F>, "a force with an energy says in power(in) what the rest of it does");
    Eigen::Matrix<double, 6 * F::frames, 1> w;
    force.evaluate(in, w);
    Power all;
    for (int k = 0; k < F::frames; ++k) all.supplied += w.template segment<6>(6 * k).dot(*in.twist[k]);
    return all;
  }
}

}  // namespace hooke
