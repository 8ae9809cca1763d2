#pragma once
#include <optional>

#include "hooke/base/archive.h"
#include "hooke/base/timer.h"
#include "hooke/simulation/checkpoint.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// Keeps the checkpoint of a run, and writes it from time to time.
class Checkpoints {
 public:
  /// Every `interval` s of wall-clock time, and at the end; 0: never. `describe` says what is run.
  Checkpoints(const RunOptions& options, double interval, Summary& summary,
              std::function<void(Checkpoint&)> describe)
      : results_(options.results), interval_(interval), summary_(summary), describe_(std::move(describe)) {}

  /// Reads the one beside the results, to go on until `end`; `check` throws where it is of something else.
  void go_on(double end, const std::function<void(const Checkpoint&)>& check);
  const Checkpoint* from() const { return from_ ? &*from_ : nullptr; }

  /// Where the run is, with the rows of its results so far.
  void keep(const Archive& memory, double t, const std::string& run, long frames, long steps);
  void end(const State& state) { latest_.last = state; }
  bool is_due() const { return is_wanted() && since_.seconds() > interval_; }
  /// A run does not end because this fails; what it computes is still there.
  void write(bool at_end);

 private:
  bool is_wanted() const { return !results_.empty() && interval_ > 0; }

  std::string results_;
  double interval_;
  Summary& summary_;
  std::function<void(Checkpoint&)> describe_;
  std::optional<Checkpoint> from_;
  Checkpoint latest_;
  Timer since_;
  bool has_failed_ = false;
};

/// A run on its march, and what its checkpoints hold.
struct MarchingRun {
  March& march;
  Stepper& stepper;
  const std::string& mark;                ///< of its results
  std::function<void(Archive&)> archive;  ///< all that further steps depend on, the march included
  /// after every so many steps, whether a checkpoint is written or not
  std::function<void()> begin_afresh = {};
  std::function<void()> write_kept = {};  ///< results so far, before a checkpoint refers to them
};

/// From the start, or from where a checkpoint left it, to the end. Without checkpoints nothing is kept. True: it was cancelled.
bool march_to_end(const MarchingRun& run, const RunOptions& options, const Summary& summary,
                  Checkpoints* checkpoints);

}  // namespace hooke
