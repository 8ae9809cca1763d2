#pragma once
#include "hooke/integrators/alpha_parameters.h"
#include "hooke/integrators/projector.h"
#include "hooke/integrators/slices.h"

namespace hooke {

/// What a member of the alpha family carries from step to step besides the state: the algorithmic
/// acceleration a_n, its rate and the step they are of, in State::history.
///
/// a_n approximates v' at t_n + (alpha_m - alpha_f) h, so it starts there and is moved when h changes:
/// Arnold, Bruls, Cardona, Numer. Math. 129 (2015).
class AlphaHistory {
 public:
  AlphaHistory(const Dae& dae, const AlphaParameters& parameters, const NewtonSettings& newton);

  /// A state with a history: the one given, or a copy of it with consistent a and lambda that starts one.
  const State& ready(const State& given, double h);
  /// Starts a history with v'_n = a_n = a.
  void resume(State& state, const VectorX& a, double h) const;
  /// Reads a_n and its rate for a step h.
  void load(const State& state, double h);
  /// Reads them and predicts x and the trial state, all but its q, from a_{n+1} extrapolated; or, `again`,
  /// from the one there is.
  void predict(const State& from, double h, State& trial, VectorX& x, bool again = false);
  /// Moves x by dx, and v, v' and a_{n+1} with it.
  void correct(double h, const VectorX& dx, State& trial, VectorX& x) {
    slices.each([&](const Slice& slice) { correct(h, dx, trial, x, slice); });
  }
  void correct(double h, const VectorX& dx, State& trial, VectorX& x, const Slice& slice);
  /// The trial state becomes the state, with a_{n+1} and its rate.
  void accept(double h, State& trial, State& state) const;
  /// Of x in this step, v'' taken from the change of a; its size in dof units.
  void local_error(double h, VectorX& error) const {
    error = h * h * (error_constant_ * (a_new - a_old).cwiseAbs() + drift_constant_ * a_new.cwiseAbs());
  }
  double local_error(double h) const;

  VectorX a_old, jerk_old, a_new;
  const Slices slices;

 private:
  const Dae& dae_;
  AlphaParameters p_;
  double shift_, error_constant_, drift_constant_;  // shift: alpha_m - alpha_f
  Projector projector_;
  State begin_, probe_;
  VectorX x_;
};

}  // namespace hooke
