#include "hooke/linalg/block_matrix.h"

#include <algorithm>
#include <numeric>

namespace hooke {

BlockMatrix::BlockMatrix(const std::vector<int>& sizes, std::vector<std::pair<int, int>> blocks) {
  const int n = static_cast<int>(sizes.size());
  offsets_.assign(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), offsets_.begin() + 1);

  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());

  outer_.assign(1, 0);
  column_start_.assign(1, 0);
  std::size_t first = 0;
  for (int column = 0; column < n; ++column) {
    std::size_t last = first;
    int height = 0;
    const int start = outer_.back();
    for (; last < blocks.size() && blocks[last].second == column; ++last) {
      const int row = blocks[last].first;
      block_rows_.push_back(row);
      handles_.push_back({start + height, 0, sizes[row], sizes[column]});
      height += sizes[row];
    }
    for (std::size_t k = first; k < last; ++k) handles_[k].stride = height;
    for (int c = 0; c < sizes[column]; ++c) {
      for (std::size_t k = first; k < last; ++k)
        for (int r = 0; r < sizes[blocks[k].first]; ++r) inner_.push_back(offsets_[blocks[k].first] + r);
      outer_.push_back(static_cast<int>(inner_.size()));
    }
    column_start_.push_back(static_cast<int>(last));
    first = last;
  }
  values_.assign(inner_.size(), 0.0);
}

BlockHandle BlockMatrix::handle(int row, int column) const {
  const auto begin = block_rows_.begin() + column_start_[column],
             end = block_rows_.begin() + column_start_[column + 1];
  const auto at = std::lower_bound(begin, end, row);
  if (at == end || *at != row) return {};
  return handles_[static_cast<std::size_t>(at - block_rows_.begin())];
}

void BlockMatrix::isolate(const std::vector<char>& marked) {
  const auto is_marked = [&](int i) { return i < static_cast<int>(marked.size()) && marked[i]; };
  for (int column = 0; column < size(); ++column)
    for (int k = outer_[column]; k < outer_[column + 1]; ++k)
      if (is_marked(column) || is_marked(inner_[k])) values_[k] = inner_[k] == column ? 1.0 : 0.0;
}

void BlockMatrix::multiply(const VectorX& x, VectorX& y) const {
  y.setZero(size());
  for (int column = 0; column < size(); ++column)
    for (int k = outer_[column]; k < outer_[column + 1]; ++k) y[inner_[k]] += values_[k] * x[column];
}

MatrixX BlockMatrix::dense() const {
  MatrixX A = MatrixX::Zero(size(), size());
  for (int column = 0; column < size(); ++column)
    for (int k = outer_[column]; k < outer_[column + 1]; ++k) A(inner_[k], column) += values_[k];
  return A;
}

VectorX BlockMatrix::diagonal() const {
  VectorX d = VectorX::Zero(size());
  for (int column = 0; column < size(); ++column)
    for (int k = outer_[column]; k < outer_[column + 1]; ++k)
      if (inner_[k] == column) d[column] = values_[k];
  return d;
}

}  // namespace hooke
