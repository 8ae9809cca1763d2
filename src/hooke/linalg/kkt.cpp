#include "hooke/linalg/kkt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hooke {

int KktStructure::dofs() const { return std::accumulate(dof_sizes.begin(), dof_sizes.end(), 0); }
int KktStructure::rows() const { return std::accumulate(row_sizes.begin(), row_sizes.end(), 0); }

BodyKind KktStructure::kind_of_block(int block) const {
  if (body_kinds.empty()) return BodyKind::plain;
  const auto next = std::upper_bound(body_blocks.begin(), body_blocks.end(), block);
  return body_kinds[static_cast<std::size_t>(next - body_blocks.begin()) - 1];
}

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
  for (int j = 0; j < matrix.size(); ++j) {
    const int *begin = matrix.inner() + matrix.outer()[j], *end = matrix.inner() + matrix.outer()[j + 1];
    diagonal_.push_back(static_cast<int>(std::lower_bound(begin, end, j) - matrix.inner()));
  }
  eps_.setZero(matrix.size() - dofs_);
  softness_.setZero(dofs_);
  if (!structure.springs.empty()) poses.resize(structure.dof_sizes.size());
}

void KktMatrix::accept_turned(bool wanted) {
  if (wanted == !turned.empty()) return;
  std::swap(turned, spare_);
  if (!wanted || !turned.empty()) return;
  const std::vector<int>& first = structure_->body_blocks;
  turned.resize(first.size() - 1);
  for (const std::vector<int>& blocks : structure_->constraint_blocks)
    for (int block : blocks) {
      const auto body = std::upper_bound(first.begin(), first.end(), block) - first.begin() - 1;
      turned[body].held.push_back(block - first[body]);
    }
  for (TurnedBody& body : turned) {
    std::sort(body.held.begin(), body.held.end());
    body.held.erase(std::unique(body.held.begin(), body.held.end()), body.held.end());
  }
}

/// Of a turned body only what constraints act on is read, and most of the matrix would be its own.
void KktMatrix::set_zero(Share share) {
  const std::vector<int>&first = structure_->body_blocks, &offsets = matrix.offsets();
  auto [done, end] = share.of_loop(dofs_);
  for (std::size_t b = 0; b < turned.size(); ++b) {
    if (!turned[b].matrices) continue;
    const int own = offsets[first[b]], next = offsets[first[b + 1]];
    if (next <= done || own >= end) continue;
    matrix.set_zero(done, std::max(own, done));
    for (int block : turned[b].held)
      for (int j = offsets[first[b] + block]; j < offsets[first[b] + block + 1]; ++j)
        if (j >= done && j < end) matrix.set_zero(j, j + 1);
    done = std::min(next, end);
  }
  matrix.set_zero(done, end);
  const auto [row, last_row] = share.of_loop(rows());
  matrix.set_zero(dofs_ + row, dofs_ + last_row);
}

void KktMatrix::set_regularisation(const VectorX& eps) {
  eps_ = eps;
  for (int i = 0; i < rows(); ++i) matrix.value(diagonal_[dofs_ + i]) = -eps[i];
}

void KktMatrix::limit_regularisation(double most) {
  for (int i = 0; i < rows(); ++i) {
    eps_[i] = std::min(eps_[i], most);
    matrix.value(diagonal_[dofs_ + i]) = -eps_[i];
  }
}

void KktMatrix::regularise(double relative, const VectorX& typical, Team* team) {
  share_out(team, [&](Share s) {
    for (auto [j, end] = s.of_loop(dofs_); j < end; ++j) {
      const double stiffness = std::abs(matrix.value(diagonal_[j]));
      softness_[j] = stiffness > 0 ? 1 / stiffness : 0.0;
    }
  });
  share_out(team, [&](Share s) {
    const int *inner = matrix.inner(), *outer = matrix.outer();
    for (auto [i, end] = s.of_loop(rows()); i < end; ++i) {
      // Rows of rigid bodies come within a factor of the typical compliance, which is then taken as it is.
      double compliance = 0;  // of the diagonal of C alone; row i of G stands in a column too
      for (int k = outer[dofs_ + i], end = outer[dofs_ + i + 1];
           k < end && inner[k] < dofs_ && !(100 * compliance >= typical[i]); ++k)
        compliance += matrix.value(k) * matrix.value(k) * softness_[inner[k]];
      eps_[i] = relative * std::max(1e-9 * typical[i], std::min(typical[i], 100 * compliance));
      matrix.value(diagonal_[dofs_ + i]) = -eps_[i];
    }
  });
}

}  // namespace hooke
