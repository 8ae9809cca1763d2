#pragma once
#include <array>

#include "integrators/projector.h"

namespace hooke {

/// Dormand-Prince 5(4) on the index-1 form: the accurate reference for non-stiff models.
///
/// The configuration is q_n (+) x with x' = T^-1(x) v (Munthe-Kaas), so the order holds on the manifold; v'
/// from [M G^T; G 0]. After each step q and v are projected mass-orthogonally, so nothing drifts. Dormand,
/// Prince, J. Comput. Appl. Math. 6 (1980).
class DormandPrince final : public Integrator {
 public:
  DormandPrince(const Dae& dae, const NewtonSettings& settings);
  std::string_view name() const override { return "dormand-prince"; }
  int order() const override { return 5; }
  StepReport step(State& state, double h) override;

 private:
  static constexpr int stages = 7;
  bool evaluate(int stage);

  const Dae& dae_;
  Projector projector_;
  State trial_;
  std::array<VectorX, stages> dx_, dv_;
  VectorX x_, v_, error_;
};

}  // namespace hooke
