#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hooke/math/expression.h"

/// Signals and the blocks between them, as one list of numbers: the time, what is measured, the states of blocks, what is
/// held between samples, what is known once a state is solved for (accelerations, reactions, stresses), and
/// then every signal, computed from those before it. A number is known by its slot in the list.
///
/// Blocks of all kinds are made of three things only: signals (a function of other slots), states (whose rate is a slot)
/// and held values (that take the value of a slot at times of their own). So derivatives, the order of evaluation and
/// algebraic loops are dealt with once.
namespace hooke {

/// A value and, where the span is not empty, its derivatives by the arguments.
using SignalFunction = std::function<double(std::span<const double> arguments, std::span<double> gradient)>;

class Network {
 public:
  /// Slots are numbered by kind while signals are still being added; `finish` puts them in order.
  enum class Kind { time, measure, state, held, solved, signal };
  struct Slot {
    Kind kind = Kind::time;
    int number = 0;
    friend auto operator<=>(const Slot&, const Slot&) = default;
  };

  // --- building
  Slot add_measure() { return {Kind::measure, measures_++}; }
  Slot add_state() { return {Kind::state, states_++}; }
  Slot add_held(double start) { return held_starts_.push_back(start), Slot{Kind::held, held() - 1}; }
  Slot add_solved() { return {Kind::solved, solved_++}; }
  /// A signal of other slots; it may be defined later, since signals refer to each other in any order.
  Slot add_signal(std::string name);
  void define(Slot signal, std::vector<Slot> arguments, SignalFunction function);
  /// The names along an algebraic loop, if there is one; otherwise everything is in order.
  std::vector<std::string> finish();

  int measures() const { return measures_; }
  int states() const { return states_; }
  int held() const { return static_cast<int>(held_starts_.size()); }
  const std::vector<double>& held_starts() const { return held_starts_; }
  int solved() const { return solved_; }
  int size() const { return 1 + measures_ + states_ + held() + solved_ + static_cast<int>(signals_.size()); }

  // --- once finished
  /// Where a slot is in the list of values.
  int at(Slot slot) const;
  /// Which measures and states a signal depends on, as their places in the list of values.
  std::vector<int> sources(Slot slot) const;
  /// What it depends on of a kind, by number.
  std::vector<int> used(Slot slot, Kind kind) const;
  /// Computes all signals from what stands before them.
  void evaluate(std::span<double> values) const;
  /// And their derivatives by all measures and states: gradients[at(signal) * (measures + states) + source].
  void differentiate(std::span<double> values, std::span<double> gradients) const;
  int source_count() const { return measures_ + states_; }
  /// How all signals change when what stands before them changes as `changes` says.
  void follow(std::span<double> values, std::span<double> changes) const;

 private:
  struct Signal {
    std::string name;
    std::vector<Slot> arguments;
    SignalFunction function;
    std::vector<int> argument_places = {};
  };
  void visit(int signal, std::vector<char>& mark, std::vector<int>& path, std::vector<std::string>& loop);

  int measures_ = 0, states_ = 0, solved_ = 0;
  std::vector<double> held_starts_;
  std::vector<Signal> signals_;
  std::vector<int> order_, place_;  ///< signals in order of evaluation, and where each then is
};

/// A signal function of a formula of so many arguments.
SignalFunction formula_function(std::shared_ptr<const Expression> formula);
/// Of code without derivatives: they are taken by differences.
SignalFunction by_differences(std::function<double(std::span<const double>)> code);

}  // namespace hooke
