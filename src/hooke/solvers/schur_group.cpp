#include "hooke/solvers/schur_group.h"

#include <algorithm>
#include <cmath>

#include "hooke/linalg/gpl.h"
#include "hooke/linalg/supernodal_cholesky.h"
#include "hooke/solvers/dense_lu.h"

namespace hooke {

void GroupFactor::respond(const RowsOnGroup& rows, MatrixX& on_touched, Team* team) {
  response_.setZero(size(), rows.count);
  rows.each([&](const auto& G, const auto& of, const auto& columns) {
    for (int k = 0; k < G.cols(); ++k) response_(rows.touched[columns[k]], of) += G.col(k).transpose();
  });
  solve(response_, team);
  for (int t = 0; t < rows.touched_count(); ++t) on_touched.row(t) = response_.row(rows.touched[t]);
}

void GroupFactor::subtract_response(const RowsOnGroup&, const MatrixX& lambda, MatrixX& b) {
  for (int c = 0; c < b.cols(); ++c) b.col(c).noalias() -= response_ * lambda.col(c);
}

namespace {

class DenseGroup final : public GroupFactor {
 public:
  DenseGroup(int size, std::vector<BlockOfC> blocks)
      : GroupFactor(size), blocks_(std::move(blocks)), lu_(size) {}

  bool factorize(const KktMatrix& kkt, Team*) override {
    lu_.matrix.setZero();
    for (const BlockOfC& c : blocks_)
      lu_.matrix.block(c.row, c.column, c.handle.rows, c.handle.cols) += kkt.matrix.block(c.handle);
    return lu_.factorize();
  }
  void solve(Eigen::Ref<MatrixX> b, Team*) override {
    for (int c = 0; c < b.cols(); ++c) lu_.solve(b.col(c));
  }
  bool is_renewed_cheaply(const RowsOnGroup&) const override { return true; }

 private:
  std::vector<BlockOfC> blocks_;
  DenseLu lu_;
};

/// The kind of factor is chosen for every matrix anew.
class SparseGroup final : public GroupFactor {
 public:
  SparseGroup(int size, std::vector<BlockOfC> blocks, CholeskyKind kind)
      : GroupFactor(size), blocks_(std::move(blocks)), C_(size, size), kind_(kind) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const BlockOfC& c : blocks_) {
      is_of_nodes_ = is_of_nodes_ && c.handle.rows % 3 == 0;
      for (int j = 0; j < c.handle.cols; ++j)
        for (int i = 0; i < c.handle.rows; ++i) entries.emplace_back(c.row + i, c.column + j, 0.0);
    }
    C_.setFromTriplets(entries.begin(), entries.end());
    for (const auto& e : entries)
      places_.push_back(static_cast<int>(&C_.coeffRef(e.row(), e.col()) - C_.valuePtr()));
  }

  bool factorize(const KktMatrix& kkt, Team* team) override {
    collect(kkt.matrix);
    if (!C_.coeffs().allFinite()) return false;
    double largest = 0;
    for (int j = 0; j < size(); ++j) largest = std::max(largest, std::abs(C_.coeff(j, j)));
    is_cholesky_ = asymmetry(kkt.matrix) <= 1e-9 * largest;
    if (is_cholesky_) {
      if (!cholesky_) cholesky_ = std::make_unique<SupernodalCholesky>(kind_);
      if (cholesky_->factorize(C_, is_of_nodes_ ? 3 : 1, team)) return true;
      is_cholesky_ = false;  // not positive definite
    }
    // Supernodes pay on a mesh: on 5508 dofs Eigen's takes 72 ms, UMFPACK 99, KLU 110 (bench/factors).
    if (!lu_) lu_ = kind_ == CholeskyKind::cholmod ? make_umfpack() : make_eigen_lu();
    return lu_->factorize(size(), C_.outerIndexPtr(), C_.innerIndexPtr(), C_.valuePtr());
  }
  void solve(Eigen::Ref<MatrixX> b, Team* team) override {
    if (is_cholesky_)
      cholesky_->solve(b, team);
    else
      lu_->solve(b);
  }

 private:
  void collect(const BlockMatrix& matrix) {
    double* values = C_.valuePtr();
    std::fill(values, values + C_.nonZeros(), 0.0);
    auto at = places_.begin();
    for (const BlockOfC& c : blocks_) {
      const auto block = matrix.block(c.handle);
      for (int j = 0; j < c.handle.cols; ++j)
        for (int i = 0; i < c.handle.rows; ++i) values[*at++] += block(i, j);
    }
  }
  /// (i, j) and (j, i) of a coupling follow each other.
  double asymmetry(const BlockMatrix& matrix) const {
    double most = 0;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const BlockOfC &c = blocks_[k], &next = blocks_[std::min(k + 1, blocks_.size() - 1)];
      const auto block = matrix.block(c.handle);
      if (c.row == c.column)
        most = std::max(most, (block - block.transpose()).cwiseAbs().maxCoeff());
      else if (c.row == next.column && c.column == next.row)
        most = std::max(most, (block - matrix.block(next.handle).transpose()).cwiseAbs().maxCoeff());
    }
    return most;
  }

  std::vector<BlockOfC> blocks_;
  Eigen::SparseMatrix<double> C_;
  std::vector<int> places_;  ///< of the blocks' entries in C_
  CholeskyKind kind_;
  bool is_of_nodes_ = true, is_cholesky_ = false;
  std::unique_ptr<SupernodalCholesky> cholesky_;
  std::unique_ptr<SparseLu> lu_;
};

}  // namespace

std::unique_ptr<GroupFactor> make_dense_group(int size, std::vector<BlockOfC> blocks) {
  return std::make_unique<DenseGroup>(size, std::move(blocks));
}

std::unique_ptr<GroupFactor> make_sparse_group(int size, std::vector<BlockOfC> blocks, CholeskyKind kind) {
  return std::make_unique<SparseGroup>(size, std::move(blocks), kind);
}

}  // namespace hooke
