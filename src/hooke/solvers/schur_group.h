#pragma once
#include <memory>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/linalg/cholesky_maker.h"
#include "hooke/linalg/kkt.h"

/// What the Schur solver (schur.h) works with: groups of bodies that entries of C hold together, and the
/// factors of C that they may have.
namespace hooke {

/// A block of C in a group.
struct BlockOfC {
  BlockHandle handle;
  int row, column;
};

/// Rows of G on a group, as blocks: rows of a constraint on a dof block.
struct RowsOnGroup {
  struct Block {
    BlockHandle handle;
    int row, column;  ///< among the group's rows, and among its touched dofs
    int values;       ///< where they begin in `values`
  };
  int count = 0;
  std::vector<Block> blocks;
  VectorX values;            ///< in turned axes for a turned body
  std::vector<int> touched;  ///< local dofs that rows act on

  int touched_count() const { return static_cast<int>(touched.size()); }
  /// f(block of G, its rows in the group, its columns among the touched dofs); nodes tied to nodes have their
  /// size known.
  template <class Function>
  void each(Function&& f) const {
    for (const Block& g : blocks)
      if (g.handle.rows == 3 && g.handle.cols == 3)
        f(Eigen::Map<const Mat3>(values.data() + g.values), Eigen::seqN(g.row, Eigen::fix<3>),
          Eigen::seqN(g.column, Eigen::fix<3>));
      else
        f(Eigen::Map<const MatrixX>(values.data() + g.values, g.handle.rows, g.handle.cols),
          Eigen::seqN(g.row, g.handle.rows), Eigen::seqN(g.column, g.handle.cols));
  }
};

/// C^-1 of a group, and what it makes of the group's rows.
class GroupFactor {
 public:
  explicit GroupFactor(int size) : size_(size) {}
  virtual ~GroupFactor() = default;
  int size() const { return size_; }
  /// What groups share, by one thread for all of them in turn.
  virtual bool prepare(const KktMatrix&, const RowsOnGroup&, Team*) { return true; }
  virtual bool factorize(const KktMatrix& kkt, Team* team) = 0;
  /// Replaces each column b by C^-1 b, in the axes of the factor.
  virtual void solve(Eigen::Ref<MatrixX> b, Team* team) = 0;
  /// The axes that a turned body's matrix is constant in; null: those of the world.
  virtual const Mat3* axes() const { return nullptr; }

  /// C^-1 G^T on the touched dofs; keeps what the next needs.
  virtual void respond(const RowsOnGroup& rows, MatrixX& on_touched, Team* team);
  /// b <- b - C^-1 G^T lambda
  virtual void subtract_response(const RowsOnGroup& rows, const MatrixX& lambda, MatrixX& b);

  /// Whether a new tangent costs little beside the substitutions, of so many operations, that it saves.
  virtual bool is_renewed_cheaply(const RowsOnGroup&) const { return false; }
  virtual double operations_of_substitution() const { return 0; }
  /// The matrix depends much on the state.
  virtual bool should_renew() const { return false; }

 private:
  int size_;
  MatrixX response_;  ///< size x rows: C^-1 G^T
};

/// Up to so many dofs a group is dense.
inline constexpr int dense_group_up_to = 96;
std::unique_ptr<GroupFactor> make_dense_group(int size, std::vector<BlockOfC> blocks);
/// By Cholesky where C is symmetric and positive (solids with a frame for each element), else by LU.
std::unique_ptr<GroupFactor> make_sparse_group(int size, std::vector<BlockOfC> blocks, CholeskyKind kind);

}  // namespace hooke
