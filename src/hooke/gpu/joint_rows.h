#pragma once
#include <string>
#include <vector>

#include "hooke/forces/point_load.h"
#include "hooke/gpu/step_data.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/system/system.h"

/// What a device knows of a system besides its bodies, and of its integrator.
namespace hooke::gpu {

/// Of what no device does, whatever the bodies are: the first thing there is; empty: nothing.
std::string refusal_of_any(const System& system, const GeneralizedAlphaSettings& settings);

StepSettings step_settings(const System& system, const GeneralizedAlphaSettings& integrator, double h);

/// The rows of a constraint, with holds left open; a drive's function is added to `drives`. False: it is not known here.
bool rows_of(const System& system, int c, std::vector<Row>& rows, std::vector<Function>& drives);

/// Null: it is no load.
const PointLoad* load_of(const System& system, int f);

}  // namespace hooke::gpu
