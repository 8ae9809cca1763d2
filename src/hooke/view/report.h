#pragma once
#include <string>
#include <vector>

#include "hooke/io/results/results_reader.h"
#include "hooke/view/units.h"

namespace hooke {

/// One HTML page about a run for an archive: pictures, curves, facts, statistics and the model file. It runs
/// no script and prints well. `names`: quantities to draw instead of the usual ones.
std::string make_report(const ResultsReader& results, const std::string& label,
                        const std::vector<std::string>& names, const Units& units = {});

}  // namespace hooke
