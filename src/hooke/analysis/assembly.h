#pragma once
#include <string>
#include <vector>

#include "hooke/analysis/redundancy.h"
#include "hooke/catalog/build.h"
#include "hooke/integrators/projector.h"

namespace hooke {

/// A consistent start of a model: positions and velocities on the constraints, accelerations and multipliers
/// from the equations of motion, and what had to be moved for it.
struct Start {
  State state;
  ConstraintRank rank;
  std::vector<std::string> notes;  ///< what was moved by how much, what is redundant: for the user
  std::vector<std::string> warnings;
};

/// Positions are moved as little as possible in the sense of the mass matrix, bodies to be held not at all,
/// joint coordinates with a start value to that value; likewise velocities, where those given in the model
/// are held. Throws Error (not_assembled) when that is contradictory, naming the joints.
Start assemble_start(const Model& model, const BuiltModel& built, const NewtonSettings& newton, double t);

}  // namespace hooke
