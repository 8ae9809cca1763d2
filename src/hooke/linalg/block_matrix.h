#pragma once
#include <utility>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// Where a dense block sits in the values of a BlockMatrix.
struct BlockHandle {
  int start = -1, stride = 0, rows = 0, cols = 0;
};

/// A square sparse matrix made of dense blocks whose pattern is fixed once and whose values are written in
/// place.
///
/// It is stored as an ordinary compressed-column matrix (what sparse factors read). All columns of
/// one block column have the same pattern, so a block is a dense matrix with a constant distance between its
/// columns: `block(handle)` is a view that can be added to without any search.
class BlockMatrix {
 public:
  using Block = Eigen::Map<MatrixX, 0, Eigen::OuterStride<>>;

  BlockMatrix() = default;
  /// `blocks` are (block row, block column) pairs in any order; duplicates are fine.
  BlockMatrix(const std::vector<int>& block_sizes, std::vector<std::pair<int, int>> blocks);

  int size() const { return static_cast<int>(outer_.size()) - 1; }
  int nonzeros() const { return static_cast<int>(inner_.size()); }
  const std::vector<int>& offsets() const { return offsets_; }

  BlockHandle handle(int block_row, int block_column) const;

  Block block(const BlockHandle& h) {
    return Block(values_.data() + h.start, h.rows, h.cols, Eigen::OuterStride<>(h.stride));
  }
  auto block(const BlockHandle& h) const {
    return Eigen::Map<const MatrixX, 0, Eigen::OuterStride<>>(values_.data() + h.start, h.rows, h.cols,
                                                              Eigen::OuterStride<>(h.stride));
  }
  /// Fixed-size view for the blocks whose size is known when compiling: the hot ones.
  template <int R, int C>
  auto block(const BlockHandle& h) {
    if constexpr (R == 1 &&
                  C != 1)  // Eigen stores a row vector by rows: the distance of columns is its inner stride
      return Eigen::Map<Eigen::Matrix<double, 1, C>, 0, Eigen::InnerStride<>>(values_.data() + h.start,
                                                                              Eigen::InnerStride<>(h.stride));
    else
      return Eigen::Map<Eigen::Matrix<double, R, C>, 0, Eigen::OuterStride<>>(values_.data() + h.start,
                                                                              Eigen::OuterStride<>(h.stride));
  }

  void set_zero() { set_zero(0, size()); }
  /// Only columns [begin, end).
  void set_zero(int begin, int end) {
    std::fill(values_.begin() + outer_[begin], values_.begin() + outer_[end], 0.0);
  }

  /// Replaces the rows and columns marked (of the first marked.size()) by those of the identity.
  void isolate(const std::vector<char>& marked);

  const int* outer() const { return outer_.data(); }
  const int* inner() const { return inner_.data(); }
  const double* values() const { return values_.data(); }
  double& value(int k) { return values_[k]; }

  /// y = A x
  void multiply(const VectorX& x, VectorX& y) const;
  MatrixX dense() const;
  VectorX diagonal() const;

 private:
  std::vector<int> offsets_;       // scalar offset of each block row / column, and the end
  std::vector<int> column_start_;  // block column -> first entry of the two below
  std::vector<int> block_rows_;    // block row of each block, sorted within a column
  std::vector<BlockHandle> handles_;
  std::vector<int> outer_, inner_;
  std::vector<double> values_;
};

}  // namespace hooke
