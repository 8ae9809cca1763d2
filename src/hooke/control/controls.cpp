#include "hooke/control/controls.h"

#include <cmath>
#include <numeric>
#include <set>

#include "hooke/base/text.h"

namespace hooke {
namespace {

/// A scalar's derivatives by the motion and the twist of two frames.
struct MeasureGradient {
  Vec12 motion, twist;
};

Vec12 twists(const std::array<int, 2>& frames, const FrameTable& table) {
  Vec12 u;
  u << table.twist[frames[0]], table.twist[frames[1]];
  return u;
}

MeasureGradient gradient_of(const Measure& measure, const FrameTable& table) {
  MeasureGradient g{Vec12::Zero(), Vec12::Zero()};
  if (const auto* m = std::get_if<CoordinateMeasure>(&measure)) {
    const FramePose &A = table.pose[m->frames[0]], &B = table.pose[m->frames[1]];
    std::visit(
        [&](const auto& c) {
          const Vec12 G = c.gradient(A, B);
          if (!m->rate) {
            g.motion = G;
            return;
          }
          Mat12 H = Mat12::Zero();
          c.add_hessian(A, B, 1.0, H);
          g.motion = H.transpose() * twists(m->frames, table);
          g.twist = G;
        },
        m->coordinate);
  } else {
    const auto& m2 = std::get<SpinMeasure>(measure);
    const Vec3 a = axis_W(table.pose[m2.frames[0]], m2.axis);
    const Vec3 relative = table.twist[m2.frames[1]].tail<3>() - table.twist[m2.frames[0]].tail<3>();
    g.twist.segment<3>(3) = -a;
    g.twist.segment<3>(9) = a;
    g.motion.segment<3>(3) = a.cross(relative);
  }
  return g;
}

const std::array<int, 2>& frames_of(const Measure& measure) {
  return std::visit([](const auto& m) -> const std::array<int, 2>& { return m.frames; }, measure);
}

std::array<int, 2> frames_of(const Actuator& actuator) {
  if (const auto* c = std::get_if<CoordinateActuator>(&actuator)) return c->frames;
  return {std::get<LoadActuator>(actuator).frame, -1};
}

/// The wrenches of a unit signal on the two frames (the second is not looked at for a load).
Vec12 unit_wrench(const Actuator& actuator, const FrameTable& table) {
  Vec12 w = Vec12::Zero();
  if (const auto* along = std::get_if<CoordinateActuator>(&actuator))
    return std::visit(
        [&](const auto& c) {
          return Vec12(-c.gradient(table.pose[along->frames[0]], table.pose[along->frames[1]]));
        },
        along->coordinate);
  const auto& load = std::get<LoadActuator>(actuator);
  const int axis = load.component % 3;
  w.segment<3>(load.component - axis) =
      load.turns ? Vec3(table.pose[load.frame].R.col(axis)) : Vec3(Vec3::Unit(axis));
  return w;
}

/// d(wrenches) / d(motion) at the signal y.
Mat12 stiffness(const Actuator& actuator, double y, const FrameTable& table) {
  Mat12 K = Mat12::Zero();
  if (const auto* along = std::get_if<CoordinateActuator>(&actuator)) {
    std::visit(
        [&](const auto& c) {
          c.add_hessian(table.pose[along->frames[0]], table.pose[along->frames[1]], -y, K);
        },
        along->coordinate);
    return K;
  }
  const auto& load = std::get<LoadActuator>(actuator);
  if (!load.turns) return K;
  const int axis = load.component % 3;  // d(R e) = dtheta x (R e)
  K.block<3, 3>(load.component - axis, 3) = -hat(y * Vec3(table.pose[load.frame].R.col(axis)));
  return K;
}

thread_local std::vector<double> value_scratch, gradient_scratch, solved_scratch;

std::span<double> scratch(std::vector<double>& of, int size) {
  if (of.size() < static_cast<std::size_t>(size)) of.resize(static_cast<std::size_t>(size));
  return {of.data(), static_cast<std::size_t>(size)};
}

}  // namespace

// --- building

Network::Slot Controls::measure(const Measure& wanted) {
  const auto same = [&](const Measure& m) {
    if (m.index() != wanted.index() || frames_of(m) != frames_of(wanted)) return false;
    if (const auto* c = std::get_if<CoordinateMeasure>(&m)) {
      const auto& other = std::get<CoordinateMeasure>(wanted);
      return c->observed == other.observed && c->rate == other.rate;
    }
    return std::get<SpinMeasure>(m).axis == std::get<SpinMeasure>(wanted).axis;
  };
  const auto found = std::find_if(measures_.begin(), measures_.end(), same);
  if (found != measures_.end()) return {Network::Kind::measure, static_cast<int>(found - measures_.begin())};
  measures_.push_back(wanted);
  return network.add_measure();
}

Network::Slot Controls::add_state(std::string name, double start, double size) {
  states.states.push_back({std::move(name), start, size});
  rates_.emplace_back();
  return network.add_state();
}

void Controls::set_rate(Network::Slot state, Network::Slot rate) {
  rates_[static_cast<std::size_t>(state.number)] = rate;
}

Controls::Clock& Controls::clock(double every, double offset) {
  for (Clock& c : clocks_)
    if (c.every == every && c.offset == offset) return c;
  return clocks_.emplace_back(Clock{every, offset, {}});
}

Network::Slot Controls::add_delay(Network::Slot input, double time, double start) {
  Delay delay{input, network.add_held(start), network.add_held(0), time};
  for (int i = 0; i < 2 * Delay::samples; ++i) network.add_held(0);
  delays_.push_back(delay);
  return delay.output;
}

int Controls::add_to(System& system, std::unique_ptr<Controls> controls) {
  if (const std::vector<std::string> loop = controls->network.finish(); !loop.empty()) {
    std::string path;
    for (const std::string& name : loop)
      if (!name.empty()) path += (path.empty() ? "" : " -> ") + name;
    throw Error(ExitCode::bad_model,
                "these signals depend on each other in a circle: " + path +
                    ". Put a block with a state into it (low-pass, integrator), or a sample");
  }
  Controls& c = *controls;
  c.check_solved();
  if (!c.states.states.empty()) {
    const int body = system.add_states(c.states, "control");
    for (int b = 0; b < c.states.blocks(); ++b)
      c.state_frames_.push_back(system.add_frame<FirstOrderStates>(body, {b}));
  }
  c.make_channels();
  std::vector<std::string> names;
  for (const Force& force : c.forces_) names.push_back(force.name);
  names.emplace_back("control");
  return system.add_controls(std::move(controls), names);
}

/// What acts on the mechanism cannot wait for the end of a step.
void Controls::check_solved() {
  constexpr auto solved = Network::Kind::solved;
  const auto refuse = [&](Network::Slot slot, const std::string& name) {
    if (!network.used(slot, solved).empty())
      throw Error(
          ExitCode::bad_model,
          formatted("{} depends on an acceleration, reaction, stress or energy, which is known only at the "
                    "end of a step: sample that first (control: {{NAME: {{sample: ..., every: ...}}}})",
                    name));
  };
  for (const Force& force : forces_)
    for (const Output& output : force.outputs) refuse(output.signal, "the force '" + force.name + "'");
  for (std::size_t s = 0; s < rates_.size(); ++s)
    refuse(rates_[s], "the block '" + states.states[s].name + "'");
  for (const Delay& delay : delays_) refuse(delay.input, "a delay");

  std::set<int> events, samples;
  const auto note = [&](Network::Slot slot, std::set<int>& to) {
    for (int number : network.used(slot, solved)) to.insert(number);
  };
  for (const Event& event : events_) {
    note(event.indicator, events);
    for (const Action& action : event.actions) note(action.value, samples);
  }
  for (const Clock& clock : clocks_)
    for (const Sample& sample : clock.samples) note(sample.from, samples);
  for (const Servo& servo : servos_) note(servo.wanted, samples);
  solved_for_events_.assign(events.begin(), events.end());
  solved_for_samples_.assign(samples.begin(), samples.end());
  all_solved_.resize(solved_.size());
  std::iota(all_solved_.begin(), all_solved_.end(), 0);
}

void Controls::make_channels() {
  for (const Force& force : forces_)
    for (const Output& output : force.outputs)
      channels_.push_back({output.signal, frames_of(output.actuator), network.sources(output.signal)});
  for (std::size_t s = 0; s < rates_.size(); ++s)
    channels_.push_back({rates_[s],
                         {state_frames_[FirstOrderStates::block_of(static_cast<int>(s))], -1},
                         network.sources(rates_[s])});
}

int Controls::frames(int i) const {
  if (i + 1 == count()) return static_cast<int>(state_frames_.size());
  return forces_[i].frames[1] >= 0 ? 2 : 1;
}

int Controls::frame(int i, int k) const { return i + 1 == count() ? state_frames_[k] : forces_[i].frames[k]; }

std::vector<FrameEntry> Controls::rows_of(const Channel& c, const FrameMap& map) const {
  std::vector<FrameEntry> all;
  for (int frame : c.frames)
    if (frame >= 0)
      for (const FrameEntry& entry : map.entries_of(frame)) all.push_back(entry);
  return all;
}

/// f(source, frame of it, which of two) for each frame a channel's value depends on; a state has one.
void Controls::for_each_column(const Channel& c, const FrameMap&, auto&& f) const {
  for (int source : c.sources) {
    const int number = source - 1;
    if (number < network.measures()) {
      f(number, frames_of(measures_[number])[0], 0);
      f(number, frames_of(measures_[number])[1], 1);
    } else {
      f(number, state_frames_[FirstOrderStates::block_of(number - network.measures())], 0);
    }
  }
}

void Controls::describe(int i, const FrameMap& map, KktStructure& structure) const {
  if (i + 1 != count()) return;  // all of them with the last
  for (const Channel& c : channels_) {
    const std::vector<FrameEntry> rows = rows_of(c, map);
    const auto couple = [&](const FrameEntry& row, const FrameEntry& column) {
      if (row.block != column.block)
        structure.couplings.emplace_back(std::min(row.block, column.block),
                                         std::max(row.block, column.block));
      for (int block : {row.block, column.block})
        structure.has_springs_on_turned |= structure.kind_of_block(block) == BodyKind::turned;
    };
    for (const FrameEntry& row : rows) {
      for (const FrameEntry& column : rows) couple(row, column);
      for_each_column(c, map, [&](int, int frame, int) {
        for (const FrameEntry& column : map.entries_of(frame)) couple(row, column);
      });
    }
  }
}

void Controls::connect(const FrameMap& map, const KktMatrix& kkt) {
  for (Channel& c : channels_) {
    const std::vector<FrameEntry> rows = rows_of(c, map);
    for (const FrameEntry& row : rows)
      for (const FrameEntry& column : rows) c.own.C.push_back(kkt.C(row.block, column.block));
    for_each_column(c, map, [&](int, int frame, int) {
      for (const FrameEntry& column : map.entries_of(frame))
        for (const FrameEntry& row : rows) c.handles.push_back(kkt.C(row.block, column.block));
    });
  }
  if (!state_frames_.empty()) first_dof_ = map.entries_of(state_frames_[0])[0].dof;
}

void Controls::place_memory(const Places& places) {
  observed_memory_.assign(places.coordinates.begin(), places.coordinates.end());
  first_switch_ = places.first_switch;
  first_memory_ = places.first;
  for (const Stop& stop : stops_) stop_places_.push_back(places.of_constraint(stop.constraint));
  for (const Servo& servo : servos_) servo_memory_.push_back(places.of_constraint(servo.constraint).first);
  for (const Event& event : events_) {
    auto& rows = action_rows_.emplace_back();
    for (const Action& action : event.actions)
      rows.push_back(action.constraint >= 0 ? places.of_constraint(action.constraint).second : -1);
  }
}

int Controls::copy(int, std::span<const int>, const std::string&, System&) const {
  throw Error(ExitCode::bad_model,
              "control blocks and signals in forces cannot be divided among subsystems yet");
}

// --- values

double Controls::measured(const Measure& measure, const State& state, const FrameTable& table) const {
  if (const auto* m = std::get_if<CoordinateMeasure>(&measure))
    return std::visit(
        [&](const auto& c) {
          const FramePose &A = table.pose[m->frames[0]], &B = table.pose[m->frames[1]];
          if (m->rate) return c.gradient(A, B).dot(twists(m->frames, table));
          return continuous_value(c, A, B, &state.memory[observed_memory_[m->observed]], state.t);
        },
        m->coordinate);
  const auto& m = std::get<SpinMeasure>(measure);
  return axis_W(table.pose[m.frames[0]], m.axis)
      .dot(table.twist[m.frames[1]].tail<3>() - table.twist[m.frames[0]].tail<3>());
}

/// The first of the list: time, measures, states and what is held.
std::span<double> Controls::load(const State& state, const FrameTable& table) const {
  const std::span<double> all = scratch(value_scratch, network.size());
  std::size_t k = 0;
  all[k++] = state.t;
  for (const Measure& m : measures_) all[k++] = measured(m, state, table);
  for (int s = 0; s < network.states(); ++s) all[k++] = size_of(s) * state.v[first_dof_ + s];
  for (int h = 0; h < network.held(); ++h) all[k++] = state.memory[first_memory_ + h];
  for (int s = 0; s < network.solved(); ++s) all[k++] = 0;
  for (const Delay& delay : delays_) all[network.at(delay.output)] = delayed(delay, state);
  return all;
}

std::span<double> Controls::values(const State& state, const FrameTable& table) const {
  const std::span<double> all = load(state, table);
  network.evaluate(all);
  return all;
}

std::span<double> Controls::values(const State& state, const SystemWorkspace& workspace,
                                   std::span<const int> solved) const {
  // First of all, since they may ask for forces, which use the list of values, too.
  const std::span<double> known = scratch(solved_scratch, static_cast<int>(solved.size()));
  for (std::size_t k = 0; k < solved.size(); ++k)
    known[k] = solved_[static_cast<std::size_t>(solved[k])](state, workspace);
  const std::span<double> all = load(state, workspace.frames);
  for (std::size_t k = 0; k < solved.size(); ++k)
    all[network.at({Network::Kind::solved, solved[k]})] = known[k];
  network.evaluate(all);
  return all;
}

void Controls::subtract_wrenches(const State& state, FrameTable& table) const {
  subtract(values(state, table), state, table);
}

void Controls::subtract_changes(const State& state, const VectorX& memory, FrameTable& table) const {
  std::vector<double> changes(static_cast<std::size_t>(network.size()), 0.0);
  for (int h = 0; h < network.held(); ++h)
    changes[network.at({Network::Kind::held, h})] = memory[first_memory_ + h];
  network.follow(load(state, table), changes);
  subtract(changes, state, table);
}

/// Wrenches and rates are linear in the signals.
void Controls::subtract(std::span<const double> all, const State& state, FrameTable& table) const {
  for (const Force& force : forces_)
    for (const Output& output : force.outputs) {
      if (force.is_off(state)) continue;
      const Vec12 w = all[network.at(output.signal)] * unit_wrench(output.actuator, table);
      const std::array<int, 2> frames = frames_of(output.actuator);
      table.wrench[frames[0]] -= w.head<6>();
      if (frames[1] >= 0) table.wrench[frames[1]] -= w.tail<6>();
    }
  for (int s = 0; s < network.states(); ++s)
    table.wrench[state_frames_[FirstOrderStates::block_of(s)]][FirstOrderStates::component_of(s)] -=
        all[network.at(rates_[s])] / size_of(s);
}

/// Each channel y(sources) acts along a wrench w:  C -= (J^T w) (dy/d(source)) (d(source)/dq)  for each source, and the
/// change of w itself.
void Controls::add_tangent(const State& state, const Weights& weights, const FrameMap& map,
                           const FrameTable& table, BlockMatrix& matrix) const {
  if (weights.k == 0 && weights.d == 0 && weights.of_states() == 0) return;
  const std::span<double> all = load(state, table);
  const int width = network.source_count();
  const std::span<double> slopes = scratch(gradient_scratch, network.size() * width);
  network.differentiate(all, slopes);

  using Row = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, most_block_dofs>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_block_dofs, 1>;
  const auto part = [&](const std::vector<double>& of, int frame, const FrameEntry& e) {
    return Eigen::Map<const Mat6X>(of.data() + map.frames[frame].jacobian + 6 * e.column, 6, e.size);
  };
  const auto add = [&](const Channel& c, const Vec12& w) {
    std::size_t next = 0;
    for_each_column(c, map, [&](int source, int frame, int which) {
      const double slope = slopes[network.at(c.signal) * width + source];
      MeasureGradient g{Vec12::Zero(), Vec12::Zero()};
      const bool is_state = source >= network.measures();
      if (!is_state) g = gradient_of(measures_[source], table);
      for (const FrameEntry& column : map.entries_of(frame)) {
        Row row;
        if (is_state)
          row = slope * weights.of_states() * size_of(source - network.measures()) *
                Row::Unit(column.size, FirstOrderStates::component_of(source - network.measures()));
        else
          row = (slope * g.twist.segment<6>(6 * which))
                    .transpose()
                    .lazyProduct(part(table.twist_changes, frame, column));
        if (weights.k != 0 && !is_state)
          row += (weights.k * slope * g.motion.segment<6>(6 * which))
                     .transpose()
                     .lazyProduct(part(table.jacobians, frame, column));
        for (int f = 0; f < 2 && c.frames[f] >= 0; ++f)
          for (const FrameEntry& e : map.entries_of(c.frames[f])) {
            const Column J_w =
                part(table.jacobians, c.frames[f], e).transpose().lazyProduct(w.segment<6>(6 * f));
            matrix.block(c.handles[next++]).noalias() -= J_w.lazyProduct(row);
          }
      }
    });
  };
  auto channel = channels_.begin();
  for (const Force& force : forces_)
    for (const Output& output : force.outputs) {
      if (force.is_off(state)) {
        ++channel;
        continue;
      }
      add(*channel, unit_wrench(output.actuator, table));
      if (weights.k != 0) {
        const Mat12 K = -weights.k * stiffness(output.actuator, all[network.at(output.signal)], table);
        if (channel->frames[1] >= 0)
          add_stiffness<2>(map, table, channel->frames, K, table.jacobians, channel->own, matrix);
        else
          add_stiffness<1>(map, table, {channel->frames[0]}, K.topLeftCorner<6, 6>(), table.jacobians,
                           channel->own, matrix);
      }
      ++channel;
    }
  for (int s = 0; s < network.states(); ++s)
    add(*channel++, Vec12::Unit(FirstOrderStates::component_of(s)) / size_of(s));
}

Power Controls::power(const State& state, const FrameTable& table) const {
  const std::span<const double> all = values(state, table);
  Power sum;
  for (const Force& force : forces_)
    for (const Output& output : force.outputs) {
      if (force.is_off(state)) continue;
      const std::array<int, 2> frames = frames_of(output.actuator);
      const Vec12 w = unit_wrench(output.actuator, table);
      double rate = w.head<6>().dot(table.twist[frames[0]]);
      if (frames[1] >= 0) rate += w.tail<6>().dot(table.twist[frames[1]]);
      sum.supplied += all[network.at(output.signal)] * rate;
    }
  return sum;
}

Vec6 Controls::wrench(int i, int k, const State& state, const FrameTable& table) const {
  Vec6 sum = Vec6::Zero();
  if (i + 1 == count() || forces_[i].is_off(state)) return sum;
  const std::span<const double> all = values(state, table);
  for (const Output& output : forces_[i].outputs)
    sum += all[network.at(output.signal)] * unit_wrench(output.actuator, table).segment<6>(6 * k);
  return sum;
}

std::optional<NotFinite> Controls::not_finite(int i, const State& state, const FrameTable& table,
                                              bool) const {
  const std::span<const double> all = values(state, table);
  for (const Published& signal : published_)
    if (const double y = all[network.at(signal.slot)];
        !std::isfinite(y) && network.used(signal.slot, Network::Kind::solved).empty())
      return NotFinite{"", formatted("the signal '{}' {} at t = {:.6g} s", signal.name,
                                     std::isnan(y) ? "is not a number" : "is infinite", state.t)};
  if (i + 1 == count()) return {};
  for (const Output& output : forces_[i].outputs)
    if (!std::isfinite(all[network.at(output.signal)]))
      return NotFinite{"", formatted("the force is not finite at t = {:.6g} s", state.t)};
  return {};
}

std::vector<std::pair<std::string, int>> Controls::inputs() const {
  std::vector<std::pair<std::string, int>> all;
  for (const auto& [name, held] : inputs_) all.emplace_back(name, first_memory_ + held.number);
  return all;
}

VectorX Controls::all_values(const State& state, const SystemWorkspace& workspace) const {
  const std::span<const double> all = values(state, workspace, all_solved_);
  return Eigen::Map<const VectorX>(all.data(), network.size());
}

void Controls::read_changes(const State& state, const SystemWorkspace& workspace, const VectorX& changes,
                            std::span<double> signals) const {
  std::vector<double> all(changes.begin(), changes.end());
  network.follow(values(state, workspace, all_solved_), all);
  for (std::size_t s = 0; s < published_.size(); ++s) signals[s] = all[network.at(published_[s].slot)];
}

void Controls::read(const State& state, const SystemWorkspace& workspace, std::span<double> signals) const {
  const std::span<const double> all = values(state, workspace, all_solved_);
  for (std::size_t s = 0; s < published_.size(); ++s) signals[s] = all[network.at(published_[s].slot)];
}

}  // namespace hooke
