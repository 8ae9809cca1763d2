#pragma once
#include <map>
#include <tuple>

#include "hooke/linalg/body_matrices.h"
#include "hooke/linalg/supernodal_cholesky.h"
#include "hooke/solvers/block_lu.h"
#include "hooke/solvers/solver.h"
#include "hooke/solvers/umfpack_factor.h"

namespace hooke {

/// C body by body, the multipliers by the Schur complement (Kan et al., section 4):
///
///     S = G C^-1 G^T + eps,     S dlambda = G C^-1 r - s,     dq = C^-1 (r - G^T dlambda)
///
/// A body whose C is a constant matrix turned (TurnedBody) is factorized once for each pair of weights, and
/// bodies with the same matrices share the factor, such as the slabs a box is cut into; a new tangent then
/// costs no more than its rows of G. What C^-1 does to the few nodes that joints hold is constant, too, and
/// kept (41); how the frame of a deformed body turns is a term of low rank, which Woodbury's formula adds.
/// The factor is in single precision where that solves a smooth test vector to a hundredth: it is only a
/// Newton matrix. Other bodies get a dense LU, sparse Cholesky where C is symmetric (solids with a frame for
/// each element), or else a sparse LU. Bodies joined by springs make one group, but for turned ones, whose
/// springs are left out of the matrix.
///
/// Constraints on the same groups are an interface, a dense block of S; two of them share an entry where they
/// share a group. Threads take whole groups, or branches of the factor where one group is most of the system;
/// nothing is summed in an order that depends on them.
class SchurSolver final : public NewtonSolver {
 public:
  explicit SchurSolver(std::shared_ptr<Team> team = nullptr) : team_(std::move(team)) {}
  bool factorize(const KktMatrix& kkt) override;
  void solve(Eigen::Ref<MatrixX> x) override;
  std::string_view name() const override { return "schur"; }
  bool wants_turned() const override { return true; }
  bool should_renew() const override { return should_renew_; }
  /// Constant factors in use.
  int factors() const { return static_cast<int>(constants_.size()); }

 private:
  /// Of mass M + stiffness K of a turned body, in double precision or in single, if that suffices.
  using FactorKey = std::tuple<const BodyMatrices*, double, double, bool>;

  /// A run of dofs of the system in a group.
  struct Piece {
    int dof, local, size;
  };
  /// A block of G: rows of a constraint on a dof block.
  struct GBlock {
    BlockHandle handle;
    int row, column;  ///< in the group's G
    int values;       ///< of it in G_values, in turned axes for a turned body
  };
  struct CBlock {
    BlockHandle handle;
    int row, column;
  };
  /// Rows of a group's G that belong to an interface: all of those of it.
  struct RowsOfInterface {
    int interface, first, count;
  };
  /// What C0^-1 of a turned body does to unit forces on the dofs that rows act on.
  struct Compliance {
    MatrixX of_all;      ///< size x touched
    MatrixX of_touched;  ///< touched x touched
  };
  struct Group {
    std::vector<int> blocks;
    int body = -1;  ///< the only one, else -1
    int size = 0;
    std::vector<Piece> pieces;
    std::vector<CBlock> C;
    std::vector<GBlock> G_blocks;
    VectorX G_values;
    std::vector<int> rows;  ///< of the system's constraints
    std::vector<RowsOfInterface> interfaces;
    std::vector<int> touched;  ///< local dofs that rows act on

    bool symmetric = false, turned = false;
    Mat3 R = Mat3::Identity();
    DenseLu dense;
    std::unique_ptr<UmfpackFactor> lu;
    std::unique_ptr<SupernodalCholesky> cholesky;
    std::shared_ptr<const SupernodalCholesky> constant;
    const BodyMatrices* kind = nullptr;  ///< turned: the first with the same matrices
    FactorKey key{};
    Eigen::SparseMatrix<double> sparse;  ///< C of a larger group
    std::vector<int> sparse_at;          ///< where each entry of its blocks goes

    std::shared_ptr<const Compliance> compliance;  ///< turned; null: too many columns
    MatrixX response;                              ///< otherwise size x rows: C^-1 G^T
    MatrixX part;                                  ///< of S: G C^-1 G^T
    bool frame_matters = false;                    ///< turned: C^-1 = C0^-1 - Y Q Z^T for how the frame turns
    Eigen::Matrix<double, Eigen::Dynamic, 6> Y,
        Z;  ///< C0^-1 U and V, in turned axes; Z is empty where it is Y
    Eigen::Matrix<double, Eigen::Dynamic, 6> Y_Q, Z_touched;
    Mat6 Q;
    Eigen::Matrix<double, 6, Eigen::Dynamic> along;  ///< scratch: Z^T of right-hand sides
    const auto& other_side() const { return Z.size() ? Z : Y; }
    MatrixX held, times;                   ///< scratch
    MatrixX b, lambda, work, turned_back;  ///< of the right-hand sides
  };

  void plan(const KktMatrix& kkt);
  void plan_interfaces(const KktMatrix& kkt, const std::vector<int>& group_of_block,
                       const std::vector<int>& local);
  bool factorize_group(Group& group, const KktMatrix& kkt);
  bool factorize_turned(Group& group, const TurnedBody& turned);
  bool is_renewal_cheap() const;
  bool follow_frame(Group& group, const TurnedBody& turned) const;
  void solve_turned(Group& group, Eigen::Ref<MatrixX> b) const;
  bool factorize_sparse(Group& group, const KktMatrix& kkt);
  void solve_group(Group& group, Eigen::Ref<MatrixX> b) const;
  void respond(Group& group) const;
  void collect_part(Group& group) const;
  bool factorize_schur(const KktMatrix& kkt);
  void solve_schur(Eigen::Ref<MatrixX> s);
  template <class Work>
  void each_group(Work&& work);

  std::shared_ptr<Team> team_;
  Team* inside_ = nullptr;  ///< the team, where it works on one group at a time
  std::vector<Group> groups_;
  std::map<FactorKey, std::shared_ptr<const SupernodalCholesky>> constants_;
  std::map<std::pair<FactorKey, std::vector<int>>, std::shared_ptr<const Compliance>> compliances_;
  int dofs_ = 0, rows_ = 0;
  BlockLu schur_;
  std::vector<std::vector<int>> interface_rows_;  ///< of the system's constraints
  bool takes_turned_ = false;                     ///< what the plan is for
  bool should_renew_ = false;
  MatrixX s_;
  std::vector<char> failed_;
};

}  // namespace hooke
