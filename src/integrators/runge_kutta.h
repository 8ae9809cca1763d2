#pragma once
#include <array>

#include "integrators/projector.h"

namespace hooke {

/// An explicit Runge-Kutta pair: times c and coefficients a of the stages, the last of which is the end of
/// the step, and how the error is made of their rates.
struct RungeKuttaPair {
  static constexpr int most_stages = 7;
  std::string_view name;
  int order, stages;
  double c[most_stages], a[most_stages][most_stages - 1], error[most_stages];
};

/// Explicit Runge-Kutta on the index-1 form, for non-stiff models.
///
/// The configuration is q_n (+) x with x' = T^-1(x) v (Munthe-Kaas), so the order holds on the manifold; v'
/// from [M G^T; G 0]. After each step q and v are projected mass-orthogonally, so nothing drifts.
///
/// Or on the beta-stabilised form (stabilised_ode.h), which needs no projection: `beta_h` is then beta h,
/// which must stay below 3.3 for stability. beta is the same for all steps only when they are.
class ExplicitRungeKutta : public Integrator {
 public:
  ExplicitRungeKutta(const Dae& dae, const NewtonSettings& settings, const RungeKuttaPair& pair,
                     std::optional<double> beta_h = {});
  std::string_view name() const override { return beta_h_ ? "stabilised-ode" : pair_.name; }
  int order() const override { return pair_.order; }
  StepReport step(State& state, double h) override;

 private:
  static constexpr int most_stages = RungeKuttaPair::most_stages;
  bool evaluate(int stage, double h);
  /// x_ and v_ are the sums of the stages' rates with these weights, times h.
  void combine(double h, const double* weights, int count);

  const Dae& dae_;
  Projector projector_;
  const RungeKuttaPair& pair_;
  std::optional<double> beta_h_;
  State trial_;
  std::array<VectorX, most_stages> dx_, dv_;
  VectorX x_, v_, error_;
};

/// Order 5(4): the accurate reference. Dormand, Prince, J. Comput. Appl. Math. 6 (1980).
class DormandPrince final : public ExplicitRungeKutta {
 public:
  DormandPrince(const Dae& dae, const NewtonSettings& settings, std::optional<double> beta_h = {});
};

/// Order 4 with five stages a step, stable for undamped vibration to omega h = 3.46 (Dormand-Prince: 1.1 with
/// six): for large mechanisms whose fast vibrations limit the step. Merson (1957); Hairer, Norsett, Wanner I,
/// II.4.
class Merson final : public ExplicitRungeKutta {
 public:
  Merson(const Dae& dae, const NewtonSettings& settings);
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
