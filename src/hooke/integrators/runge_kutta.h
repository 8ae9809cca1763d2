#pragma once
#include <array>

#include "hooke/integrators/projector.h"

namespace hooke {

/// An explicit Runge-Kutta pair: times c and coefficients a of the stages, the last of which is the end of
/// the step, and how the error is made of their rates.
struct RungeKuttaPair {
  static constexpr int most_stages = 7;
  std::string_view name;
  int order, stages;
  double c[most_stages], a[most_stages][most_stages - 1], error[most_stages];
  double limit;  ///< h |lambda| of steps that stability limits: measured on stiff springs and dampers
};

/// Explicit Runge-Kutta on the index-1 form, for non-stiff models.
///
/// The configuration is q_n (+) x with x' = T^-1(x) v (Munthe-Kaas), so the order holds on the manifold; v'
/// from [M G^T; G 0]. After each step q and v are projected mass-orthogonally, so nothing drifts.
/// (On the beta-stabilised form, without projections: stabilised_explicit.h.)
class ExplicitRungeKutta : public Integrator {
 public:
  ExplicitRungeKutta(const Dae& dae, const NewtonSettings& settings, const RungeKuttaPair& pair);
  std::string_view name() const override { return pair_.name; }
  int order() const override { return pair_.order; }
  InBetween in_between() const override { return InBetween::solve; }
  StepReport step(State& state, double h) override;
  void count_step() override;
  double stable_step() const override;
  std::string advice(bool failed) const override;
  void archive(Archive& a) override { a(steps_, steps_at_limit_, told_, recent_); }

 private:
  static constexpr int most_stages = RungeKuttaPair::most_stages;
  bool evaluate(int stage);
  /// How fast the model is, from the last two stages of a step.
  double fastest_rate() const;
  /// x_ and v_ are the sums of the stages' rates with these weights, times h.
  void combine(double h, const double* weights, int count);

  const Dae& dae_;
  std::shared_ptr<Team> team_;
  Projector projector_;
  const RungeKuttaPair& pair_;
  State trial_;
  std::array<VectorX, most_stages> dx_, dv_;
  VectorX x_, v_, error_;
  VectorX last_x_, last_v_;              ///< of the stage before the last
  double last_h_ = 0, last_rate_ = 0;    ///< of the last step; h = 0: it failed or has been counted
  long steps_ = 0, steps_at_limit_ = 0;  ///< counted; of them where stability, not accuracy, limits the step
  /// Steps one after the other, as in DOPRI5: one alone may look stiff.
  static constexpr std::size_t many = 15;
  std::size_t told_ = 0;
  std::array<double, many> recent_{};  ///< what the last steps say that is stable
};

/// Order 5(4): the accurate reference. Dormand, Prince, J. Comput. Appl. Math. 6 (1980).
class DormandPrince final : public ExplicitRungeKutta {
 public:
  DormandPrince(const Dae& dae, const NewtonSettings& settings);
  static const RungeKuttaPair& pair();
};

/// Order 4 with five stages a step, stable for undamped vibration to omega h = 3.46 (Dormand-Prince: 1.1 with
/// six): for large mechanisms whose fast vibrations limit the step.
/// Merson (1957); Hairer, Norsett, Wanner I, II.4.
class Merson final : public ExplicitRungeKutta {
 public:
  Merson(const Dae& dae, const NewtonSettings& settings);
};

}  // namespace hooke
