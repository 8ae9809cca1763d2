#include "linalg/kkt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hooke {

int KktStructure::dofs() const { return std::accumulate(dof_sizes.begin(), dof_sizes.end(), 0); }
int KktStructure::rows() const { return std::accumulate(row_sizes.begin(), row_sizes.end(), 0); }

KktMatrix::KktMatrix(const KktStructure& structure)
    : structure_(&structure),
      dofs_(structure.dofs()),
      first_constraint_(static_cast<int>(structure.dof_sizes.size())) {
  std::vector<int> sizes = structure.dof_sizes;
  sizes.insert(sizes.end(), structure.row_sizes.begin(), structure.row_sizes.end());

  std::vector<std::pair<int, int>> blocks;
  for (int b = 0; b < first_constraint_; ++b) blocks.emplace_back(b, b);
  for (const auto* couplings : {&structure.couplings, &structure.weak_couplings})
    for (const auto& [i, j] : *couplings) {
      blocks.emplace_back(i, j);
      blocks.emplace_back(j, i);
    }
  const int constraints = static_cast<int>(structure.row_sizes.size());
  for (int c = 0; c < constraints; ++c) {
    const int row = first_constraint_ + c;
    blocks.emplace_back(row, row);
    for (int b : structure.constraint_blocks[c]) {
      blocks.emplace_back(row, b);
      blocks.emplace_back(b, row);
    }
  }
  matrix = BlockMatrix(sizes, std::move(blocks));
  for (int c = 0; c < constraints; ++c)
    diagonal_.push_back(matrix.handle(first_constraint_ + c, first_constraint_ + c));
}

void KktMatrix::set_regularisation(const VectorX& eps) {
  eps_ = eps;
  int row = 0;
  for (const BlockHandle& h : diagonal_) {
    matrix.block(h).diagonal() = -eps.segment(row, h.rows);
    row += h.rows;
  }
}

void KktMatrix::regularise(double relative, const VectorX& typical) {
  eps_.setZero(typical.size());
  for (int j = 0; j < dofs_; ++j) {
    const int *begin = matrix.inner() + matrix.outer()[j], *end = matrix.inner() + matrix.outer()[j + 1];
    const double* values = matrix.values() + matrix.outer()[j];
    const double diagonal = std::abs(values[std::lower_bound(begin, end, j) - begin]);
    if (!(diagonal > 0)) continue;
    for (const int* row = std::lower_bound(begin, end, dofs_); row != end; ++row)
      eps_[*row - dofs_] += values[row - begin] * values[row - begin] / diagonal;
  }
  // Rows of rigid bodies come within a factor of the typical compliance, which is then taken as it is.
  eps_ = relative * typical.cwiseMin(100 * eps_).cwiseMax(1e-9 * typical);
  set_regularisation(eps_);
}

}  // namespace hooke
