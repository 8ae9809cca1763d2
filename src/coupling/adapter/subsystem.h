#pragma once
#include "coupling/adapter/piece.h"
#include "coupling/participant.h"
#include "coupling/settings.h"
#include "integrators/stabilised_ode.h"

namespace hooke {

/// Bodies of a model that are integrated together.
struct Subsystem {
  std::string name;
  std::vector<int> bodies;
  int steps = 1;  ///< in one macro step
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
/// accelerations by a line; or all by lines.
class SubsystemParticipant final : public Participant {
 public:
  SubsystemParticipant(const System& whole, const std::vector<int>& part_of, int me,
                       const SystemWorkspace& at, Subsystem subsystem,
                       const StabilisedAlphaSettings& settings, const CouplingSettings& coupling);

  const std::string& name() const override { return subsystem_.name; }
  int inputs() const override;
  int outputs() const override;
  void save() override { saved_ = state_; }
  void restore() override;
  void set_input(const VectorX& u) override;
  Report advance(double h) override;
  void output(VectorX& y) const override { y = output_; }
  std::string output_name(int i) const override;

  static constexpr int per_frame = 18;
  const Piece& piece() const { return piece_; }
  int steps() const { return subsystem_.steps; }
  const State& state() const { return state_; }

  // --- a macro step begins
  /// The whole system's state, its frames there, and the stabilising increment of the macro step.
  void load(const State& whole, const SystemWorkspace& at, const VectorX& drift);
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
  void place_ghosts(const State& from, VectorX& y, State& trial);
  void write_output(const State& state, VectorX& y);
  void read_input(const VectorX& u, VectorX& x, VectorX& v, VectorX& free) const;

  Subsystem subsystem_;
  StabilisedAlphaSettings settings_;
  AlphaParameters p_;
  bool step_response_;
  int interpolation_;
  double length_;  // unit of lengths
  Piece piece_;
  StabilisedAlpha integrator_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  std::unique_ptr<NewtonSolver> solver_;
  std::vector<Answer> answers_;  // by neighbour
  MatrixX E_t_, columns_, compliance_;
  State state_, saved_, guess_;
  std::vector<FramePose> start_;  // of the frames outputs are of
  double h_ = 0;                  // of the macro step
  VectorX drift_, x_end_, v_end_, free_start_, free_end_, rate_end_, x_, q_, output_;
  VectorX last_lambda_;  // where the last macro step began, and when
  double last_t_ = 0, last_h_ = 0;
};

}  // namespace hooke
