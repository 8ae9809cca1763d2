#include "hooke/integrators/energy_account.h"

#include <algorithm>
#include <cmath>

namespace hooke {
namespace {

Power sizes(const Power& power) { return {std::abs(power.supplied), std::abs(power.dissipated)}; }

Power squares(const Power& power) {
  return {power.supplied * power.supplied, power.dissipated * power.dissipated};
}

Power trapezoid(double h, const Power& end, const Power& begin) {
  return {0.5 * h * (end.supplied + begin.supplied), 0.5 * h * (end.dissipated + begin.dissipated)};
}

}  // namespace

void EnergyAccount::begin(const State& start) {
  samples_[0] = sample(start);
  count_ = 1;
  before_ = step_ = turnover_ = {}, doubt_ = {};
}

EnergyAccount::Sample EnergyAccount::sample(const State& state) {
  dae_.update_for_energy(state, *workspace_);
  return {state.t, dae_.power(state, *workspace_)};
}

void EnergyAccount::add(const State& state) {
  if (!(state.t > samples_[0].t)) {  // a step that ends at an impact may have no length
    samples_[0] = sample(state);
    return;
  }
  before_ += step_;
  std::copy_backward(samples_.begin(), samples_.end() - 1, samples_.end());
  samples_[0] = sample(state);
  count_ = std::min(count_ + 1, 4);
  step_ = integral(samples_, count_, samples_[0].t);
  const Power doubt = doubt_of(samples_, count_, step_);
  if (count_ < 4) {
    doubt_.after_jumps += sizes(doubt);
  } else {
    doubt_.sum += doubt;
    doubt_.squares += squares(doubt);
  }
  // The mean of both ends: multipliers that change their sign from step to step turn nothing over.
  turnover_ += sizes(trapezoid(samples_[0].t - samples_[1].t, samples_[0].power, samples_[1].power));
}

void EnergyAccount::jump(const State& state, double lost) {
  const Power at_once = lost > 0 ? Power{.dissipated = lost} : Power{.supplied = -lost};
  before_ += step_;
  before_ += at_once;
  step_ = {};
  turnover_ += at_once;
  samples_[0] = sample(state);
  count_ = 1;
}

/// What the cubic differs by from the trapezoidal rule; where only two powers are known, the range between the rectangles
/// of both (a drive that is told to go on at another speed brakes as it arrives: its power changes sign between).
Power EnergyAccount::doubt_of(const std::array<Sample, 4>& samples, int count, const Power& work) {
  const double h = samples[0].t - samples[1].t;
  const Power &end = samples[0].power, &begin = samples[1].power;
  const Power ends = trapezoid(h, end, begin);
  if (count > 2) return {work.supplied - ends.supplied, work.dissipated - ends.dissipated};
  return {h * (end.supplied - begin.supplied), h * (end.dissipated - begin.dissipated)};
}

Power EnergyAccount::Doubt::since(const Doubt& before) const {
  const auto size = [&](double Power::*part) {
    return std::max(std::abs(sum.*part - before.sum.*part),
                    std::sqrt(std::max(0.0, squares.*part - before.squares.*part))) +
           after_jumps.*part - before.after_jumps.*part;
  };
  return {size(&Power::supplied), size(&Power::dissipated)};
}

Power EnergyAccount::work(double t) const {
  Power sum = before_;
  if (count_ > 1) sum += t == samples_[0].t ? step_ : integral(samples_, count_, t);
  return sum;
}

EnergyAccount::StepWork EnergyAccount::work_of_step(const State& state) {
  const std::array<Sample, 4> samples{sample(state), samples_[0], samples_[1], samples_[2]};
  const int count = std::min(count_ + 1, 4);
  const Power work = integral(samples, count, state.t);
  return {work.net(), std::abs(doubt_of(samples, count, work).net())};
}

/// From samples[1] to a time, of the polynomial through the samples: two points are exact for a cubic.
Power EnergyAccount::integral(const std::array<Sample, 4>& samples, int count, double to) {
  Power sum;
  const auto is_idle = [](const Sample& s) { return s.power.supplied == 0 && s.power.dissipated == 0; };
  if (std::all_of(samples.begin(), samples.begin() + count, is_idle)) return sum;
  const double from = samples[1].t, half = 0.5 * (to - from);
  for (double point : {-std::sqrt(1.0 / 3), std::sqrt(1.0 / 3)}) {
    const double t = from + half * (1 + point);
    for (int i = 0; i < count; ++i) {
      double weight = half;
      for (int j = 0; j < count; ++j)
        if (j != i) weight *= (t - samples[j].t) / (samples[i].t - samples[j].t);
      sum.supplied += weight * samples[i].power.supplied;
      sum.dissipated += weight * samples[i].power.dissipated;
    }
  }
  return sum;
}

}  // namespace hooke
