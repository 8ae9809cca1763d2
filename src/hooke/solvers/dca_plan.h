#pragma once
#include "hooke/solvers/dca.h"

namespace hooke {

/// Sorts the leaves and joints of a tree into subtrees for threads and, within those, into groups of four of a
/// shape. Groups are formed from the top: the four children of the joints of a group, or the four leaves,
/// come next to each other in the same order, so that most of what a group gathers lies ready in packs.
class DcaPlan {
 public:
  /// `constraints`: how many of the joints are no springs.
  DcaPlan(DcaSolver& solver, const KktMatrix& kkt, int constraints, int threads);

 private:
  using Lanes = DcaSolver::Lanes;
  /// A leaf (child false) or a joint that is joined at a joint, and where its rows stand in the front.
  struct Below {
    bool child;
    int number;
    const std::vector<int>* rows;
    int columns;
  };
  /// Where a compliance and a load start, counted in numbers.
  struct Result {
    int matrix = 0, vector = 0;
  };
  struct Group {
    int subtree, level;
    std::vector<int> shape, members;
  };
  void sort_below();
  void split(int threads);
  void group_nodes();
  void group_leaves();
  DcaSolver::Subtree& subtree_of(int subtree) { return subtree < 0 ? s_.top_ : s_.subtrees_[subtree]; }
  void place_leaves(const Group& group);
  void place_large_leaf(int leaf, int subtree);
  void place_nodes(const Group& group);
  /// Whether a joint is a spring: those come after all constraints of the matrix that was given.
  bool gives_way(int joint) const { return joint >= constraints_; }
  int first_multiplier(int joint) const { return kkt_.dofs() + s_.tree_.nodes[joint].first_row; }

  DcaSolver& s_;
  const KktMatrix& kkt_;
  int constraints_;
  std::vector<std::vector<Below>> below_;  ///< of each joint, in an order that equal shapes share
  std::vector<int> node_subtree_, leaf_subtree_;
  std::vector<long> node_place_, leaf_place_;  ///< order in which they should fill lanes
  std::vector<Group> node_groups_, leaf_groups_;
  std::vector<Result> leaf_results_, node_results_;
  int numbers_ = 0, vectors_ = 0;  ///< used so far
};

}  // namespace hooke
