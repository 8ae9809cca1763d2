#include "hooke/solvers/turned_group.h"

#include <Eigen/LU>
#include <algorithm>

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// As many factors are kept: those of the steps and of what their halving tries.
constexpr std::size_t most_factors = 16;

/// mass M + stiffness K, the lower triangle.
Sparse combine(const BodyMatrices& of, double mass, double stiffness) {
  Sparse C = of.K.triangularView<Eigen::Lower>();
  C *= stiffness;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < of.M.cols(); ++j)
    for (Sparse::InnerIterator it(of.M, j); it; ++it)
      if (it.row() >= j)
        for (int d = 0; d < 3; ++d)
          entries.emplace_back(3 * static_cast<int>(it.row()) + d, 3 * j + d, mass * it.value());
  Sparse M(C.rows(), C.cols());
  M.setFromTriplets(entries.begin(), entries.end());
  return stiffness == 0 ? M : Sparse(C + M);
}

/// A body that nothing but joints hold is placed by its mass alone; where its stiffness outweighs that by
/// many orders, as in statics, single precision loses it.
bool is_ill_conditioned(const TurnedBody& body) {
  return body.stiffness * body.matrices->K.coeff(0, 0) > 1e8 * body.mass * body.matrices->M.coeff(0, 0);
}

/// How well single precision solves for a motion without deformation, where it loses most.
bool single_suffices(const SupernodalCholesky& single, const Sparse& lower) {
  VectorX x(lower.rows());
  for (int i = 0; i < x.size(); ++i) x[i] = 1 + 0.5 * (i % 3);
  MatrixX b = lower.selfadjointView<Eigen::Lower>() * x;
  single.solve(b);
  return (b.col(0) - x).norm() < 1e-2 * x.norm();
}

/// The same to round-off, entry by entry.
bool are_same(const BodyMatrices& a, const BodyMatrices& b) {
  const auto same = [](const Sparse& x, const Sparse& y) {
    return x.rows() == y.rows() && x.nonZeros() == y.nonZeros() &&
           std::equal(x.outerIndexPtr(), x.outerIndexPtr() + x.outerSize(), y.outerIndexPtr()) &&
           std::equal(x.innerIndexPtr(), x.innerIndexPtr() + x.nonZeros(), y.innerIndexPtr()) &&
           (x.coeffs() - y.coeffs()).abs().maxCoeff() <= 1e-12 * x.coeffs().abs().maxCoeff();
  };
  return &a == &b || (same(a.M, b.M) && same(a.K, b.K));
}

}  // namespace

const BodyMatrices* TurnedFactors::first_like(const BodyMatrices& matrices) {
  for (const BodyMatrices* kind : kinds_)
    if (are_same(*kind, matrices)) return kind;
  return kinds_.emplace_back(&matrices);
}

std::shared_ptr<const SupernodalCholesky> TurnedFactors::factor(const Key& key, const TurnedBody& body,
                                                                Team* team) {
  if (factors_.size() >= most_factors && !factors_.contains(key)) factors_.clear(), compliances_.clear();
  auto& shared = factors_[key];
  if (shared) return shared;
  const Sparse C = combine(*body.matrices, body.mass, body.stiffness);
  SupernodalCholesky twofold(kind_);
  if (!twofold.factorize(C, 3, team)) return nullptr;
  SupernodalCholesky single = twofold.single();
  if (!body.frame_matters && !is_ill_conditioned(body) && single_suffices(single, C))
    return shared = std::make_shared<const SupernodalCholesky>(std::move(single));
  twofold.finish();
  return shared = std::make_shared<const SupernodalCholesky>(std::move(twofold));
}

std::shared_ptr<const TurnedFactors::Compliance> TurnedFactors::compliance(const Key& key,
                                                                           const std::vector<int>& touched) {
  auto& kept = compliances_[{key, touched}];
  if (kept) return kept;
  const SupernodalCholesky& factor = *factors_.at(key);
  const auto count = static_cast<int>(touched.size());
  Compliance made{MatrixX::Zero(factor.size(), count), MatrixX(count, count)};
  for (int t = 0; t < count; ++t) made.of_all(touched[t], t) = 1;
  factor.solve(made.of_all);
  for (int t = 0; t < count; ++t) made.of_touched.row(t) = made.of_all.row(touched[t]);
  return kept = std::make_shared<const Compliance>(std::move(made));
}

bool TurnedGroup::prepare(const KktMatrix& kkt, const RowsOnGroup& rows, Team* team) {
  const TurnedBody& turned = kkt.turned[body_];
  R_ = turned.R;
  const TurnedFactors::Key key{like_, turned.mass, turned.stiffness, turned.frame_matters};
  if (factor_ && key_ == key) return true;
  auto found = factors_->factor(key, turned, team);
  if (!found) return false;
  factor_ = std::move(found);
  key_ = key;
  compliance_ = nullptr;
  // As many vectors as joints have rows would have to be solved for with every tangent; these are for good.
  const auto touched = static_cast<std::size_t>(rows.touched_count());
  if (touched > 0 && (rows.touched_count() <= 3 * rows.count || touched * size() <= factor_->nonzeros()))
    compliance_ = factors_->compliance(key, rows.touched);
  return true;
}

/// Woodbury's formula: (C0 + U B V^T)^-1 = C0^-1 - Y Q Z^T with Y = C0^-1 U, Z = C0^-1 V,
/// Q = (I + B V^T Y)^-1 B.
bool TurnedGroup::factorize(const KktMatrix& kkt, Team* team) {
  const TurnedBody& turned = kkt.turned[body_];
  frame_matters_ = turned.frame_matters;
  if (!frame_matters_) return true;
  Y_ = turned.U;
  factor_->solve(Y_, team);
  Z_ = turned.V;
  if (Z_.size()) factor_->solve(Z_, team);
  const Mat6 along = turned.other_side().transpose().lazyProduct(Y_);
  Q_ = Eigen::PartialPivLU<Mat6>(Mat6::Identity() + turned.B * along).solve(turned.B);
  return Q_.allFinite();
}

void TurnedGroup::solve(Eigen::Ref<MatrixX> b, Team* team) {
  if (!frame_matters_) return factor_->solve(b, team);
  along_.resize(6, b.cols());
  for (int c = 0; c < b.cols(); ++c) along_.col(c) = Q_ * Vec6(other_side().transpose() * b.col(c));
  factor_->solve(b, team);
  for (int c = 0; c < b.cols(); ++c) b.col(c).noalias() -= Y_ * along_.col(c);
}

void TurnedGroup::respond(const RowsOnGroup& rows, MatrixX& on_touched, Team* team) {
  if (!compliance_) return GroupFactor::respond(rows, on_touched, team);
  const int touched = rows.touched_count();
  held_ = compliance_->of_touched;
  if (frame_matters_) {
    Y_Q_.resize(touched, 6), Z_touched_.resize(touched, 6);
    for (int t = 0; t < touched; ++t) {
      Y_Q_.row(t).noalias() = Y_.row(rows.touched[t]).lazyProduct(Q_);
      Z_touched_.row(t) = other_side().row(rows.touched[t]);
    }
    held_.noalias() -= Y_Q_ * Z_touched_.transpose();
  }
  rows.each([&](const auto& G, const auto& of, const auto& columns) {
    on_touched(Eigen::all, of) += held_(Eigen::all, columns).lazyProduct(G.transpose());
  });
}

void TurnedGroup::subtract_response(const RowsOnGroup& rows, const MatrixX& lambda, MatrixX& b) {
  if (!compliance_) return GroupFactor::subtract_response(rows, lambda, b);
  forces_.setZero(rows.touched_count(), b.cols());
  rows.each([&](const auto& G, const auto& of, const auto& columns) {
    forces_(columns, Eigen::all) += G.transpose().lazyProduct(lambda(of, Eigen::all));
  });
  for (int c = 0; c < b.cols(); ++c) {
    auto column = b.col(c);
    column.noalias() -= compliance_->of_all * forces_.col(c);
    if (frame_matters_) column.noalias() += Y_ * (Q_ * Vec6(Z_touched_.transpose() * forces_.col(c)));
  }
}

}  // namespace hooke
