#pragma once
#include "hooke/catalog/build.h"
#include "hooke/catalog/problem.h"
#include "hooke/coupling/adapter/force_displacement.h"

namespace hooke {

/// Cuts a model with subsystems where anything acts between displaced subsystems and others. Each subsystem
/// is a participant; with `merge` all displaced ones are one, and so are all others. Throws ModelError.
std::unique_ptr<ForceDisplacement> make_force_displacement(const Problem& file, const BuiltModel& whole,
                                                           const ForceDisplacementSettings& settings,
                                                           bool merge = false,
                                                           std::shared_ptr<Team> team = nullptr);

/// The integrator a model file asks for by `coupling.force-displacement`.
std::unique_ptr<ForceDisplacement> make_force_displacement(const Problem& file, const BuiltModel& whole,
                                                           std::shared_ptr<Team> team = nullptr);

}  // namespace hooke
