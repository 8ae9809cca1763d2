#pragma once
#include "hooke/catalog/build.h"
#include "hooke/catalog/problem.h"
#include "hooke/coupling/adapter/subsystem.h"

namespace hooke {

/// The subsystems a model file asks for, checked; bodies not named make one more, called `rest`. Throws
/// ModelError.
std::vector<Subsystem> subsystems_of(const Problem& file, const BuiltModel& built);

/// A proposal: the bodies in so many subsystems of about the same number of coordinates, cut at few joints.
/// The bodies are ordered by their distance, in joints, from one at the end of the mechanism and the order is
/// cut.
std::vector<std::vector<int>> propose_split(const System& system, int count);

/// Joints that connect bodies of different subsystems; `subsystem_of` has that of each body.
std::vector<int> cut_constraints(const System& system, const std::vector<int>& subsystem_of);

}  // namespace hooke
