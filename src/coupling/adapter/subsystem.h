#pragma once
#include "coupling/participant.h"
#include "integrators/stabilised_ode.h"

namespace hooke {

/// Bodies of a model that are integrated together.
struct Subsystem {
  std::string name;
  std::vector<char> own;  ///< 1 for the dofs of its bodies
  int steps = 1;          ///< in one macro step
};

/// A subsystem of a Dae as a participant, in the beta-stabilised form (integrators/stabilised_ode.h).
///
/// It exchanges increments of q since the beginning of the macro step and h v at its end, of all dofs: its
/// own go out, the others' come in, each in the order of the dofs. The constraints' multipliers depend on all
/// of them, so it evaluates the whole system, but integrates its own part only. Within a macro step the
/// others' motion is interpolated: positions by the cubic through positions and velocities at both ends,
/// velocities by the parabola through both that begins with the known v'; or both by straight lines.
class SubsystemParticipant final : public Participant {
 public:
  SubsystemParticipant(const Dae& dae, Subsystem subsystem, const StabilisedAlphaSettings& settings,
                       int interpolation);

  const std::string& name() const override { return subsystem_.name; }
  int inputs() const override { return 2 * static_cast<int>(others_.size()); }
  int outputs() const override { return 2 * static_cast<int>(own_.size()); }
  void save() override { saved_ = state_; }
  void restore() override { state_ = saved_; }
  void set_input(const VectorX& u) override;
  Report advance(double h) override;
  void output(VectorX& y) const override;
  std::string output_name(int i) const override { return dae_.dof_name(own_[i % own_.size()]); }

  const std::vector<int>& own() const { return own_; }
  const std::vector<int>& others() const { return others_; }
  int steps() const { return subsystem_.steps; }
  /// Where a macro step begins: the whole system's state.
  void load(const State& state) { state_ = state; }
  const State& state() const { return state_; }

 private:
  void set_others(const State& from, double t, VectorX& x, VectorX& v);

  const Dae& dae_;
  Subsystem subsystem_;
  int interpolation_;
  std::vector<int> own_, others_;
  StabilisedAlpha integrator_;
  State state_, saved_;
  double h_ = 0;           // of the macro step
  VectorX x_end_, v_end_;  // the others' at its end; own: zero
  VectorX rate_end_;       // of x at the end
  VectorX x_, q_;
  mutable VectorX moved_;
};

}  // namespace hooke
