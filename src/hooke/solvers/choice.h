#pragma once
#include <array>

#include "hooke/linalg/kkt.h"

/// What the solver `auto` is: decided here and nowhere else, from the structure of the matrix and what it is
/// for.
namespace hooke {

enum class SolverKind { automatic, dense, sparse, klu, schur, dca, constant_mass, umfpack, cholmod };
constexpr auto names(SolverKind) {
  return std::array{"auto", "dense", "sparse", "klu", "schur", "dca", "constant-mass", "umfpack", "cholmod"};
}

/// What C is made of.
enum class Purpose {
  motion,  ///< the mass of every body, and more: Newton's matrix of a step, projections
  mass,    ///< the mass alone, which hardly ever changes while G does: stages of an explicit method
  general  ///< anything: statics, a subsystem, a part of a matrix
};

/// Up to here dense LU of the whole matrix beats a sparse one: mechanisms of 2 to 10 bodies took the same
/// time per step with both at 48 unknowns (bench/chain).
inline constexpr int dense_up_to = 48;

/// Never `automatic`.
SolverKind choose_solver(const KktStructure& structure, Purpose purpose = Purpose::motion);

}  // namespace hooke
