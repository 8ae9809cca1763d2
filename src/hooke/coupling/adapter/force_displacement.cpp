#include "hooke/coupling/adapter/force_displacement.h"

#include <algorithm>

#include "hooke/base/format.h"

namespace hooke {
namespace {

/// The numbers of frames among all that are coupled.
std::vector<int> numbers_of(const auto& frames, const std::vector<BoundaryFrame>& all) {
  std::vector<int> numbers;
  for (const auto& each : frames)
    numbers.push_back(static_cast<int>(std::lower_bound(all.begin(), all.end(), each.id) - all.begin()));
  return numbers;
}

}  // namespace

ForceDisplacement::ForceDisplacement(const System& whole, std::vector<std::unique_ptr<ForcedSide>> forced,
                                     std::vector<std::unique_ptr<DisplacedSide>> displaced,
                                     const ForceDisplacementSettings& settings, std::shared_ptr<Team> team)
    : whole_(whole),
      forced_(std::move(forced)),
      displaced_(std::move(displaced)),
      workspace_(whole.workspace()) {
  std::vector<BoundaryFrame> coupled;
  for (const auto& side : forced_)
    for (const Excerpt::Inside& each : side->excerpt().inside) coupled.push_back(each.id);
  std::sort(coupled.begin(), coupled.end());
  std::vector<ForceDisplacementCoupling::Side> forced_sides, displaced_sides;
  for (const auto& side : forced_)
    forced_sides.push_back({side.get(), numbers_of(side->excerpt().inside, coupled)});
  for (const auto& side : displaced_) {
    const auto& reaches = side->excerpt().reaches;
    displaced_sides.push_back({side.get(), numbers_of(side->excerpt().outside, coupled),
                               [it = side.get()] { return it->joint_mass(); },
                               std::any_of(reaches.begin(), reaches.end(),
                                           [](const Excerpt::Reach& reach) { return reach.is_force; })});
  }
  coupling_ = std::make_unique<ForceDisplacementCoupling>(
      std::vector<CouplingInterface>(coupled.size(), {frame_positions, frame_rates}), std::move(forced_sides),
      std::move(displaced_sides), settings, std::move(team));
}

void ForceDisplacement::for_each_side(auto&& work) const {
  for (const auto& side : forced_) work(*side);
  for (const auto& side : displaced_) work(*side);
}

StepReport ForceDisplacement::step(State& state, double h) {
  StepReport report;
  const double end = state.t + h;
  if (!has_begun_ || !(std::abs(state.t - coupling_->time()) <= 1e-9 * h)) {
    if (const std::string failure = begin(state); !failure.empty()) {
      report.failure = "no consistent reactions where subsystems are coupled to start from: " + failure;
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
  for_each_side([&](SystemParticipant& side) { side.excerpt().load(state, side.state()); });
  has_begun_ = true;
  return coupling_->begin(state.t);
}

void ForceDisplacement::gather(State& state) {
  state.t = coupling_->time();
  for_each_side([&](SystemParticipant& side) { side.excerpt().store(side.state(), state); });
  whole_.update(state, *workspace_);
  whole_.accept(state, *workspace_);
}

void ForceDisplacement::archive(Archive& a) {
  a(has_begun_, *coupling_);
  for_each_side([&](SystemParticipant& side) { a(side); });
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
  for_each_side([&](const SystemParticipant& side) {
    shares += formatted("'{}' {:.0f} %, ", side.name(), 100 * coupling_->seconds(number++) / all);
  });
  std::string text = formatted(
      "coupling: of the time took {}the exchange {:.0f} %; extrapolation left joints open by at most {:.2g} "
      "m "
      "before each exchange",
      shares, 100 * exchange / all, coupling_->gap());
  if (coupling_->corrections() > 0)
    text += formatted("; {:.1f} corrections a macro step, which left at most {:.1e} of the reactions",
                      coupling_->corrections(), coupling_->left());
  return text;
}

}  // namespace hooke
