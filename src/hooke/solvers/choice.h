#pragma once
#include <string_view>

#include "hooke/linalg/kkt.h"

/// What the solver `auto` is: decided here and nowhere else, from the structure of the matrix and what it is
/// for.
namespace hooke {

/// What C is made of.
enum class Purpose {
  motion,  ///< the mass of every body, and more: Newton's matrix of a step, projections
  mass,    ///< the mass alone, which hardly ever changes while G does: stages of an explicit method
  general  ///< anything: statics, a subsystem, some blocks of a matrix
};

/// Up to here dense LU of the whole matrix beats a sparse one: mechanisms of 2 to 10 bodies took the same
/// time per step with both at 48 unknowns (bench/chain).
inline constexpr int dense_up_to = 48;

/// The name of what `auto` is (solvers/catalog.h).
std::string_view choose_solver(const KktStructure& structure, Purpose purpose = Purpose::motion);

/// Whether `auto`, which took the solver `chosen` for a motion, should go over to that for general purposes where a position is too
/// near a singular one for it.
bool goes_over_near_singular(std::string_view asked_for, std::string_view chosen);

}  // namespace hooke
