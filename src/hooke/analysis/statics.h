#pragma once
#include "hooke/integrators/integrator.h"
#include "hooke/linalg/block_lanczos.h"

namespace hooke {

struct StaticResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0;  ///< largest generalised force left, N or N m
  std::string failure;
};

/// Static equilibrium: G^T lambda = f(q, 0, t), g(q, t) = 0, from the state's configuration. It follows the
/// overdamped motion M q' = f - G^T lambda, which ends in an equilibrium that is stable, in steps by the
/// implicit Euler method
///
///     M x / tau^2 + r(q (+) x) = 0,     g(q (+) x) = 0,
///
/// each solved by Newton's iteration as far as it takes (two or three of them: a slender rod that is turned
/// by its tangent is stretched, and bends only when that is corrected). tau grows while that is easy, so that
/// the iteration ends as Newton's for the equilibrium itself (pseudo-transient continuation, Kelley and
/// Keyes, SIAM J. Numer. Anal. 35 (1998)). The state ends at rest.
///
/// `go_on` is asked after every step; false ends it with Error (interrupted).
StaticResult find_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings,
                              const GoOn& go_on = {});

/// Whether a small push leads away from an equilibrium for good: what then moves, in words; empty: it is stable, or
/// indifferent. (A start exactly on an unstable equilibrium, an upright pendulum say, stays there.)
std::string instability(const Dae& dae, const State& equilibrium, const NewtonSettings& settings);

/// The same, and where that one is unstable, one that is not, found by pushing it.
StaticResult find_stable_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings);

}  // namespace hooke
