#include "hooke/coupling/adapter/multirate.h"

#include <algorithm>

#include "hooke/base/format.h"

namespace hooke {
namespace {

int number_of(const BoundaryFrame& id, const std::vector<BoundaryFrame>& all) {
  return static_cast<int>(std::lower_bound(all.begin(), all.end(), id) - all.begin());
}

std::vector<MultirateCoupling::Side> sides_of(const auto& sides, auto frames,
                                              const std::vector<BoundaryFrame>& all) {
  std::vector<MultirateCoupling::Side> result;
  for (const auto& side : sides) {
    result.push_back({side.get(), {}});
    for (const auto& each : side->excerpt().*frames)
      result.back().interfaces.push_back(number_of(each.id, all));
  }
  return result;
}

}  // namespace

Multirate::Multirate(const System& whole, std::vector<std::unique_ptr<CoarseSide>> coarse,
                     std::vector<std::unique_ptr<FineSide>> fine, const MultirateCoupling::Settings& settings,
                     std::shared_ptr<Team> team)
    : whole_(whole), coarse_(std::move(coarse)), fine_(std::move(fine)), workspace_(whole.workspace()) {
  for (const auto& side : coarse_)
    for (const Excerpt::Inside& each : side->excerpt().inside) coupled_.push_back(each.id);
  std::sort(coupled_.begin(), coupled_.end());
  coupling_ = std::make_unique<MultirateCoupling>(
      std::vector<MultirateInterface>(coupled_.size(), {frame_positions, frame_rates}),
      sides_of(coarse_, &Excerpt::inside, coupled_), sides_of(fine_, &Excerpt::outside, coupled_), settings,
      std::move(team));
}

void Multirate::for_each_side(auto&& work) const {
  for (const auto& side : coarse_) work(*side);
  for (const auto& side : fine_) work(*side);
}

StepReport Multirate::step(State& state, double h) {
  StepReport report;
  const double end = state.t + h;
  if (!has_begun_ || !(std::abs(state.t - coupling_->time()) <= 1e-9 * h)) begin(state, h);
  const Participant::Report made = coupling_->step(end - coupling_->time());
  report.iterations = made.iterations;
  report.factorizations = made.factorizations;
  report.failure = made.failure;
  report.accepted = made.failure.empty();
  if (report.accepted) gather(state);
  return report;
}

/// The reactions to begin with are those of the whole.
void Multirate::begin(const State& state, double h) {
  whole_.update(state, *workspace_);
  const auto& at = static_cast<const SystemWorkspace&>(*workspace_);
  VectorX w = VectorX::Zero(6 * static_cast<Eigen::Index>(coupled_.size()));
  VectorX motions = VectorX::Zero(frame_ends * static_cast<Eigen::Index>(coupled_.size()));
  for (const auto& side : fine_)
    for (const auto& [is_force, item, end, outside] : side->excerpt().reaches) {
      const Excerpt& excerpt = side->excerpt();
      w.segment<6>(6 * number_of(excerpt.outside[outside].id, coupled_)) +=
          is_force ? whole_.force_wrench(excerpt.forces[item], end, state, at)
                   : whole_.reaction(excerpt.constraints[item], end, state, at);
    }
  VectorX part, output;
  for (const auto& side : coarse_) {
    side->excerpt().load(state, side->state());
    part.resize(side->inputs());
    for (std::size_t k = 0; k < side->excerpt().inside.size(); ++k)
      part.segment<6>(6 * static_cast<Eigen::Index>(k)) =
          w.segment<6>(6 * number_of(side->excerpt().inside[k].id, coupled_));
    side->begin(part, h);
    side->output(output);
    for (std::size_t k = 0; k < side->excerpt().inside.size(); ++k)
      motions.segment<frame_ends>(frame_ends * number_of(side->excerpt().inside[k].id, coupled_)) =
          output.segment<frame_ends>(frame_ends * static_cast<Eigen::Index>(k));
  }
  for (const auto& side : fine_) {
    side->excerpt().load(state, side->state());
    const auto& outside = side->excerpt().outside;
    VectorX motion(side->inputs()), reaction(side->outputs());
    for (std::size_t k = 0; k < outside.size(); ++k) {
      const int number = number_of(outside[k].id, coupled_);
      motion.segment<frame_ends>(frame_ends * static_cast<Eigen::Index>(k)) =
          motions.segment<frame_ends>(frame_ends * number);
      reaction.segment<6>(6 * static_cast<Eigen::Index>(k)) = w.segment<6>(6 * number);
    }
    side->begin(motion, reaction);
  }
  coupling_->begin(state.t, w);
  has_begun_ = true;
}

void Multirate::gather(State& state) {
  state.t = coupling_->time();
  for_each_side([&](SystemParticipant& side) { side.excerpt().store(side.state(), state); });
  for (const auto& side : fine_) side->excerpt().store_angles(side->state(), state);
  whole_.update(state, *workspace_);
  whole_.accept(state, *workspace_);
}

void Multirate::improve(State& between) {
  for (const auto& side : fine_) {
    const State& state = side->state_at(between.t);
    side->excerpt().store(state, between);
    side->excerpt().store_angles(state, between);
  }
}

void Multirate::archive(Archive& a) {
  a(has_begun_, *coupling_);
  for (const auto& side : coarse_) a(*side);
  for (const auto& side : fine_) a(*side);
}

std::string Multirate::note() const {
  const MultirateCoupling::Totals& totals = coupling_->totals();
  if (totals.steps == 0) return {};
  double all = 0;
  for (const double each : totals.seconds) all += each;
  std::string shares;
  std::size_t number = 0;
  for_each_side([&](const SystemParticipant& side) {
    shares +=
        formatted("{}'{}' {:.0f} %", number > 0 ? ", " : "", side.name(), 100 * totals.seconds[number] / all);
    ++number;
  });
  return formatted(
      "coupling: {:.2f} iterations a macro step, at most {}; responses were asked for {} times, {:.0f} % of "
      "the time; "
      "subsystems took {}",
      static_cast<double>(totals.iterations) / static_cast<double>(totals.steps), totals.most,
      totals.responses, 100 * totals.response_seconds / all, shares);
}

}  // namespace hooke
