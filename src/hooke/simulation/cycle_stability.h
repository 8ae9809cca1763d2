#pragma once
#include <complex>

#include "hooke/simulation/simulation.h"

/// Stability of a motion that repeats itself, by its monodromy matrix: what becomes, after one cycle, of small changes of position and
/// velocity at its start (Floquet). The cycle is computed as a run does, with the problem's integrator and coupling, so that what a
/// coupling adds to the growth of errors is in it: with extrapolated inputs, steps of their own or an iteration that ends early
/// alike, in motion and not only at rest.
namespace hooke {

struct CycleStability {
  std::vector<std::complex<double>> multipliers;  ///< eigenvalues of the monodromy matrix, largest first
  /// how far the cycle ends from where it began, in dof units; velocities times period/(2 pi)
  double open = 0;
  double radius() const { return multipliers.empty() ? 0 : std::abs(multipliers.front()); }
};

/// Over the period, from the start of the simulation. Takes as many runs of a cycle as there are positions and velocities that the joints
/// leave free. Throws Error when a cycle cannot be computed.
CycleStability cycle_stability(const Problem& problem, double period);

}  // namespace hooke
