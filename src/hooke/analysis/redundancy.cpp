#include "hooke/analysis/redundancy.h"

#include <algorithm>
#include <numeric>

#include "hooke/base/format.h"
#include "hooke/linalg/column_rank.h"

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// G^T with each column weighted by mass^-1/2 and of unit length, so that one tolerance fits all rows; their
/// lengths.
Sparse scaled_rows(const KktMatrix& kkt, VectorX& length) {
  const BlockMatrix& A = kkt.matrix;
  const VectorX weight = A.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < kkt.dofs(); ++j)
    for (int k = A.outer()[j]; k < A.outer()[j + 1]; ++k)
      if (const int row = A.inner()[k] - kkt.dofs(); row >= 0 && A.values()[k] != 0)
        entries.emplace_back(j, row, A.values()[k] * weight[j]);
  Sparse Gt(kkt.dofs(), kkt.rows());
  Gt.setFromTriplets(entries.begin(), entries.end());
  length.resize(kkt.rows());
  for (int row = 0; row < kkt.rows(); ++row) {
    length[row] = std::max(Gt.col(row).norm(), 1e-300);
    Gt.col(row) /= length[row];
  }
  return Gt;
}

}  // namespace

ConstraintRank constraint_rank(const Dae& dae, const State& state) {
  ConstraintRank result{.rows = dae.nc(), .dofs = dae.nv()};
  if (result.rows == 0) return result;
  auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  dae.update(state, *workspace);
  dae.tangent(state, {.m = 1}, *workspace, kkt);

  VectorX length;
  const Sparse Gt = scaled_rows(kkt, length);

  const std::vector<int>& sizes = dae.structure().row_sizes;
  std::vector<int> joints(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), joints.begin() + 1);
  constexpr double nothing = 1e-8, no_share = 1e-6;
  const ColumnRank columns = column_rank(Gt, joints, nothing);
  result.rank = columns.rank;
  for (const ColumnRank::Dependence& dependence : columns.dependent) {
    Redundancy redundancy;
    redundancy.rows.emplace_back(dependence.column, 1.0);
    for (const auto& [row, share] : dependence.on)
      if (std::abs(share) > no_share)
        redundancy.rows.emplace_back(row, -share * length[dependence.column] / length[row]);
    result.redundant.push_back(std::move(redundancy));
  }
  return result;
}

std::vector<std::string> describe(const ConstraintRank& rank, const Dae& dae) {
  std::vector<std::string> lines;
  for (const Redundancy& redundancy : rank.redundant) {
    std::string others;
    const std::size_t shown = std::min<std::size_t>(redundancy.rows.size(), 5);
    for (std::size_t i = 1; i < shown; ++i)
      others += (i > 1 ? "; " : "") + dae.row_name(redundancy.rows[i].first);
    if (redundancy.rows.size() > shown) others += formatted("; and {} more", redundancy.rows.size() - shown);
    lines.push_back(
        others.empty()
            ? formatted("{} constrains nothing that can move", dae.row_name(redundancy.rows[0].first))
            : formatted("{} follows from {}", dae.row_name(redundancy.rows[0].first), others));
  }
  return lines;
}

}  // namespace hooke
