#pragma once
#include <vector>

#include "hooke/base/team.h"
#include "hooke/linalg/block_matrix.h"

/// The one linear problem that all Newton solvers share:
///
///     [ C   G^T  ] [ dq      ]     [ r ]
///     [ G  -eps  ] [ dlambda ] = - [ s ]       C = m M + d D + k K
///
/// The unknowns come in blocks: the dof blocks (a rigid body is one of size 6, a rod one per node) and one
/// block of rows per constraint. `KktStructure` keeps the graph visible: which blocks belong to which body,
/// which constraint touches which blocks, so that a solver can work per body (Schur), on a tree (divide and
/// conquer) or on the whole (sparse). Constraint c is block number dof_sizes.size() + c of the matrix.
namespace hooke {

/// How a body's part of C is best factorized, as far as the body knows.
enum class BodyKind : char {
  plain,
  mesh,   ///< nodes in space, each next to some others: sparse and symmetric, worth a factor of its own
  turned  ///< a mesh whose C may come as a constant matrix turned (TurnedBody)
};

struct KktStructure {
  std::vector<int> dof_sizes;                  ///< dofs in each dof block
  std::vector<int> body_blocks;                ///< body b owns dof blocks [body_blocks[b], body_blocks[b+1])
  std::vector<std::pair<int, int>> couplings;  ///< pairs of dof blocks that share an entry of C
  /// Pairs that only the stiffness of a joint's multipliers couples: small, and left out by solvers that work
  /// per body.
  std::vector<std::pair<int, int>> weak_couplings;
  /// Pairs among `couplings` that forces between two rigid bodies couple, each pair once and in order. Solvers that
  /// work per body may take them for joints that give way (solvers/compliant_rows.h).
  std::vector<std::pair<int, int>> springs;
  std::vector<int> row_sizes;                       ///< rows in each constraint
  std::vector<std::vector<int>> constraint_blocks;  ///< dof blocks each constraint acts on
  std::vector<BodyKind> body_kinds;                 ///< by body; empty: all plain
  /// A force between frames acts on a turned body: solvers that take the body turned leave out the force's
  /// derivatives.
  bool has_springs_on_turned = false;

  int dofs() const;
  int rows() const;
  int size() const { return dofs() + rows(); }
  BodyKind kind_of_block(int block) const;
};

/// A body's part of C that is a constant matrix in axes which turn with the body,
///
///     C = diag(R) (mass M + stiffness K + U B V^T) diag(R)^T
///
/// (Kan et al., (25), (30)): a solver that knows needs one factor of M and K for all times. U B V^T is what
/// the turning of R itself adds, of rank 6; the paper drops it, which is right while deformations are small.
struct BodyMatrices;  // linalg/body_matrices.h
struct TurnedBody {
  const BodyMatrices* matrices = nullptr;  ///< M and K; null: an ordinary body, its blocks hold C
  double mass = 0, stiffness = 0;
  Mat3 R = Mat3::Identity();
  bool frame_matters = false;                     ///< otherwise U, B and V are left out
  double harmless = 0;                            ///< deformation up to which it did not, with these weights
  Eigen::Matrix<double, Eigen::Dynamic, 6> U, V;  ///< V is empty where it is U
  Mat6 B;
  std::vector<int> held;  ///< of its dof blocks, those that constraints act on: of C their diagonal is read
  const auto& other_side() const { return V.size() ? V : U; }
};

/// Where the dofs of a rigid body's block are: the velocity of p, and the angular velocity in the axes R.
struct BlockPose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
};

class KktMatrix {
 public:
  KktMatrix() = default;
  explicit KktMatrix(const KktStructure& structure);

  const KktStructure& structure() const { return *structure_; }
  int dofs() const { return dofs_; }
  int rows() const { return matrix.size() - dofs_; }

  BlockHandle C(int block_row, int block_column) const { return matrix.handle(block_row, block_column); }
  BlockHandle G(int constraint, int block) const {
    return matrix.handle(first_constraint_ + constraint, block);
  }
  BlockHandle Gt(int constraint, int block) const {
    return matrix.handle(block, first_constraint_ + constraint);
  }

  void set_zero(Share share = {});
  /// Writes -eps_i on the diagonal of the constraint rows.
  void set_regularisation(const VectorX& eps);
  /// The same with eps_i = relative * compliance_i, the compliance G_i C^-1 G_i^T of each row being at most
  /// the `typical` one given. Stiff dofs (a rod's under long steps) have far less of it; the diagonal of C
  /// tells. Threads of a team share the work.
  void regularise(double relative, const VectorX& typical, Team* team = nullptr);
  /// No eps_i stays above this.
  void limit_regularisation(double most);
  const VectorX& regularisation() const { return eps_; }

  BlockMatrix matrix;
  /// By body. Empty unless the solver wants it; then bodies that can write this and no more of C than its
  /// diagonal where constraints act.
  std::vector<TurnedBody> turned;
  void accept_turned(bool wanted);
  /// By dof block, as far as it is a rigid body's; empty where there are no springs.
  std::vector<BlockPose> poses;

 private:
  const KktStructure* structure_ = nullptr;
  int dofs_ = 0, first_constraint_ = 0;
  std::vector<TurnedBody> spare_;  // `turned` while it is not wanted
  std::vector<int> diagonal_;      // of each column, in the values
  VectorX eps_, softness_;         // softness: 1 / C_jj
};

}  // namespace hooke
