#pragma once
#include "integrators/integrator.h"

namespace hooke {

struct StaticResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0;  ///< largest generalised force left, N or N m
  std::string failure;
};

/// Static equilibrium: G^T lambda = f(q, 0, t), g(q, t) = 0, from the state's configuration. Newton's
/// iteration on
///
///     [ M / tau^2 + K   G^T ] [ dq ]
///     [ G              -eps ] [ dlambda ]
///
/// where tau starts small, so that the first steps go downhill as an overdamped motion would (to the
/// equilibrium that is stable), and grows as the residual falls, until the iteration is Newton's
/// (pseudo-transient continuation, Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998)). The state ends at rest.
StaticResult find_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings);

}  // namespace hooke
