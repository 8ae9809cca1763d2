#pragma once
#include "hooke/integrators/alpha_history.h"
#include "hooke/integrators/newton_rule.h"

/// The generalized-alpha family on a Lie group, for constrained systems.
///
///   x        = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1}          q_{n+1} = q_n (+) x
///   v_{n+1}  = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
///   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n
///   M v'_{n+1} + G^T lambda_{n+1} = f_{n+1},    g(q_{n+1}) = 0
///
/// with the algorithmic acceleration a carried by alpha_history.h. Bruls, Cardona, Arnold, "Lie group
/// generalized-alpha time integration of constrained flexible multibody systems", Mech. Mach. Theory 48
/// (2012).
///
/// Scaled by beta h^2 (so that its conditioning does not depend on h) every Newton step is the KKT system
/// with m = (1 - alpha_m)/(1 - alpha_f), d = gamma h, k = beta h^2, unknowns (dx, beta h^2 dlambda).
///
/// Forms:
///   index3      as above. v satisfies its constraint only to the order of the method, and lambda
///               loses an order after an inconsistent start or a change of step.
///   stabilised  the velocity constraint fixes lambda, an extra increment y normal to the constraints
///               holds the positions (Gear, Gupta, Leimkuhler): q_{n+1} = q_n (+) (x + y), G v + g_t = 0.
///               The same matrix serves both, so it costs one more back substitution; both constraints
///               hold to Newton accuracy and lambda keeps order 2.
/// Projections after the step, mass-orthogonal: `velocity`, `acceleration` (both; accelerations and multipliers by
/// the equations of motion), or `kinematic` (both, once, with the matrix of the step; accelerations alone, multipliers
/// stay: Malczyk et al. 2019, (40) and (55)).
/// Tangent: exact, or with the masses alone for the inertia forces, as if all were at rest (Malczyk, below (20)).
namespace hooke {

enum class ConstraintForm { index3, stabilised };
enum class Projection { none, velocity, acceleration, kinematic };
enum class InertiaTangent { exact, masses };

struct GeneralizedAlphaSettings {
  AlphaParameters parameters = AlphaParameters::generalized_alpha(0.8);
  ConstraintForm form = ConstraintForm::stabilised;
  Projection projection = Projection::none;
  NewtonSettings newton;
  InertiaTangent tangent = InertiaTangent::exact;
};

class GeneralizedAlpha final : public Integrator {
 public:
  GeneralizedAlpha(const Dae& dae, const GeneralizedAlphaSettings& settings);
  std::string_view name() const override { return "generalized-alpha"; }
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  void resume(State& state, const VectorX& a, double h) const override { history_.resume(state, a, h); }

 private:
  void predict(const State& state, double h);
  void evaluate();
  bool refresh_tangent(double h);
  const State& tangent_state();
  double correct(const State& state, double h);
  void project();
  void project_once();
  void accept(State& state, double h, StepReport& report);

  const Dae& dae_;
  GeneralizedAlphaSettings settings_;
  AlphaParameters p_;
  AlphaHistory history_;
  const Slices& slices_;
  NewtonRule rule_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  Projector projector_;

  State trial_, at_rest_;
  VectorX x_, y_, total_;  // increment of q from a, the stabilising one, and both together
  VectorX dq_, dx_, r_, g_, g_v_;
  MatrixX z_;  // right-hand sides, then solutions: one column, two when stabilised
};

}  // namespace hooke
