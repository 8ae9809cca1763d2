#pragma once
#include "hooke/coupling/adapter/frame_course.h"
#include "hooke/coupling/participant.h"
#include "hooke/integrators/projector.h"
#include "hooke/system/system.h"

/// Parts of a Hooke model as participants of a force-displacement coupling (coupling/force_displacement.h).
///
/// The forced side has no joint where it is cut, but the joint's reaction as a load on its frame (13). The
/// displaced side has the joint, and the frame beyond it moves as the other side's does: a constraint that
/// depends on time (16)-(19), which any integrator can take.
namespace hooke {

/// What a side is made of; its system reads the courses by itself.
struct CouplingSide {
  struct Interface {
    int frame;            ///< that is loaded, or driven
    int constraint = -1;  ///< of a displaced side: the joint, and which of its frames is driven
    int side = 0;
  };
  std::string name;
  std::unique_ptr<System> system;
  std::vector<Interface> interfaces;
  std::vector<std::shared_ptr<WrenchCourse>> wrenches;  ///< one for each interface, of a forced side
  std::vector<std::shared_ptr<FrameCourse>> motions;    ///< likewise, of a displaced one
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

  const System& system() const { return *side_.system; }
  const CouplingSide& side() const { return side_; }
  State& state() { return state_; }

 protected:
  SystemParticipant(CouplingSide side, int inputs_each, int outputs_each);
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
  explicit ForcedSide(CouplingSide side) : SystemParticipant(std::move(side), 6, frame_motions) {}
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
  explicit DisplacedSide(CouplingSide side) : SystemParticipant(std::move(side), frame_motions, 6) {}
  void set_input(const VectorX& u) override;
  void set_course(const MatrixX& course) override;
  Report advance(double h) override;
  void save() override;
  void restore() override;

  /// B_co: the mass that its nodes at the joints alone show there, 6 rows for each frame.
  MatrixX joint_mass();

 private:
  bool project();

  bool is_placed_ = false;  // on pose and twist of the input
};

}  // namespace hooke
