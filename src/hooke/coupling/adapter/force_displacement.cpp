#include "hooke/coupling/adapter/force_displacement.h"

#include "hooke/base/format.h"

#include <map>

namespace hooke {
namespace {

std::map<std::string, std::vector<int>> constraints_by_name(const System& system) {
  std::map<std::string, std::vector<int>> result;
  for (int c = 0; c < system.constraints(); ++c) result[system.constraint_name(c)].push_back(c);
  return result;
}

}  // namespace

ForceDisplacement::ForceDisplacement(const System& whole, std::vector<Cut<ForcedSide>> forced,
                                     std::vector<Cut<DisplacedSide>> displaced,
                                     const ForceDisplacementSettings& settings, std::shared_ptr<Team> team)
    : whole_(whole),
      forced_(std::move(forced)),
      displaced_(std::move(displaced)),
      workspace_(whole.workspace()) {
  std::size_t joints = 0;
  std::vector<ForceDisplacementCoupling::Side> forced_sides, displaced_sides;
  for (const auto& [participant, at] : forced_) {
    find_places(*participant);
    forced_sides.push_back({participant.get(), at});
    joints += at.size();
  }
  for (const auto& [participant, at] : displaced_) {
    find_places(*participant);
    displaced_sides.push_back(
        {participant.get(), at, [part = participant.get()] { return part->joint_mass(); }});
  }
  coupling_ = std::make_unique<ForceDisplacementCoupling>(
      std::vector<CouplingJoint>(joints, {frame_positions, frame_rates}), std::move(forced_sides),
      std::move(displaced_sides), settings, std::move(team));
}

/// Where a part's bodies and joints are in the whole.
void ForceDisplacement::find_places(SystemParticipant& participant) {
  const System& part = participant.system();
  for (int b = 0; b < part.bodies(); ++b)
    for (int k = 0; k < whole_.bodies(); ++k)
      if (part.body_name(b) == whole_.body_name(k)) {
        positions_.push_back({&participant, part.place_of(b).q, whole_.place_of(k).q, part.size_of(b).q});
        velocities_.push_back({&participant, part.place_of(b).v, whole_.place_of(k).v, part.size_of(b).v});
      }
  const auto rows_of = constraints_by_name(whole_);
  for (const auto& [joint, own] : constraints_by_name(part))
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto [from, count] = part.rows_of(own[k]);
      rows_.push_back({&participant, from, whole_.rows_of(rows_of.at(joint)[k]).first, count});
    }
}

StepReport ForceDisplacement::step(State& state, double h) {
  StepReport report;
  const double end = state.t + h;
  if (!has_begun_ || !(std::abs(state.t - coupling_->time()) <= 1e-9 * h)) {
    if (const std::string failure = begin(state); !failure.empty()) {
      report.failure = "no consistent reactions at the coupled joints to start from: " + failure;
      return report;
    }
  }
  const Participant::Report made = coupling_->step(end - coupling_->time());
  report.iterations = made.iterations;
  report.factorizations = made.factorizations;
  report.failure = made.failure;
  report.accepted = made.failure.empty();
  if (report.accepted) gather(state);
  return report;
}

std::string ForceDisplacement::begin(const State& state) {
  scatter(state);
  has_begun_ = true;
  return coupling_->begin(state.t);
}

void ForceDisplacement::scatter(const State& state) {
  for (auto& [participant, at] : forced_) participant->state().t = state.t;
  for (auto& [participant, at] : displaced_) participant->state().t = state.t;
  for (const Copy& c : positions_)
    c.part->state().q.segment(c.from, c.count) = state.q.segment(c.to, c.count);
  for (const Copy& c : velocities_) {
    c.part->state().v.segment(c.from, c.count) = state.v.segment(c.to, c.count);
    c.part->state().a.segment(c.from, c.count) = state.a.segment(c.to, c.count);
  }
  for (const Copy& c : rows_)
    c.part->state().lambda.segment(c.from, c.count) = state.lambda.segment(c.to, c.count);
}

void ForceDisplacement::gather(State& state) {
  state.t = coupling_->time();
  for (const Copy& c : positions_)
    state.q.segment(c.to, c.count) = c.part->state().q.segment(c.from, c.count);
  for (const Copy& c : velocities_) {
    state.v.segment(c.to, c.count) = c.part->state().v.segment(c.from, c.count);
    state.a.segment(c.to, c.count) = c.part->state().a.segment(c.from, c.count);
  }
  for (const Copy& c : rows_)
    state.lambda.segment(c.to, c.count) = c.part->state().lambda.segment(c.from, c.count);
  whole_.update(state, *workspace_);
  whole_.accept(state, *workspace_);
}

double ForceDisplacement::forced_seconds() const {
  double sum = 0;
  for (std::size_t i = 0; i < forced_.size(); ++i) sum += coupling_->seconds(static_cast<int>(i));
  return sum;
}
double ForceDisplacement::displaced_seconds() const {
  double sum = 0;
  for (std::size_t i = 0; i < displaced_.size(); ++i)
    sum += coupling_->seconds(static_cast<int>(forced_.size() + i));
  return sum;
}

std::string ForceDisplacement::note() const {
  const double exchange = coupling_->exchange_seconds(),
               all = forced_seconds() + displaced_seconds() + exchange;
  if (!(all > 0)) return {};
  std::string shares;
  int number = 0;
  const auto add = [&](const std::string& name) {
    shares += formatted("'{}' {:.0f} %, ", name, 100 * coupling_->seconds(number++) / all);
  };
  for (const auto& [participant, at] : forced_) add(participant->name());
  for (const auto& [participant, at] : displaced_) add(participant->name());
  return formatted(
      "coupling: of the time took {}the exchange {:.0f} %; extrapolation left joints open by at most {:.2g} "
      "m "
      "before each exchange",
      shares, 100 * exchange / all, coupling_->gap());
}

}  // namespace hooke
