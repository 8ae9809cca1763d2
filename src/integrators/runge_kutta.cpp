#include "integrators/runge_kutta.h"

namespace hooke {
namespace {
constexpr double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
constexpr double a[7][6] = {
    {},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
// fifth minus fourth order weights
constexpr double e[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
}  // namespace

DormandPrince::DormandPrince(const Dae& dae, const NewtonSettings& settings)
    : dae_(dae), projector_(dae, settings), x_(dae.nv()), v_(dae.nv()), error_(dae.nv()) {
  for (auto& k : dx_) k.setZero(dae.nv());
  for (auto& k : dv_) k.setZero(dae.nv());
}

bool DormandPrince::evaluate(int stage) {
  dae_.inverse_tangent(x_, trial_.v, dx_[stage]);
  // Stages lie a little off the constraints. Redundant rows then contradict each other a little, and next to
  // a singular position the accelerations that obey all rows run away: what the regularisation leaves is the
  // better answer, and the error estimate sees what it is worth.
  const Projector::Result result = projector_.accelerations(trial_);
  if (!result.converged && !(result.unsettled < 0.1)) return false;
  dv_[stage] = trial_.a;
  return trial_.a.allFinite();
}

StepReport DormandPrince::step(State& state, double h) {
  StepReport report;
  report.iterations = stages - 1;
  report.factorizations = stages;
  trial_ = state;
  x_.setZero();
  if (state.history.size() == 0) {  // a is not known at the start
    if (!evaluate(0)) {
      report.failure = "no consistent accelerations at the start";
      return report;
    }
  } else {
    dx_[0] = state.v;
    dv_[0] = state.a;
  }
  for (int i = 1; i < stages; ++i) {
    x_.setZero();
    v_.setZero();
    for (int j = 0; j < i; ++j) {
      x_ += h * a[i][j] * dx_[j];
      v_ += h * a[i][j] * dv_[j];
    }
    trial_.t = state.t + c[i] * h;
    dae_.plus(state.q, x_, trial_.q);
    trial_.v = state.v + v_;
    if (i == stages - 1 &&
        !(projector_.positions(trial_).converged && projector_.velocities(trial_).converged)) {
      report.failure = "the step could not be brought back onto the constraints";
      return report;
    }
    if (!evaluate(i)) {
      report.failure = "the accelerations are not determined (singular or not finite)";
      return report;
    }
  }
  error_.setZero();
  v_.setZero();
  for (int i = 0; i < stages; ++i) {
    error_ += h * e[i] * dx_[i];
    v_ += h * e[i] * dv_[i];
  }
  report.error = std::max(error_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>(),
                          h * v_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>());
  dae_.accept(trial_, projector_.workspace());
  trial_.history.setOnes(1);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

}  // namespace hooke
