#pragma once
#include "hooke/catalog/problem.h"
#include "hooke/system/system.h"

/// Where a model may be cut into subsystems, and whether that pays.
namespace hooke {

/// A proposal: the bodies in so many subsystems of about the same number of coordinates, cut at few joints.
/// The bodies are ordered by their distance, in joints, from one at the end of the mechanism and the order is
/// cut.
std::vector<std::vector<int>> propose_split(const System& system, int count);

/// Some bodies in groups: nothing connects two of them but what is in none.
std::vector<std::vector<int>> connected_groups(const System& system, const std::vector<int>& bodies);

/// Joints that connect bodies of different subsystems; `subsystem_of` has that of each body.
std::vector<int> cut_constraints(const System& system, const std::vector<int>& subsystem_of);

/// How fast a problem runs, as a trial of some steps showed.
struct Pace {
  double seconds = 0;   ///< real time for a second of motion
  std::string failure;  ///< why it does not run
};
/// The first step, which factorizes and asks for responses, does not count.
Pace pace_of(Problem problem, double patience);

}  // namespace hooke
