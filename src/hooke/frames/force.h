#pragma once
#include <concepts>

#include "hooke/frames/frame.h"

/// The contract of a force: a fixed-size function of N frames that gives the wrench acting on each.
///
///   w(frames, twists, t)                        6N
///   K = dw / d(motion), D = dw / d(twist)       6N x 6N each
///
/// Note the sign: K and D are derivatives of the force, the system subtracts them from the residual.
/// Optional: `energy` (the potential of the conservative share), with it `power` (of the rest), `memory` and `track` as for constraints.
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

}  // namespace hooke
