#pragma once
#include <string>
#include <vector>

#include "hooke/catalog/build.h"
#include "hooke/catalog/problem.h"

namespace hooke {

/// What a run will take, in bytes, at most: results are compressed, mostly to a half. Of a run with a tolerance only the
/// outputs count, since its steps are not known before.
struct RunNeeds {
  double disk = 0, memory = 0;
};
RunNeeds needs_of(const Problem& problem, const BuiltModel& built);

/// What a user should know before such a run starts: results of more than 1 GB, or more than are free at the place of
/// the results, more than half of this machine's memory.
std::vector<std::string> large_needs(const Problem& problem, const RunNeeds& needs,
                                     const std::string& results);

}  // namespace hooke
