#pragma once
#include "solvers/joint_tree.h"
#include "solvers/solver.h"

/// Divide and conquer: bodies are the leaves of a tree, joining two subsystems eliminates the joint between
/// them.
///
/// A leaf is a body (or several that springs couple). Its equation C dq + sum_j G_j^T dlambda_j = p gives its
/// motion as a response to the loads at its joints, with the compliance G C^-1 G^T as seen from outside (its
/// handles). Two subsystems that share a joint are joined by eliminating that joint's multipliers,
///
///     Phi_new = Phi_hh - Phi_hj (Phi_jj + eps)^-1 Phi_jh,
///
/// and the compound's handles h are the joints that still lead outside. Chains, trees and any number of
/// closed loops are the same to it: a compound keeps as many handles as it has uncut joints, and the order of
/// joining is a nested dissection of the graph of joints (joint_tree.h). Going down again gives the
/// multipliers, then the motions.
///
/// Malczyk, Frączek, González, Cuadrado, "Index-3 divide-and-conquer algorithm for efficient multibody system
/// dynamics simulations", Nonlinear Dyn. (2019): (21)-(36); the general topology is the multifrontal view of
/// the same sweep.
namespace hooke {

class DcaSolver final : public NewtonSolver {
 public:
  bool factorize(const KktMatrix& kkt) override;
  void solve(Eigen::Ref<MatrixX> x) override;
  std::string_view name() const override { return "dca"; }
  const JointTree& tree() const { return tree_; }

 private:
  /// Where a leaf's numbers are kept, all column by column: C^-1, G (rows of its joints) and X = C^-1 G^T.
  struct LeafPlace {
    int inverse = 0, G = 0, X = 0;
    std::vector<BlockHandle> C,
        G_blocks;                 ///< C: block by block, by columns; G: joint by joint, block by block
    std::vector<int> dofs, rows;  ///< of the leaf's dofs and of its joints' rows in the whole system
  };
  void analyse(const KktMatrix& kkt);
  void read_leaf(int leaf, const BlockMatrix& matrix);
  void factor_leaf(int leaf);
  bool factor_node(int joint);
  void load_joints(const LeafPlace& place, Eigen::Ref<MatrixX> b);
  void go_up(int joint, int columns);
  void go_down(int joint, int columns);
  void move_leaf(const LeafPlace& place, Eigen::Ref<MatrixX> b);

  JointTree tree_;
  std::vector<LeafPlace> places_;
  std::vector<std::vector<int>> front_rows_;  ///< per joint: rows of the multipliers its front is about
  std::vector<int> fronts_;                   ///< per joint: where its front starts
  std::vector<double> numbers_, front_numbers_, scratch_;
  static constexpr int max_columns = 2;  ///< right-hand sides taken through the tree at once
  VectorX eps_;
  MatrixX loads_;
  int dofs_ = 0;
  bool analysed_ = false;
};

}  // namespace hooke
