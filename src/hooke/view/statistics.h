#pragma once
#include <string>
#include <utility>
#include <vector>

#include "hooke/io/results/results_reader.h"

namespace hooke {

/// What a run cost and how well it kept constraints and energy, as names and texts for people.
std::vector<std::pair<std::string, std::string>> statistics(const ResultsReader& results);

}  // namespace hooke
