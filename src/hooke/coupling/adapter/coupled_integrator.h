#pragma once
#include "hooke/coupling/adapter/drift_in_parts.h"
#include "hooke/coupling/adapter/subsystem.h"
#include "hooke/coupling/relaxation.h"

namespace hooke {

/// Subsystems of a system, each integrated by itself, are iterated over every step until they agree
/// (relaxation.h): Zhou, Ren, Masarati (2022), section 4.
///
/// A step of this integrator is the macro step. Where each subsystem takes one step in it, all with the same
/// method, what they agree on is the step of the whole, wherever the cuts are: that of `StabilisedAlpha`, or
/// of `StabilisedExplicit` with an explicit method. Where some take several, or another method, they
/// interpolate what they are told of the others. A macro step that does not converge fails; March repeats it
/// with half its size.
class CoupledIntegrator final : public Integrator {
 public:
  CoupledIntegrator(const System& system, std::vector<Subsystem> subsystems,
                    const StabilisedAlphaSettings& settings, const CouplingSettings& coupling,
                    std::shared_ptr<Team> team = nullptr, double beta_h = 1);
  std::string_view name() const override { return "stabilised-ode"; }
  int order() const override { return 2; }
  InBetween in_between() const override { return InBetween::interpolate; }
  bool has_accelerations() const override { return false; }
  StepReport step(State& state, double h) override;
  std::string note() const override;
  void archive(Archive& a) override { a(*relaxation_); }

  const Relaxation& relaxation() const { return *relaxation_; }

 private:
  /// Constraints between two subsystems, and the number of each as the other's neighbour.
  struct Cut {
    std::array<int, 2> subsystem, neighbour;
    int rows, first;
  };
  CouplingPlan plan(const std::vector<Subsystem>& subsystems, const StabilisedAlphaSettings& settings,
                    const CouplingSettings& coupling, double beta_h);
  const State& ready(const State& state, double h);
  bool begin(const State& from, double h);
  bool renew_answers();
  void answer(int viewer);
  void for_each_subsystem(auto&& work);
  const MatrixX& rows_on(const Cut& cut, int subsystem) const;
  void gather(const State& from, double h);
  SubsystemParticipant::CutFrame* frames_of(int p) {
    return &frames_[offsets_[p] / subsystems_[p]->per_frame()];
  }

  const System& system_;
  AlphaParameters p_;
  std::optional<double> beta_;
  AlphaHistory history_;
  std::unique_ptr<Projector> projector_;  // explicit steps
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::unique_ptr<SubsystemParticipant>> subsystems_;
  std::vector<std::vector<int>> sources_;               // by subsystem: where its inputs are in Y
  std::vector<int> offsets_;                            // of the subsystems' outputs in Y
  std::vector<SubsystemParticipant::CutFrame> frames_;  // of all, in the order of Y
  std::vector<std::vector<int>> met_;                   // by subsystem: its ghosts' frames among them
  std::vector<VectorX> inputs_, outputs_;
  std::vector<Cut> cuts_;
  int cut_rows_ = 0;
  MatrixX S_, P_, Q_, A_;
  std::vector<char> is_known_;  // by subsystem: its compliance
  bool is_stale_ = true;        // how subsystems answer
  double answered_h_ = 0;       // what that is of
  int fresh_iterations_ = 0;    // of the step after it was found
  int wasted_ = 0;              // more than that, since then
  bool interpolates_ = false;   // some subsystem must know what happens within a step
  bool is_explicit_ = false;    // all of them
  double beta_h_;
  State start_;  // of an explicit step whose accelerations are not known
  std::shared_ptr<Team> team_;
  std::unique_ptr<Relaxation> relaxation_;
  State trial_;
  std::unique_ptr<DriftInParts> drift_;
  VectorX Y_;
};

}  // namespace hooke
