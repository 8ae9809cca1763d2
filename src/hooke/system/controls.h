#pragma once
#include "hooke/system/force_batch.h"

namespace hooke {

struct SystemWorkspace;

/// What acts by itself in a system: the outputs of control blocks, which are forces, and what happens at certain times or
/// when something is reached. It remembers in State::memory.
class ControlsBase : public ForceBatchBase {
 public:
  /// Where the observed coordinates are remembered (System::add_coordinate), the first switch (System::add_switch), the
  /// first entry of its own, and where locked coordinates are (constraints by number: memory and row).
  struct Places {
    std::span<const int> coordinates;
    int first_switch = 0, first = 0;
    std::function<std::pair<int, int>(int constraint)> of_constraint;
  };
  virtual void place_memory(const Places& places) = 0;
  virtual int own_memory() const = 0;
  /// What it remembers at the start.
  virtual void begin(State& state) const = 0;
  /// At the assembled start, before the accelerations are found.
  virtual void start(State& state, const SystemWorkspace& workspace) const = 0;
  // What follows: see Dae.
  virtual double next_time(const State& state) const = 0;
  virtual int indicators() const = 0;
  virtual void indicate(const State& state, const SystemWorkspace& workspace,
                        std::span<double> values) const = 0;
  virtual int direction(int indicator, const State& state) const = 0;
  virtual Jump happen(State& state, const SystemWorkspace& workspace, std::span<const int> reached) const = 0;
  virtual bool settle(State& state) const = 0;
  /// Names of what the world may set, and the entry of State::memory that holds each.
  virtual std::vector<std::pair<std::string, int>> inputs() const = 0;
  /// All signals, for output.
  virtual int signals() const = 0;
  virtual void read(const State& state, const SystemWorkspace& workspace,
                    std::span<double> signals) const = 0;
};

}  // namespace hooke
