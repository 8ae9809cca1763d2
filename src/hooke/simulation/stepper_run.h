#pragma once
#include "hooke/io/results/results.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// The run of a stepper that is no model of bodies.
struct SteppedRun {
  MarchSettings march;
  RecordedItems items;
  std::string title, text;                                 ///< of its file
  std::vector<std::pair<std::string, std::string>> facts;  ///< about it, for people
  std::function<Record(const State&)> record;
  std::function<void(Summary&)> end = {};  ///< what is to be said once it is over
};

/// Takes it to the end, writes results, and tells the summary, which knows integrator, solver and warnings. Steps that fail
/// end the run there, other errors are thrown.
void run_stepper(Stepper& stepper, const SteppedRun& run, const RunOptions& options, Summary& summary);

}  // namespace hooke
