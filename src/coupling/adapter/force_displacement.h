#pragma once
#include "coupling/adapter/coupling_signal.h"
#include "coupling/force_displacement_settings.h"
#include "integrators/projector.h"
#include "system/system.h"

/// Co-simulation of two sides of a mechanism that are held together by joints: Schneider, Burger, Arnold,
/// Simeon, "A new approach for force-displacement co-simulation using kinematic coupling constraints", ZAMM
/// 97 (2017). Numbers of equations are the paper's.
///
/// The forced side (R, the multibody system) has no joint where it is cut, but the joint's reaction w as a
/// load on its frame (13). The displaced side (F, the flexible structure) has the joint, and the frame beyond
/// it moves as R's does: a constraint that depends on time (16)-(19), which any integrator can take. Over a
/// macro step both follow extrapolated inputs; at its end
///
///   R tells the frame's pose, twist and acceleration a = alpha + A w, alpha being that without reaction,
///   F is brought onto pose and twist by the mass-orthogonal projection, and tells w = w_F - B a.
///
/// B is the mass that F shows at the joint. With B = B_F, all of F, the w that agrees with R's acceleration
/// is that of the whole system (11); with the mass of the nodes at the joint alone, B = B_co, that of (22),
/// where inner accelerations answer to the extrapolated a~; with B = 0 it is (23), all from a~:
///
///   (I + B A) w = w_F - B_F a~ + B (a~ - alpha)
///
/// The projection leaves the motion that is mass-orthogonal to the joint as it is. In such coordinates M_F^ic
/// = 0, so that nothing is lost when velocities are corrected at macro points, whatever the mass matrix.
namespace hooke {

/// A side of the coupling, made ready: its system reads the signals by itself.
struct CouplingSide {
  struct Interface {
    int frame;            ///< that is loaded, or driven
    int constraint = -1;  ///< of the displaced side: the joint, and which of its frames is driven
    int side = 0;
  };
  std::string name;
  std::unique_ptr<System> system;
  std::vector<Interface> interfaces;  ///< one for each signal
  NewtonSettings newton;
  std::unique_ptr<Integrator> integrator;
  int steps = 1;                    ///< in a macro step
  std::optional<double> tolerance;  ///< of the local error: as many steps as it takes
};

/// A side with its state and what it answers.
class CouplingSideRun {
 public:
  explicit CouplingSideRun(CouplingSide side);

  /// Over a macro step; returns why it failed, or nothing.
  std::string advance(double h, StepReport& report);
  /// Onto what the joints and signals demand, at the present time.
  bool project();
  /// Accelerations and reactions at the state.
  bool accelerate();

  /// Of the forced side: how its frames move. Uses the accelerations last found.
  void motions(std::vector<FrameMotion>& result);
  /// Of the displaced side: reactions on the other side's frames, one after the other. Likewise.
  void reactions(VectorX& w);
  /// Of the displaced side: the mass that its nodes at the joints alone show there, 6 rows for each frame.
  MatrixX joint_mass();

  CouplingSide side;
  State state;
  double seconds = 0;

 private:
  std::string advance_controlled(double h, StepReport& report);

  Projector projector_;
  double next_size_ = 0;
  State before_;
  VectorX g_;
};

/// The macro step as an integrator of the whole system, whose states it puts together from the sides'.
class ForceDisplacement final : public Integrator {
 public:
  ForceDisplacement(const System& whole, CouplingSide forced, CouplingSide displaced,
                    std::shared_ptr<std::vector<CouplingSignal>> signals,
                    const ForceDisplacementSettings& settings);
  std::string_view name() const override { return "force-displacement"; }
  int order() const override { return 1; }
  StepReport step(State& state, double h) override;
  std::string note() const override;

  /// Starts afresh from a state of the whole, as the first step does; false: there are no reactions.
  bool begin(const State& state);
  /// Largest distance, m, between the frames of both sides at the end of a macro step, before it is closed.
  double gap() const { return gap_; }
  CouplingSideRun& forced() { return forced_; }
  CouplingSideRun& displaced() { return displaced_; }
  const std::vector<CouplingSignal>& signals() const { return *signals_; }
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  bool find_motions();
  void push_motions(double t);
  void extrapolate_accelerations(double t);
  void note_gap(double t);
  bool exchange(CouplingForces forces);
  bool find_response();
  bool find_mass(CouplingForces forces, const VectorX& at_guess);
  void hold_motions(const VectorX& accelerations);
  void release();
  void scatter(const State& state);
  void gather(State& state);

  const System& whole_;
  CouplingSideRun forced_, displaced_;
  std::shared_ptr<std::vector<CouplingSignal>> signals_;
  ForceDisplacementSettings settings_;
  std::unique_ptr<Workspace> workspace_;
  struct Copy {
    CouplingSideRun* side;
    int from, to, count;
  };
  std::vector<Copy> positions_, velocities_, rows_;
  double t_ = std::numeric_limits<double>::quiet_NaN();  // of the last macro point

  std::vector<FrameMotion> motions_, answers_;
  VectorX guess_, alpha_, w_, answer_;  // a~, alpha, w
  MatrixX A_, B_;
  double gap_ = 0, exchange_seconds_ = 0;
  State forced_before_, displaced_before_, before_;
  std::vector<CouplingSignal> signals_before_;
};

}  // namespace hooke
