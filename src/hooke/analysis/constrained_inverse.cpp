#include "hooke/analysis/constrained_inverse.h"

#include <algorithm>

#include "hooke/math/dense.h"

namespace hooke {
namespace {

constexpr double softness = 1e-10;  ///< of a row, beside its compliance
constexpr int most_schur_rows = 1500;
constexpr double most_response = 6e7;  ///< numbers

}  // namespace

bool ConstrainedInverse::factorize(const Sparse& A, const Sparse& G, int block, std::shared_ptr<Team> team) {
  team_ = std::move(team);
  G_ = G;
  const VectorX soft = VectorX(A.diagonal()).cwiseAbs().cwiseMax(1e-300).cwiseInverse();
  VectorX compliance = VectorX::Zero(G.rows());
  for (int j = 0; j < G_.outerSize(); ++j)
    for (Sparse::InnerIterator entry(G_, j); entry; ++entry)
      compliance[entry.row()] += entry.value() * entry.value() * soft[j];
  G_ = compliance.cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal() * G_;

  const bool is_few = G.rows() <= most_schur_rows &&
                      static_cast<double>(G.rows()) * static_cast<double>(A.rows()) <= most_response;
  if (!is_few) return factorize_whole(A);
  cholesky_ = std::make_unique<SupernodalCholesky>();
  if (!cholesky_->factorize(A, block, team_.get())) return false;
  cholesky_->finish();
  return factorize_schur();
}

bool ConstrainedInverse::factorize_schur() {
  if (G_.rows() == 0) return true;
  response_ = MatrixX(G_.transpose());
  cholesky_->solve(response_, team_.get());
  MatrixX S = G_ * response_;
  const VectorX scale = S.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  S = scale.asDiagonal() * S * scale.asDiagonal();
  S.diagonal().array() += softness;
  if (!is_positive_definite(S)) return false;
  inverse_of_schur_ =
      scale.asDiagonal() * solve_positive(S, MatrixX::Identity(S.rows(), S.cols())) * scale.asDiagonal();
  return true;
}

bool ConstrainedInverse::factorize_whole(const Sparse& A) {
  const int n = static_cast<int>(A.rows()), rows = static_cast<int>(G_.rows());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(A.nonZeros() + 2 * G_.nonZeros()) + rows);
  for (int j = 0; j < n; ++j) {
    for (Sparse::InnerIterator entry(A, j); entry; ++entry)
      entries.emplace_back(entry.row(), j, entry.value());
    for (Sparse::InnerIterator entry(G_, j); entry; ++entry) {
      entries.emplace_back(n + entry.row(), j, entry.value());
      entries.emplace_back(j, n + entry.row(), entry.value());
    }
  }
  for (int i = 0; i < rows; ++i) entries.emplace_back(n + i, n + i, -softness);
  whole_.resize(n + rows, n + rows);
  whole_.setFromTriplets(entries.begin(), entries.end());
  lu_ = make_sparse_lu();
  return lu_->factorize(n + rows, whole_.outerIndexPtr(), whole_.innerIndexPtr(), whole_.valuePtr());
}

void ConstrainedInverse::solve(Eigen::Ref<MatrixX> x) const {
  if (lu_) {
    MatrixX z = MatrixX::Zero(whole_.rows(), x.cols());
    z.topRows(x.rows()) = x;
    lu_->solve(z);
    x = z.topRows(x.rows());
    return project(x);
  }
  cholesky_->solve(x, team_.get());
  for (int twice = 0; twice < 2; ++twice) project(x);
}

void ConstrainedInverse::project(Eigen::Ref<MatrixX> x) const {
  if (G_.rows() == 0) return;
  if (lu_) {
    MatrixX z = MatrixX::Zero(whole_.rows(), x.cols());
    z.bottomRows(G_.rows()) = -(G_ * x);
    lu_->solve(z);
    x += z.topRows(x.rows());
  } else {
    x.noalias() -= response_ * (inverse_of_schur_ * (G_ * x)).eval();
  }
}

}  // namespace hooke
