#pragma once
#include "hooke/coupling/force_displacement_settings.h"
#include "hooke/coupling/linear_coupling.h"

/// The coupling of coupling/adapter/force_displacement.h near a state of rest, where both sides are linear:
///
///   forced      M z'' + D z' + K z = C^T w
///   displaced   M z'' + D z' + K z + D_u u' + K_u u + G^T Lambda = 0,   G z + G_u u = 0,
///               w = -G_u^T Lambda - K_u^T z - D_u^T z' - W_u u - V_u u'
///
/// with the motion u = C z of the forced side's frames and the reaction w on them. K_u, W_u, D_u and V_u are
/// what springs and dampers between the sides do, and how the forces of joints turn with the frames.
namespace hooke {

struct ForcedSideMatrices {
  MatrixX M, D, K, C;
};
struct DisplacedSideMatrices {
  MatrixX M, D, K, G, G_u;
  MatrixX K_u, W_u;    ///< empty: zero
  MatrixX joint_mass;  ///< B_co, what the coordinates at the joint alone show of their mass
  MatrixX inner_rows;  ///< of constraints inside: N in inner_rows N = 0; empty: none
  MatrixX D_u, V_u;    ///< empty: zero
};
struct LinearSides {
  ForcedSideMatrices forced;
  DisplacedSideMatrices displaced;
};

/// B_co of coordinates without constraints inside: from the part of M that G acts on.
MatrixX joint_mass(const DisplacedSideMatrices& side);

/// The sides as state-space systems. Forced: from w to (u, u', u''), x = (z, z'). Displaced: from (u, u',
/// u'') to w, x = (s, s') with z = P s - Q u, P^T M Q = 0. Both throw std::invalid_argument when a side has
/// no mass or the joint's rows depend on each other.
StateSpace forced_state_space(const ForcedSideMatrices& side);
struct DisplacedStateSpace : StateSpace {
  MatrixX P, Q;
};
DisplacedStateSpace displaced_state_space(const DisplacedSideMatrices& side);

/// Two such systems, however they were found.
struct LinearPair {
  StateSpace forced, displaced;
  MatrixX joint_mass;  ///< B_co
};
LinearPair pair_of(const LinearSides& sides, StateSpace::Advance advance = StateSpace::Advance::exactly);
LinearCoupling couple(const LinearPair& pair, const ForceDisplacementSettings& settings);

/// The coupled macro step. `advance` is how the displaced side is integrated. Throws std::invalid_argument
/// when a side has no mass or the joint's rows depend on each other.
LinearCoupling couple(const LinearSides& sides, const ForceDisplacementSettings& settings,
                      StateSpace::Advance advance = StateSpace::Advance::exactly);

}  // namespace hooke
