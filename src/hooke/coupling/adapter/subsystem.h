#pragma once
#include "hooke/coupling/adapter/excerpt.h"
#include "hooke/coupling/participant.h"
#include "hooke/coupling/settings.h"
#include "hooke/integrators/settings.h"
#include "hooke/integrators/stabilised_explicit.h"

namespace hooke {

/// Bodies of a model that are integrated together.
struct Subsystem {
  std::string name;
  std::vector<int> bodies;
  int steps = 1;  ///< in one macro step
  OdeMethod method = OdeMethod::implicit_alpha;
};

/// How the subsystems of a system are advanced and what they tell each other.
struct CouplingPlan {
  StabilisedAlphaSettings settings;
  double beta_h = 1;  ///< explicit methods: beta times the macro step
  CouplingSettings coupling;
  bool exchanges_stages = false;  ///< all take the same explicit step: then the values at its stages
};

/// A subsystem of a System as a participant, in the beta-stabilised form (integrators/stabilised_ode.h). It
/// evaluates its own bodies and the joints and forces on them; the rest are ghosts (ghost.h).
///
/// What goes out are, for each frame that a neighbour touches, in the coordinates of a rigid body there: x,
/// the increment since the beginning of the macro step, h v and h^2 a at its end. But they are given as they
/// would be if the neighbour exerted nothing: with w what it does exert,
///
///   a + A w                           response inertia: A = E M^-1 E^T, the paper's Delta is made of these
///   and x + b A w, v + (gamma h/m) A w   response step: A = m E C^-1 E^T, b = beta_N h^2/m
///
/// E turns increments of dofs into those of frames, M and C with the joints inside the subsystem. The
/// neighbour's ghost takes A w away again, with its own w. Whatever A is, both agree when the w do: A decides
/// only how soon. A joint to a third subsystem exerts what it did last.
///
/// Within a macro step the others' motion is interpolated: positions by the cubic through positions and
/// velocities at both ends, velocities by the parabola through both that begins with the known v', free
/// accelerations by a line; or all by lines. Where all subsystems take the same explicit step, they exchange
/// the values at all of its stages, so that what they find together is that step of the whole.
class SubsystemParticipant final : public Participant {
 public:
  SubsystemParticipant(const System& whole, const std::vector<int>& subsystem_of, int me,
                       const SystemWorkspace& at, Subsystem subsystem, const CouplingPlan& plan);

  const std::string& name() const override { return subsystem_.name; }
  int inputs() const override;
  int outputs() const override;
  void save() override { saved_ = state_; }
  void restore() override;
  void set_input(const VectorX& u) override;
  Report advance(double h) override;
  void output(VectorX& y) const override { y = output_; }
  std::string output_name(int i) const override;

  static constexpr int per_point = 18;
  /// Outputs of a frame: those at each point of the macro step that is exchanged.
  int per_frame() const { return per_point * static_cast<int>(told_.size()); }
  const Excerpt& excerpt() const { return excerpt_; }

  // --- a macro step begins
  /// How a frame that neighbours touch is and moves, in the coordinates of a rigid body there.
  struct CutFrame {
    FramePose pose;
    RigidRates motion;
  };
  /// The own part of the whole system's state; writes how the own frames are, in the order of the outputs.
  void load(const State& whole, CutFrame* frames);
  /// Puts the ghosts where their frames are; `from` has the number of each among all.
  void meet(const std::vector<CutFrame>& all, const std::vector<int>& from);
  /// The stabilising increment of the macro step, by the dofs here.
  void set_drift(const VectorX& drift) { drift_ = drift / subsystem_.steps; }
  const State& state() const { return state_; }
  SystemWorkspace& workspace() { return static_cast<SystemWorkspace&>(*workspace_); }
  /// Its bodies and multipliers into the whole's state, at the end of a macro step h. a is kept as that of
  /// the macro step: a smaller step's is moved.
  void store(State& whole, double h) const;
  void begin(double h);
  /// Finds how the frames that neighbours touch answer to wrenches on them, by themselves. False: they
  /// cannot.
  bool find_compliance();
  const MatrixX& compliance() const { return compliance_; }
  /// Where those of neighbour number n are in it.
  int first(int n) const { return answers_[n].first; }
  /// Of the joints to neighbour number n, what their rows are on the neighbour's frames.
  const MatrixX& rows(int n) const { return answers_[n].rows; }
  /// What A is for neighbour number n; returns A^-1, for its ghost of this.
  const MatrixX& set_answer(int n, const MatrixX& A);
  /// For the ghost of neighbour number n.
  void set_mass(int n, const MatrixX& mass);
  /// Outputs at the beginning, for who interpolates, and those expected at the end.
  void output_at_start(VectorX& y);
  void guess(double h, VectorX& y);
  void set_input_at_start(const VectorX& u);

 private:
  struct Answer {
    int first;
    MatrixX A, mass, rows;
  };
  /// Of the ghosts at a point of the macro step: increment since its beginning, velocity, free acceleration.
  struct Told {
    double s;  ///< the time, as a fraction of the macro step
    VectorX x, v, free;
  };
  bool is_explicit() const { return explicit_.has_value(); }
  void load_history(const VectorX& history);
  void guess_explicitly(VectorX& y);
  void read_input(const VectorX& u, int point, VectorX& x, VectorX& v, VectorX& free) const;
  const Told& told_at(double s);
  void place_ghosts(const State& from, VectorX& y, State& trial);
  void place_ghosts(int stage, State& trial);
  void write_output(const State& state, VectorX& y);
  void write_output(const State& state, SystemWorkspace& at, int point, VectorX& y) const;

  Subsystem subsystem_;
  StabilisedAlphaSettings settings_;
  AlphaParameters p_;
  bool step_response_, exchanges_stages_;
  int interpolation_;
  double length_;  // unit of lengths
  Excerpt excerpt_;
  std::vector<Told> told_;                   // at the points that are exchanged; the last one is the end
  std::optional<StabilisedAlpha> implicit_;  // one of these two
  std::optional<StabilisedExplicit> explicit_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  std::vector<Answer> answers_;  // by neighbour
  MatrixX E_t_, columns_, compliance_;
  State state_, saved_, guess_;
  std::vector<FramePose> start_;  // of the frames outputs are of
  double h_ = 0;                  // of the macro step
  Told start_told_, between_;     // at its beginning, and in between
  VectorX drift_, rate_end_, x_, q_, output_;
  VectorX last_lambda_;  // where the last macro step began, and when
  double last_t_ = 0, last_h_ = 0;
};

}  // namespace hooke
