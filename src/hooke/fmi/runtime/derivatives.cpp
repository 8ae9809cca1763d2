// Derivatives of an FMU's variables, by its equations of motion linearised (probe.h).
#include <cmath>
#include <map>

#include "hooke/fmi/runtime/exchange.h"
#include "hooke/fmi/runtime/probe.h"

namespace hooke {

FmuInstance::Change FmuInstance::change_along(std::span<const std::uint32_t> knowns,
                                              std::span<const double> seed) {
  constexpr double near = 2e-5;  // of a radian, the mechanism, an input; kinks of laws are seldom so near
  Probe& probe = *probe_;
  const System& system = probe.system;
  const State& state = probe.state;
  Change change;
  for (VectorX* part : {&change.x, &change.q, &change.v}) *part = VectorX::Zero(system.nv());
  change.memory = VectorX::Zero(state.memory.size());
  double size = 0;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const auto i = static_cast<std::size_t>(place(knowns[k]).variable);
    if (manifest_.variables[i].role == FmuRole::state) {
      const int entry = ordinals_[i],
                dof = entry < exchange_->positions ? entry : entry - exchange_->positions;
      (entry < exchange_->positions ? change.x : change.v)[dof] += seed[k];
      size = std::max(size, std::abs(seed[k]) / system.dof_scale()[dof]);
      continue;
    }
    for (std::size_t e = 0; e < entry_variables_.size(); ++e)
      if (entry_variables_[e] == static_cast<int>(i)) {
        change.memory[entries_[e]] += seed[k];
        size = std::max(size, std::abs(seed[k]) / std::max(1.0, std::abs(state.memory[entries_[e]])));
      }
  }
  change.step = size > 0 ? near / size : 0;
  if (size == 0) return change;
  if (!change.x.isZero(0))
    change.q = slope(change.step, [&](double by) {
      VectorX q, way;
      system.plus(exchange_->reference, exchange_->x + by * change.x, q);
      system.minus(q, state.q, way);
      return way;
    });
  const double beta = exchange_ ? exchange_->beta : 0;
  probe.find_accelerations(change, beta);
  if (exchange_) probe.find_positions(change, exchange_->x, beta);
  return change;
}

/// Of outputs at the place of each unknown; signals through their formulas.
VectorX FmuInstance::output_changes(std::span<const std::uint32_t> unknowns, const Change& change) {
  Probe& probe = *probe_;
  const auto is_signal = [&](std::size_t i) { return outputs_[i]->of == Observable::Of::signal; };
  bool has_signals = false;
  std::map<std::size_t, int> first;  // of each output variable: its first value in the list
  int count = 0;
  for (const std::uint32_t unknown : unknowns) {
    const auto i = static_cast<std::size_t>(place(unknown).variable);
    if (!outputs_[i] || first.contains(i)) continue;
    first[i] = count, count += outputs_[i]->width();
    has_signals |= is_signal(i);
  }
  const int more = has_signals ? probe.controls->network.size() : 0;
  const VectorX all = slope(change.step, [&](double by) {
    const State state = change.moved(probe.system, probe.state, by);
    SystemWorkspace& workspace = probe.at(state);
    SeenState seen{simulation_->built(), state, workspace, simulation_->problem().outputs.reactions};
    VectorX values = VectorX::Zero(count + more);
    for (const auto& [i, at] : first)
      if (!is_signal(i)) outputs_[i]->read(seen, values.data() + at);
    if (has_signals) values.tail(more) = probe.controls->all_values(state, workspace);
    return values;
  });
  std::vector<double> signals(simulation_->built().signals.size());
  if (has_signals) probe.controls->read_changes(probe.state, probe.at(probe.state), all.tail(more), signals);
  VectorX result = VectorX::Zero(static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Place& at = place(unknowns[k]);
    const auto i = static_cast<std::size_t>(at.variable);
    if (!outputs_[i]) continue;
    result[static_cast<Eigen::Index>(k)] =
        is_signal(i) ? signals[static_cast<std::size_t>(outputs_[i]->signal)] : all[first[i] + at.component];
  }
  return result;
}

void FmuInstance::begin_derivatives(std::span<const std::uint32_t> unknowns,
                                    std::span<const std::uint32_t> knowns) {
  flush_inputs();
  for (const std::uint32_t known : knowns)
    if (const FmuVariable& v = variable(place(known));
        v.role != FmuRole::input && v.role != FmuRole::tunable && !(v.role == FmuRole::state && exchange_))
      throw Error(ExitCode::usage, formatted("there are no derivatives by '{}'", v.name));
  for (const std::uint32_t unknown : unknowns)
    if (const FmuVariable& v = variable(place(unknown));
        v.role != FmuRole::output && !(v.role == FmuRole::derivative && exchange_))
      throw Error(ExitCode::usage, formatted("there are no derivatives of '{}'", v.name));
  if (!probe_) probe_ = std::make_unique<Probe>(*simulation_);
  probe_->begin(now());
}

void FmuInstance::derivative_along(std::span<const std::uint32_t> unknowns,
                                   std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                   std::span<double> sensitivity) {
  std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
  const Change change = change_along(knowns, seed);
  if (change.step == 0) return;
  const VectorX outputs = output_changes(unknowns, change);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Place& at = place(unknowns[k]);
    const auto i = static_cast<std::size_t>(at.variable);
    if (manifest_.variables[i].role == FmuRole::derivative) {
      const int entry = ordinals_[i], positions = exchange_->positions;
      sensitivity[k] = entry < positions ? change.positions[entry] : change.a[entry - positions];
    } else {
      sensitivity[k] = outputs[static_cast<Eigen::Index>(k)];
    }
  }
}

void FmuInstance::directional_derivative(std::span<const std::uint32_t> unknowns,
                                         std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                         std::span<double> sensitivity) {
  begin_derivatives(unknowns, knowns);
  derivative_along(unknowns, knowns, seed, sensitivity);
}

void FmuInstance::adjoint_derivative(std::span<const std::uint32_t> unknowns,
                                     std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                     std::span<double> sensitivity) {
  begin_derivatives(unknowns, knowns);
  std::vector<double> column(unknowns.size());
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const double one = 1;
    derivative_along(unknowns, knowns.subspan(k, 1), {&one, 1}, column);
    sensitivity[k] = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i) sensitivity[k] += seed[i] * column[i];
  }
}

}  // namespace hooke
