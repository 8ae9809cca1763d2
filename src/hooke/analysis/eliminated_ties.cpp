#include "hooke/analysis/eliminated_ties.h"

#include <optional>

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// x = factor times the dofs of a master, which is -1 where nothing moves.
struct Slave {
  int master = -1;
  MatrixX factor;
};

class Ties {
 public:
  explicit Ties(const KktMatrix& kkt)
      : kkt_(kkt),
        structure_(kkt.structure()),
        slaves(structure_.dof_sizes.size()),
        is_row_used(structure_.row_sizes.size(), 0),
        is_master_(structure_.dof_sizes.size(), 0) {
    for (int c = 0; c < static_cast<int>(structure_.row_sizes.size()); ++c) is_row_used[c] = eliminate(c);
  }

 private:
  bool eliminate(int c) {
    const std::vector<int>& blocks = structure_.constraint_blocks[c];
    if (structure_.row_sizes[c] != 3 || blocks.size() > 2) return false;
    for (std::size_t k = 0; k < blocks.size(); ++k)
      if (eliminate(c, blocks[k], blocks.size() > 1 ? blocks[1 - k] : -1)) return true;
    return false;
  }
  bool eliminate(int c, int block, int other) {
    const bool is_node =
        structure_.dof_sizes[block] == 3 && structure_.kind_of_block(block) != BodyKind::plain;
    if (!is_node || slaves[block] || is_master_[block]) return false;
    if (other >= 0 && slaves[other] && slaves[other]->master >= 0) return false;
    const Mat3 G = kkt_.matrix.block(kkt_.G(c, block));
    const double size = G.norm();
    if (!(std::abs(G.determinant()) > 1e-6 * size * size * size)) return false;
    if (other < 0 || slaves[other]) {
      slaves[block] = Slave();
    } else {
      slaves[block] = Slave{other, -G.inverse() * kkt_.matrix.block(kkt_.G(c, other))};
      is_master_[other] = 1;
    }
    return true;
  }

  const KktMatrix& kkt_;
  const KktStructure& structure_;

 public:
  std::vector<std::optional<Slave>> slaves;  ///< by dof block
  std::vector<char> is_row_used;             ///< by constraint

 private:
  std::vector<char> is_master_;
};

/// Rows of the constraints that are left, without those that hold nothing.
Sparse rows_left(const KktMatrix& kkt, int dofs, const Sparse& T, const std::vector<char>& is_used) {
  std::vector<int> number(kkt.rows(), -1);
  int rows = 0;
  for (int c = 0, row = 0; c < static_cast<int>(is_used.size()); ++c)
    for (int k = 0; k < kkt.structure().row_sizes[c]; ++k, ++row)
      if (!is_used[c]) number[row] = rows++;
  std::vector<Eigen::Triplet<double>> entries;
  VectorX before = VectorX::Zero(rows);
  for (int j = 0; j < dofs; ++j)
    for (int k = kkt.matrix.outer()[j]; k < kkt.matrix.outer()[j + 1]; ++k) {
      const int row = kkt.matrix.inner()[k] - kkt.dofs();
      const double value = kkt.matrix.values()[k];
      if (row < 0 || number[row] < 0 || value == 0) continue;
      entries.emplace_back(number[row], j, value);
      before[number[row]] = std::max(before[number[row]], std::abs(value));
    }
  Sparse G(rows, dofs);
  G.setFromTriplets(entries.begin(), entries.end());
  const Sparse on_free = G * T;

  entries.clear();
  std::vector<char> is_there(rows, 0);
  const auto each = [&](auto&& use) {
    for (int j = 0; j < on_free.outerSize(); ++j)
      for (Sparse::InnerIterator entry(on_free, j); entry; ++entry)
        if (std::abs(entry.value()) > 1e-12 * before[entry.row()]) use(entry);
  };
  each([&](const auto& entry) { is_there[entry.row()] = 1; });
  int left = 0;
  for (int row = 0; row < rows; ++row) number[row] = is_there[row] ? left++ : -1;
  each([&](const auto& entry) { entries.emplace_back(number[entry.row()], entry.col(), entry.value()); });
  Sparse result(left, on_free.cols());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

EliminatedTies::EliminatedTies(const KktMatrix& kkt, int dofs) {
  const Ties ties(kkt);
  const std::vector<int>&sizes = kkt.structure().dof_sizes, &offsets = kkt.matrix.offsets();
  std::vector<int> column(sizes.size(), -1);
  int columns = 0;
  for (std::size_t b = 0; b < sizes.size() && offsets[b] < dofs; ++b) {
    if (ties.slaves[b]) continue;
    column[b] = columns;
    columns += sizes[b];
    if (sizes[b] % 3 != 0) block = 1;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t b = 0; b < sizes.size() && offsets[b] < dofs; ++b) {
    if (!ties.slaves[b]) {
      for (int k = 0; k < sizes[b]; ++k) entries.emplace_back(offsets[b] + k, column[b] + k, 1.0);
    } else if (const Slave& slave = *ties.slaves[b]; slave.master >= 0) {
      for (int j = 0; j < slave.factor.cols(); ++j)
        for (int i = 0; i < slave.factor.rows(); ++i)
          entries.emplace_back(offsets[b] + i, column[slave.master] + j, slave.factor(i, j));
    }
  }
  T.resize(dofs, columns);
  T.setFromTriplets(entries.begin(), entries.end());
  G = rows_left(kkt, dofs, T, ties.is_row_used);
}

}  // namespace hooke
