#pragma once
#include "hooke/analysis/assembly.h"

namespace hooke {

/// As assemble_start, with accelerations and multipliers that are zero and not looked for: who looks for an equilibrium needs
/// neither, and on a large mesh they take longer than all else.
Start assemble_at_rest(const Model& model, const BuiltModel& built, const NewtonSettings& newton, double t);

/// No force is out of balance beyond the round-off of stiffness times the mechanism's size.
bool is_in_balance(const Dae& dae, const State& state);

}  // namespace hooke
