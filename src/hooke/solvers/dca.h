#pragma once
#include <memory>

#include "hooke/base/team.h"
#include "hooke/math/pack.h"
#include "hooke/solvers/compliant_rows.h"
#include "hooke/solvers/joint_tree.h"
#include "hooke/solvers/solver.h"

/// Divide and conquer: bodies are the leaves of a tree, joining two subsystems eliminates the joint between
/// them.
///
/// A leaf is a body (or several that something else than joints and springs couples). Its equation C dq + sum_j G_j^T dlambda_j = p gives its
/// motion as a response to the loads at its joints, with the compliance Phi = G C^-1 G^T as seen from outside
/// (its handles). Two subsystems that share a joint are joined by eliminating that joint's multipliers,
///
///     Phi_new = Phi_hh - Phi_hj (Phi_jj + eps)^-1 Phi_jh,
///
/// and the compound's handles h are the joints that still lead outside. Chains, trees and any number of
/// closed loops are the same to it: a compound keeps as many handles as it has uncut joints, and the order of
/// joining is a nested dissection of the graph of joints (joint_tree.h). Going down again gives the
/// multipliers, then the motions. A spring between two bodies is a joint with a compliance of its own
/// (compliant_rows.h).
///
/// Leaves and joints of the same shape that do not depend on each other are computed with in fours, one per
/// lane of a pack. What a lane computes does not depend on its neighbours, and each joint gathers from below
/// what it needs, so neither the grouping nor the number of threads changes a bit of the result.
///
/// Malczyk, Frączek, González, Cuadrado, "Index-3 divide-and-conquer algorithm for efficient multibody system
/// dynamics simulations", Nonlinear Dyn. (2019): (21)-(39); the general topology is the multifrontal view of
/// the same sweep.
namespace hooke {

class DcaSolver final : public NewtonSolver {
 public:
  explicit DcaSolver(std::shared_ptr<Team> team = nullptr) : team_(std::move(team)) {}
  bool factorize(const KktMatrix& kkt) override;
  void solve(Eigen::Ref<MatrixX> x) override;
  std::string_view name() const override { return "dca"; }
  const JointTree& tree() const { return tree_; }

 private:
  using Lanes = std::array<int, Pack::lanes>;  ///< an index for each lane; those not in use repeat the first
  /// Four blocks of the matrix.
  struct Blocks {
    Lanes start{}, stride{};
    int rows = 0;
  };
  /// Bodies with one block of six dofs and joints of the same sizes.
  struct LeafGroup {
    int count = 0, rows = 0;
    int inverse = 0, G = 0, Gt = 0, X = 0, Phi = 0;  ///< in numbers_; Gt (transposed) is G without springs
    int motion = 0, load = 0;                        ///< in vectors_
    Blocks C;
    std::vector<Blocks> joints, columns;  ///< of G, and of Gt where it differs
    Lanes first_dof{};
    std::vector<Lanes> multipliers;  ///< of the rows of its joints
  };
  /// Any other leaf has a factor of its own.
  struct LargeLeaf {
    KktStructure structure;
    KktMatrix matrix;
    std::unique_ptr<NewtonSolver> factor;
    std::vector<std::pair<BlockHandle, BlockHandle>> blocks;             ///< from the whole matrix to its own
    std::vector<std::tuple<BlockHandle, int, int>> G_blocks, Gt_blocks;  ///< and where they stand in G and X
    std::vector<int> unknowns;     ///< its dofs and the multipliers it keeps for itself
    std::vector<int> multipliers;  ///< of its joints
    VectorX eps;
    MatrixX G, X, Phi, p;
    int Phi_place = 0, load = 0;
  };
  /// What is added into a front from below: the compliance of a leaf, or what a child leaves of its handles.
  struct Source {
    std::vector<int> rows;     ///< where its rows stand in the front
    int columns = 0;           ///< distance of its columns
    bool packed = false;       ///< the lanes lie next to each other
    Lanes matrix{}, vector{};  ///< where it starts, in the numbers of numbers_ and vectors_
  };
  /// Joints of one level with the same shape.
  struct NodeGroup {
    int count = 0, rows = 0, size = 0;
    bool gives_way = false;  ///< a spring: its matrix need not be near a symmetric one
    int front = 0, vector = 0;
    std::vector<Source> sources;
    std::vector<Lanes> multipliers;  ///< of the joint, then of its handles
  };
  /// What one thread does by itself.
  struct Subtree {
    std::vector<LeafGroup> leaves;
    std::vector<std::unique_ptr<LargeLeaf>> large;
    std::vector<NodeGroup> nodes;  ///< children before parents
    bool good = true;
  };
  friend class DcaPlan;

  void factor_leaf(const LeafGroup& leaf, const double* values);
  bool factor_large(LargeLeaf& leaf, const BlockMatrix& matrix);
  bool factor_nodes(const std::vector<NodeGroup>& nodes);
  void load(Subtree& subtree, Eigen::Ref<MatrixX> b);
  void go_up(const std::vector<NodeGroup>& nodes, Eigen::Ref<MatrixX> b);
  void go_down(const std::vector<NodeGroup>& nodes, Eigen::Ref<MatrixX> b);
  void move(Subtree& subtree, Eigen::Ref<MatrixX> b);
  template <class F>
  void for_each_subtree(F&& f);

  void solve_columns(Eigen::Ref<MatrixX> b);

  static constexpr int max_columns = 2;  ///< right-hand sides taken through the tree at once
  std::shared_ptr<Team> team_;
  std::unique_ptr<CompliantRows> springs_;  ///< none: the matrix is taken as it comes
  MatrixX with_springs_;                    ///< right-hand sides and the springs' loads
  JointTree tree_;
  std::vector<Subtree> subtrees_;
  Subtree top_;  ///< the joints above all subtrees
  std::vector<Pack> numbers_, vectors_;
  const double* eps_ = nullptr;  // of the matrix being factorized
  int dofs_ = 0;
  bool analysed_ = false;
};

}  // namespace hooke
