#pragma once
#include "hooke/coupling/adapter/coupling_side.h"
#include "hooke/integrators/alpha_parameters.h"

/// Subsystems of a Hooke model as participants of a multirate coupling (coupling/multirate.h). Their integrators go on
/// over macro points: nothing jumps there but accelerations of the course, which no integrator here looks at.
namespace hooke {

/// What a step of the alpha family makes of a load. It sees the values at the ends, w_0 and w_1; its velocities change by the
/// mean that its algorithmic accelerations see:
///
///   (1 - alpha_m) l_1 + alpha_m l_0 = (1 - alpha_f) w_1 + alpha_f w_0,    mean = (1 - gamma) l_0 + gamma l_1
struct AlphaLoad {
  AlphaParameters p;
  VectorX w, l;

  void begin(const VectorX& start) { w = l = start; }
  /// A step with this value at its end; returns the mean.
  const VectorX& step_to(const VectorX& end);
  /// A step with this mean; w is then the value at its end.
  void step_with(const VectorX& mean);
  void archive(auto& a) { a(w, l); }

 private:
  VectorX next_, mean_;
};

/// A frame's motion as numbers: place, quaternion, twist. A cubic has those of both ends.
constexpr int frame_ends = frame_positions + frame_rates;

/// From mean reactions to motions: the side with one step in a macro step.
class CoarseSide final : public SystemParticipant {
 public:
  CoarseSide(CouplingSide side, const AlphaParameters& p);
  /// The macro step h begins with these reactions on its frames.
  void begin(const VectorX& w, double h);
  void save() override;
  void restore() override;
  void set_input(const VectorX& mean) override { input_ = mean; }
  Report advance(double h) override;
  /// Its frames as they are.
  void write_motions();
  void archive(auto& a) {
    SystemParticipant::archive(a);
    a(load_);
  }

 private:
  AlphaParameters p_;
  AlphaLoad load_, saved_load_;
};

/// From motions to mean reactions: the side with many steps. It keeps the states of its last macro step.
class FineSide final : public SystemParticipant {
 public:
  FineSide(CouplingSide side, const AlphaParameters& p);
  /// From these motions and reactions of its frames outside.
  void begin(const VectorX& motions, const VectorX& w);
  void save() override;
  void restore() override;
  void set_input(const VectorX& motions) override { input_ = motions; }
  Report advance(double h) override;
  /// At a time within the last macro step, interpolated between its own steps.
  const State& state_at(double t);
  void archive(auto& a) {
    SystemParticipant::archive(a);
    a(load_);
  }

 private:
  void lay_course(double h);
  void find_reactions();

  AlphaLoad load_, saved_load_;
  VectorX start_, w_;          // motions at the start of the macro step; reactions
  std::vector<State> states_;  // of the last macro step, at its start and after each step
  State between_;
  VectorX x_, rate_;
};

}  // namespace hooke
