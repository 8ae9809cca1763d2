#pragma once
#include <functional>

#include "hooke/integrators/alpha_history.h"
#include "hooke/integrators/newton_rule.h"

/// The beta-stabilised ODE form of a constrained system: Zhou, Ren, Masarati, "A relaxed coupling method for
/// algebraically constrained mechanical systems", Multibody Syst. Dyn. (2022). Constraints of both levels are
/// not imposed but approached at the rate beta:
///
///   M v' + G^T lambda = f,         G v' + bias + beta (G v + g_t) = 0                                (34)
///   q' = v - M^-1 G^T mu,          G q' + g_t + beta g = 0                                           (36)
///
/// ((35) and (37) are the same with lambda and mu eliminated). So lambda and mu are functions of q and v, and
/// what is left is an ODE. With beta = 1/h an error of a constraint is gone after a few steps. No subsystem
/// depends on another one more than at the rate beta. That is why subsystems can be integrated one by one and
/// iterated (src/hooke/coupling), which fails for the constraints themselves (beta = infinity).
///
/// `StabilisedAlpha` integrates it by generalized-alpha on the group:
///
///   q_{n+1} = q_n (+) (x + y_n),    x, v_{n+1}, a_{n+1} as in generalized_alpha.h,   (34) at t_{n+1}
///   y_n = -h M^-1 G^T mu at t_n,    with min(beta, 1/h) in (36): more would overshoot
///
/// Newton's matrix is that of linalg/kkt.h again: an increment dx of q changes (34) by kappa G dx,
///
///   kappa = (1 - alpha_m)/((1 - alpha_f) b) + beta gamma/(beta_N h),    b = beta_N h^2
///
/// (beta_N is Newmark's), and kappa is taken out of the row.
///
/// A subsystem of a larger system (coupling/adapter) has dofs that stand for the rest of it and are placed
/// from outside. Their v' are still unknowns, with the weight b kappa of their mass; with
/// `others_move` their q and v follow, as those of all dofs do.
namespace hooke {

struct StabilisedAlphaSettings {
  AlphaParameters parameters = AlphaParameters::generalized_alpha(0.8);
  std::optional<double> beta;  ///< 1/s; none: 1/h
  NewtonSettings newton;
};

/// Of a system, the dofs that are integrated and what the others do.
struct OwnDofs {
  std::vector<char> own;  ///< 1: integrated
  bool others_move = false;
  /// Writes y (the increment of q from `from` that does not follow from a): of own dofs the stabilising one,
  /// of the others the whole way; and the others' v and a of the trial state, whose time is set.
  std::function<void(const State& from, VectorX& y, State& trial)> place;
  /// not ghosts, which know that they stand: Newton's matrix has their mass alone
  bool others_are_bodies = false;
};

class StabilisedAlpha final : public Integrator {
 public:
  StabilisedAlpha(const Dae& dae, const StabilisedAlphaSettings& settings, OwnDofs own = {});
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  void resume(State& state, const VectorX& a, double h) const override { history_.resume(state, a, h); }

  /// The first guess of a step.
  const State& predict(const State& from, double h);
  /// The next step makes a new tangent: something in the system has changed.
  void renew_tangent() { rule_.renewed(1, false); }
  /// The next step is the last one again, with the others elsewhere: it starts from where that ended.
  void repeat(bool again) { again_ = again; }

 private:
  void evaluate();
  bool refresh_tangent(double h);
  double correct(const State& from, double h);
  double local_error(double h);
  void accept(State& state, double h, StepReport& report);
  void keep_own(VectorX& x) const;
  void keep_masses_of_others(double weight);

  const Dae& dae_;
  StabilisedAlphaSettings settings_;
  AlphaParameters p_;
  OwnDofs own_;
  AlphaHistory history_;
  NewtonRule rule_;
  Projector projector_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_, masses_;
  std::unique_ptr<NewtonSolver> solver_;

  double beta_ = 0;
  bool again_ = false;
  State trial_;
  VectorX x_, y_;        // increment of q from a, and the rest: see OwnDofs::place
  VectorX last_lambda_;  // of the last step
  VectorX total_, dq_, dx_, r_, g_, g_v_, z_;
};

}  // namespace hooke
