#pragma once
#include <functional>

#include "hooke/integrators/runge_kutta.h"

namespace hooke {

/// Explicit Runge-Kutta stages, the last of which is the end of the step.
struct StageTable {
  int order = 0;
  std::vector<double> c;               ///< times
  std::vector<std::vector<double>> a;  ///< of stage i: weights of the rates of those before it
  std::vector<double> error;           ///< weights of all rates in the local error

  int stages() const { return static_cast<int>(c.size()); }

  /// Order 5; the rate beta h must stay below 3.3.
  static StageTable dormand_prince();
  /// Runge-Kutta-Chebyshev of second order with as many stages as beta h needs: stable along the negative
  /// real axis to 0.65 s^2 with s stages. Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88 (1997),
  /// (2.1)-(2.9). Vibrations that are not damped must be resolved.
  static StageTable chebyshev(double beta_h);
};

enum class OdeMethod;  // settings.h
/// Of a method that is explicit.
StageTable stage_table(OdeMethod method, double beta_h);

/// Of a system, the dofs that are integrated explicitly and what the others do: see OwnDofs.
struct ExplicitOwnDofs {
  std::vector<char> own;
  /// Places the others: their q and v in the trial state of a stage.
  std::function<void(int stage, State& trial)> place;
  /// A stage has been evaluated: a and lambda are there, and the workspace is that of the trial state.
  std::function<void(int stage, const State& trial)> note;
  const VectorX* drift = nullptr;  ///< the stabilising velocity of own dofs
};

/// The beta-stabilised form (stabilised_ode.h) by an explicit Runge-Kutta method in the increment x of the
/// step, q = q_n (+) x, x' = T^-1(x) (v + u_n) (Munthe-Kaas). As in the implicit form the stabilising
/// velocity of (36), u_n = -M^-1 G^T mu, is that of the beginning of the step, with min(beta, 1/h): where the
/// start is consistent it is of the order of the error. Nothing is projected.
///
/// `beta_h` is beta h, so beta is the same for all steps only when they are.
class StabilisedExplicit final : public Integrator {
 public:
  StabilisedExplicit(const Dae& dae, const NewtonSettings& settings, StageTable table, double beta_h,
                     ExplicitOwnDofs own = {});
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return table_.order; }
  InBetween in_between() const override { return InBetween::solve; }
  StepReport step(State& state, double h) override;
  std::string advice(bool failed) const override {
    return failed ? "This method is explicit; if the model is stiff, take method implicit." : "";
  }

  Workspace& workspace() { return projector_.workspace(); }
  /// Something in the system has changed.
  void renew() { projector_.hold({}); }

 private:
  bool begin(const State& state, double h);
  bool evaluate(int stage, double h);
  void combine(double h, const std::vector<double>& weights);
  double size_of_own(const VectorX& x) const;

  const Dae& dae_;
  std::shared_ptr<Team> team_;
  StageTable table_;
  double beta_h_;
  ExplicitOwnDofs own_;
  Projector projector_;
  State trial_;
  std::vector<VectorX> dx_, dv_;  // by stage
  VectorX x_, v_, u_, rate_;
};

}  // namespace hooke
