#include "hooke/fmi/runtime/exchange.h"

#include "hooke/base/archive.h"

namespace hooke {

FmuInstance::Exchange::Exchange(const Simulation& simulation)
    : system(simulation.system()),
      positions(system.nv() - system.first_order_states()),
      beta(1 / simulation.problem().run.step),
      unused(make_integrator(system, simulation.run_settings())),
      state(simulation.state()),
      reference(state.q),
      x(VectorX::Zero(system.nv())),
      projector(system, newton_settings(simulation.run_settings())),
      stepper(system, *unused, state) {}

State FmuInstance::Exchange::solved(State of) {
  projector.forget();
  projector.accelerations(of, beta);
  return of;
}

VectorX FmuInstance::Exchange::rates(const State& of) {
  VectorX u, turned, all(positions + system.nv());
  projector.forget();
  if (!projector.drift(of, beta, u)) u = VectorX::Zero(system.nv());
  system.inverse_tangent(x, of.v + u, turned);
  all << turned.head(positions), of.a;
  return all;
}

void FmuInstance::begin_exchange() {
  flush_inputs();
  exchange_ = std::make_unique<Exchange>(simulation());
  exchange_->stepper.on_event = on_event;
  exchange_->sides.resize(static_cast<std::size_t>(indicators()));
  get_indicators(exchange_->sides);
  forget();
}

FmuInstance::Exchange& FmuInstance::exchange() {
  if (exchange_) return *exchange_;
  if (!is_shown_) shown_ = std::make_unique<Exchange>(simulation());
  is_shown_ = true;
  return *shown_;
}

const State& FmuInstance::exchanged_state() {
  Exchange& e = exchange();
  if (!e.is_solved) e.state = e.solved(std::move(e.state));
  e.is_solved = true;
  return e.state;
}

void FmuInstance::exchange_inputs(std::span<const double> values) {
  for (std::size_t k = 0; k < entries_.size(); ++k) exchange_->state.memory[entries_[k]] = values[k];
  exchange_->is_solved = false;
}

void FmuInstance::set_time(double t) {
  Exchange& e = exchange();
  e.state.t = t;
  e.is_solved = false;
  forget();
}

double FmuInstance::state_entry(int k) {
  const Exchange& e = exchange();
  return k < e.positions ? e.x[k] : e.state.v[k - e.positions];
}

void FmuInstance::set_state_entry(int k, double value) {
  Exchange& e = exchange();
  (k < e.positions ? e.x[k] : e.state.v[k - e.positions]) = value;
  e.system.plus(e.reference, e.x, e.state.q);
  e.is_solved = false;
  forget();
}

void FmuInstance::get_states(std::span<double> x) {
  for (int k = 0; k < states(); ++k) x[static_cast<std::size_t>(k)] = state_entry(k);
}

void FmuInstance::set_states(std::span<const double> x) {
  Exchange& e = exchange();
  e.x.head(e.positions) = Eigen::Map<const VectorX>(x.data(), e.positions);
  e.state.v = Eigen::Map<const VectorX>(x.data() + e.positions, e.system.nv());
  e.system.plus(e.reference, e.x, e.state.q);
  e.is_solved = false;
  forget();
}

double FmuInstance::derivative_entry(int k) { return exchange().rates(exchanged_state())[k]; }

void FmuInstance::get_derivatives(std::span<double> rates) {
  flush_inputs();
  const VectorX all = exchange().rates(exchanged_state());
  std::copy(all.begin(), all.end(), rates.begin());
}

void FmuInstance::get_nominals(std::span<double> sizes) {
  const VectorX& scale = simulation().system().dof_scale();
  const auto positions = scale.size() - simulation().system().first_order_states();
  for (Eigen::Index k = 0; k < states(); ++k)
    sizes[static_cast<std::size_t>(k)] = k < positions ? scale[k] : scale[k - positions];
}

void FmuInstance::get_indicators(std::span<double> values) {
  if (values.empty()) return;
  flush_inputs();
  Exchange& e = exchange();
  exchanged_state();
  e.projector.forget();
  e.projector.update(e.state);
  e.system.indicate(e.state, e.projector.workspace(), values);
}

bool FmuInstance::complete_step() {
  constexpr double far = 1.5;  // rad, or sizes of the mechanism: T^-1 is singular at a full turn
  Exchange& e = exchange();
  exchanged_state();
  e.projector.forget();
  e.projector.update(e.state);
  e.system.accept(e.state, e.projector.workspace());
  std::vector<double> values(e.sides.size());
  get_indicators(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] * e.sides[i] > 0 || e.sides[i] == 0) e.sides[i] = values[i];
  forget();
  return e.x.size() > 0 && (e.x.array() / e.system.dof_scale().array()).abs().maxCoeff() > far;
}

FmuInstance::Update FmuInstance::update() {
  if (!exchange_) {
    const bool goes_on = simulation().happen();
    forget();
    return {true, !goes_on, simulation().system().next_time(simulation().state())};
  }
  Exchange& e = *exchange_;
  exchanged_state();
  std::vector<double> values(e.sides.size());
  get_indicators(values);
  std::vector<int> reached;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int wanted = e.system.direction(static_cast<int>(i), e.state);
    const bool rises = e.sides[i] < 0 && values[i] >= 0, falls = e.sides[i] > 0 && values[i] <= 0;
    if ((rises && wanted >= 0) || (falls && wanted <= 0)) reached.push_back(static_cast<int>(i));
  }
  Archive known;  // what the stepper is to let happen
  std::vector<char> none(values.size(), 0);
  double since = 0;
  int crowd = 0;
  std::vector<double> largest(values.size(), 0);
  known(reached, none, none, largest, since, crowd);
  Archive read(known.bytes());
  e.stepper.archive(read);
  const VectorX before = e.state.v;
  const bool goes_on = e.stepper.happen();
  e.state.history.resize(0);

  bool has_changed = e.state.v != before;
  if (e.x.squaredNorm() > 0) {
    e.reference = e.state.q;
    e.x.setZero();
    has_changed = true;
  }
  e.is_solved = false;
  get_indicators(e.sides);
  forget();
  return {has_changed, !goes_on, e.system.next_time(e.state)};
}

std::string FmuInstance::save_exchange() {
  if (!exchange_) return "";
  Exchange& e = *exchange_;
  Archive all;
  all(e.state, e.reference, e.x, e.sides);
  return all.bytes();
}

void FmuInstance::restore_exchange(const std::string& saved) {
  exchange_.reset();
  if (saved.empty()) return;
  exchange_ = std::make_unique<Exchange>(simulation());
  exchange_->stepper.on_event = on_event;
  Archive all(saved);
  all(exchange_->state, exchange_->reference, exchange_->x, exchange_->sides);
}

}  // namespace hooke
