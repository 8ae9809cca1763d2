#pragma once
#include <Eigen/SparseCore>
#include <vector>

namespace hooke {

/// Which columns of a sparse matrix follow from others.
struct ColumnRank {
  /// column = sum of coefficient * other column
  struct Dependence {
    int column;
    std::vector<std::pair<int, double>> on;  ///< column and coefficient, columns in rising order
  };
  int rank = 0;
  std::vector<Dependence> dependent;
};

/// By orthogonal elimination, A = Q R, on the fronts of an elimination tree (the columns `groups[g]` up to
/// `groups[g + 1]`, such as the rows of one joint, are eliminated together). A column of which no more than
/// `tolerance` is left depends on those before it (Heath, SIAM J. Sci. Stat. Comput. 3, 1982).
ColumnRank column_rank(const Eigen::SparseMatrix<double>& A, const std::vector<int>& groups,
                       double tolerance);

}  // namespace hooke
