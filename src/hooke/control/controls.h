#pragma once
#include <array>
#include <limits>
#include <variant>

#include "hooke/control/network.h"
#include "hooke/control/states.h"
#include "hooke/frames/coordinates.h"
#include "hooke/system/controls.h"
#include "hooke/system/system.h"

namespace hooke {

/// What can be measured with exact derivatives. Frames are numbers in the System.
///
///   a coordinate of two frames, or its rate (System::add_coordinate has given it a number)
///   the angular velocity of B relative to A about an axis of A:  a . (omega_B - omega_A)
struct CoordinateMeasure {
  AnyCoordinate coordinate;
  std::array<int, 2> frames;
  int observed;
  bool rate = false;
};
struct SpinMeasure {
  Axis axis;
  std::array<int, 2> frames;
};
using Measure = std::variant<CoordinateMeasure, SpinMeasure>;

/// What is known only once a state is solved for: accelerations, reactions, stresses, energies. For output, samples and
/// events; a force cannot depend on it.
using SolvedValue = std::function<double(const State&, const SystemWorkspace&)>;

/// What a signal y does to the mechanism.
///
///   along a coordinate c of two frames, as a tension:  w = -y dc/d(motion)
///   on one frame: y times a force or moment along an axis of the world or of the frame
struct CoordinateActuator {
  AnyCoordinate coordinate;
  std::array<int, 2> frames;
};
struct LoadActuator {
  int frame;
  int component;  ///< 0 to 2: a force, 3 to 5: a moment
  bool turns;     ///< with the frame
};
using Actuator = std::variant<CoordinateActuator, LoadActuator>;

/// A network of signals in a System, with one item for each force it exerts (a load may have six actuators), and one for
/// the states of its blocks.
class Controls final : public ControlsBase {
 public:
  Network network;
  FirstOrderStates states;

  struct Output {
    Actuator actuator;
    Network::Slot signal;
  };
  struct Force {
    std::string name;
    std::vector<Output> outputs;
    std::array<int, 2> frames{-1, -1};  ///< the second is -1 for a load
    int on = -1;                        ///< as ItemPlace::on
    bool is_off(const State& state) const { return on >= 0 && state.memory[on] == 0; }
  };
  /// A held value takes that of a signal at offset + k every; where `first`, before those that read it do.
  struct Sample {
    Network::Slot held, from;
    bool is_output;
  };
  struct Clock {
    double every = 0, offset = 0;
    std::vector<Sample> samples;
  };

  /// What is done when an event happens.
  struct Action {
    enum class Kind { stop, output, on, off, set_held, set_state } kind;
    int number = 0;            ///< switch, held value or state
    Network::Slot value = {};  ///< to be set
    int constraint = -1;       ///< of a row that is switched on: it stops what moves against it
    std::string text = {};
    const char* unit = "";  ///< of the impulse, where there is one
  };
  struct Event {
    std::string name;
    Network::Slot indicator;
    int direction = 0;                                     ///< 1: rising, -1: falling, 0: either
    double at = std::numeric_limits<double>::quiet_NaN();  ///< a time, instead
    int every = 1;
    bool repeats = true;
    std::vector<Action> actions = {};
    bool has_time() const { return at == at; }
  };
  /// A rigid stop of a coordinate. Its row (CoordinateLock) is on while it is in contact.
  struct Stop {
    std::string name;
    AnyCoordinate coordinate;
    std::array<int, 2> frames;
    int observed, row_switch, constraint;
    double place;
    int side;  ///< 1: the coordinate stays below it, -1: above
    double restitution, rest;
  };

  /// What was so much earlier: the values of steps taken, in a ring of times and values.
  struct Delay {
    static constexpr int samples = 128;
    Network::Slot input, output, count;
    double time;
  };
  /// Its output; before there is a past it is `start`.
  Network::Slot add_delay(Network::Slot input, double time, double start);

  /// A drive that is told where to go (joints/drive.h, ServoDrive) at every interval.
  struct Servo {
    int constraint;
    AnyCoordinate coordinate;
    std::array<int, 2> frames;
    int observed;
    Network::Slot wanted;
    double every, start;
  };

  /// The measure's slot; the same one for the same measure.
  Network::Slot measure(const Measure& measure);
  Network::Slot solved(SolvedValue value) {
    solved_.push_back(std::move(value));
    return network.add_solved();
  }
  /// `size`: of a state's values, roughly; the unit of its errors.
  Network::Slot add_state(std::string name, double start, double size = 1);
  void set_rate(Network::Slot state, Network::Slot rate);
  /// A state or held value begins with that of a signal.
  void begin_with(Network::Slot slot, Network::Slot from) { begin_with_.emplace_back(slot, from); }
  void add(Force force) { forces_.push_back(std::move(force)); }
  Clock& clock(double every, double offset);
  /// Names a signal for output.
  struct Published {
    std::string name;
    Network::Slot slot;
    std::string unit;
  };
  void publish(std::string name, Network::Slot slot, std::string unit = {}) {
    published_.push_back({std::move(name), slot, std::move(unit)});
  }
  const std::vector<Published>& published() const { return published_; }
  /// The world may set this held value, under that name.
  void let_world_set(std::string name, Network::Slot held) { inputs_.emplace_back(std::move(name), held); }
  void add(Event event) { events_.push_back(std::move(event)); }
  void add(Stop stop) { stops_.push_back(std::move(stop)); }
  void add(Servo servo) {
    clock(servo.every, 0);
    servos_.push_back(std::move(servo));
  }
  bool empty() const {
    return forces_.empty() && states.states.empty() && published_.empty() && events_.empty() &&
           stops_.empty() && servos_.empty();
  }
  /// Puts itself into a system: the states after all bodies, the forces after all forces. Returns the number of the first
  /// force. Throws Error with the names in an algebraic loop.
  static int add_to(System& system, std::unique_ptr<Controls> controls);

  // --- ForceBatchBase
  int count() const override { return static_cast<int>(forces_.size()) + 1; }
  int memory() const override { return 0; }
  int frames(int i) const override;
  int frame(int i, int k) const override;
  void place(int, ItemPlace) override {}
  void set_switch(int i, int entry) override { forces_[i].on = entry; }
  void describe(int i, const FrameMap& map, KktStructure& structure) const override;
  void connect(const FrameMap& map, const KktMatrix& kkt) override;
  void subtract_wrenches(const State& state, FrameTable& table) const override;
  void add_tangent(const State& state, const Weights& weights, const FrameMap& map, const FrameTable& table,
                   BlockMatrix& matrix) const override;
  double energy(const State&, const FrameTable&) const override { return 0; }
  Power power(const State& state, const FrameTable& table) const override;
  void track(const FrameTable& table, State& state) const override;
  Vec6 wrench(int i, int k, const State& state, const FrameTable& table) const override;
  std::optional<NotFinite> not_finite(int i, const State& state, const FrameTable& table,
                                      bool with_derivatives) const override;
  int copy(int i, std::span<const int> frames, const std::string& name, System& to) const override;

  // --- ControlsBase
  void place_memory(const Places& places) override;
  int own_memory() const override {
    return network.held() + static_cast<int>(clocks_.size() + events_.size());
  }
  void begin(State& state) const override;
  void start(State& state, const SystemWorkspace& workspace) const override;
  double next_time(const State& state) const override;
  int indicators() const override { return static_cast<int>(events_.size() + stops_.size()); }
  void indicate(const State& state, const SystemWorkspace& workspace,
                std::span<double> values) const override;
  int direction(int indicator, const State& state) const override;
  Jump happen(State& state, const SystemWorkspace& workspace, std::span<const int> reached) const override;
  bool settle(State& state) const override;
  int signals() const override { return static_cast<int>(published_.size()); }
  void read(const State& state, const SystemWorkspace& workspace, std::span<double> signals) const override;
  std::vector<std::pair<std::string, int>> inputs() const override;

  // --- derivatives, exact as those of the formulas
  /// The list of values at a state, and how the published signals change as those change that they are made of.
  VectorX all_values(const State& state, const SystemWorkspace& workspace) const;
  void read_changes(const State& state, const SystemWorkspace& workspace, const VectorX& changes,
                    std::span<double> signals) const;
  /// As `subtract_wrenches`: what a change of State::memory changes of them.
  void subtract_changes(const State& state, const VectorX& memory, FrameTable& table) const;

 private:
  /// One scalar that goes into the equations of motion, and the blocks its derivatives go to.
  struct Channel {
    Network::Slot signal;
    std::array<int, 2> frames;  ///< that it acts on; the second may be -1
    std::vector<int> sources;   ///< what it depends on, as in Network::sources
    std::vector<BlockHandle> handles = {};
    ItemHandles own = {};  ///< of its frames among themselves
  };
  void make_channels();
  void subtract(std::span<const double> all, const State& state, FrameTable& table) const;
  void check_solved();
  std::vector<FrameEntry> rows_of(const Channel& c, const FrameMap& map) const;
  void for_each_column(const Channel& c, const FrameMap& map, auto&& f) const;
  /// Everything known of a state: the list of values, with signals.
  std::span<double> values(const State& state, const FrameTable& table) const;
  /// With those of the solved state that are asked for; the others are 0.
  std::span<double> values(const State& state, const SystemWorkspace& workspace,
                           std::span<const int> solved) const;
  std::span<double> load(const State& state, const FrameTable& table) const;
  double size_of(int state) const { return states.states[static_cast<std::size_t>(state)].size; }
  double measured(const Measure& measure, const State& state, const FrameTable& table) const;
  bool tick(State& state, const SystemWorkspace& workspace, std::span<const int> solved) const;
  double delayed(const Delay& delay, const State& state) const;
  void tell(std::size_t servo, double wanted, State& state) const;
  void act(const Event& event, State& state, const SystemWorkspace& workspace, Jump& jump) const;
  void meet(const Stop& stop, State& state, const FrameTable& table, Jump& jump) const;
  double value_of(const Stop& stop, const State& state, const FrameTable& table, bool rate) const;
  bool is_on(const Stop& stop, const State& state) const {
    return state.memory[places_switch(stop.row_switch)] != 0;
  }
  int places_switch(int number) const { return first_switch_ + number; }
  int clock_entry(std::size_t c) const { return first_memory_ + network.held() + static_cast<int>(c); }
  int event_entry(std::size_t e) const { return clock_entry(clocks_.size() + e); }

  std::vector<Measure> measures_;
  std::vector<SolvedValue> solved_;
  std::vector<int> solved_for_events_, solved_for_samples_, all_solved_;  ///< which of them each needs
  std::vector<Network::Slot> rates_;                                      ///< of the states
  std::vector<std::pair<Network::Slot, Network::Slot>> begin_with_;
  std::vector<Delay> delays_;
  std::vector<Force> forces_;
  std::vector<Clock> clocks_;
  std::vector<Published> published_;
  std::vector<Channel> channels_;  ///< of all outputs in order, then of all states
  std::vector<std::pair<std::string, Network::Slot>> inputs_;
  std::vector<Event> events_;
  std::vector<Stop> stops_;
  std::vector<Servo> servos_;
  std::vector<int> servo_memory_;
  std::vector<int> state_frames_, observed_memory_;
  std::vector<std::pair<int, int>> stop_places_;  ///< memory and row of each
  std::vector<std::vector<int>> action_rows_;     ///< of each action of each event, or -1
  int first_switch_ = 0, first_memory_ = 0, first_dof_ = 0;
};

}  // namespace hooke
