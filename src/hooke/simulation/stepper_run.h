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

/// Takes a stepper that is no model of bodies to the end, writes what `record` says of its states, and tells the summary. Steps
/// that fail end the run there, other errors are thrown.
void run_stepper(Stepper& stepper, const MarchSettings& settings, const RunOptions& options,
                 ResultsWriter* writer, const std::function<Record(const State&)>& record, Summary& summary,
                 const Resumable* resumable = nullptr);

}  // namespace hooke
