#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hooke/fmi/manifest.h"
#include "hooke/fmi/observable.h"
#include "hooke/fmi/runtime/some_frames.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// One instance of an FMU, whichever version of the standard speaks to it (fmi2.cpp, fmi3.cpp). It throws Error with the
/// reason for all that goes wrong.
///
/// Values are known by their value references: 0 is the time, then those of the manifest follow, component by component.
/// Parameters of the model file change what is built, so building waits until something is asked for; inputs and tunable
/// parameters are entries of State::memory. What is set takes effect when something is computed next.
class FmuInstance {
 public:
  /// Reads the manifest. `token` must be that of the archive.
  FmuInstance(const std::string& resources, const std::string& token);
  ~FmuInstance();

  enum class Phase { instantiated, initialising, event, step, continuous, failed, terminated };
  Phase phase = Phase::instantiated;
  std::function<void(double t, const std::string& text)> on_event;
  std::function<void(const std::string& text)> on_warning;

  void set_start(double t);
  void end_initialising();
  void reset();
  double time() { return simulation().time(); }

  double value(std::uint32_t reference);
  void set(std::uint32_t reference, double value);
  /// Of the variable that begins there.
  int width(std::uint32_t reference) const;
  /// How an input goes on from its value, over the next step: value + sum of c_k (t - t_now)^k / k!
  void set_input_derivative(std::uint32_t reference, int order, double value);

  struct Step {
    bool is_complete = true, has_ended = false;
    double t = 0;
    std::string failure;  ///< why no step succeeded
  };
  /// From now to t + h; `interrupt` is asked after every step of the integrator, true ends it there. Inputs that it sets act
  /// from there on.
  Step advance(double t, double h, const std::function<bool(double t)>& interrupt = {});
  bool has_event() { return simulation().has_event(); }
  /// During a step: values are those of now.
  void look_again() { forget(); }

  std::string save();
  void restore(const std::string& saved);

  /// Of unknowns by knowns along `seed`: outputs (and derivatives) by inputs, tunable parameters and states.
  void directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                              std::span<const double> seed, std::span<double> sensitivity);
  void adjoint_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                          std::span<const double> seed, std::span<double> sensitivity);

  // --- model exchange (exchange.cpp)
  void begin_exchange();
  int states() { return counts_[static_cast<std::size_t>(FmuRole::state)]; }
  int indicators() { return simulation().system().indicators(); }
  void set_time(double t);
  void get_states(std::span<double> x);
  void set_states(std::span<const double> x);
  void get_derivatives(std::span<double> rates);
  void get_nominals(std::span<double> sizes);
  void get_indicators(std::span<double> values);
  /// Angles are followed over full turns. True: something is to happen.
  bool complete_step();
  struct Update {
    bool has_changed = false, has_ended = false;
    double next_time = 0;  ///< infinite: none is known
  };
  /// Lets happen what is due, in both kinds of FMUs.
  Update update();

 private:
  struct Place {
    int variable;
    int component;
  };
  const Place& place(std::uint32_t reference) const;
  const FmuVariable& variable(const Place& place) const {
    return manifest_.variables[static_cast<std::size_t>(place.variable)];
  }
  Simulation& simulation();
  void build();
  void find_outputs();
  void flush_inputs();
  double output(int variable, int component);
  void update_for_outputs(const State& state);
  void forget() { is_seen_ = is_shown_ = false; }

  const State& now();

  // derivatives.cpp
  struct Probe;
  struct Change;
  void begin_derivatives(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns);
  void derivative_along(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                        std::span<const double> seed, std::span<double> sensitivity);
  Change change_along(std::span<const std::uint32_t> knowns, std::span<const double> seed);
  VectorX output_changes(std::span<const std::uint32_t> unknowns, const Change& change);

  // exchange.cpp
  struct Exchange;
  /// Of model exchange; otherwise how the state would be there, to be looked at.
  Exchange& exchange();
  const State& exchanged_state();
  void exchange_inputs(std::span<const double> values);
  double state_entry(int k);
  void set_state_entry(int k, double value);
  double derivative_entry(int k);
  std::string save_exchange();
  void restore_exchange(const std::string& saved);

  std::string resources_;
  FmuManifest manifest_;
  std::vector<Place> places_;    ///< by value reference, less 1
  std::vector<int> ordinals_;    ///< of each variable, among those of its role
  std::array<int, 8> counts_{};  ///< of each role
  std::optional<double> start_;

  std::vector<std::optional<double>> parameters_;  ///< of each variable that is one: what it was set to
  std::vector<double> settings_;                   ///< of each variable that is an input or tunable
  std::vector<std::vector<double>> courses_;  ///< of inputs: derivatives, from the first on; usually none
  bool has_course_ = false;

  std::unique_ptr<Simulation> simulation_;  ///< none: to be built
  std::vector<double> parameter_values_;    ///< of each variable, as the document has them
  std::vector<int> entries_;                ///< of inputs and tunable parameters: in State::memory
  std::vector<int> entry_variables_;        ///< and which variable each is
  bool inputs_are_new_ = false;
  std::vector<std::optional<Observable>> outputs_;  ///< of each variable
  std::optional<SomeFrames> frames_;                ///< that outputs need; none: everything

  std::unique_ptr<Workspace> workspace_;
  bool is_seen_ = false, is_updated_ = false;
  std::vector<std::vector<double>> seen_;  ///< values of outputs; empty: not read since the state changed
  std::unique_ptr<Probe> probe_;           ///< made when it is first needed
  std::unique_ptr<Exchange> exchange_;     ///< of model exchange alone
  std::unique_ptr<Exchange> shown_;        ///< of co-simulation, where somebody looks at its states
  bool is_shown_ = false;
};

}  // namespace hooke
