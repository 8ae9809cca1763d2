#pragma once
#include "hooke/gpu/cuda_engine.h"

namespace hooke::gpu {

/// Whole runs of many instances of one model of solids, from different states and with different loads and drives over time.
/// They share the factor: each is the work of one multiprocessor, and what they read of the factor stays in the cache of all.
class SolidBatch {
 public:
  /// Of a multiprocessor that reads from the cache. It takes fronts one after the other, each with a few accesses to memory that
  /// wait for each other: measured with the cuboids A and B on an H200.
  static constexpr SolveCost cost{1 / 4.0e10, 1e-6, 2.4e-6};

  /// The model is laid out for one block, with this cost. `plain`: by the plain C++ of the device. Throws
  /// std::runtime_error where there is no device.
  explicit SolidBatch(const DeviceModel& model, bool plain = false);

  /// A run from this state, which has a history (AlphaHistory::ready). Of the drives and loads of another system with the same
  /// names `courses` tells what they do in all steps to come, as DeviceModel::courses has it; empty: those of the model.
  void add(const State& state, std::vector<double> courses = {});
  /// `steps` from where it is now, with an output after every `every` of them. An instance that fails has no state afterwards.
  void run(int steps, int every);

  /// Of the last run. Output 0 is its start; outputs that an instance did not reach are not numbers.
  void read(int output, int instance, State& state) const;
  State state(int instance) const;  ///< at the end
  const BatchLog& log(int instance) const { return log_[instance]; }
  double seconds() const { return seconds_; }  ///< without copies to the device and back

 private:
  std::vector<double> next_courses(int instance, int steps);
  DeviceState at(int instance) const;
  void set(int instance, const DeviceState& state);
  void run_plain(const SolidRun& run);

  const DeviceModel& model_;
  std::unique_ptr<CudaEngine> device_;
  std::unique_ptr<Engine> plain_;
  std::size_t nodes_, size_, output_;
  std::vector<double> states_, outputs_;
  std::vector<std::vector<double>> courses_;  ///< of each instance that has its own
  std::vector<std::size_t> used_;             ///< how many of these numbers runs have taken
  std::vector<State> ends_;
  std::vector<BatchLog> log_;
  double seconds_ = 0;
};

}  // namespace hooke::gpu
