#pragma once
#include "hooke/catalog/build.h"
#include "hooke/catalog/problem.h"
#include "hooke/coupling/adapter/force_displacement.h"
#include "hooke/coupling/adapter/multirate.h"

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

/// That of `coupling: multirate`. Subsystems with one step in a macro step are coarse, the others fine; where all have
/// one, the first is coarse. Throws ModelError.
std::unique_ptr<Multirate> make_multirate(const Problem& file, const BuiltModel& whole,
                                          std::shared_ptr<Team> team = nullptr);

}  // namespace hooke
