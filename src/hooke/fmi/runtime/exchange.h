#pragma once
#include "hooke/fmi/runtime/instance.h"
#include "hooke/integrators/stepper.h"

namespace hooke {

/// Model exchange: another program integrates the stabilised ODE (integrators/stabilised_ode.h), in the states
///
///   x with q = reference (+) x,  x' = T^-1(x) (v + u),   and  v,  v' = a                 beta = 1/step
///
/// u being the least velocity with G (v + u) + g_t + beta g = 0, and a that with G a + bias + beta (G v + g_t) = 0. First-
/// order states of control blocks are entries of v and have no x. An x that has become large (a shaft that turns) ends in an
/// event, at which the reference moves on and x begins anew.
struct FmuInstance::Exchange {
  explicit Exchange(const Simulation& simulation);

  State solved(State state);
  VectorX rates(const State& state);  ///< of x and v, at the state that belongs to x
  const System& system;
  int positions;  ///< length of x
  double beta;
  std::unique_ptr<Integrator> unused;
  State state;
  VectorX reference;
  VectorX x;
  bool is_solved = false;
  Projector projector;
  IntegratorStepper stepper;  ///< for what happens at events
  std::vector<double> sides;  ///< indicators when they were last settled
};

}  // namespace hooke
