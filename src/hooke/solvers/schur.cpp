#include "hooke/solvers/schur.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hooke {
namespace {

/// Up to here a group is dense.
constexpr int dense_up_to = 96;
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

/// A body that nothing but joints hold is placed by its mass alone; where its stiffness outweighs that by
/// many orders, as in statics, single precision loses it.
bool is_ill_conditioned(const TurnedBody& body) {
  return body.stiffness * body.matrices->K.coeff(0, 0) > 1e8 * body.mass * body.matrices->M.coeff(0, 0);
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
  if (!body.frame_matters && !is_ill_conditioned(body) && single_suffices(single, C))
    return std::make_shared<const SupernodalCholesky>(std::move(single));
  return std::make_shared<const SupernodalCholesky>(std::move(twofold));
}

/// The same to round-off, entry by entry.
bool are_same(const BodyMatrices& a, const BodyMatrices& b) {
  const auto same = [](const Eigen::SparseMatrix<double>& x, const Eigen::SparseMatrix<double>& y) {
    return x.rows() == y.rows() && x.nonZeros() == y.nonZeros() &&
           std::equal(x.outerIndexPtr(), x.outerIndexPtr() + x.outerSize(), y.outerIndexPtr()) &&
           std::equal(x.innerIndexPtr(), x.innerIndexPtr() + x.nonZeros(), y.innerIndexPtr()) &&
           (x.coeffs() - y.coeffs()).abs().maxCoeff() <= 1e-12 * x.coeffs().abs().maxCoeff();
  };
  return &a == &b || (same(a.M, b.M) && same(a.K, b.K));
}

/// f(block of G, its rows in the group, its columns among the touched dofs); nodes tied to nodes have their
/// size known.
template <class Group, class Function>
void each_G_block(Group&& group, Function&& f) {
  for (const auto& g : group.G_blocks)
    if (g.handle.rows == 3 && g.handle.cols == 3)
      f(Eigen::Map<const Mat3>(group.G_values.data() + g.values), Eigen::seqN(g.row, Eigen::fix<3>),
        Eigen::seqN(g.column, Eigen::fix<3>));
    else
      f(Eigen::Map<const MatrixX>(group.G_values.data() + g.values, g.handle.rows, g.handle.cols),
        Eigen::seqN(g.row, g.handle.rows), Eigen::seqN(g.column, g.handle.cols));
}

}  // namespace

template <class Work>
void SchurSolver::each_group(Work&& work) {
  const auto some = [&](int member, int of) {
    for (std::size_t g = member; g < groups_.size(); g += of) work(groups_[g]);
  };
  if (team_ && !inside_)
    team_->run([&](int member) { some(member, team_->size()); });
  else
    some(0, 1);
}

/// Groups of bodies that entries of C hold together.
void SchurSolver::plan(const KktMatrix& kkt) {
  const KktStructure& s = kkt.structure();
  groups_.clear();
  takes_turned_ = !kkt.turned.empty();
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

  std::vector<int> group_of_block(blocks);
  for (int k = 0; k < blocks; ++k) group_of_block[k] = group_of[body_of[k]];
  plan_interfaces(kkt, group_of_block, local);
  std::vector<const BodyMatrices*> kinds;
  for (Group& group : groups_) {
    if (2 * group.size > dofs_) inside_ = team_.get();
    group.turned = group.body >= 0 && is_turned(group.body);
    if (!group.turned) {
      if (group.size <= dense_up_to) group.dense.resize(group.size);
      continue;
    }
    const BodyMatrices* matrices = kkt.turned[group.body].matrices;
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const BodyMatrices* kind) { return are_same(*kind, *matrices); });
    group.kind = known == kinds.end() ? kinds.emplace_back(matrices) : *known;
  }
}

/// Constraints on the same groups follow each other in those groups' rows.
void SchurSolver::plan_interfaces(const KktMatrix& kkt, const std::vector<int>& group_of_block,
                                  const std::vector<int>& local) {
  const KktStructure& s = kkt.structure();
  std::map<std::vector<int>, int> numbers;
  std::vector<std::vector<int>> constraints;  // of each interface
  std::vector<int> first_row(s.row_sizes.size() + 1, 0);
  for (std::size_t c = 0; c < s.row_sizes.size(); ++c) {
    first_row[c + 1] = first_row[c] + s.row_sizes[c];
    std::vector<int> on;
    for (int k : s.constraint_blocks[c]) on.push_back(group_of_block[k]);
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    const auto [at, is_new] = numbers.try_emplace(on, static_cast<int>(constraints.size()));
    if (is_new) constraints.emplace_back();
    constraints[at->second].push_back(static_cast<int>(c));
  }
  std::vector<int> sizes, column(group_of_block.size(), -1);  // in the touched dofs of its group
  interface_rows_.assign(constraints.size(), {});
  for (const auto& [on, number] : numbers)
    for (int g : on) groups_[g].interfaces.push_back({number, 0, 0});
  for (Group& group : groups_)
    std::sort(group.interfaces.begin(), group.interfaces.end(),
              [](const auto& a, const auto& b) { return a.interface < b.interface; });
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    std::vector<int>& rows = interface_rows_[i];
    for (int c : constraints[i]) {
      for (int k : s.constraint_blocks[c]) {
        Group& group = groups_[group_of_block[k]];
        if (column[k] < 0) {
          column[k] = static_cast<int>(group.touched.size());
          for (int d = 0; d < s.dof_sizes[k]; ++d) group.touched.push_back(local[k] + d);
        }
        group.G_blocks.push_back({kkt.G(c, k), static_cast<int>(group.rows.size() + rows.size()), column[k],
                                  static_cast<int>(group.G_values.size())});
        group.G_values.conservativeResize(group.G_values.size() + s.row_sizes[c] * s.dof_sizes[k]);
      }
      for (int r = first_row[c]; r < first_row[c + 1]; ++r) rows.push_back(r);
    }
    sizes.push_back(static_cast<int>(rows.size()));
    for (Group& group : groups_)
      for (RowsOfInterface& of : group.interfaces)
        if (of.interface == static_cast<int>(i)) {
          of.first = static_cast<int>(group.rows.size()), of.count = sizes.back();
          group.rows.insert(group.rows.end(), rows.begin(), rows.end());
        }
  }
  std::vector<std::pair<int, int>> pairs;
  for (const Group& group : groups_)
    for (const RowsOfInterface& a : group.interfaces)
      for (const RowsOfInterface& b : group.interfaces)
        if (a.interface < b.interface) pairs.emplace_back(a.interface, b.interface);
  schur_ = {};
  schur_.plan(sizes, pairs);
  s_.setZero(rows_, 1);
}

bool SchurSolver::factorize(const KktMatrix& kkt) {
  if (groups_.empty() || takes_turned_ != !kkt.turned.empty()) plan(kkt);
  bool good = true;
  for (Group& group : groups_)  // factors that are shared are made by one thread
    if (group.turned) good = factorize_turned(group, kkt.turned[group.body]) && good;
  if (!good) return false;
  failed_.assign(groups_.size(), 0);
  each_group([&](Group& group) {
    for (const GBlock& g : group.G_blocks) {
      Eigen::Map<MatrixX> values(group.G_values.data() + g.values, g.handle.rows, g.handle.cols);
      values = kkt.matrix.block(g.handle);
      if (group.turned)
        for (int r = 0; r < values.rows(); ++r) values.row(r) = (values.row(r) * group.R).eval();
    }
    if (!(group.turned ? follow_frame(group, kkt.turned[group.body]) : factorize_group(group, kkt)))
      return void(failed_[&group - groups_.data()] = 1);
    respond(group);
    collect_part(group);
  });
  if (std::any_of(failed_.begin(), failed_.end(), [](char f) { return f; })) return false;
  should_renew_ = is_renewal_cheap() ||
                  std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.frame_matters; });
  return factorize_schur(kkt);
}

/// Beside the substitutions of the iteration that it saves, in operations.
bool SchurSolver::is_renewal_cheap() const {
  double substitutions = 0, interfaces = 0;
  for (const Group& g : groups_) {
    if (g.turned ? !g.rows.empty() && !g.compliance : g.size > dense_up_to) return false;
    if (g.turned) substitutions += 4 * static_cast<double>(g.constant->nonzeros());
  }
  for (const auto& rows : interface_rows_) interfaces += 3 * std::pow(static_cast<double>(rows.size()), 3);
  return interfaces < substitutions;
}

bool SchurSolver::factorize_turned(Group& group, const TurnedBody& turned) {
  group.R = turned.R;
  const FactorKey key{group.kind, turned.mass, turned.stiffness, turned.frame_matters};
  if (group.constant && group.key == key) return true;
  if (constants_.size() >= most_constants && !constants_.contains(key))
    constants_.clear(), compliances_.clear();
  auto& shared = constants_[key];
  if (!shared) shared = constant_factor(turned);
  if (!shared) return false;
  group.constant = shared;
  group.key = key;
  const auto touched = static_cast<int>(group.touched.size());
  group.compliance = nullptr;
  // As many vectors as joints have rows would have to be solved for with every tangent; these are for good.
  if (touched == 0 || (touched > 3 * static_cast<int>(group.rows.size()) &&
                       static_cast<std::size_t>(touched) * group.size > shared->nonzeros()))
    return true;
  auto& kept = compliances_[{key, group.touched}];
  if (!kept) {
    Compliance made{MatrixX::Zero(group.size, touched), MatrixX(touched, touched)};
    for (int t = 0; t < touched; ++t) made.of_all(group.touched[t], t) = 1;
    shared->solve(made.of_all);
    for (int t = 0; t < touched; ++t) made.of_touched.row(t) = made.of_all.row(group.touched[t]);
    kept = std::make_shared<const Compliance>(std::move(made));
  }
  group.compliance = kept;
  return true;
}

/// Woodbury's formula: (C0 + U B V^T)^-1 = C0^-1 - Y Q Z^T with Y = C0^-1 U, Z = C0^-1 V,
/// Q = (I + B V^T Y)^-1 B.
bool SchurSolver::follow_frame(Group& group, const TurnedBody& turned) const {
  group.frame_matters = turned.frame_matters;
  if (!group.frame_matters) return true;
  group.Y = turned.U;
  group.constant->solve(group.Y, inside_);
  group.Z = turned.V;
  if (group.Z.size()) group.constant->solve(group.Z, inside_);
  const Mat6 along = turned.other_side().transpose().lazyProduct(group.Y);
  group.Q = Eigen::PartialPivLU<Mat6>(Mat6::Identity() + turned.B * along).solve(turned.B);
  return group.Q.allFinite();
}

/// b <- C^-1 b in turned axes.
void SchurSolver::solve_turned(Group& group, Eigen::Ref<MatrixX> b) const {
  if (!group.frame_matters) return group.constant->solve(b, inside_);
  group.along.resize(6, b.cols());
  for (int c = 0; c < b.cols(); ++c)
    group.along.col(c) = group.Q * Vec6(group.other_side().transpose() * b.col(c));
  group.constant->solve(b, inside_);
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

/// Replaces each column by C^-1 of it, in the axes of a turned body.
void SchurSolver::solve_group(Group& group, Eigen::Ref<MatrixX> b) const {
  if (group.turned) {
    solve_turned(group, b);
  } else if (group.size <= dense_up_to) {
    for (int c = 0; c < b.cols(); ++c) group.dense.solve(b.col(c));
  } else if (group.symmetric) {
    group.cholesky->solve(b, inside_);
  } else {
    for (int c = 0; c < b.cols(); ++c) group.lu->solve(b.col(c));
  }
}

/// C^-1 G^T, unless it follows from what is kept of a turned body.
void SchurSolver::respond(Group& group) const {
  if (group.rows.empty() || group.compliance) return;
  group.response.setZero(group.size, static_cast<int>(group.rows.size()));
  each_G_block(group, [&](const auto& G, const auto& rows, const auto& columns) {
    for (int k = 0; k < G.cols(); ++k)
      group.response(group.touched[columns[k]], rows) += G.col(k).transpose();
  });
  solve_group(group, group.response);
}

/// G C^-1 G^T
void SchurSolver::collect_part(Group& group) const {
  const auto n = static_cast<int>(group.rows.size()), touched = static_cast<int>(group.touched.size());
  if (n == 0) return;
  group.times.setZero(touched, n);  // C^-1 G^T of the touched dofs
  if (group.compliance) {
    group.held = group.compliance->of_touched;
    if (group.frame_matters) {
      group.Y_Q.resize(touched, 6), group.Z_touched.resize(touched, 6);
      for (int t = 0; t < touched; ++t) {
        group.Y_Q.row(t).noalias() = group.Y.row(group.touched[t]).lazyProduct(group.Q);
        group.Z_touched.row(t) = group.other_side().row(group.touched[t]);
      }
      group.held.noalias() -= group.Y_Q * group.Z_touched.transpose();
    }
    each_G_block(group, [&](const auto& G, const auto& rows, const auto& columns) {
      group.times(Eigen::all, rows) += group.held(Eigen::all, columns).lazyProduct(G.transpose());
    });
  } else {
    for (int t = 0; t < touched; ++t) group.times.row(t) = group.response.row(group.touched[t]);
  }
  group.part.setZero(n, n);
  each_G_block(group, [&](const auto& G, const auto& rows, const auto& columns) {
    group.part(rows, Eigen::all) += G.lazyProduct(group.times(columns, Eigen::all));
  });
}

bool SchurSolver::factorize_schur(const KktMatrix& kkt) {
  schur_.set_zero();
  for (int i = 0; const auto& rows : interface_rows_) {
    auto own = schur_.block(i, i);
    for (int k = 0; int row : rows) own(k, k) = kkt.regularisation()[row], ++k;
    ++i;
  }
  for (const Group& group : groups_)
    for (const RowsOfInterface& a : group.interfaces)
      for (const RowsOfInterface& b : group.interfaces)
        schur_.block(a.interface, b.interface) += group.part.block(a.first, b.first, a.count, b.count);
  return schur_.factorize();
}

void SchurSolver::solve(Eigen::Ref<MatrixX> x) {
  const auto columns = x.cols();
  each_group([&](Group& group) {
    group.b.resize(group.size, columns);
    for (const Piece& p : group.pieces) group.b.middleRows(p.local, p.size) = x.middleRows(p.dof, p.size);
    if (group.turned) turn(group.R.transpose(), group.b);
    solve_group(group, group.b);
    group.lambda.setZero(static_cast<int>(group.rows.size()), columns);
    group.work.resize(static_cast<int>(group.touched.size()), columns);
    for (std::size_t t = 0; t < group.touched.size(); ++t)
      group.work.row(static_cast<int>(t)) = group.b.row(group.touched[t]);
    each_G_block(group, [&](const auto& G, const auto& rows, const auto& of) {
      group.lambda(rows, Eigen::all) += G.lazyProduct(group.work(of, Eigen::all));
    });
  });
  if (rows_ > 0) solve_schur(x.bottomRows(rows_));
  each_group([&](Group& group) {
    for (std::size_t k = 0; k < group.rows.size(); ++k)
      group.lambda.row(static_cast<int>(k)) = x.row(dofs_ + group.rows[k]);
    if (group.compliance) {
      group.work.setZero();
      each_G_block(group, [&](const auto& G, const auto& rows, const auto& of) {
        group.work(of, Eigen::all) += G.transpose().lazyProduct(group.lambda(rows, Eigen::all));
      });
      for (int c = 0; c < columns; ++c) {
        auto b = group.b.col(c);
        b.noalias() -= group.compliance->of_all * group.work.col(c);
        if (group.frame_matters)
          b.noalias() += group.Y * (group.Q * Vec6(group.Z_touched.transpose() * group.work.col(c)));
      }
    } else if (!group.rows.empty()) {
      for (int c = 0; c < columns; ++c) group.b.col(c).noalias() -= group.response * group.lambda.col(c);
    }
    if (group.turned) turn(group.R, group.b);
    for (const Piece& p : group.pieces) x.middleRows(p.dof, p.size) = group.b.middleRows(p.local, p.size);
  });
}

/// S dlambda = G C^-1 r - s
void SchurSolver::solve_schur(Eigen::Ref<MatrixX> s) {
  s = -s;
  for (const Group& group : groups_)
    for (std::size_t k = 0; k < group.rows.size(); ++k)
      s.row(group.rows[k]) += group.lambda.row(static_cast<int>(k));
  s_.resize(rows_, s.cols());
  int at = 0;
  for (const auto& rows : interface_rows_)
    for (int row : rows) s_.row(at++) = s.row(row);
  schur_.solve(s_);
  at = 0;
  for (const auto& rows : interface_rows_)
    for (int row : rows) s.row(row) = s_.row(at++);
}

}  // namespace hooke
