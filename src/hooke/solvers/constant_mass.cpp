#include "hooke/solvers/constant_mass.h"

#include <algorithm>

namespace hooke {

namespace {
constexpr int most_rows = 96, largest_body = 256;  ///< beyond these a sparse factor is better
constexpr int small_body = 24;                     ///< up to this a new inverse costs next to nothing
}  // namespace

void ConstantMassSolver::plan(const KktMatrix& kkt) {
  const KktStructure& structure = kkt.structure();
  const std::vector<int>& offsets = kkt.matrix.offsets();
  is_planned_ = true;
  dofs_ = kkt.dofs();
  std::vector<int> owner(structure.dof_sizes.size());
  bodies_.resize(structure.body_blocks.size() - 1);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    const int first = structure.body_blocks[b], end = structure.body_blocks[b + 1];
    body.dof = offsets[first];
    body.size = offsets[end] - body.dof;
    for (int k = first; k < end; ++k) {
      owner[k] = static_cast<int>(b);
      body.C_places.push_back({kkt.C(k, k), offsets[k] - body.dof, offsets[k] - body.dof});
    }
  }
  for (const auto* pairs : {&structure.couplings, &structure.weak_couplings})
    for (const auto& [i, j] : *pairs)
      for (const auto& [row, column] : {std::pair{i, j}, std::pair{j, i}}) {
        if (row == column) continue;
        Body& body = bodies_[owner[row]];
        if (owner[row] == owner[column])
          body.C_places.push_back({kkt.C(row, column), offsets[row] - body.dof, offsets[column] - body.dof});
        else
          between_.push_back(kkt.C(row, column));
      }
  for (std::size_t c = 0; c < structure.constraint_blocks.size(); ++c)
    for (const int block : structure.constraint_blocks[c]) {
      Body& body = bodies_[owner[block]];
      const int row = offsets[structure.dof_sizes.size() + c] - dofs_, dof = offsets[block] - body.dof;
      const auto place = [](std::vector<int>& list, int first, int count) {
        const auto found = std::find(list.begin(), list.end(), first);
        const auto at = static_cast<int>(found - list.begin());
        if (found == list.end())
          for (int i = 0; i < count; ++i) list.push_back(first + i);
        return at;
      };
      body.G_places.push_back({kkt.G(static_cast<int>(c), block),
                               place(body.rows, row, structure.row_sizes[c]),
                               place(body.touched, dof, structure.dof_sizes[block])});
    }
  suits_ = kkt.rows() <= most_rows;
  for (Body& body : bodies_) {
    suits_ = suits_ && body.size <= largest_body;
    if (!suits_) return;
    const auto rows = static_cast<int>(body.rows.size()), touched = static_cast<int>(body.touched.size());
    for (MatrixX* m : {&body.C, &body.inverse}) m->setZero(body.size, body.size);
    body.of_touched.setZero(body.size, touched);
    body.G.setZero(rows, touched);
    body.response.setZero(body.size, rows);
    body.S.setZero(rows, rows);
    body.dq.setZero(body.size);
    body.lambda.setZero(rows);
  }
  schur_.resize(kkt.rows());
  lambda_.setZero(kkt.rows());
}

/// The inverse, unless C is what it was. False: it is no mass matrix, or of a large body that changes.
bool ConstantMassSolver::renew(Body& body, const BlockMatrix& matrix) {
  bool is_same = body.is_known;
  for (const Place& place : body.C_places) {
    auto here = body.C.block(place.row, place.column, place.handle.rows, place.handle.cols);
    const auto there = matrix.block(place.handle);
    if (is_same && here == there) continue;
    is_same = false;
    here = there;
  }
  if (is_same) return true;
  if (body.is_known && body.size > small_body) return false;
  const double asymmetry = (body.C - body.C.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-12 * body.C.diagonal().cwiseAbs().maxCoeff()) return false;
  body.factor.compute(body.C);
  if (body.factor.info() != Eigen::Success) return false;
  body.inverse.setIdentity();
  body.factor.solveInPlace(body.inverse);
  for (std::size_t k = 0; k < body.touched.size(); ++k)
    body.of_touched.col(static_cast<int>(k)) = body.inverse.col(body.touched[k]);
  return body.is_known = true;
}

bool ConstantMassSolver::factorize(const KktMatrix& kkt) {
  if (!is_planned_) plan(kkt);
  suits_ = suits_ && std::all_of(between_.begin(), between_.end(),
                                 [&](const BlockHandle& h) { return kkt.matrix.block(h).isZero(0); });
  for (std::size_t b = 0; suits_ && b < bodies_.size(); ++b) suits_ = renew(bodies_[b], kkt.matrix);
  if (!suits_) return general_->factorize(kkt);

  schur_.matrix.setZero();
  schur_.matrix.diagonal() = kkt.regularisation();
  for (Body& body : bodies_) {
    for (const Place& place : body.G_places)
      body.G.block(place.row, place.column, place.handle.rows, place.handle.cols) =
          kkt.matrix.block(place.handle);
    body.response.noalias() = body.of_touched * body.G.transpose();
    body.S.setZero();
    for (std::size_t k = 0; k < body.touched.size(); ++k)
      body.S.noalias() += body.G.col(static_cast<int>(k)) * body.response.row(body.touched[k]);
    for (std::size_t i = 0; i < body.rows.size(); ++i)
      for (std::size_t j = 0; j < body.rows.size(); ++j)
        schur_.matrix(body.rows[i], body.rows[j]) += body.S(static_cast<int>(i), static_cast<int>(j));
  }
  return schur_.factorize();
}

void ConstantMassSolver::solve(Eigen::Ref<MatrixX> x) {
  if (!suits_) return general_->solve(x);
  for (int column = 0; column < x.cols(); ++column) {
    auto b = x.col(column);
    lambda_ = -b.tail(lambda_.size());
    for (Body& body : bodies_) {
      body.dq.noalias() = body.inverse * b.segment(body.dof, body.size);
      for (std::size_t i = 0; i < body.rows.size(); ++i)
        for (std::size_t k = 0; k < body.touched.size(); ++k)
          lambda_[body.rows[i]] +=
              body.G(static_cast<int>(i), static_cast<int>(k)) * body.dq[body.touched[k]];
    }
    schur_.solve(lambda_);
    for (Body& body : bodies_) {
      for (std::size_t i = 0; i < body.rows.size(); ++i)
        body.lambda[static_cast<int>(i)] = lambda_[body.rows[i]];
      body.dq.noalias() -= body.response * body.lambda;
      b.segment(body.dof, body.size) = body.dq;
    }
    b.tail(lambda_.size()) = lambda_;
  }
}

}  // namespace hooke
