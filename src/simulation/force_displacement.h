#pragma once
#include "catalog/build.h"
#include "coupling/adapter/force_displacement.h"
#include "io/model_file.h"

namespace hooke {

/// Both sides of a force-displacement coupling, with the signals that they read.
struct CoupledSides {
  std::shared_ptr<std::vector<CouplingSignal>> signals;
  CouplingSide forced, displaced;
  std::vector<std::string> joints;  ///< that are cut, one for each signal
};

/// Makes the sides of a model with subsystems, one of which is displaced. Throws ModelError.
CoupledSides make_sides(const ModelFile& file, const BuiltModel& whole, const std::string& displaced);

/// The integrator a model file asks for by `coupling.force-displacement`.
std::unique_ptr<ForceDisplacement> make_force_displacement(const ModelFile& file, const BuiltModel& whole);

}  // namespace hooke
