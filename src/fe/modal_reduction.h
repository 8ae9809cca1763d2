#pragma once
#include <vector>

#include "math/types.h"

/// Few shapes for a linear model M x'' + K x = 0 of many dofs.
namespace hooke {

/// Which modes, and so what the reference frame follows: free ones and those of Craig and Bampton are
/// orthogonal to rigid motions (the frame goes with the mean of the body), clamped ones vanish at the first
/// end (the frame is fixed in it).
enum class ModalBasis { free, clamped, craig_bampton };

/// Mass-orthonormal shapes with their squared frequencies, lowest first.
struct Modes {
  MatrixX shapes;
  VectorX omega2;
};

/// The lowest `count` modes of M, K beyond the first `skip` (the six rigid ones of a free body). Solved as
/// M x = theta (K + sigma M) x, which keeps the digits of low frequencies beside high ones.
Modes lowest_modes(const MatrixX& M, const MatrixX& K, int count, int skip = 0);

/// Modes with some dofs held: zero there.
Modes clamped_modes(const MatrixX& M, const MatrixX& K, const std::vector<int>& held, int count);

/// Craig and Bampton (AIAA J. 6, 1968): static shapes of a unit motion of each boundary dof, and as many
/// modes with the boundary held as are missing to `count`; then made orthonormal, the six rigid motions left
/// out.
Modes craig_bampton(const MatrixX& M, const MatrixX& K, const std::vector<int>& boundary, int count);

}  // namespace hooke
