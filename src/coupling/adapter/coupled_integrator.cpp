#include "coupling/adapter/coupled_integrator.h"

#include <fmt/format.h>

namespace hooke {

CoupledIntegrator::CoupledIntegrator(const Dae& dae, std::vector<Subsystem> subsystems,
                                     const StabilisedAlphaSettings& settings,
                                     const CouplingSettings& coupling, std::shared_ptr<Team> team)
    : dae_(dae),
      p_(settings.parameters),
      history_(dae, settings.parameters, settings.newton),
      workspace_(dae.workspace()) {
  std::vector<int> place(2 * dae.nv());  // in Y, of each dof's x and h v
  int entries = 0;
  for (Subsystem& subsystem : subsystems) {
    parts_.push_back(
        std::make_unique<SubsystemParticipant>(dae, std::move(subsystem), settings, coupling.interpolation));
    for (const int i : parts_.back()->own()) place[i] = entries++;
    for (const int i : parts_.back()->own()) place[dae.nv() + i] = entries++;
  }
  std::vector<Participant*> participants;
  std::vector<std::vector<int>> sources;
  for (const auto& part : parts_) {
    participants.push_back(part.get());
    std::vector<int>& from = sources.emplace_back();
    for (const int i : part->others()) from.push_back(place[i]);
    for (const int i : part->others()) from.push_back(place[dae.nv() + i]);
  }
  for (VectorX* v : {&x_, &v_}) v->setZero(dae.nv());
  Y_.setZero(2 * dae.nv());
  VectorX scale(2 * dae.nv());
  for (int i = 0; i < dae.nv(); ++i) scale[place[i]] = scale[place[dae.nv() + i]] = dae.dof_scale()[i];
  relaxation_ = std::make_unique<Relaxation>(std::move(participants), std::move(sources), std::move(scale),
                                             coupling, std::move(team));
}

StepReport CoupledIntegrator::step(State& state, double h) {
  StepReport report;
  const State& from = history_.ready(state, h);
  for (const auto& part : parts_) part->load(from);
  guess(from, h);
  const Relaxation::Report& coupled = relaxation_->step(Y_, h);
  for (const Participant::Report& part : coupled.last) {
    report.iterations += part.iterations;
    report.factorizations += part.factorizations;
    report.error = std::max(report.error, part.error);
  }
  if (!coupled.converged) {
    report.failure = coupled.failure;
    return report;
  }
  gather(from, h);
  dae_.update(trial_, *workspace_);
  dae_.accept(trial_, *workspace_);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

/// What the subsystems would predict for themselves.
void CoupledIntegrator::guess(const State& from, double h) {
  history_.load(from, h);
  const VectorX& a_old = history_.a_old;
  history_.a_new = a_old + h * history_.jerk_old;
  x_ = h * from.v + h * h * ((0.5 - p_.beta) * a_old + p_.beta * history_.a_new);
  v_ = from.v + h * ((1 - p_.gamma) * a_old + p_.gamma * history_.a_new);
  int entry = 0;
  for (const auto& part : parts_) {
    for (const int i : part->own()) Y_[entry++] = x_[i];
    for (const int i : part->own()) Y_[entry++] = h * v_[i];
  }
}

/// Each dof from the subsystem that owns it. a is kept as that of the macro step: a smaller step's is moved.
void CoupledIntegrator::gather(const State& from, double h) {
  const int n = dae_.nv();
  trial_ = from;
  trial_.t += h;
  int entry = 0;
  for (const auto& part : parts_) {
    const State& own = part->state();
    const double shift = (p_.alpha_m - p_.alpha_f) * (h - own.history[2 * n]);
    for (const int i : part->own()) {
      x_[i] = Y_[entry++];
      trial_.v[i] = own.v[i];
      trial_.a[i] = own.a[i];
      trial_.history[n + i] = own.history[n + i];
      trial_.history[i] = own.history[i] + shift * own.history[n + i];
    }
    entry += static_cast<int>(part->own().size());
  }
  trial_.history[2 * n] = h;
  trial_.lambda = parts_.back()->state().lambda;
  dae_.plus(from.q, x_, trial_.q);
}

std::string CoupledIntegrator::note() const {
  const Relaxation::Totals& totals = relaxation_->totals();
  if (totals.steps == 0) return {};
  double seconds = 0;
  for (const double part : totals.seconds) seconds += part;
  std::string text =
      fmt::format("coupling: {:.2f} iterations a step, at most {};",
                  static_cast<double>(totals.iterations) / static_cast<double>(totals.steps), totals.most);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    text += fmt::format("{} '{}' {:.0f} % of the time, last to settle in {:.0f} % of the steps", i ? "," : "",
                        parts_[i]->name(), 100 * totals.seconds[i] / seconds,
                        100 * static_cast<double>(totals.worst[i]) / static_cast<double>(totals.steps));
  return text;
}

}  // namespace hooke
