// Derivatives of an FMU's variables. Inputs and states act on accelerations and multipliers through linear equations; these
// are solved on both sides of the state, which itself is left alone. What is linear in the inputs, as nearly all forces are,
// is exact but for round-off. Motions do not depend on inputs at all.
#include <cmath>

#include "hooke/fmi/runtime/exchange.h"

namespace hooke {

struct FmuInstance::Probe {
  Projector projector;
  std::unique_ptr<Workspace> workspace;
};

/// A state with the knowns moved by step * seed, solved for its accelerations.
State FmuInstance::displaced(std::span<const std::uint32_t> knowns, std::span<const double> seed,
                             double step) {
  State state = now();
  VectorX change = VectorX::Zero(states());
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const int i = place(knowns[k]).variable;
    if (manifest_.variables[static_cast<std::size_t>(i)].role == FmuRole::state) {
      change[ordinals_[static_cast<std::size_t>(i)]] += step * seed[k];
      continue;
    }
    for (std::size_t e = 0; e < entry_variables_.size(); ++e)
      if (entry_variables_[e] == i) state.memory[entries_[e]] += step * seed[k];
  }
  if (exchange_) return exchange_->solved(exchange_->moved(state, change));
  probe_->projector.forget();
  probe_->projector.accelerations(state);
  return state;
}

double FmuInstance::probed(const Place& at, const State& state) {
  const auto i = static_cast<std::size_t>(at.variable);
  if (manifest_.variables[i].role == FmuRole::derivative) return exchange_->rates(state)[ordinals_[i]];
  auto& workspace = static_cast<SystemWorkspace&>(*probe_->workspace);
  simulation_->system().update(state, workspace);
  SeenState seen{simulation_->built(), state, workspace, simulation_->problem().outputs.reactions};
  std::vector<double> values(static_cast<std::size_t>(outputs_[i]->width()));
  outputs_[i]->read(seen, values.data());
  return values[static_cast<std::size_t>(at.component)];
}

void FmuInstance::directional_derivative(std::span<const std::uint32_t> unknowns,
                                         std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                         std::span<double> sensitivity) {
  flush_inputs();
  if (!probe_)
    probe_.reset(new Probe{Projector(simulation_->system(), newton_settings(simulation_->run_settings())),
                           simulation_->system().workspace()});
  double size = 0, most = 1;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const FmuVariable& v = variable(place(knowns[k]));
    if (v.role != FmuRole::input && v.role != FmuRole::tunable && !(v.role == FmuRole::state && exchange_))
      throw Error(ExitCode::usage, formatted("there are no derivatives by '{}'", v.name));
    size = std::max(size, std::abs(seed[k]));
    most = std::max(most, std::abs(value(knowns[k])));
  }
  for (const std::uint32_t unknown : unknowns)
    if (const FmuRole role = variable(place(unknown)).role;
        role != FmuRole::output && role != FmuRole::derivative)
      throw Error(ExitCode::usage,
                  formatted("there are no derivatives of '{}'", variable(place(unknown)).name));
  std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
  if (size == 0) return;
  const double step = 1e-5 * most / size;
  for (const double side : {1.0, -1.0}) {
    const State state = displaced(knowns, seed, side * step);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      sensitivity[i] += side * probed(place(unknowns[i]), state) / (2 * step);
  }
}

void FmuInstance::adjoint_derivative(std::span<const std::uint32_t> unknowns,
                                     std::span<const std::uint32_t> knowns, std::span<const double> seed,
                                     std::span<double> sensitivity) {
  std::vector<double> column(unknowns.size());
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const double one = 1;
    directional_derivative(unknowns, knowns.subspan(k, 1), {&one, 1}, column);
    sensitivity[k] = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i) sensitivity[k] += seed[i] * column[i];
  }
}

}  // namespace hooke
