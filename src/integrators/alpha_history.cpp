#include "integrators/alpha_history.h"

namespace hooke {

AlphaHistory::AlphaHistory(const Dae& dae, const AlphaParameters& parameters, const NewtonSettings& newton)
    : dae_(dae),
      p_(parameters),
      shift_(parameters.alpha_m - parameters.alpha_f),
      error_constant_(parameters.error_constant()),
      projector_(dae, newton) {
  for (VectorX* v : {&a_old, &jerk_old, &a_new, &x_}) v->setZero(dae.nv());
}

const State& AlphaHistory::ready(const State& given, double h) {
  if (given.history.size() > 0) return given;
  begin_ = given;
  projector_.accelerations(begin_);
  jerk_old.setZero();
  if (shift_ != 0) {  // the rate of v' from a small explicit step
    const double ahead = 0.1 * h;
    probe_ = begin_;
    probe_.t += ahead;
    x_ = ahead * begin_.v + 0.5 * ahead * ahead * begin_.a;
    dae_.plus(begin_.q, x_, probe_.q);
    probe_.v += ahead * begin_.a;
    projector_.accelerations(probe_);
    jerk_old = (probe_.a - begin_.a) / ahead;
    // A stiff mode that starts out of balance changes v' faster than the step can follow: nothing to
    // extrapolate.
    const double size = begin_.a.cwiseQuotient(dae_.dof_scale()).norm();
    const double growth = h * jerk_old.cwiseQuotient(dae_.dof_scale()).norm();
    if (growth > size) jerk_old *= size / growth;
  }
  begin_.history.resize(2 * dae_.nv() + 1);
  begin_.history << begin_.a + shift_ * h * jerk_old, jerk_old, h;
  return begin_;
}

void AlphaHistory::load(const State& state, double h) {
  const int n = dae_.nv();
  jerk_old = state.history.segment(n, n);
  a_old = state.history.head(n) + shift_ * (h - state.history[2 * n]) * jerk_old;
}

void AlphaHistory::predict(const State& from, double h, State& trial, VectorX& x, bool again) {
  load(from, h);
  if (!again) a_new = a_old + h * jerk_old;
  trial = from;
  trial.t += h;
  x = h * from.v + h * h * ((0.5 - p_.beta) * a_old + p_.beta * a_new);
  trial.v = from.v + h * ((1 - p_.gamma) * a_old + p_.gamma * a_new);
  trial.a = ((1 - p_.alpha_m) * a_new + p_.alpha_m * a_old - p_.alpha_f * from.a) / (1 - p_.alpha_f);
}

void AlphaHistory::correct(double h, const VectorX& dx, State& trial, VectorX& x) {
  const double scale = p_.beta * h * h;
  x += dx;
  a_new += dx / scale;
  trial.v += (p_.gamma / (p_.beta * h)) * dx;
  trial.a += ((1 - p_.alpha_m) / (1 - p_.alpha_f) / scale) * dx;
}

void AlphaHistory::accept(double h, State& trial, State& state) const {
  trial.history << a_new, (a_new - a_old) / h, h;
  state.history.resize(trial.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial);
}

}  // namespace hooke
