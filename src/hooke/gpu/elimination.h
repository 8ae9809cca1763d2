#pragma once
#include <array>
#include <vector>

/// A fixed order of elimination for a small sparse matrix of blocks, worked out once from its graph and followed by every
/// instance of a mechanism: what is done is a list, and whoever does it looks nothing up and decides nothing.
///
/// Blocks that do not touch are eliminated together, level by level; so the levels of a chain of n blocks are about
/// log2 n (odd-even reduction). A row of a block is changed by one thread, which collects all that it gets in a level: so
/// sums have one order whatever number of threads there is.
namespace hooke::gpu {

/// A block on the diagonal: n x n numbers from `at`, of the unknowns from `unknown`.
struct Pivot {
  int at, n, unknown;
};
/// The row from `at` is multiplied with the inverse of a pivot.
struct ScaledRow {
  int at, pivot, n;
};
/// The n numbers from `at` less `products`, each a row of k numbers times a block of k rows of n numbers.
struct Update {
  int at, n, first, last;
};
struct Product {
  int row, block, k;
};
/// Where a level ends in each list.
struct Level {
  int pivots, rows, updates, backs;
  int largest;  ///< of its pivots
};

class Elimination {
 public:
  /// Blocks of these sizes, the first `before` of which go before the others; pairs that touch; right-hand sides.
  Elimination(const std::vector<int>& sizes, int before, const std::vector<std::array<int, 2>>& pairs,
              int columns);

  /// Where block (i, j) begins, by rows; -1: it is empty and stays so.
  int at(int i, int j) const { return at_[static_cast<std::size_t>(i) * sizes_.size() + j]; }
  /// Where the right-hand sides of block i begin: `columns` numbers in each row.
  int right_side(int i) const { return right_side_ + columns_ * unknown_[i]; }
  int unknowns() const { return unknowns_; }
  int numbers() const { return right_side_ + columns_ * unknowns_; }  ///< of all blocks and right-hand sides

  std::vector<Pivot> pivots;
  std::vector<ScaledRow> rows;
  std::vector<Update> updates, backs;
  std::vector<Product> products;
  std::vector<Level> levels;  ///< the first one is empty

 private:
  std::vector<std::vector<int>> order(int before, std::vector<std::vector<char>>& touch) const;
  void list(const std::vector<std::vector<int>>& levels, const std::vector<std::vector<int>>& later);

  std::vector<int> sizes_, unknown_, at_;
  int columns_ = 1, unknowns_ = 0, right_side_ = 0;
};

}  // namespace hooke::gpu
