#pragma once
#include "hooke/coupling/adapter/excerpt.h"
#include "hooke/coupling/participant.h"
#include "hooke/integrators/projector.h"
#include "hooke/system/system.h"

/// Subsystems of a Hooke model as participants of a force-displacement coupling
/// (coupling/force_displacement.h), cut out of the whole (excerpt.h).
///
/// The forced side has nothing where it is cut but the reaction as a load on its frame (13). The displaced
/// side has what was cut, and the frame beyond it moves as the other side's does. A joint is then a
/// constraint that depends on time (16)-(19), a spring, bushing or friction a force that does; any integrator
/// can take both. The reaction is what they exert on the driven frame, together. A force shows no mass there:
/// B = 0, and w = w_F.
namespace hooke {

/// What a side is made of; its system reads the courses by itself.
struct CouplingSide {
  std::string name;
  Excerpt excerpt;
  NewtonSettings newton;
  std::unique_ptr<Integrator> integrator;
  int steps = 1;                    ///< in a macro step
  std::optional<double> tolerance;  ///< of the local error: as many steps as it takes
};

/// What both kinds share: micro steps over a macro step.
class SystemParticipant : public Participant {
 public:
  const std::string& name() const override { return side_.name; }
  int inputs() const override { return static_cast<int>(input_.size()); }
  int outputs() const override { return static_cast<int>(output_.size()); }
  void save() override { saved_ = state_; }
  void restore() override { state_ = saved_; }
  void output(VectorX& y) const override { y = output_; }
  std::string output_name(int i) const override;

  const System& system() const { return *side_.excerpt.system; }
  const Excerpt& excerpt() const { return side_.excerpt; }
  State& state() { return state_; }
  void archive(auto& a) { a(state_, input_, output_, next_size_); }

 protected:
  SystemParticipant(CouplingSide side, int outputs_each);
  Report integrate(double h);
  /// Accelerations and reactions at the state.
  bool accelerate();

  CouplingSide side_;
  State state_, saved_;
  Projector projector_;
  VectorX input_, output_;

 private:
  std::string integrate_controlled(double h, Report& report);

  int outputs_each_;
  double next_size_ = 0;
  State before_;
};

/// From reactions to motions.
class ForcedSide final : public SystemParticipant {
 public:
  explicit ForcedSide(CouplingSide side);
  void set_input(const VectorX& u) override;
  void set_course(const MatrixX& course) override;
  Report advance(double h) override;

 private:
  VectorX g_;
};

/// From motions to reactions. At a macro point it is brought onto pose and twist by the mass-orthogonal
/// projection, which leaves the motion that is mass-orthogonal to the joint as it is: in such coordinates
/// M_F^ic = 0, so that nothing is lost when velocities are corrected, whatever the mass matrix.
class DisplacedSide final : public SystemParticipant {
 public:
  explicit DisplacedSide(CouplingSide side);
  void set_input(const VectorX& u) override;
  void set_course(const MatrixX& course) override;
  Report advance(double h) override;
  void save() override;
  void restore() override;

  /// Of a state that the workspace is up to date with: the wrench on each frame outside, 6 rows each.
  void reactions(const State& state, const SystemWorkspace& workspace, VectorX& w) const;
  /// B_co: the mass that its nodes at the joints alone show there, 6 rows for each frame.
  MatrixX joint_mass();

 private:
  bool project();

  bool is_placed_ = false;  // on pose and twist of the input
};

}  // namespace hooke
