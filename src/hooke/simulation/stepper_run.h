#pragma once
#include "hooke/io/results/results.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// Takes a stepper that is no model of bodies to the end, writes what `record` says of its states, and tells the summary. Steps
/// that fail end the run there, other errors are thrown.
void run_stepper(Stepper& stepper, const MarchSettings& settings, const RunOptions& options,
                 ResultsWriter* writer, const std::function<Record(const State&)>& record, Summary& summary);

}  // namespace hooke
