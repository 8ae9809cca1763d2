#pragma once
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

/// In words, one line per redundant row, the joints and directions named.
std::vector<std::string> describe(const ConstraintRank& rank, const Dae& dae);

}  // namespace hooke
