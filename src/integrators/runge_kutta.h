#pragma once
#include <array>

#include "integrators/projector.h"

namespace hooke {

/// Dormand-Prince 5(4) on the index-1 form: the accurate reference for non-stiff models.
///
/// The configuration is q_n (+) x with x' = T^-1(x) v (Munthe-Kaas), so the order holds on the manifold; v'
/// from [M G^T; G 0]. After each step q and v are projected mass-orthogonally, so nothing drifts. Dormand,
/// Prince, J. Comput. Appl. Math. 6 (1980).
///
/// Or on the beta-stabilised form (stabilised_ode.h), which needs no projection: `beta_h` is then beta h,
/// which must stay below 3.3 for stability. beta is the same for all steps only when they are.
class DormandPrince final : public Integrator {
 public:
  DormandPrince(const Dae& dae, const NewtonSettings& settings, std::optional<double> beta_h = {});
  std::string_view name() const override { return beta_h_ ? "stabilised-ode" : "dormand-prince"; }
  int order() const override { return 5; }
  StepReport step(State& state, double h) override;

 private:
  static constexpr int stages = 7;
  bool evaluate(int stage, double h);

  const Dae& dae_;
  Projector projector_;
  std::optional<double> beta_h_;
  State trial_;
  std::array<VectorX, stages> dx_, dv_;
  VectorX x_, v_, error_;
};

/// Runge-Kutta-Chebyshev of second order on the beta-stabilised form, with as many stages as beta h needs:
/// explicit, and stable along the negative real axis to 0.65 s^2 with s stages, so that beta h may be large.
/// Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88 (1997), (2.1)-(2.9). Vibrations that are not damped
/// must be resolved.
class Chebyshev final : public Integrator {
 public:
  Chebyshev(const Dae& dae, const NewtonSettings& settings, double beta_h);
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  int stages() const { return stages_; }

 private:
  bool evaluate(double h, VectorX& dx, VectorX& dv);

  const Dae& dae_;
  Projector projector_;
  double beta_h_;
  int stages_;
  State trial_;
  struct Stage {
    VectorX x, v;
  };
  Stage rate0_, rate_, old_, now_, next_;
};

}  // namespace hooke
