#pragma once
#include <vector>

#include "hooke/solvers/dense_lu.h"

namespace hooke {

/// A = L U of a matrix of dense blocks with a symmetric pattern, such as the Schur complement of joints,
/// whose blocks are the interfaces between bodies. Blocks are eliminated in an order of little fill (least
/// degree first), those that end up with the same neighbours as one; rows are exchanged inside a block only.
class BlockLu {
 public:
  /// `pairs` of different blocks that have an entry, in any order; duplicates are fine.
  void plan(std::vector<int> sizes, const std::vector<std::pair<int, int>>& pairs);
  bool empty() const { return nodes_.empty(); }

  void set_zero();
  /// To be added to. Rows of block i, columns of block j, which must be a pair.
  Eigen::Ref<MatrixX> block(int i, int j);
  bool factorize();
  /// Replaces each column by A^-1 of it.
  void solve(Eigen::Ref<MatrixX> x) const;

 private:
  /// Blocks that are eliminated together.
  struct Node {
    int first, size;         ///< of the unknowns in the order of elimination
    std::vector<int> later;  ///< nodes that it shares entries with
    std::vector<int> at;     ///< where they begin in the panels
    DenseLu diagonal;
    MatrixX below, right;  ///< entries with those: A_lp, A_pl
  };
  struct Place {
    int node, offset, size;
  };
  Eigen::Ref<MatrixX> entries(int row_node, int column_node);

  std::vector<Node> nodes_;
  std::vector<Place> places_;  ///< of the blocks
  std::vector<int> unknowns_;  ///< in the order of elimination
  mutable MatrixX permuted_;
};

}  // namespace hooke
