#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hooke/system/dae.h"

namespace hooke {

/// A set of constraint rows one of which follows from the others, with the share each has in the dependence.
struct Redundancy {
  std::vector<std::pair<int, double>> rows;  ///< row and coefficient; the first is the one left out
};

struct ConstraintRank {
  int rows = 0, rank = 0, dofs = 0;
  std::vector<Redundancy> redundant;
  int degrees_of_freedom() const { return dofs - rank; }
};

/// Rank of G M^-1/2 (linalg/column_rank.h) at a state, and which rows depend on which.
ConstraintRank constraint_rank(const Dae& dae, const State& state);

/// Rows that follow from others at the start and, since drives move them, contradict those later. The dependence of
/// the start is taken for that of the whole run; whether it is one of the mechanism, and not of this position alone,
/// is told by a state nearby.
struct LaterContradiction {
  Redundancy rows;
  double t = 0, size = 0;   ///< where it is largest, of times up to `end`
  bool is_certain = false;  ///< the rows depend on each other in the same way in other positions, too
};
std::optional<LaterContradiction> later_contradiction(const Dae& dae, const State& start,
                                                      const ConstraintRank& rank, double end);

/// In words, one line per redundant row, the joints and directions named.
std::vector<std::string> describe(const ConstraintRank& rank, const Dae& dae);
std::string describe(const Redundancy& redundancy, const Dae& dae);

}  // namespace hooke
