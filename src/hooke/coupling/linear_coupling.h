#pragma once
#include <vector>

#include "hooke/math/types.h"

/// Co-simulation of linear systems that exchange forces and displacements at macro points: the coupling that
/// any co-simulation has near a state, and what decides whether it is stable.
///
/// Schneider, Burger, Arnold, Simeon, "A new approach for force-displacement co-simulation using kinematic
/// coupling constraints", ZAMM 97 (2017); numbers of equations are the paper's.
namespace hooke {

/// x' = A x + B u,  y = C x + D u                                                              (44), (47b)
struct StateSpace {
  MatrixX A, B, C, D;
  enum class Advance {
    exactly,            ///< as with many small steps of a good integrator
    linearly_implicit,  ///< one linearly implicit Euler step per macro step, as in real time
  } advance = Advance::exactly;
};

/// x(t + h) = E x + sum of inputs[j] u_j for inputs u = sum of u_j tau^j, tau going from 0 to 1.
struct LinearStep {
  MatrixX E;
  std::vector<MatrixX> inputs;
};
LinearStep linear_step(const StateSpace& system, double h, int powers);

/// How an input goes on beyond the last macro point: as the polynomial through its last degree + 1 values or,
/// where it is the rate of another input, as the derivative of that one's polynomial (remark 3.1).
struct Extrapolation {
  int degree = 0;
  int rate_of = -1;  ///< number of an input
};

struct LinearCoupling {
  std::vector<StateSpace> systems;
  MatrixX L;                          ///< u = L y, of all systems one after the other (32)
  std::vector<Extrapolation> inputs;  ///< of each entry of u
  /// At a macro point the outputs are evaluated with inputs extrapolated to it, all of them side by side
  /// (49); or with what the systems before just gave, as far as it is known from their states alone; or one
  /// system after the other, each with all that the systems before it just gave.
  enum class Outputs { side_by_side, states_first, in_turn } outputs = Outputs::side_by_side;
  /// Over a macro step all inputs are extrapolated; or those that come from systems before are interpolated.
  enum class Order { jacobi, gauss_seidel } order = Order::jacobi;

  int states() const;
  int signals() const { return static_cast<int>(L.rows()); }
  int history() const;  ///< values of each input that extrapolation needs
};

/// One macro step: maps (x_k, u_k, u_{k-1}, ...) to the same one step later (51). With few values to
/// extrapolate from, as at the start, degrees are at most `degree_limit`.
MatrixX macro_step(const LinearCoupling& coupling, double h, int degree_limit = 99);

/// What is left of the macro step when h goes to zero and states no longer move: maps (u_k, u_{k-1}, ...) to
/// the same one step later (remark 4.1).
MatrixX exchange(const LinearCoupling& coupling);

double spectral_radius(const MatrixX& matrix);

/// Below 1: zero-stable, stable with steps that are small enough (36), (54).
inline double zero_stability(const LinearCoupling& coupling) { return spectral_radius(exchange(coupling)); }
/// Below 1: stable with this macro step (53).
inline double stability(const LinearCoupling& coupling, double h) {
  return spectral_radius(macro_step(coupling, h));
}

/// States at the macro points, one column each, the first being x. Inputs begin with u, and extrapolation
/// with degree 0, then 1, ... as values come in.
MatrixX simulate(const LinearCoupling& coupling, double h, int steps, const VectorX& x, const VectorX& u);

}  // namespace hooke
