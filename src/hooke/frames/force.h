#pragma once
#include <concepts>

#include "hooke/frames/frame.h"
#include "hooke/frames/power.h"

/// The contract of a force: a fixed-size function of N frames that gives the wrench acting on each.
///
///   w(frames, twists, t)                        6N
///   K = dw / d(motion), D = dw / d(twist)       6N x 6N each
///
/// Note the sign: K and D are derivatives of the force, the system subtracts them from the residual.
/// Optional: `energy`, the potential of the conservative share, and with it `power`, what the rest supplies and
/// dissipates (without them all that the wrenches do is supplied); `memory` and `track` as for constraints.
namespace hooke {

template <class F>
concept Force = requires(const F f, const FrameInputs<F::frames>& in,
                         Eigen::Matrix<double, 6 * F::frames, 1>& w,
                         Eigen::Matrix<double, 6 * F::frames, 6 * F::frames>& K) {
  { F::frames } -> std::convertible_to<int>;
  f.evaluate(in, w);    // sets w
  f.tangent(in, K, K);  // sets K and D
};

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
