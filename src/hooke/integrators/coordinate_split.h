#pragma once
#include <vector>

#include "hooke/linalg/kkt.h"

/// The coordinate split of Yen, Petzold and Raha, Comput. Methods Appl. Mech. Engrg. 158 (1998), section 3.1:
///
///     P = X^T - Q^T Y^T,   Q = (G Y)^-1 G X,       P G^T = 0                                       (3.7)
///
/// with as many dependent coordinates Y as there are independent constraints, X the others. It is the LU
/// factorisation of G^T with row pivoting (3.8), column by column: the pivots are the dependent coordinates,
/// the rows of L below them give Q^T, so that P r is one forward substitution and the multipliers s with
/// Y^T (r + G^T s) = 0 one backward substitution more.
///
/// The choice is kept as long as every pivot is at least a hundredth of the largest it could be, which bounds
/// the entries of L; then new pivots are chosen. A row that the earlier ones leave nothing of is redundant
/// and dropped. Sizes of coordinates are compared in the units of Dae::dof_scale.
namespace hooke {

class CoordinateSplit {
 public:
  CoordinateSplit(const KktStructure& structure, const VectorX& dof_scale, const VectorX& row_weight);

  /// Factors the G^T of the matrix; true when new dependent coordinates were chosen.
  bool factorize(const KktMatrix& kkt);

  /// P r (for the dependent coordinates zero) in place of r, and s: of all that satisfy the dependent
  /// equations the one with the least sum of row_weight s^2, which matters where rows are redundant.
  void split(VectorX& r, VectorX& s);

  const std::vector<int>& dependent() const { return pivots_; }  ///< coordinate of each row, -1: dropped
  int rank() const { return static_cast<int>(basic_.size()); }
  int choices() const { return choices_; }  ///< how often the dependent coordinates were chosen

 private:
  struct Entry {
    int row;
    double value;
  };
  bool eliminate(const KktMatrix& kkt, bool keep);
  void add(int row, double value);
  void back_substitute(VectorX& y) const;
  void find_dependencies();

  int dofs_, rows_, choices_ = 0;
  VectorX scale_, weight_;
  std::vector<int> pivots_, basic_;   // row of G -> coordinate; k-th pivot -> row of G
  std::vector<char> taken_, marked_;  // coordinates that are pivots, that are in touched_
  std::vector<Entry> lower_, upper_;  // columns of L below the pivots; columns of U above the diagonal
  std::vector<int> lower_start_, upper_start_;
  VectorX diagonal_, work_, y_;
  std::vector<int> touched_;  // where work_ is not zero
  MatrixX dependencies_;      // combinations of rows that vanish, one column for each dropped row
  MatrixX weighted_, gram_;
  VectorX share_;
};

}  // namespace hooke
