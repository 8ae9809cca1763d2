#pragma once
#include "hooke/base/archive.h"
#include "hooke/io/results/results.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// A stepper whose run can be gone on with: where its checkpoints are kept, the mark of its results, and all that its further
/// steps depend on.
struct Resumable {
  Checkpoints& checkpoints;
  std::string run;
  std::function<void(Archive&)> archive;
};

/// The run of a stepper that is no model of bodies.
struct SteppedRun {
  MarchSettings march;
  RecordedItems items;
  std::string title, text;                                 ///< of its file
  std::vector<std::pair<std::string, std::string>> facts;  ///< about it, for people
  std::function<Record(const State&)> record;
  std::function<void(Summary&)> end = {};  ///< what is to be said once it is over
  const Resumable* resumable = nullptr;
};

/// Takes it to the end, writes results, and tells the summary, which knows integrator, solver and warnings. Steps that fail
/// end the run there, other errors are thrown.
void run_stepper(Stepper& stepper, const SteppedRun& run, const RunOptions& options, Summary& summary);

}  // namespace hooke
