#include "hooke/simulation/advised_coupling.h"

#include <cmath>

#include "hooke/base/format.h"
#include "hooke/simulation/coupling_stability.h"

namespace hooke {
namespace {

constexpr int most_halvings = 10;

}  // namespace

AdvisedCoupling::AdvisedCoupling(const Problem& file, const BuiltModel& whole, std::shared_ptr<Team> team)
    : file_(file),
      whole_(whole),
      settings_(*file.coupling.force_displacement),
      coupling_(make_force_displacement(file, whole, std::move(team))) {}

/// Into how many pieces a step h from here is cut. Returns why none is stable, or nothing.
std::string AdvisedCoupling::look(const State& state, double h) {
  std::vector<double> steps;  // rising
  for (int k = most_halvings; k >= 0; --k) steps.push_back(std::ldexp(h, -k));
  const CouplingVerdict verdict = judge(linearise_sides(file_, whole_, state, settings_.displaced), settings_,
                                        advance_of(file_, settings_.displaced), steps);
  if (!(verdict.largest_step > 0))
    return formatted(
        "the coupling is unstable at t = {:.6g} s with any macro step from {:.3g} to {:.3g} s: see 'hooke "
        "stability', or take exact forces, or a lower degree",
        state.t, steps.front(), h);
  pieces_ = static_cast<int>(std::lround(h / verdict.largest_step));
  most_ = std::max(most_, pieces_);
  looked_at_ = state.t, looked_h_ = h;
  ++looks_;
  return {};
}

StepReport AdvisedCoupling::step(State& state, double h) {
  StepReport sum;
  const bool is_due = state.t >= looked_at_ + *settings_.advised * (1 - 1e-9);
  if (pieces_ == 0 || is_due || h > looked_h_ * (1 + 1e-9)) {
    sum.failure = look(state, h);
    if (!sum.failure.empty()) return sum;
  }
  trial_ = state;
  const double end = state.t + h;
  for (int left = pieces_; left > 0; --left) {
    const StepReport piece = coupling_->step(trial_, (end - trial_.t) / left);
    sum.iterations += piece.iterations;
    sum.factorizations += piece.factorizations;
    if (!piece.accepted) {
      sum.failure = piece.failure;
      return sum;
    }
  }
  std::swap(state, trial_);
  sum.accepted = true;
  return sum;
}

std::string AdvisedCoupling::note() const {
  return coupling_->note() +
         formatted("; macro steps in up to {} piece{}, as {} looks at the stability advised", most_,
                   most_ == 1 ? "" : "s", looks_);
}

void AdvisedCoupling::archive(Archive& a) {
  a(pieces_, most_, looked_at_, looked_h_, looks_);
  coupling_->archive(a);
}

}  // namespace hooke
