#pragma once
#include "hooke/integrators/alpha_history.h"
#include "hooke/integrators/coordinate_split.h"
#include "hooke/integrators/newton_rule.h"

/// The DAE alpha-method of Yen, Petzold and Raha, "A time integration algorithm for flexible mechanism
/// dynamics", Comput. Methods Appl. Mech. Engrg. 158 (1998): the alpha family on the stabilised index-2
/// equations
///
///   M (x - x^) - b f + G^T nu = 0           b = h^2 beta  (1 - alpha_f)/(1 - alpha_m)
///   M (v - v^) - e f + G^T mu = 0           e = h   gamma (1 - alpha_f)/(1 - alpha_m)
///   g(q, t) = 0,    G v + g_t = 0,          q = q_n (+) x                                            (3.3)
///
///   x^ = h v_n + h^2 [(1/2 - beta/(1 - alpha_m)) a_n + beta alpha_f/(1 - alpha_m) phi_n]
///   v^ = v_n   + h   [(1 - gamma/(1 - alpha_m)) a_n + gamma alpha_f/(1 - alpha_m) phi_n]             (4.2)
///
/// with phi = v' = M^-1 (f - G^T lambda) and (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) phi_{n+1} +
/// alpha_f phi_n. (The signs of phi_n are those that follow from this; the paper's print differs.)
///
/// Subtracting c = b/e times the second equation from the first leaves M w + G^T zeta = 0 with
///
///   w = v - v^ - (x - x^)/c,   zeta = mu - nu/c:
///
/// v is the mass-orthogonal projection of the velocity that x alone would give. So Newton's iteration runs on
/// x and nu with the shared matrix of linalg/kkt.h (m = 1, d = e, k = b), in front of each iteration v is
/// projected, and any Newton solver serves. At the end lambda = mu/e and phi = (v - v^)/e: both taken from
/// the velocity equation, where an error of Newton's iteration is not multiplied by the stiffness.
///
/// Iterations, all with the same solution:
///   newton    (3.3) as it stands; nu is iterated along with x, and K holds d(G^T nu)/dq.
///   split     CS, (3.6): P times the equation of motion, no multipliers. d(P r)/dq = P (dr/dq + d(G^T s)/dq)
///             with s from coordinate_split.h: Newton's matrix with s in place of nu.
///   modified  CM: the same without d(G^T s)/dq, the stiffness of the constraint forces, which far from
///             equilibrium belongs to forces the solution does not have.
/// P C dq = -P r, G dq = -g has the same dq as the KKT system with these C and r whatever multipliers that
/// yields, so no n x n matrix P C is formed. The multipliers of the solution are recovered from s.
namespace hooke {

enum class DaeAlphaIteration { newton, split, modified };

struct DaeAlphaSettings {
  AlphaParameters parameters = AlphaParameters::generalized_alpha(0.8);
  DaeAlphaIteration iteration = DaeAlphaIteration::newton;
  NewtonSettings newton;
  bool test_multipliers = false;  ///< `newton` also waits for nu to settle, as the paper's index-2 code did
};

class DaeAlpha final : public Integrator {
 public:
  DaeAlpha(const Dae& dae, const DaeAlphaSettings& settings);
  std::string_view name() const override;
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  void resume(State& state, const VectorX& a, double h) const override { history_.resume(state, a, h); }
  std::string note() const override;

 private:
  void begin(const State& state, double h);
  bool guess(const State& state, double h);
  const char* iterate(const State& from, double h, StepReport& report);
  void project_velocity();
  void evaluate();
  void split_off(VectorX& s);
  bool refresh_tangent();
  double correct(const State& state);
  double size(const VectorX& dq) const { return size_of(dq, dae_); }
  void update_acceleration();
  double local_error(double h);
  void accept(State& state, double h, StepReport& report);
  void recover_multipliers();

  const Dae& dae_;
  DaeAlphaSettings settings_;
  AlphaParameters p_;
  AlphaHistory history_;
  NewtonRule rule_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_, mass_;  // weights (1, e, b) for x; M for the projection of v and for P
  std::unique_ptr<NewtonSolver> solver_, mass_solver_;
  CoordinateSplit split_;

  double b_ = 0, e_ = 0, c_ = 0;
  State trial_;
  VectorX x_, x_hat_, v_hat_, w_, phi_old_;
  VectorX nu_, zeta_;
  VectorX r_, g_, s_, dq_, dx_, z_, eps_;
  double moved_ = 0;  // by q since mass_ was factored
};

}  // namespace hooke
