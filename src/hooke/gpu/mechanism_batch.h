#pragma once
#include "hooke/gpu/mechanism_model.h"

namespace hooke::gpu {

/// Whole runs of many instances of a mechanism at once, each from its own numbers and state, from the start to the end without
/// a word from outside.
///
/// On a device an instance is a warp's: its lanes share the rows of the small matrices, and all it needs lies in shared
/// memory. One instance to a thread would need as many instances as the device has threads, ten thousands, and a matrix to each
/// of them that no memory near it can hold. All in double precision.
class MechanismBatch {
 public:
  explicit MechanismBatch(const MechanismModel& model) : model_(model) {}

  /// A run of this system from this state, which has a history (AlphaHistory::ready).
  void add(const System& system, const State& state);
  int instances() const { return instances_; }

  /// `steps` from where it is now, with an output after every `every` of them. On the device; false: there is none, and why.
  bool run_on_device(int steps, int every, std::string& why);
  /// The same in plain C++ with the same order of summation.
  void run_here(int steps, int every, int threads = 1);

  /// Of the last run. Output 0 is its start; outputs that an instance did not reach are not numbers.
  void read(int output, int instance, State& state) const;
  State state(int instance) const;  ///< at the end
  const BatchLog& log(int instance) const { return log_[instance]; }
  double seconds() const { return seconds_; }  ///< without copies to the device and back

 private:
  MechanismRun prepare(int steps, int every);

  const MechanismModel& model_;
  int instances_ = 0;
  std::vector<double> numbers_, states_, outputs_, courses_;
  std::vector<const System*> systems_;
  std::vector<State> ends_;
  std::vector<BatchLog> log_;
  double seconds_ = 0;
};

}  // namespace hooke::gpu
