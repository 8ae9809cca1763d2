#pragma once
#include "hooke/base/team.h"
#include "hooke/solvers/block_lu.h"
#include "hooke/solvers/schur_group.h"
#include "hooke/solvers/solver.h"

namespace hooke {

class TurnedFactors;

/// C body by body, the multipliers by the Schur complement (Kan et al., section 4):
///
///     S = G C^-1 G^T + eps,     S dlambda = G C^-1 r - s,     dq = C^-1 (r - G^T dlambda)
///
/// A body whose C is a constant matrix turned (TurnedBody) is factorized once for each pair of weights
/// (turned_group.h). Other bodies get a dense LU, or a sparse factor where they are large (schur_group.h).
/// Bodies joined by springs make one group, but for turned ones, whose springs are left out of the matrix.
///
/// Constraints on the same groups are an interface, a dense block of S; two of them share an entry where they
/// share a group. Threads take whole groups, or branches of the factor where one group is most of the system;
/// nothing is summed in an order that depends on them.
class SchurSolver final : public NewtonSolver {
 public:
  explicit SchurSolver(std::shared_ptr<Team> team = nullptr, CholeskyKind kind = CholeskyKind::own)
      : team_(std::move(team)), kind_(kind) {}
  bool factorize(const KktMatrix& kkt) override;
  void solve(Eigen::Ref<MatrixX> x) override;
  std::string_view name() const override { return kind_ == CholeskyKind::own ? "schur" : "cholmod"; }
  bool wants_turned() const override { return true; }
  bool should_renew() const override { return should_renew_; }
  /// Constant factors in use.
  int factors() const;

 private:
  /// A run of dofs of the system in a group.
  struct Piece {
    int dof, local, size;
  };
  /// Rows of a group's G that belong to an interface: all of those of it.
  struct RowsOfInterface {
    int interface, first, count;
  };
  struct Group {
    int size = 0;
    std::vector<Piece> pieces;
    RowsOnGroup G;
    std::vector<int> rows;  ///< of the system's constraints
    std::vector<RowsOfInterface> interfaces;
    std::unique_ptr<GroupFactor> factor;

    MatrixX own, on_touched;   ///< of S: G C^-1 G^T, and C^-1 G^T on the touched dofs
    MatrixX b, lambda, moved;  ///< of the right-hand sides; of the touched dofs
  };
  /// Where the blocks of the matrix are.
  struct Places {
    std::vector<int> group, local;
  };

  void plan(const KktMatrix& kkt);
  Places plan_groups(const KktMatrix& kkt);
  void plan_interfaces(const KktMatrix& kkt, const Places& places);
  bool is_renewal_cheap() const;
  void read_rows(Group& group, const KktMatrix& kkt) const;
  void collect_own(Group& group) const;
  bool factorize_schur(const KktMatrix& kkt);
  void solve_schur(Eigen::Ref<MatrixX> s);
  template <class Work>
  void each_group(Work&& work);

  std::shared_ptr<Team> team_;
  CholeskyKind kind_;
  Team* inside_ = nullptr;  ///< the team, where it works on one group at a time
  std::vector<Group> groups_;
  std::shared_ptr<TurnedFactors> turned_factors_;
  int dofs_ = 0, rows_ = 0;
  BlockLu schur_;
  std::vector<std::vector<int>> interface_rows_;  ///< of the system's constraints
  bool takes_turned_ = false;                     ///< what the plan is for
  bool should_renew_ = false;
  MatrixX s_;
  std::vector<char> failed_;
};

}  // namespace hooke
