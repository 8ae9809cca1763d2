#include "hooke/analysis/redundancy.h"

#include <algorithm>
#include <cmath>
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
  ConstraintRank result{.rows = dae.nc(), .dofs = dae.nv() - dae.first_order_states()};
  for (int row = 0; row < dae.nc(); ++row) result.rows -= dae.is_off(row, state);
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
    if (dae.is_off(dependence.column, state)) continue;
    Redundancy redundancy;
    redundancy.rows.emplace_back(dependence.column, 1.0);
    for (const auto& [row, share] : dependence.on)
      if (std::abs(share) > no_share)
        redundancy.rows.emplace_back(row, -share * length[dependence.column] / length[row]);
    result.redundant.push_back(std::move(redundancy));
  }
  return result;
}

namespace {

bool is_same(const Redundancy& a, const Redundancy& b) {
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && std::abs(x.second - y.second) < 1e-6 * std::abs(x.second);
                    });
}

}  // namespace

std::optional<LaterContradiction> later_contradiction(const Dae& dae, const State& start,
                                                      const ConstraintRank& rank, double end) {
  constexpr int times = 200;
  constexpr double nothing = 1e-6, nearby = 0.01;  // in units of the mechanism's size
  if (rank.redundant.empty() || !(end > start.t)) return {};
  auto workspace = dae.workspace();
  State at = start;
  at.v.setZero();
  VectorX first, g;
  const auto constraints_at = [&](double t, VectorX& to) {
    at.t = t;
    dae.update(at, *workspace);
    dae.position_constraints(at, *workspace, to);
  };
  constraints_at(start.t, first);
  std::optional<LaterContradiction> found;
  for (int k = 1; k <= times; ++k) {
    constraints_at(start.t + (end - start.t) * k / times, g);
    for (const Redundancy& redundancy : rank.redundant) {
      double sum = 0;
      for (const auto& [row, share] : redundancy.rows) sum += share * (g[row] - first[row]);
      if (std::abs(sum) > std::max(nothing * dae.dof_scale().maxCoeff(), found ? found->size : 0.0))
        found = LaterContradiction{redundancy, at.t, std::abs(sum)};
    }
  }
  if (!found) return found;
  VectorX x(dae.nv());
  for (int i = 0; i < dae.nv(); ++i) x[i] = nearby * std::sin(1 + 2.4 * i) * dae.dof_scale()[i];
  at = start;
  dae.plus(start.q, x, at.q);
  for (const Redundancy& there : constraint_rank(dae, at).redundant)
    found->is_certain = found->is_certain || is_same(there, found->rows);
  return found;
}

std::string describe(const Redundancy& redundancy, const Dae& dae) {
  std::string others;
  const std::size_t shown = std::min<std::size_t>(redundancy.rows.size(), 5);
  for (std::size_t i = 1; i < shown; ++i)
    others += (i > 1 ? "; " : "") + dae.row_name(redundancy.rows[i].first);
  if (redundancy.rows.size() > shown) others += formatted("; and {} more", redundancy.rows.size() - shown);
  const std::string first = dae.row_name(redundancy.rows[0].first);
  return others.empty() ? formatted("{} constrains nothing that can move", first)
                        : formatted("{} follows from {}", first, others);
}

std::vector<std::string> describe(const ConstraintRank& rank, const Dae& dae) {
  std::vector<std::string> lines;
  for (const Redundancy& redundancy : rank.redundant) lines.push_back(describe(redundancy, dae));
  return lines;
}

}  // namespace hooke
