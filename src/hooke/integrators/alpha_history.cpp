#include "hooke/integrators/alpha_history.h"

#include "hooke/integrators/newton_rule.h"

namespace hooke {
namespace {
constexpr double largest_start = 0.01;  // in dof units: as far as the first acceleration may carry in a step
}  // namespace

AlphaHistory::AlphaHistory(const Dae& dae, const AlphaParameters& parameters, const NewtonSettings& newton)
    : slices(dae, newton.team),
      dae_(dae),
      p_(parameters),
      shift_(parameters.alpha_m - parameters.alpha_f),
      error_constant_(parameters.error_constant()),
      drift_constant_(parameters.drift_constant()),
      projector_(dae, newton) {
  for (VectorX* v : {&a_old, &jerk_old, &a_new, &x_}) v->setZero(dae.nv());
}

const State& AlphaHistory::ready(const State& given, double h) {
  if (given.has_history()) return given;
  begin_.t = given.t;
  begin_.mode = given.mode;
  for (auto part : {&State::q, &State::v, &State::a, &State::lambda, &State::memory})
    begin_.*part = given.*part;
  projector_.accelerations(begin_);
  jerk_old.setZero();
  // A torque that meets the small inertia of a node starts it with an acceleration that lasts for a fraction of the
  // step, and over the whole of it would turn the node many times. The step begins with what it can follow.
  const double first = size_of(begin_.a, dae_);
  bool is_resolved = 0.5 * h * h * first <= largest_start;
  if (!is_resolved) {
    probe_ = begin_;
    if (projector_.resolved_accelerations(probe_, h) && size_of(probe_.a, dae_) < 0.5 * first)
      begin_.a = probe_.a, begin_.lambda = probe_.lambda;
    else
      is_resolved = true;
  }
  if (shift_ != 0 && is_resolved) {  // the rate of v' from a small explicit step
    const double ahead = 0.1 * h;
    probe_ = begin_;
    probe_.t += ahead;
    x_ = ahead * begin_.v + 0.5 * ahead * ahead * begin_.a;
    dae_.plus(begin_.q, x_, probe_.q);
    probe_.v += ahead * begin_.a;
    projector_.accelerations(probe_);
    jerk_old = (probe_.a - begin_.a) / ahead;
    // A stiff mode that starts out of balance changes v' faster than the step can follow. Its rate is no
    // basis for an extrapolation.
    const double size = begin_.a.cwiseQuotient(dae_.dof_scale()).norm();
    const double growth = h * jerk_old.cwiseQuotient(dae_.dof_scale()).norm();
    if (growth > size) jerk_old *= size / growth;
  }
  begin_.history.resize(2 * dae_.nv() + 1);
  begin_.history << begin_.a + shift_ * h * jerk_old, jerk_old, h;
  return begin_;
}

void AlphaHistory::resume(State& state, const VectorX& a, double h) const {
  state.a = a;
  state.history.setZero(2 * dae_.nv() + 1);
  state.history.head(dae_.nv()) = a;
  state.history[2 * dae_.nv()] = h;
}

void AlphaHistory::load(const State& state, double h) {
  const int n = static_cast<int>(a_old.size());
  slices.each([&](const Slice& s) {
    s.of_dofs(jerk_old) = s.of_dofs(state.history.segment(n, n));
    s.of_dofs(a_old) = s.of_dofs(state.history) + shift_ * (h - state.history[2 * n]) * s.of_dofs(jerk_old);
  });
}

void AlphaHistory::predict(const State& from, double h, State& trial, VectorX& x, bool again) {
  load(from, h);
  trial.t = from.t + h;
  trial.memory = from.memory;
  trial.mode = from.mode;
  for (auto part : {&State::v, &State::a, &State::lambda, &State::history})
    (trial.*part).resize((from.*part).size());
  slices.each([&](const Slice& s) {
    const auto v = s.of_dofs(from.v);
    const auto old = s.of_dofs(a_old);
    auto a = s.of_dofs(a_new);
    if (!again) a = old + h * s.of_dofs(jerk_old);
    s.of_dofs(x) = h * v + h * h * ((0.5 - p_.beta) * old + p_.beta * a);
    s.of_dofs(trial.v) = v + h * ((1 - p_.gamma) * old + p_.gamma * a);
    s.of_dofs(trial.a) =
        ((1 - p_.alpha_m) * a + p_.alpha_m * old - p_.alpha_f * s.of_dofs(from.a)) / (1 - p_.alpha_f);
    s.of_rows(trial.lambda) = s.of_rows(from.lambda);
  });
}

void AlphaHistory::correct(double h, const VectorX& dx, State& trial, VectorX& x, const Slice& s) {
  const double scale = p_.beta * h * h;
  const auto step = s.of_dofs(dx);
  s.of_dofs(x) += step;
  s.of_dofs(a_new) += step / scale;
  s.of_dofs(trial.v) += (p_.gamma / (p_.beta * h)) * step;
  s.of_dofs(trial.a) += ((1 - p_.alpha_m) / (1 - p_.alpha_f) / scale) * step;
}

double AlphaHistory::local_error(double h) const {
  return h * h * slices.largest([&](const Slice& s) {
    return (error_constant_ * (s.of_dofs(a_new) - s.of_dofs(a_old)).cwiseAbs() +
            drift_constant_ * s.of_dofs(a_new).cwiseAbs())
        .cwiseQuotient(s.of_dofs(dae_.dof_scale()))
        .template lpNorm<Eigen::Infinity>();
  });
}

void AlphaHistory::accept(double h, State& trial, State& state) const {
  const int n = static_cast<int>(a_new.size());
  slices.each([&](const Slice& s) {
    s.of_dofs(trial.history) = s.of_dofs(a_new);
    s.of_dofs(trial.history.segment(n, n)) = (s.of_dofs(a_new) - s.of_dofs(a_old)) / h;
  });
  trial.history[2 * n] = h;
  state.history.resize(trial.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial);
}

}  // namespace hooke
