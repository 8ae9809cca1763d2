#pragma once
#include "hooke/integrators/integrator.h"

namespace hooke {

/// Brings a state onto the constraints at position, velocity and acceleration level, always by the mass
/// matrix:
///
///     [ M  G^T ] [ dz ]     [ r ]        positions:      r = 0,                  s = g
///     [ G -eps ] [ mu ] = - [ s ]        velocities:     r = 0,                  s = G v + g_t
///                                        accelerations:  r = M a + G^T lambda - f, s = G a + bias
///
/// The first two are mass-orthogonal projections, the third is the index-1 equation of motion. eps keeps
/// redundant rows and singular positions solvable; repeating the solve with what is left removes its
/// effect, and leaves multipliers of redundant rows at minimum norm. Velocities and accelerations enter
/// linearly, so one solve leaves r = 0 and s = eps mu, known without another look at the system.
///
/// The factor of M and G is kept until q changes, and serves positions near by as long as it converges fast.
class Projector {
 public:
  Projector(const Dae& dae, const NewtonSettings& settings, Purpose purpose = Purpose::motion);

  struct Result {
    bool converged = false;
    double violation = 0;  ///< largest remaining |s|
    double change = 0;     ///< largest |dz| in dof units, summed over the iterations
    double unsettled = 0;  ///< of accelerations: how much the last iteration changed a, as a fraction of it
  };
  Result positions(State& state);
  /// With `rates`, rows move at these instead of standing: G v + g_t = rates.
  Result velocities(State& state, const VectorX* rates = nullptr);
  /// Of the last `velocities`: the impulses, M (v - v before) + G^T impulse = 0.
  const VectorX& impulse() const { return impulse_; }
  /// a and lambda from scratch. With beta the constraint is approached at that rate:
  /// s = G a + bias + beta (G v + g_t).
  Result accelerations(State& state, double beta = 0);
  /// a and lambda as a step h sees them: (M + h/2 D + h^2/4 K) a + G^T lambda = f. What the step resolves accelerates as
  /// it would, what vibrates faster hardly at all.
  bool resolved_accelerations(State& state, double h);
  /// As `accelerations`, also in passing a singular position. There the rows of loops depend on each other, those of a
  /// state a little off the constraints contradict each other, and accelerations that obey all of them run away. Motions
  /// that hardly any row resists are left to their inertia, for as long as the position lasts.
  bool passing_accelerations(State& state, double beta = 0);
  /// What was interpolated within a step h becomes a solution: equations of motion, joints, their velocities and
  /// accelerations. A change of a moves v by h/2 and q by h^2/4 of it, so that what the step resolves takes the acceleration
  /// of its position, and what vibrates faster the position of its acceleration: stiff bodies interpolated are off by little,
  /// and the accelerations of that would be anything. False: not found, and the state is as it was.
  bool balance(State& state, double h);
  /// M u + G^T mu = r with G u = 0: what an impulse does to the velocities. With h, what a force does that gives this
  /// impulse over a step h: M + h/2 D + h^2/4 K takes the part of M.
  bool respond(const State& state, const VectorX& r, VectorX& u, double h = 0);
  /// The least velocity u, in the metric of M, with G (v + u) + g_t + beta g = 0.
  bool drift(const State& state, double beta, VectorX& u);

  /// Dofs that must not change (1) in `positions` and `velocities`; empty: none.
  void hold(std::vector<char> held) {
    held_ = std::move(held);
    factored_q_.resize(0);
  }

  /// Brings the workspace up to date with a state, unless it is.
  void update(const State& state);
  /// The system changed at the same state: a frame is driven elsewhere.
  void forget() { updated_.is_known = false; }

  Workspace& workspace() { return *workspace_; }
  const KktMatrix& matrix() const { return kkt_; }

 private:
  bool factorize(const State& state, bool held, double h = 0);
  double solve_rows();
  bool rough_accelerations(State& state, const Weights& weights, double softness, double beta);
  void approach(const State& state, double beta);

  const Dae& dae_;
  NewtonSettings settings_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  std::vector<char> held_;
  VectorX r_, s_, g_, z_, dz_, eps_, q_, missing_, impulse_;
  MatrixX z_3_;
  State along_, still_;
  struct {
    bool is_known = false;
    double t = 0;
    int mode = 0;
    VectorX q, v;
  } updated_;           ///< what the workspace is up to date with
  VectorX factored_q_;  ///< where the factor belongs; empty: there is none
  bool factored_held_ = false;
  double factored_h_ = 0;
  int factored_mode_ = 0;
};

}  // namespace hooke
