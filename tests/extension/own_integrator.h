#pragma once
#include <hooke/hooke.h>
#include <hooke/integrators/projector.h>

namespace own {

/// Symplectic Euler: a from the equations of motion, v += h a, q (+) h v, then back onto the constraints. First order.
class SymplecticEuler final : public hooke::Integrator {
 public:
  SymplecticEuler(const hooke::Dae& dae, const hooke::NewtonSettings& newton)
      : dae_(dae), projector_(dae, newton) {}
  std::string_view name() const override { return "symplectic-euler"; }
  int order() const override { return 1; }
  hooke::StepReport step(hooke::State& state, double h) override {
    hooke::State next = state;
    if (!projector_.accelerations(next).converged) return {.failure = "no accelerations"};
    next.v += h * next.a;
    x_ = h * next.v;
    dae_.plus(state.q, x_, next.q);
    next.t += h;
    if (!projector_.positions(next).converged || !projector_.velocities(next).converged)
      return {.failure = "the constraints cannot be met"};
    projector_.accelerations(next);
    dae_.accept(next, projector_.workspace());
    state = next;
    return {.accepted = true, .iterations = 1};
  }

 private:
  const hooke::Dae& dae_;
  hooke::Projector projector_;
  hooke::VectorX x_;
};

struct SymplecticEulerSettings {
  static constexpr const char* name = "symplectic-euler";
  static void describe(auto&) {}
  std::unique_ptr<hooke::Integrator> make_integrator(const hooke::Dae& dae, const hooke::RunSettings&,
                                                     const hooke::NewtonSettings& newton) const {
    return std::make_unique<SymplecticEuler>(dae, newton);
  }
};

}  // namespace own
