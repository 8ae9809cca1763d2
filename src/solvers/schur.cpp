#include "solvers/schur.h"

#include <algorithm>
#include <numeric>

namespace hooke {
namespace {

/// Up to here a group is dense.
constexpr int dense_up_to = 96;
/// More rows than this, and the Schur complement is factorized as a sparse matrix, if it is symmetric.
constexpr int dense_rows = 150;
/// As many factors of turned bodies are kept: those of the steps and of what their halving tries.
constexpr std::size_t most_constants = 16;

void turn(const Mat3& R, Eigen::Ref<MatrixX> x) {
  for (int c = 0; c < x.cols(); ++c)
    for (int i = 0; i < x.rows(); i += 3) x.col(c).segment<3>(i) = R * x.col(c).segment<3>(i).eval();
}

/// mass M + stiffness K, the lower triangle.
Eigen::SparseMatrix<double> combine(const BodyMatrices& of, double mass, double stiffness) {
  Eigen::SparseMatrix<double> C = of.K.triangularView<Eigen::Lower>();
  C *= stiffness;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < of.M.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(of.M, j); it; ++it)
      if (it.row() >= j)
        for (int d = 0; d < 3; ++d)
          entries.emplace_back(3 * static_cast<int>(it.row()) + d, 3 * j + d, mass * it.value());
  Eigen::SparseMatrix<double> M(C.rows(), C.cols());
  M.setFromTriplets(entries.begin(), entries.end());
  return stiffness == 0 ? M : Eigen::SparseMatrix<double>(C + M);
}

/// How well single precision solves for a motion without deformation, where it loses most.
bool single_suffices(const SupernodalCholesky& single, const Eigen::SparseMatrix<double>& lower) {
  VectorX x(lower.rows());
  for (int i = 0; i < x.size(); ++i) x[i] = 1 + 0.5 * (i % 3);
  MatrixX b = lower.selfadjointView<Eigen::Lower>() * x;
  single.solve(b);
  return (b.col(0) - x).norm() < 1e-2 * x.norm();
}

std::shared_ptr<const SupernodalCholesky> constant_factor(const TurnedBody& body) {
  const Eigen::SparseMatrix<double> C = combine(*body.matrices, body.mass, body.stiffness);
  SupernodalCholesky twofold;
  if (!twofold.factorize(C, 3)) return nullptr;
  SupernodalCholesky single = twofold.single();
  if (!body.frame_matters && single_suffices(single, C))
    return std::make_shared<const SupernodalCholesky>(std::move(single));
  twofold.finish();
  return std::make_shared<const SupernodalCholesky>(std::move(twofold));
}

}  // namespace

template <class Work>
void SchurSolver::each_group(Work&& work) {
  const auto some = [&](int member, int of) {
    for (std::size_t g = member; g < groups_.size(); g += of) work(groups_[g]);
  };
  if (team_)
    team_->run([&](int member) { some(member, team_->size()); });
  else
    some(0, 1);
}

/// Groups of bodies that entries of C hold together.
void SchurSolver::plan(const KktMatrix& kkt) {
  const KktStructure& s = kkt.structure();
  const int blocks = static_cast<int>(s.dof_sizes.size()),
            bodies = static_cast<int>(s.body_blocks.size()) - 1;
  dofs_ = kkt.dofs(), rows_ = kkt.rows();
  std::vector<int> body_of(blocks), parent(bodies);
  for (int b = 0; b < bodies; ++b)
    for (int k = s.body_blocks[b]; k < s.body_blocks[b + 1]; ++k) body_of[k] = b;
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int b) {
    while (parent[b] != b) b = parent[b] = parent[parent[b]];
    return b;
  };
  const auto is_turned = [&](int b) { return !kkt.turned.empty() && kkt.turned[b].matrices; };
  for (const auto& [i, j] : s.couplings)
    if (!is_turned(body_of[i]) && !is_turned(body_of[j])) parent[root(body_of[i])] = root(body_of[j]);

  std::vector<int> group_of(bodies, -1), local(blocks);
  const std::vector<int>& offsets = kkt.matrix.offsets();
  for (int b = 0; b < bodies; ++b) {
    int& number = group_of[root(b)];
    if (number < 0) number = static_cast<int>(groups_.size()), groups_.emplace_back();
    Group& group = groups_[number];
    group.body = group.blocks.empty() ? b : -1;
    group_of[b] = number;
    for (int k = s.body_blocks[b]; k < s.body_blocks[b + 1]; ++k) {
      local[k] = group.size;
      group.blocks.push_back(k);
      group.pieces.push_back({offsets[k], group.size, s.dof_sizes[k]});
      group.size += s.dof_sizes[k];
    }
  }
  const auto add_C = [&](int i, int j) {
    groups_[group_of[body_of[i]]].C.push_back({kkt.C(i, j), local[i], local[j]});
  };
  for (int k = 0; k < blocks; ++k)
    if (!is_turned(body_of[k])) add_C(k, k);
  for (const auto& [i, j] : s.couplings)
    if (group_of[body_of[i]] == group_of[body_of[j]] && !is_turned(body_of[i])) add_C(i, j), add_C(j, i);

  std::vector<int> column(blocks, -1);  // in the touched dofs of its group
  int row = 0;
  for (std::size_t c = 0; c < s.row_sizes.size(); ++c) {
    std::vector<int> seen;
    for (int k : s.constraint_blocks[c]) {
      Group& group = groups_[group_of[body_of[k]]];
      if (std::find(seen.begin(), seen.end(), group_of[body_of[k]]) == seen.end()) {
        seen.push_back(group_of[body_of[k]]);
        for (int r = 0; r < s.row_sizes[c]; ++r) group.rows.push_back(row + r);
      }
      if (column[k] < 0) {
        column[k] = static_cast<int>(group.touched.size());
        for (int d = 0; d < s.dof_sizes[k]; ++d) group.touched.push_back(local[k] + d);
      }
      group.G_blocks.push_back(
          {kkt.G(static_cast<int>(c), k), static_cast<int>(group.rows.size()) - s.row_sizes[c], column[k]});
    }
    row += s.row_sizes[c];
  }
  int most_rows = 0;
  for (Group& group : groups_) {
    const auto rows = static_cast<int>(group.rows.size()), touched = static_cast<int>(group.touched.size());
    group.G.setZero(rows, touched);
    group.response.setZero(group.size, rows);
    group.turned = group.body >= 0 && is_turned(group.body);
    if (!group.turned && group.size <= dense_up_to) group.dense.resize(group.size);
    most_rows = std::max(most_rows, rows);
  }
  contribution_.setZero(most_rows, most_rows);
  schur_.resize(rows_);
  s_.setZero(rows_);
}

bool SchurSolver::factorize(const KktMatrix& kkt) {
  if (groups_.empty()) plan(kkt);
  bool good = true;
  for (Group& group : groups_)  // factors that are shared are made by one thread
    if (group.turned) good = factorize_turned(group, kkt.turned[group.body]) && good;
  if (!good) return false;
  failed_.assign(groups_.size(), 0);
  each_group([&](Group& group) {
    group.G.setZero();
    for (const GBlock& g : group.G_blocks)
      group.G.block(g.row, g.column, g.handle.rows, g.handle.cols) += kkt.matrix.block(g.handle);
    if (group.turned)
      for (int t = 0; t < group.G.cols(); t += 3)
        group.G.middleCols<3>(t) = (group.G.middleCols<3>(t) * group.R).eval();
    if (!(group.turned ? follow_frame(group, kkt.turned[group.body]) : factorize_group(group, kkt)))
      return void(failed_[&group - groups_.data()] = 1);
    respond(group);
  });
  if (std::any_of(failed_.begin(), failed_.end(), [](char f) { return f; })) return false;
  frame_matters_ =
      std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.frame_matters; });
  return factorize_schur(kkt);
}

bool SchurSolver::factorize_turned(Group& group, const TurnedBody& turned) {
  group.R = turned.R;
  const FactorKey key{turned.matrices, turned.mass, turned.stiffness, turned.frame_matters};
  if (group.constant && group.key == key) return true;
  if (constants_.size() >= most_constants && !constants_.contains(key)) constants_.clear();
  auto& shared = constants_[key];
  if (!shared) shared = constant_factor(turned);
  if (!shared) return false;
  group.constant = shared;
  group.key = key;
  const auto touched = group.touched.size();
  // As many vectors as joints have rows would have to be solved for with every tangent; these are for good.
  if (touched > 3 * group.rows.size()) return group.compliance.resize(0, 0), true;
  group.compliance.setZero(group.size, static_cast<int>(touched));
  for (std::size_t t = 0; t < touched; ++t) group.compliance(group.touched[t], static_cast<int>(t)) = 1;
  if (touched) shared->solve(group.compliance);
  return true;
}

/// Woodbury's formula: (C0 + U B U^T)^-1 = C0^-1 - Y Q Y^T with Y = C0^-1 U, Q = (I + B U^T Y)^-1 B.
bool SchurSolver::follow_frame(Group& group, const TurnedBody& turned) {
  group.frame_matters = turned.frame_matters;
  group.symmetric = !group.frame_matters || turned.B.isApprox(turned.B.transpose());
  if (!group.frame_matters) return true;
  group.Y = turned.U;
  group.constant->solve(group.Y);
  const Mat6 along = turned.U.transpose().lazyProduct(group.Y);
  group.Q = Eigen::PartialPivLU<Mat6>(Mat6::Identity() + turned.B * along).solve(turned.B);
  return group.Q.allFinite();
}

/// b <- C^-1 b in turned axes.
void SchurSolver::solve_turned(Group& group, Eigen::Ref<MatrixX> b) {
  if (!group.frame_matters) return group.constant->solve(b);
  group.along.resize(6, b.cols());
  for (int c = 0; c < b.cols(); ++c) group.along.col(c) = group.Q * Vec6(group.Y.transpose() * b.col(c));
  group.constant->solve(b);
  for (int c = 0; c < b.cols(); ++c) b.col(c).noalias() -= group.Y * group.along.col(c);
}

bool SchurSolver::factorize_group(Group& group, const KktMatrix& kkt) {
  if (group.size > dense_up_to) return factorize_sparse(group, kkt);
  group.dense.matrix.setZero();
  for (const CBlock& c : group.C)
    group.dense.matrix.block(c.row, c.column, c.handle.rows, c.handle.cols) += kkt.matrix.block(c.handle);
  return group.dense.factorize();
}

bool SchurSolver::factorize_sparse(Group& group, const KktMatrix& kkt) {
  if (group.sparse.rows() == 0) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const CBlock& c : group.C)
      for (int j = 0; j < c.handle.cols; ++j)
        for (int i = 0; i < c.handle.rows; ++i) entries.emplace_back(c.row + i, c.column + j, 0.0);
    group.sparse.resize(group.size, group.size);
    group.sparse.setFromTriplets(entries.begin(), entries.end());
    for (const auto& e : entries)
      group.sparse_at.push_back(
          static_cast<int>(&group.sparse.coeffRef(e.row(), e.col()) - group.sparse.valuePtr()));
  }
  double* values = group.sparse.valuePtr();
  std::fill(values, values + group.sparse.nonZeros(), 0.0);
  auto at = group.sparse_at.begin();
  double largest = 0, skew = 0;
  const BlockMatrix& A = kkt.matrix;
  for (const CBlock& c : group.C) {
    const auto block = A.block(c.handle);
    for (int j = 0; j < c.handle.cols; ++j)
      for (int i = 0; i < c.handle.rows; ++i) values[*at++] += block(i, j);
  }
  for (int j = 0; j < group.size; ++j) largest = std::max(largest, std::abs(group.sparse.coeff(j, j)));
  if (!std::isfinite(largest)) return false;
  // (i, j) and (j, i) of a coupling follow each other
  for (std::size_t c = 0; c + 1 < group.C.size(); ++c) {
    if (group.C[c].row == group.C[c].column) {
      const auto block = A.block(group.C[c].handle);
      skew = std::max(skew, (block - block.transpose()).cwiseAbs().maxCoeff());
    } else if (group.C[c].row == group.C[c + 1].column && group.C[c].column == group.C[c + 1].row) {
      skew = std::max(
          skew,
          (A.block(group.C[c].handle) - A.block(group.C[c + 1].handle).transpose()).cwiseAbs().maxCoeff());
    }
  }
  group.symmetric = skew <= 1e-9 * largest;
  if (group.symmetric) {
    if (!group.cholesky) group.cholesky = std::make_unique<SupernodalCholesky>();
    if (group.cholesky->factorize(group.sparse, group.pieces[0].size == 3 ? 3 : 1)) return true;
    group.symmetric = false;  // not positive definite
  }
  if (!group.lu) group.lu = std::make_unique<UmfpackFactor>();
  return group.lu->factorize(group.size, group.sparse.outerIndexPtr(), group.sparse.innerIndexPtr(), values);
}

/// Replaces each column by C^-1 of it.
void SchurSolver::solve_group(Group& group, Eigen::Ref<MatrixX> b) const {
  if (group.turned) {
    turn(group.R.transpose(), b);
    solve_turned(group, b);
    turn(group.R, b);
  } else if (group.size <= dense_up_to) {
    for (int c = 0; c < b.cols(); ++c) group.dense.solve(b.col(c));
  } else if (group.symmetric) {
    group.cholesky->solve(b);
  } else {
    for (int c = 0; c < b.cols(); ++c) group.lu->solve(b.col(c));
  }
}

/// C^-1 G^T, unless it follows from what is kept of a turned body.
void SchurSolver::respond(Group& group) const {
  if (group.rows.empty() || group.compliance.size() > 0) return;
  group.response.setZero();
  for (std::size_t t = 0; t < group.touched.size(); ++t)
    group.response.row(group.touched[t]) = group.G.col(static_cast<int>(t)).transpose();
  if (group.turned) {
    solve_turned(group, group.response);
    turn(group.R, group.response);
  } else {
    solve_group(group, group.response);
  }
}

bool SchurSolver::factorize_schur(const KktMatrix& kkt) {
  if (rows_ == 0) return true;
  bool symmetric = true;
  schur_.matrix.setZero();
  schur_.matrix.diagonal() = kkt.regularisation();
  for (Group& group : groups_) {
    const auto n = static_cast<int>(group.rows.size()), touched = static_cast<int>(group.touched.size());
    if (n == 0) continue;
    symmetric &= group.symmetric;
    auto part = contribution_.topLeftCorner(n, n);
    part.setZero();
    MatrixX& held = group.held;
    if (group.compliance.size() > 0) {  // G C_TT^-1 G^T
      held.resize(touched, touched);
      for (int t = 0; t < touched; ++t) held.row(t) = group.compliance.row(group.touched[t]);
      if (group.frame_matters) {
        group.Y_touched.resize(touched, 6);
        group.Y_Q.resize(touched, 6);
        for (int t = 0; t < touched; ++t) group.Y_touched.row(t) = group.Y.row(group.touched[t]);
        group.Y_Q.noalias() = group.Y_touched.lazyProduct(group.Q);
        held.noalias() -= group.Y_Q.lazyProduct(group.Y_touched.transpose());
      }
      group.times.resize(n, touched);
      group.times.noalias() = group.G.lazyProduct(held);
      part.noalias() = group.times.lazyProduct(group.G.transpose());
    } else {
      held.resize(touched, n);
      for (int t = 0; t < touched; ++t) held.row(t) = group.response.row(group.touched[t]);
      if (group.turned) turn(group.R.transpose(), held);
      part.noalias() = group.G.lazyProduct(held);
    }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) schur_.matrix(group.rows[i], group.rows[j]) += part(i, j);
  }
  sparse_ = symmetric && rows_ > dense_rows;
  if (!sparse_) return schur_.factorize();

  if (sparse_S_.rows() == 0) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < rows_; ++i) entries.emplace_back(i, i, 0.0);
    for (const Group& group : groups_)
      for (int j : group.rows)
        for (int i : group.rows)
          if (i >= j) entries.emplace_back(i, j, 0.0);
    sparse_S_.resize(rows_, rows_);
    sparse_S_.setFromTriplets(entries.begin(), entries.end());
    sparse_schur_ = std::make_unique<SupernodalCholesky>();
  }
  for (int j = 0; j < rows_; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(sparse_S_, j); it; ++it)
      it.valueRef() = schur_.matrix(it.row(), j);
  if (sparse_schur_->factorize(sparse_S_)) return true;
  sparse_ = false;  // not positive definite
  return schur_.factorize();
}

void SchurSolver::solve(Eigen::Ref<MatrixX> x) {
  const auto columns = x.cols();
  each_group([&](Group& group) {
    group.b.resize(group.size, columns);
    for (const Piece& p : group.pieces) group.b.middleRows(p.local, p.size) = x.middleRows(p.dof, p.size);
    solve_group(group, group.b);
    group.work.resize(static_cast<int>(group.touched.size()), columns);
    for (std::size_t t = 0; t < group.touched.size(); ++t)
      group.work.row(static_cast<int>(t)) = group.b.row(group.touched[t]);
    if (group.turned) turn(group.R.transpose(), group.work);
    group.lambda.resize(static_cast<int>(group.rows.size()), columns);
    group.lambda.noalias() = group.G.lazyProduct(group.work);
  });
  if (rows_ == 0) {
    each_group([&](Group& group) { give_back(group, x); });
    return;
  }
  auto s = x.bottomRows(rows_);
  s = -s;
  for (const Group& group : groups_)
    for (std::size_t k = 0; k < group.rows.size(); ++k)
      s.row(group.rows[k]) += group.lambda.row(static_cast<int>(k));
  for (int c = 0; c < columns; ++c) {
    s_ = s.col(c);
    sparse_ ? sparse_schur_->solve(s_) : schur_.solve(s_);
    s.col(c) = s_;
  }
  each_group([&](Group& group) {
    for (std::size_t k = 0; k < group.rows.size(); ++k)
      group.lambda.row(static_cast<int>(k)) = s.row(group.rows[k]);
    if (group.compliance.size() > 0) {
      group.work.noalias() = group.G.transpose().lazyProduct(group.lambda);
      group.turned_back.resize(group.size, columns);
      for (int c = 0; c < columns; ++c) {
        auto back = group.turned_back.col(c);
        back.noalias() = group.compliance * group.work.col(c);
        if (group.frame_matters)
          back.noalias() -= group.Y * (group.Q * Vec6(group.Y_touched.transpose() * group.work.col(c)));
      }
      turn(group.R, group.turned_back);
      group.b -= group.turned_back;
    } else if (!group.rows.empty()) {
      for (int c = 0; c < columns; ++c) group.b.col(c).noalias() -= group.response * group.lambda.col(c);
    }
    give_back(group, x);
  });
}

void SchurSolver::give_back(const Group& group, Eigen::Ref<MatrixX> x) {
  for (const Piece& p : group.pieces) x.middleRows(p.dof, p.size) = group.b.middleRows(p.local, p.size);
}

}  // namespace hooke
