#pragma once
#include <Eigen/SparseCore>
#include <vector>

namespace hooke {

/// Columns of L that have the same rows: a dense panel, stored by columns with its rows as the distance.
struct Supernode {
  int first, columns, rows;  ///< rows include those of the diagonal block
  int parent;                ///< the supernode that the first row below the diagonal block belongs to; or -1
  std::size_t row_list, values;
};

/// Where L of P A P^T = L L^T has entries: supernodes in postorder, so that every subtree of the elimination
/// tree is a run of them.
struct SupernodalPattern {
  std::vector<int> order;  ///< the unknown that comes k-th
  std::vector<int> rows;   ///< of all supernodes, in the new order
  std::vector<Supernode> supernodes;

  /// Supernodes [first, last) whose rows depend on no others.
  struct Branch {
    int first, last;
    std::size_t weight;  ///< entries of L
  };
  std::vector<Branch> branches;  ///< heaviest first; none: too small to be shared by threads
  std::vector<int> trunk;        ///< supernodes of no branch

  std::size_t size_of_values() const;
  std::size_t nonzeros() const;
  int most_rows() const;
};

/// The unknowns in an order of nested dissection, blocks of `block` staying together.
std::vector<int> dissection_of_blocks(const Eigen::SparseMatrix<double>& A, int block);

/// The lower triangle is read. Rows come in blocks of `block`, which stay together in the order.
SupernodalPattern find_supernodes(const Eigen::SparseMatrix<double>& A, int block);
/// Branches and trunk: the same for any number of threads.
void find_branches(SupernodalPattern& pattern);

}  // namespace hooke
