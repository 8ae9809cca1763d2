// What happens at certain moments: samples, events, stops.
#include <cmath>

#include "hooke/control/controls.h"
#include "hooke/joints/drive.h"

namespace hooke {

// --- clocks

void Controls::begin(State& state) const {
  for (int h = 0; h < network.held(); ++h) state.memory[first_memory_ + h] = network.held_starts()[h];
  for (std::size_t c = 0; c < clocks_.size(); ++c) {  // how many samples there were
    const double before = std::ceil((state.t - clocks_[c].offset) / clocks_[c].every - 1e-9);
    state.memory[clock_entry(c)] = std::max(0.0, before);
  }
  for (std::size_t e = 0; e < events_.size(); ++e)  // how often it happened; what is past has
    state.memory[event_entry(e)] = events_[e].has_time() && events_[e].at < state.t;
  for (std::size_t s = 0; s < stops_.size(); ++s) state.memory[stop_places_[s].first] = stops_[s].place;
  for (std::size_t s = 0; s < servos_.size(); ++s)  // it stays where it is until it is told
    Eigen::Map<Vec6>(&state.memory[servo_memory_[s]]) << servos_[s].start, 0, state.t, servos_[s].every,
        servos_[s].start, 0;
}

/// Accelerations are not known yet: what depends on them begins with those of a mechanism at rest, 0.
void Controls::start(State& state, const SystemWorkspace& workspace) const {
  const FrameTable& table = workspace.frames;
  for (const auto& [slot, from] : begin_with_) {
    const double value = values(state, table)[network.at(from)];
    if (slot.kind == Network::Kind::state)
      state.v[first_dof_ + slot.number] = value / size_of(slot.number);
    else
      state.memory[first_memory_ + slot.number] = value;
  }
  tick(state, workspace, {});
  for (std::size_t s = 0; s < stops_.size(); ++s) {
    const Stop& stop = stops_[s];
    state.memory[stop_places_[s].first] = stop.place;
    const double gap = stop.side * (stop.place - value_of(stop, state, table, false));
    const double closing = stop.side * value_of(stop, state, table, true);
    if (gap < -1e-6)
      throw Error(ExitCode::not_assembled,
                  formatted("limit '{}': the joint starts {:.3g} (m or rad) beyond it", stop.name, -gap));
    if (gap > 1e-9 || closing < -1e-9) continue;
    if (closing > 1e-9)
      throw Error(ExitCode::not_assembled,
                  formatted("limit '{}': the joint starts at it and moves against it", stop.name));
    state.memory[places_switch(stop.row_switch)] = 1;  // in contact, unless that would pull
    ++state.mode;
  }
}

double Controls::next_time(const State& state) const {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < clocks_.size(); ++c)
    next = std::min(next, clocks_[c].offset + clocks_[c].every * state.memory[clock_entry(c)]);
  for (std::size_t e = 0; e < events_.size(); ++e)
    if (events_[e].has_time() && state.memory[event_entry(e)] == 0) next = std::min(next, events_[e].at);
  return next;
}

/// Outputs in order, each with what those before it are now; then the states of discrete blocks, all at once.
bool Controls::tick(State& state, const SystemWorkspace& workspace, std::span<const int> solved) const {
  bool any = false;
  for (std::size_t c = 0; c < clocks_.size(); ++c) {
    const Clock& clock = clocks_[c];
    double& count = state.memory[clock_entry(c)];
    if (state.t < clock.offset + clock.every * count - 1e-9 * clock.every) continue;
    any = true;
    count += 1;
    for (const Sample& s : clock.samples)
      if (s.is_output)
        state.memory[first_memory_ + s.held.number] = values(state, workspace, solved)[network.at(s.from)];
    const std::span<const double> all = values(state, workspace, solved);
    for (std::size_t s = 0; s < servos_.size(); ++s)
      if (servos_[s].every == clock.every && clock.offset == 0)
        tell(s, all[network.at(servos_[s].wanted)], state);
    for (const Sample& s : clock.samples)
      if (!s.is_output) state.memory[first_memory_ + s.held.number] = all[network.at(s.from)];
  }
  return any;
}

/// From where it is now to what is asked for, by the next sample, with the speed that leads there from the last place.
void Controls::tell(std::size_t servo, double wanted, State& state) const {
  double* m = &state.memory[servo_memory_[servo]];
  const auto now = ServoDrive<Distance>::at(state.t, m);
  const double T = servos_[servo].every, before = m[4];
  m[0] = now.value, m[1] = now.d1, m[2] = state.t, m[3] = T;
  m[4] = wanted, m[5] = (wanted - before) / T;
}

// --- delays

/// The newest sample is the last one written; steps far shorter than the delay do not all need one.
void Controls::track(const FrameTable& table, State& state) const {
  for (const Delay& delay : delays_) {
    double& count = state.memory[first_memory_ + delay.count.number];
    double* ring = &state.memory[first_memory_ + delay.count.number + 1];
    const auto at = [&](long n) { return ring + 2 * (n % Delay::samples); };
    const long n = static_cast<long>(count);
    if (n > 0 && !(state.t > at(n - 1)[0])) continue;
    // While the last two are closer than needed, the newest takes the place of the one before.
    const double enough = 1.25 * delay.time / Delay::samples;
    const bool replaces = n > 1 && at(n - 1)[0] - at(n - 2)[0] < enough;
    double* to = at(replaces ? n - 1 : n);
    to[0] = state.t;
    to[1] = values(state, table)[network.at(delay.input)];
    if (!replaces) count += 1;
  }
}

/// By the cubic through the four samples around that time.
double Controls::delayed(const Delay& delay, const State& state) const {
  const long n = static_cast<long>(state.memory[first_memory_ + delay.count.number]);
  const double* ring = &state.memory[first_memory_ + delay.count.number + 1];
  const auto at = [&](long k) { return ring + 2 * (k % Delay::samples); };
  const double t = state.t - delay.time;
  const long oldest = std::max(0L, n - Delay::samples);
  if (n < 2 || t < at(oldest)[0]) return state.memory[first_memory_ + delay.output.number];
  long after = n - 1;
  while (after > oldest + 1 && at(after - 1)[0] > t) --after;
  const long first = std::clamp(after - 2, oldest, std::max(oldest, n - 4)),
             last = std::min(first + 3, n - 1);
  double sum = 0;
  for (long i = first; i <= last; ++i) {
    double weight = 1;
    for (long j = first; j <= last; ++j)
      if (j != i) weight *= (t - at(j)[0]) / (at(i)[0] - at(j)[0]);
    sum += weight * at(i)[1];
  }
  return sum;
}

// --- events and stops

double Controls::value_of(const Stop& stop, const State& state, const FrameTable& table, bool rate) const {
  return measured(CoordinateMeasure{stop.coordinate, stop.frames, stop.observed, rate}, state, table);
}

/// A stop in contact is watched by its force, an open one by its gap; either way from above.
void Controls::indicate(const State& state, const SystemWorkspace& workspace,
                        std::span<double> indicators) const {
  const FrameTable& table = workspace.frames;
  const std::span<const double> all = values(state, workspace, solved_for_events_);
  std::size_t k = 0;
  for (const Event& event : events_)
    indicators[k++] = event.has_time() ? 1 : all[network.at(event.indicator)];
  for (std::size_t s = 0; s < stops_.size(); ++s)
    indicators[k++] = is_on(stops_[s], state)
                          ? stops_[s].side * state.lambda[stop_places_[s].second]
                          : stops_[s].side * (stops_[s].place - value_of(stops_[s], state, table, false));
}

int Controls::direction(int indicator, const State&) const {
  return indicator < static_cast<int>(events_.size()) ? events_[indicator].direction : -1;
}

Jump Controls::happen(State& state, const SystemWorkspace& workspace, std::span<const int> reached) const {
  Jump jump;
  jump.changed = tick(state, workspace, solved_for_samples_);
  for (std::size_t e = 0; e < events_.size(); ++e) {
    const Event& event = events_[e];
    double& count = state.memory[event_entry(e)];
    const bool is_due =
        event.has_time() && count == 0 && state.t >= event.at - 1e-12 * (1 + std::abs(event.at));
    const bool is_reached = std::find(reached.begin(), reached.end(), static_cast<int>(e)) != reached.end();
    if (!is_due && !is_reached) continue;
    count += 1;
    const int times = static_cast<int>(count);
    if (times % event.every != 0 || (!event.repeats && times > event.every)) continue;
    act(event, state, workspace, jump);
  }
  for (std::size_t s = 0; s < stops_.size(); ++s)
    if (std::find(reached.begin(), reached.end(), static_cast<int>(events_.size() + s)) != reached.end())
      meet(stops_[s], state, workspace.frames, jump);
  return jump;
}

void Controls::act(const Event& event, State& state, const SystemWorkspace& workspace, Jump& jump) const {
  const std::vector<int>& rows = action_rows_[static_cast<std::size_t>(&event - events_.data())];
  if (!event.name.empty()) jump.text += formatted("{}{}", jump.text.empty() ? "" : "; ", event.name);
  for (std::size_t i = 0; i < event.actions.size(); ++i) {
    const Action& action = event.actions[i];
    if (!action.text.empty()) jump.text += (i == 0 ? ": " : ", ") + action.text;
    switch (action.kind) {
      case Action::Kind::stop:
        jump.stops = true;
        break;
      case Action::Kind::output:
        jump.wants_output = true;
        break;
      case Action::Kind::on:
      case Action::Kind::off: {
        const bool on = action.kind == Action::Kind::on;
        double& now = state.memory[places_switch(action.number)];
        if ((now != 0) == on) break;
        now = on;
        ++state.mode;
        jump.changed = true;
        if (!on) state.lambda.setZero();
        if (on && action.constraint >= 0) {
          jump.impact = true;
          jump.impacts.push_back({rows[i], 0.0, -1, action.unit});
        }
        break;
      }
      case Action::Kind::set_held:
        state.memory[first_memory_ + action.number] =
            values(state, workspace, solved_for_samples_)[network.at(action.value)];
        jump.changed = true;
        break;
      case Action::Kind::set_state:
        state.v[first_dof_ + action.number] =
            values(state, workspace, solved_for_samples_)[network.at(action.value)] / size_of(action.number);
        jump.changed = true;
        break;
    }
  }
}

/// It is met, or let go of. A slow impact leaves the stop closed.
void Controls::meet(const Stop& stop, State& state, const FrameTable& table, Jump& jump) const {
  const auto [memory, row] = stop_places_[static_cast<std::size_t>(&stop - stops_.data())];
  const int entry = places_switch(stop.row_switch);
  jump.changed = true;
  ++state.mode;
  if (state.memory[entry] != 0) {
    state.memory[entry] = 0;
    state.lambda[row] = 0;
    return;
  }
  const double rate = value_of(stop, state, table, true), after = -stop.restitution * rate;
  const bool stays = std::abs(after) < stop.rest;
  state.memory[entry] = 1;
  jump.impact = true;
  const bool is_angle = std::holds_alternative<Angle>(stop.coordinate);
  jump.impacts.push_back({row, stays ? 0.0 : after, stays ? -1 : entry, is_angle ? "N m s" : "N s"});
  jump.text += formatted("{}limit {} met at {:.6g} {}/s", jump.text.empty() ? "" : "; ", stop.name, rate,
                         is_angle ? "rad" : "m");
}

bool Controls::settle(State& state) const {
  bool any = false;
  for (std::size_t s = 0; s < stops_.size(); ++s) {
    if (!is_on(stops_[s], state) || stops_[s].side * state.lambda[stop_places_[s].second] >= 0) continue;
    state.memory[places_switch(stops_[s].row_switch)] = 0;
    state.lambda[stop_places_[s].second] = 0;
    ++state.mode;
    any = true;
  }
  return any;
}

}  // namespace hooke
