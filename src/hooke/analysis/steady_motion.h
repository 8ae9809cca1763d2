#pragma once
#include <Eigen/SparseCore>

#include "hooke/integrators/integrator.h"
#include "hooke/linalg/block_lanczos.h"

namespace hooke {

/// A motion that looks the same at all times from axes that stand still (rotors that are round) or that turn with all
/// that moves (anything on round bearings). Seen from these axes a model that is pushed a little moves by y, and
///
///     dq = y,     dv = y' + W y,     da = y'' + (W + T) y' + T W y,     a = T v
///
/// where W is how the velocity of the motion changes with the place and T how the axes of a dof turn; both are zero but for
/// blocks of 3 x 3. With these a residual's derivatives become constant matrices (docs/theory/integrators.md, 5.8).
struct SteadyMotion {
  using Sparse = Eigen::SparseMatrix<double>;

  Vec3 turning = Vec3::Zero();  ///< of the axes, in the world; zero: they stand still
  Sparse W, T;
  Sparse seen;  ///< of D what damps rates as seen from bodies that turn: W y is none of these

  /// Of M, D and K = dr/d(a, v, q) those on y.
  Sparse stiffness(const Sparse& M, const Sparse& D, const Sparse& K) const;
  Sparse damping(const Sparse& M, const Sparse& D) const;
};

/// Whether the state is one of rest: nothing moves but first-order states.
bool is_at_rest(const Dae& dae, const State& state);

/// Of a state that moves; throws Error (bad_model) where it is not steady.
SteadyMotion steady_motion(const Dae& dae, const State& state);

/// Brings a state near a steady motion to it: what turns is stretched by that.
SteadyMotion settle(const Dae& dae, State& state, const NewtonSettings& newton, const GoOn& go_on = {});

}  // namespace hooke
