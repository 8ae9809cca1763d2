#pragma once
#include <memory>

#include "hooke/analysis/modes.h"
#include "hooke/base/team.h"
#include "hooke/linalg/block_lanczos.h"

/// The lowest modes of a model of many dofs, with sparse matrices alone:
///
///     (s^2 M + s D + K) x + G^T lambda = 0,     G x = 0
///
/// Ties are eliminated. A sparse factor of K + sigma M, K's symmetric part, and Lanczos' method give the undamped
/// modes. Where there is damping, or K is not symmetric, these and some more span a space on which the whole problem is
/// solved; what is left of its equations is solved for with the same factor and widens the space
/// (Davidson's method), until nothing is left.
namespace hooke {

struct LowestModes {
  std::vector<Mode> modes;
  double sigma = 0;       ///< the shift, 1/s^2
  double resolution = 0;  ///< frequencies below this many Hz cannot be told from zero: round-off in K
  /// Where round-off does not end it before; beyond `told_error` the user should know.
  static constexpr double wanted_error = 1e-8, told_error = 1e-6;
  /// Of shapes where there is damping: the largest |(K + (sigma + |s|^2) M)^-1 (s^2 M + s D + K) x| / |x| and what modes beyond
  /// the space may add to it, in the metric of M.
  double error = 0;
};

/// About a state of rest or a steady motion; fewer modes where there are fewer. `go_on` is told how far it is; false ends it with
/// Error (interrupted).
LowestModes lowest_modes(const Dae& dae, const State& state, int count, const GoOn& go_on = {},
                         std::shared_ptr<Team> team = nullptr);

}  // namespace hooke
