#pragma once
#include "hooke/integrators/alpha_history.h"
#include "hooke/integrators/newton_rule.h"

/// Keeps energy and momentum: a free motion over a million steps neither gains nor loses any.
///
/// It is the trapezoidal rule, in the stabilised form of generalized_alpha.h, with a correction c of the
/// velocity and b of the position:
///
///   v_{n+1} = v_n + h (a_n + a_{n+1})/2 + c          q_{n+1} = q_n (+) (h (v_n + v_{n+1})/2 + b + y)
///   M a_{n+1} + G^T lambda_{n+1} = f_{n+1},          g(q_{n+1}) = 0,    G v_{n+1} + g_t = 0
///
/// Without c and b the energy E and the momenta p_k = T_k^T M v (T: the velocities of rigid motions of the
/// whole) are off by O(h^3) after a step. Newton's iteration finds c and b along with x and lambda, such that
///
///   E_{n+1} = E_n + h (P_n + P_{n+1})/2              P: power of dampers, loads and drives
///   p_{n+1} = p_n + h (w_n + w_{n+1})/2              for rigid motions that neither constraint nor force resist
///
/// Both sums are carried in the history, so the errors of the steps do not add up.
///
///   c = U s + mu d    U: those rigid motions; s from the balance of momentum. d: mean velocity without them.
///                     mu d^T M d is the work of c in a step, which is not zero at a turning point, as with
///                     a correction along v_{n+1}. Gonzalez, "Time integration and discrete Hamiltonian
///                     systems", J. Nonlinear Sci. 6 (1996), has this direction in his discrete gradient.
///   b = -mu C^-1 h^2 M a    along the gradient of the energy by q, a the acceleration beside the rigid motion.
///                     A body that only spins has no d; its energy at given momentum depends on where it is.
///                     Where no rigid motion is free there is always a d, and b is left out.
///
/// With rho < 1 the rule is that of generalized-alpha, which damps what a step does not resolve, and the
/// energy obeys E_{n+1} <= E_n + h (P_n + P_{n+1})/2: the correction takes out energy and never adds any.
namespace hooke {

struct EnergyMomentumSettings {
  double rho = 1;  ///< spectral radius at infinite frequency; 1 keeps the energy
  NewtonSettings newton;
};

class EnergyMomentum final : public Integrator {
 public:
  EnergyMomentum(const Dae& dae, const EnergyMomentumSettings& settings);
  std::string_view name() const override { return "energy-momentum"; }
  bool has_accelerations() const override { return false; }
  int order() const override { return 2; }
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override;

  /// The rigid motions that no constraint resists, as twists of the world; known after the first step.
  const MatrixX& free_motions() const { return free_; }

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;
  /// What is balanced, at one moment; momentum and force along the free motions.
  struct Account {
    static constexpr int size = 15;  ///< in the history
    double energy = 0, power = 0;
    double scale = 0;  ///< largest kinetic energy so far
    Vec6 momentum = zero6, force = zero6;
    double noise = 0;  ///< round-off of the energy, not in the history
  };

  void find_free_motions(const State& start);
  const State& ready(const State& state, double h);
  void measure(const State& state, Account& account, bool with_force);
  double expected_energy(double h) const { return before_.energy + 0.5 * h * (before_.power + after_.power); }
  Vec6 expected_momentum(double h) const {
    return before_.momentum + 0.5 * h * (before_.force + after_.force);
  }
  void find_inertia(double h);
  bool is_balanced(double h);
  SmallVector take_out_rigid();

  const char* iterate(const State& from, double h, StepReport& report, bool extrapolates);
  void predict(const State& state, double h, bool extrapolates);
  void evaluate(bool with_force);
  bool refresh_tangent(double h);
  void balance(const State& state, double h);
  void take_back(double share, double h);
  void find_shift(const State& state, double h, const SmallVector& rigid);
  double correct(const State& state, double h);
  bool settle(double h);
  void refresh_acceleration();
  void accept(State& state, double h, StepReport& report);

  const Dae& dae_;
  EnergyMomentumSettings settings_;
  AlphaParameters p_;
  double mass_weight_;  // m of the tangent
  AlphaHistory history_;
  NewtonRule rule_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  Projector projector_;

  bool knows_free_ = false, keeps_energy_ = true;
  MatrixX free_, T_, U_, MU_;  // twists K; rigid motions T; U = T K; M U
  Small kept_;                 // combinations of the free motions that no force acts on either
  Eigen::LDLT<Small> inertia_;
  SmallVector lacking_;  // momentum
  double lacks_ = 0;     // energy
  Account before_, after_;

  State trial_, begin_, rest_;
  VectorX x_, y_, total_, c_, dc_, Mdc_, d_, Md_, u_, Mu_, shift_, K_shift_;
  VectorX dq_, dx_, r_, g_, g_v_;
  MatrixX z_;
  int iteration_ = 0;
  bool has_shift_ = false, corrects_energy_ = true;
  double mu_ = 0, dmu_ = 0, missing_ = 0, shift_work_ = 0;
};

}  // namespace hooke
