#pragma once
#include "hooke/integrators/integrator.h"

namespace hooke {

/// The linearly implicit Euler method on positions: implicit Euler
///
///   q_{n+1} = q_n (+) h v_{n+1},   M (v_{n+1} - v_n)/h + G^T lambda = f(q_{n+1}, v_{n+1}),   g(q_{n+1}) = 0
///
/// with one Newton iteration from q_n (+) h v_n, v_n, and nothing else: one evaluation, one factor and one
/// solve in every step, so that a step takes the same time always. First order, and it damps what it cannot
/// resolve. Arnold, Burgermeister, Eichberger, Multibody Syst. Dyn. 17 (2007).
class LinearlyImplicit final : public Integrator {
 public:
  LinearlyImplicit(const Dae& dae, const NewtonSettings& settings);
  std::string_view name() const override { return "linearly-implicit"; }
  int order() const override { return 1; }
  StepReport step(State& state, double h) override;

 private:
  const Dae& dae_;
  NewtonSettings settings_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  State trial_;
  VectorX x_, dx_, dq_, r_, g_, z_;
};

}  // namespace hooke
