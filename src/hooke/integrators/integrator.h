#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "hooke/base/archive.h"
#include "hooke/base/team.h"
#include "hooke/solvers/catalog.h"
#include "hooke/system/dae.h"

namespace hooke {

/// The convergence rule common to all implicit integrators. An increment is measured in units of
/// Dae::dof_scale (the extent of the mechanism for translations, 1 rad for rotations), largest entry.
struct NewtonSettings {
  double tolerance = 1e-10;  ///< estimated error left in q when the iteration stops
  int max_iterations = 15;
  /// The next step begins with the same tangent while an iteration leaves at most this share of the error.
  double reuse_rate = 1e-3;
  /// Within a step the tangent is renewed when an iteration leaves more than this share; 0: always.
  double renew_rate = 0.3;
  double regularisation = 1e-8;  ///< eps of a row in units of its G M^-1 G^T
  /// Instead of the regularisation: dlambda = penalty (g + G dq), in N/m or Nm/rad, the same for all rows.
  std::optional<double> penalty;
  bool geometric_stiffness = true;
  /// Exactly this many iterations in every step, converged or not, with the tangent of the first: every step
  /// takes the same time.
  std::optional<int> fixed_iterations;
  std::string solver = "auto";
  std::shared_ptr<const SolverCatalog> solvers;  ///< where its name is looked up; none: among Hooke's own
  std::shared_ptr<Team> team;                    ///< threads for the solver; none: one
};

inline std::unique_ptr<NewtonSolver> make_solver(const NewtonSettings& settings, const Dae& dae,
                                                 Purpose purpose = Purpose::motion) {
  const auto made_by = [&](const SolverCatalog& catalog) {
    return catalog.make(settings.solver, dae.structure(), purpose, settings.team);
  };
  return settings.solvers ? made_by(*settings.solvers) : made_by(SolverCatalog());
}

struct StepReport {
  bool accepted = false;
  int iterations = 0, factorizations = 0;
  /// length of the step where it is shorter than asked for, since something happens at its end
  double h = 0;
  double error = 0;     ///< estimated local error of q, same units; infinity when there is no estimate yet
  std::string failure;  ///< why it was not accepted: which body and joint, in words
};

/// How states between two steps are found: by a shorter step (it needs the state alone to be repeated from); by
/// interpolation, then the equations of motion, which is cheaper than an explicit step and accurate where nothing is
/// stiff; or by interpolation, balanced (Projector::balance), where a step is of several parts (couplings).
enum class InBetween { step, solve, interpolate };

/// Advances a State of a Dae by one step. All scratch is allocated when it is made.
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string_view name() const = 0;
  virtual int order() const = 0;
  virtual InBetween in_between() const { return InBetween::step; }
  /// Of a state between the ends of the last step, interpolated between them, what is known better.
  virtual void improve(State& /*between*/) {}
  /// Whether accelerations and multipliers at the end of a step are as accurate as positions; otherwise they are solved for
  /// where they are looked at.
  virtual bool has_accelerations() const { return true; }
  /// From t to t + h. The state is changed only when the step is accepted.
  virtual StepReport step(State& state, double h) = 0;
  /// The state changed at once, and a step h can follow the accelerations a: the next one begins with them. By itself a method
  /// begins afresh.
  virtual void resume(State& state, const VectorX& /*a*/, double /*h*/) const { state.forget_history(); }
  /// The step tried last counts for what is said of them, taken or refused; steps on the way to an event and to a state in
  /// between do not.
  virtual void count_step() {}
  /// What a user should know of the steps so far, in words; empty: nothing.
  virtual std::string note() const { return {}; }
  /// Longer steps are not stable, as far as the last ones that count tell.
  virtual double stable_step() const { return std::numeric_limits<double>::infinity(); }
  /// What to change where steps are many or, with `failed`, none succeeds any more; empty: nothing.
  virtual std::string advice(bool /*failed*/) const { return {}; }
  /// What goes on in another one of its kind that takes its place: sums for notes, and what is not in the state.
  /// Tangents, factors and first guesses do not; they are made anew.
  virtual void archive(Archive&) {}
};

}  // namespace hooke
