#include "coupling/adapter/subsystem.h"

namespace hooke {

SubsystemParticipant::SubsystemParticipant(const Dae& dae, Subsystem subsystem,
                                           const StabilisedAlphaSettings& settings, int interpolation)
    : dae_(dae),
      subsystem_(std::move(subsystem)),
      interpolation_(interpolation),
      integrator_(dae, settings,
                  {subsystem_.own, [this](const State& from, double t, VectorX& x, VectorX& v) {
                     set_others(from, t, x, v);
                   }}) {
  for (int i = 0; i < dae.nv(); ++i) (subsystem_.own[i] ? own_ : others_).push_back(i);
  for (VectorX* v : {&x_end_, &v_end_, &rate_end_, &x_, &moved_}) v->setZero(dae.nv());
  q_.setZero(dae.nq());
}

void SubsystemParticipant::set_input(const VectorX& u) {
  const int n = static_cast<int>(others_.size());
  for (int k = 0; k < n; ++k) {
    x_end_[others_[k]] = u[k];
    v_end_[others_[k]] = u[n + k];  // times h
  }
}

Participant::Report SubsystemParticipant::advance(double h) {
  Report report;
  h_ = h;
  v_end_ /= h;
  dae_.inverse_tangent(x_end_, v_end_, rate_end_);
  for (int k = 0; k < subsystem_.steps; ++k) {
    const StepReport step = integrator_.step(state_, h / subsystem_.steps);
    report.iterations += step.iterations;
    report.factorizations += step.factorizations;
    ++report.steps;
    report.error += step.error;
    if (!step.accepted) {
      report.failure = step.failure;
      break;
    }
  }
  return report;
}

/// The others' entries of x, the way from `from`, and of v at time t.
void SubsystemParticipant::set_others(const State& from, double t, VectorX& x, VectorX& v) {
  const double s = (t - saved_.t) / h_;
  if (subsystem_.steps == 1) {
    x_ = x_end_;
    for (int i : others_) v[i] = v_end_[i];
  } else if (interpolation_ == 1) {
    x_ = s * x_end_;
    for (int i : others_) v[i] = (1 - s) * saved_.v[i] + s * v_end_[i];
  } else {  // as March::interpolate
    const double a = s * s * (3 - 2 * s), b = h_ * s * (1 - s) * (1 - s), c = h_ * s * s * (s - 1);
    x_ = a * x_end_ + b * saved_.v + c * rate_end_;
    // beta multiplies an error of v by 1/h, so it must be of third order: the cubic's own rate is not, since
    // x and v of a step agree to second order only.
    for (int i : others_) {
      const double change = h_ * saved_.a[i];
      v[i] = saved_.v[i] + s * change + s * s * (v_end_[i] - saved_.v[i] - change);
    }
  }
  dae_.plus(saved_.q, x_, q_);
  dae_.minus(q_, from.q, x_);
  for (int i : others_) x[i] = x_[i];
}

void SubsystemParticipant::output(VectorX& y) const {
  const int n = static_cast<int>(own_.size());
  dae_.minus(state_.q, saved_.q, moved_);
  for (int k = 0; k < n; ++k) {
    y[k] = moved_[own_[k]];
    y[n + k] = h_ * state_.v[own_[k]];
  }
}

}  // namespace hooke
