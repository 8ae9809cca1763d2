#include "hooke/analysis/kinematics.h"

namespace hooke {

StepReport KinematicMotion::step(State& state, double h) {
  StepReport report{.iterations = 1};
  trial_ = state;
  trial_.t += h;
  x_ = h * state.v + 0.5 * h * h * state.a;
  dae_.plus(state.q, x_, trial_.q);
  if (const auto result = projector_.positions(trial_); !result.converged || result.violation > 1e-7) {
    report.failure = "the drives ask for a position that the joints cannot reach (or a dead centre)";
    return report;
  }
  if (!projector_.velocities(trial_).converged || !projector_.accelerations(trial_).converged) {
    report.failure = "the position is a dead centre: velocities or accelerations are not determined";
    return report;
  }
  dae_.accept(trial_, projector_.workspace());
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

}  // namespace hooke
