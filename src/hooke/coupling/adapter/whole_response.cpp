#include "hooke/coupling/adapter/whole_response.h"

#include "hooke/base/format.h"
#include "hooke/coupling/adapter/summed.h"

namespace hooke {

WholeParticipant::WholeParticipant(const System& whole, Subsystem subsystem,
                                   const StabilisedAlphaSettings& settings)
    : system_(whole), name_(std::move(subsystem.name)) {
  std::vector<char> own(static_cast<std::size_t>(whole.nv()), 0);
  for (const int b : subsystem.bodies)
    std::fill_n(own.begin() + whole.place_of(b).v, whole.size_of(b).v, char{1});
  for (int i = 0; i < whole.nv(); ++i) (own[static_cast<std::size_t>(i)] ? own_ : others_).push_back(i);
  for (VectorX* v : {&drift_, &told_x_, &told_v_, &moved_}) v->setZero(whole.nv());
  output_.setZero(outputs());
  const auto place = [this](const State&, VectorX& y, State& trial) {
    y = drift_;
    for (const int i : others_) y[i] = told_x_[i], trial.v[i] = told_v_[i];
  };
  integrator_.emplace(whole, settings, OwnDofs{own, false, place, true});
}

void WholeParticipant::load(const State& whole, const VectorX& drift, double h) {
  integrator_->repeat(false);
  state_ = saved_ = whole;
  drift_ = drift;
  h_ = h;
}

void WholeParticipant::restore() {
  state_ = saved_;
  integrator_->repeat(true);
}

void WholeParticipant::set_input(const VectorX& u) {
  const auto n = static_cast<Eigen::Index>(others_.size());
  for (Eigen::Index k = 0; k < n; ++k) {
    told_x_[others_[static_cast<std::size_t>(k)]] = u[k];
    told_v_[others_[static_cast<std::size_t>(k)]] = u[n + k] / h_;
  }
}

/// The others go on as they do.
void WholeParticipant::guess(VectorX& y) {
  told_x_ = h_ * state_.v + 0.5 * h_ * h_ * state_.a;
  told_v_ = state_.v + h_ * state_.a;
  write(integrator_->predict(state_, h_), y);
}

Participant::Report WholeParticipant::advance(double h) {
  const StepReport step = integrator_->step(state_, h);
  if (step.accepted) write(state_, output_);
  return {step.failure, step.error, 1, step.iterations, step.factorizations};
}

void WholeParticipant::output(VectorX& y) const { y = output_; }

void WholeParticipant::write(const State& state, VectorX& y) const {
  const auto n = static_cast<Eigen::Index>(own_.size());
  system_.minus(state.q, saved_.q, moved_);
  for (Eigen::Index k = 0; k < n; ++k) {
    y[k] = moved_[own_[static_cast<std::size_t>(k)]];
    y[n + k] = h_ * state.v[own_[static_cast<std::size_t>(k)]];
  }
}

std::string WholeParticipant::output_name(int i) const {
  return system_.dof_name(own_[static_cast<std::size_t>(i) % own_.size()]);
}

WholeResponse::WholeResponse(const System& system, std::vector<Subsystem> subsystems,
                             const StabilisedAlphaSettings& settings, const CouplingSettings& coupling,
                             std::shared_ptr<Team> team)
    : system_(system),
      beta_(settings.beta),
      history_(system, settings.parameters, settings.newton),
      projector_(system, settings.newton) {
  const int n = system.nv();
  std::vector<int> place(static_cast<std::size_t>(2 * n));  // in Y, of each dof's x and h v
  int entries = 0;
  for (Subsystem& subsystem : subsystems) {
    subsystems_.push_back(std::make_unique<WholeParticipant>(system, std::move(subsystem), settings));
    for (const int i : subsystems_.back()->own()) place[i] = entries++;
    for (const int i : subsystems_.back()->own()) place[n + i] = entries++;
  }
  std::vector<Participant*> participants;
  std::vector<std::vector<int>> sources;
  for (const auto& each : subsystems_) {
    participants.push_back(each.get());
    std::vector<int>& from = sources.emplace_back();
    for (const int i : each->others()) from.push_back(place[i]);
    for (const int i : each->others()) from.push_back(place[n + i]);
  }
  for (VectorX* v : {&drift_, &x_}) v->setZero(n);
  Y_.setZero(2 * n);
  VectorX scale(2 * n);
  for (int i = 0; i < n; ++i) scale[place[i]] = scale[place[n + i]] = system.dof_scale()[i];
  relaxation_ =
      std::make_unique<Relaxation>(std::move(participants), std::move(sources), std::move(scale), coupling,
                                   coupling.scheme == CouplingScheme::jacobi ? std::move(team) : nullptr);
}

StepReport WholeResponse::step(State& state, double h) {
  StepReport report;
  const State& from = history_.ready(state, h);
  projector_.update(from);
  projector_.drift(from, std::min(beta_.value_or(1 / h), 1 / h), drift_);
  drift_ *= h;
  Eigen::Index at = 0;
  for (const auto& each : subsystems_) {
    each->load(from, drift_, h);
    part_.setZero(each->outputs());
    each->guess(part_);
    Y_.segment(at, part_.size()) = part_;
    at += part_.size();
  }
  const Relaxation::Report& coupled = relaxation_->step(Y_, h);
  report = summed(coupled);
  if (!coupled.converged) return report;
  gather(from, h);
  projector_.update(trial_);
  system_.accept(trial_, projector_.workspace());
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

/// Each dof from the subsystem that owns it.
void WholeResponse::gather(const State& from, double h) {
  const int n = system_.nv();
  trial_ = from;
  trial_.t += h;
  Eigen::Index entry = 0;
  for (const auto& each : subsystems_) {
    const State& own = each->state();
    for (const int i : each->own()) {
      x_[i] = Y_[entry++];
      trial_.v[i] = own.v[i];
      trial_.a[i] = own.a[i];
      trial_.history[i] = own.history[i];
      trial_.history[n + i] = own.history[n + i];
    }
    entry += static_cast<Eigen::Index>(each->own().size());
  }
  trial_.history[2 * n] = h;
  trial_.lambda = subsystems_.back()->state().lambda;
  system_.plus(from.q, x_, trial_.q);
}

std::string WholeResponse::note() const {
  const Relaxation::Totals& totals = relaxation_->totals();
  if (totals.steps == 0) return {};
  return formatted(
      "coupling: {:.2f} iterations a step, at most {}, each of which evaluates the whole system once for "
      "each subsystem",
      relaxation_->iterations(), totals.most);
}

}  // namespace hooke
