#pragma once
#include "hooke/io/results/results.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

struct Checkpoint;

/// Turns states into records, keeps what the summary needs, and writes the results file if there is one.
class Recorder {
 public:
  /// A run that goes on keeps the rows there are, and its mark.
  Recorder(const Simulation& simulation, const RunOptions& options, Summary& summary,
           const Checkpoint* from = nullptr);
  /// With a watch: the account of energy at this state, which is refused (Error) when it cannot be.
  void state(const State& state, Watch* watch = nullptr);
  /// And each about the state, as an output: the first is the state itself.
  void modes(const std::vector<Mode>& modes, const State& state);
  const RunOptions& options() const { return options_; }
  void step(const StepRecord& record) {
    if (writer_) writer_->write(record);
  }
  /// For the summary: the first ones in full.
  void event(double t, const std::string& text);
  /// What is written so far is in the file, not in memory.
  void write_kept() {
    if (writer_) writer_->write_kept();
  }
  /// Sums over the outputs so far.
  void archive(Archive& a);
  long frames() const { return summary_.frames; }
  const std::string& run() const { return run_; }
  void finish();

 private:
  void note(const Record& record);
  void warn_of_linear_deformation();
  void note_turns(const Record& record);
  void note_spins(const Record& record);
  void check_finite(const Record& record) const;

  const Simulation& simulation_;
  const RunOptions& options_;
  Summary& summary_;
  std::string run_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<ResultsWriter> writer_;
  /// The element that turned most within the frame of its solid.
  struct Turn {
    double angle = 0, t = 0;
    int solid = 0;
  } largest_turn_;
  /// The body with modes that turned fastest, in units of its lowest frequency.
  struct Spin {
    double ratio = 0, t = 0;
    int soft = 0;
  } largest_spin_;
};

}  // namespace hooke
