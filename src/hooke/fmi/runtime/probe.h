#pragma once
#include "hooke/analysis/turning_stiffness.h"
#include "hooke/control/controls.h"
#include "hooke/fmi/runtime/instance.h"

/// Derivatives of an FMU's variables, by the implicit function theorem. A state solves
///
///   r = M a + G^T lambda - f = 0,    s = G a + bias + beta (G v + g_t) = 0                (co-simulation: beta = 0)
///
/// and along a change dq, dv of it and du of its inputs its solution changes by
///
///   [ M G^T ] [ da      ]     [ K dq + D dv - f_u du ]
///   [ G  0  ] [ dlambda ] = - [ ds                   ]
///
/// K and D are the tangent of Newton's method and f_u the derivatives of the signals' formulas: all that may be stiff or have
/// kinks is exact. What is left is geometry, known as explicit functions: ds (of which the derivatives of the bias would be
/// third ones of the joints' equations), the coordinates x of a rotation, and outputs as functions of the whole state. These
/// are differentiated along the one direction, by differences that are extrapolated to fourth order.
namespace hooke {

/// f'(0), with an error of the order of h^4.
inline VectorX slope(double h, auto&& f) {
  const auto difference = [&](double s) -> VectorX {
    const VectorX above = f(s);
    return (above - f(-s)) / (2 * s);
  };
  const VectorX wide = difference(h);
  return (4 * difference(0.5 * h) - wide) / 3;
}

/// How a state changes along what is known, and with it its solution.
struct FmuInstance::Change {
  VectorX x, q, v, memory;       ///< given; x: the coordinates of model exchange
  VectorX a, lambda, positions;  ///< found; positions: x'
  double step = 0;               ///< of differences along it

  State moved(const System& system, const State& from, double by) const {
    State state = from;
    system.plus(from.q, by * q, state.q);
    state.v += by * v, state.a += by * a, state.lambda += by * lambda, state.memory += by * memory;
    return state;
  }
};

/// The linearised equations at a state.
struct FmuInstance::Probe {
  explicit Probe(const Simulation& simulation);

  /// The state about which everything below is.
  void begin(const State& now);
  /// Given x, q, v and memory of a change, the rest of it.
  void find_accelerations(Change& change, double beta);
  void find_positions(Change& change, const VectorX& x, double beta);
  /// The workspace, up to date with a state.
  SystemWorkspace& at(const State& of);

  const System& system;
  const Controls* controls;
  State state;

 private:
  void find_tangents();
  VectorX with_rows(const VectorX& dofs) const;
  VectorX residual(const Change& change);
  VectorX acceleration_rows(const State& of, double beta);
  VectorX drift_rows(const State& of, double beta);
  void solve(const VectorX& r, const VectorX& s, VectorX& u, VectorX& mu);

  double regularisation_;  ///< as in Projector
  std::unique_ptr<NewtonSolver> solver_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix mass_, moved_mass_, stiffness_, damping_;
  std::vector<TurningStiffness> turning_;
  bool has_tangents_ = false;
};

}  // namespace hooke
