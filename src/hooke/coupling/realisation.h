#pragma once
#include "hooke/coupling/linear_coupling.h"
#include "hooke/coupling/participant.h"

/// Equations of a participant that tells none: from how its outputs answer when one input after the other is raised and
/// held, each time from the same saved state. With S_k the answers at k h, a column for each input,
///
///   S_k = D + sum of C Ad^i Bd, i < k        so that        S_{k+1} - S_k = C Ad^k Bd
///
/// fill a Hankel matrix whose rank is the number of states that matter (Ho and Kalman 1966). Its singular values say which
/// those are (Juang and Pappa 1985). A and B follow from the logarithm of [Ad Bd; 0 I].
///
/// S_0 is not used: another program may tell new outputs only after a step.
namespace hooke {

struct Realisation {
  StateSpace system;
  double error = 0;  ///< largest difference to the answers, relative to the largest answer of that output
};

/// Of answers S_1, S_2, ... at multiples of h, an odd number of them, at least 5. States that answer less than `tolerance`
/// of the strongest one are left out, and so are those that alternate from sample to sample.
Realisation realise(const std::vector<MatrixX>& answers, double h, double tolerance = 1e-3);

/// Of a participant near its state, with inputs u; it is left as it was. Throws Error where a step fails.
Realisation realise(Participant& participant, const VectorX& u, double h);

}  // namespace hooke
