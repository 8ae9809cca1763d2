#pragma once
#include "hooke/io/model/linear_model_file.h"
#include "hooke/simulation/simulation.h"

/// Co-simulation of the linear subsystems of a file (io/model/linear_model_file.h), as participants of a
/// force-displacement coupling.
namespace hooke {

/// A sentence about the setting a file asks for if it is unstable; empty: it is not. Throws Error when the
/// subsystems cannot be coupled.
std::string stability_warning(const LinearModel& model);

/// That of a checkpoint beside these results, if its run was one of linear subsystems.
std::optional<LinearModel> continued_linear_model(const std::string& results);

/// Coordinates (linear.NAME.z1, ...) or states (x1, ...), their rates and, of the displaced subsystem, the
/// first six forces on the other go to the results file; between macro points they are interpolated.
Summary run(const LinearModel& model, const RunOptions& options = {});

}  // namespace hooke
