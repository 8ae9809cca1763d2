#pragma once
#include "hooke/catalog/build.h"
#include "hooke/catalog/problem.h"
#include "hooke/coupling/adapter/subsystem.h"

namespace hooke {

/// The subsystems a model file asks for, checked; bodies not named make one more, called `rest`. Throws
/// ModelError.
std::vector<Subsystem> subsystems_of(const Problem& file, const BuiltModel& built);

/// The body of this name, or those that the solid of this name was cut into.
std::vector<int> bodies_called(const std::string& word, const BuiltModel& built);

}  // namespace hooke
