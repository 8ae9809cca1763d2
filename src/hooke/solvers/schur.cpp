#include "hooke/solvers/schur.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hooke/solvers/turned_group.h"

namespace hooke {
namespace {

void turn(const Mat3& R, Eigen::Ref<MatrixX> x) {
  for (int c = 0; c < x.cols(); ++c)
    for (int i = 0; i < x.rows(); i += 3) x.col(c).segment<3>(i) = R * x.col(c).segment<3>(i).eval();
}

}  // namespace

int SchurSolver::factors() const { return turned_factors_ ? turned_factors_->count() : 0; }

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

void SchurSolver::plan(const KktMatrix& kkt) {
  groups_.clear();
  takes_turned_ = !kkt.turned.empty();
  if (!turned_factors_) turned_factors_ = std::make_shared<TurnedFactors>(kind_);
  dofs_ = kkt.dofs(), rows_ = kkt.rows();
  plan_interfaces(kkt, plan_groups(kkt));
  for (const Group& group : groups_)
    if (2 * group.size > dofs_) inside_ = team_.get();
}

namespace {

/// Each pair once, though several springs may act between two bodies.
std::vector<std::pair<int, int>> couplings_of(const KktStructure& s) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [i, j] : s.couplings) pairs.emplace_back(std::min(i, j), std::max(i, j));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

/// Bodies that entries of C hold together.
SchurSolver::Places SchurSolver::plan_groups(const KktMatrix& kkt) {
  const KktStructure& s = kkt.structure();
  const int blocks = static_cast<int>(s.dof_sizes.size()),
            bodies = static_cast<int>(s.body_blocks.size()) - 1;
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

  std::vector<int> group_of(bodies, -1);
  std::vector<int> turned_body;          // of each group; or -1
  std::vector<std::vector<BlockOfC>> C;  // of each group
  Places places{std::vector<int>(blocks), std::vector<int>(blocks)};
  const std::vector<int>& offsets = kkt.matrix.offsets();
  for (int b = 0; b < bodies; ++b) {
    int& number = group_of[root(b)];
    if (number < 0) {
      number = static_cast<int>(groups_.size());
      groups_.emplace_back();
      turned_body.push_back(is_turned(b) ? b : -1);
    }
    Group& group = groups_[number];
    group_of[b] = number;
    for (int k = s.body_blocks[b]; k < s.body_blocks[b + 1]; ++k) {
      places.group[k] = number, places.local[k] = group.size;
      group.pieces.push_back({offsets[k], group.size, s.dof_sizes[k]});
      group.size += s.dof_sizes[k];
    }
  }
  C.resize(groups_.size());
  const auto add_C = [&](int i, int j) {
    C[places.group[i]].push_back({kkt.C(i, j), places.local[i], places.local[j]});
  };
  for (int k = 0; k < blocks; ++k)
    if (!is_turned(body_of[k])) add_C(k, k);
  for (const auto& [i, j] : couplings_of(s))
    if (places.group[i] == places.group[j] && !is_turned(body_of[i])) add_C(i, j), add_C(j, i);

  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (const int body = turned_body[g]; body >= 0)
      group.factor = std::make_unique<TurnedGroup>(group.size, body, kkt.turned[body], turned_factors_);
    else if (group.size <= dense_group_up_to)
      group.factor = make_dense_group(group.size, std::move(C[g]));
    else
      group.factor = make_sparse_group(group.size, std::move(C[g]), kind_);
  }
  return places;
}

/// Constraints on the same groups follow each other in those groups' rows.
void SchurSolver::plan_interfaces(const KktMatrix& kkt, const Places& places) {
  const KktStructure& s = kkt.structure();
  std::map<std::vector<int>, int> numbers;
  std::vector<std::vector<int>> constraints;  // of each interface
  std::vector<int> first_row(s.row_sizes.size() + 1, 0);
  for (std::size_t c = 0; c < s.row_sizes.size(); ++c) {
    first_row[c + 1] = first_row[c] + s.row_sizes[c];
    std::vector<int> on;
    for (int k : s.constraint_blocks[c]) on.push_back(places.group[k]);
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    const auto [at, is_new] = numbers.try_emplace(on, static_cast<int>(constraints.size()));
    if (is_new) constraints.emplace_back();
    constraints[at->second].push_back(static_cast<int>(c));
  }
  std::vector<int> sizes, column(places.group.size(), -1);  // in the touched dofs of its group
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
        Group& group = groups_[places.group[k]];
        RowsOnGroup& G = group.G;
        if (column[k] < 0) {
          column[k] = G.touched_count();
          for (int d = 0; d < s.dof_sizes[k]; ++d) G.touched.push_back(places.local[k] + d);
        }
        G.blocks.push_back({kkt.G(c, k), static_cast<int>(group.rows.size() + rows.size()), column[k],
                            static_cast<int>(G.values.size())});
        G.values.conservativeResize(G.values.size() + s.row_sizes[c] * s.dof_sizes[k]);
      }
      for (int r = first_row[c]; r < first_row[c + 1]; ++r) rows.push_back(r);
    }
    sizes.push_back(static_cast<int>(rows.size()));
    for (Group& group : groups_)
      for (RowsOfInterface& of : group.interfaces)
        if (of.interface == static_cast<int>(i)) {
          of.first = static_cast<int>(group.rows.size()), of.count = sizes.back();
          group.rows.insert(group.rows.end(), rows.begin(), rows.end());
          group.G.count = static_cast<int>(group.rows.size());
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
  for (Group& group : groups_) good = group.factor->prepare(kkt, group.G, team_.get()) && good;
  if (!good) return false;
  failed_.assign(groups_.size(), 0);
  each_group([&](Group& group) {
    read_rows(group, kkt);
    if (group.factor->factorize(kkt, inside_))
      collect_own(group);
    else
      failed_[&group - groups_.data()] = 1;
  });
  if (std::any_of(failed_.begin(), failed_.end(), [](char f) { return f; })) return false;
  should_renew_ = is_renewal_cheap() || std::any_of(groups_.begin(), groups_.end(),
                                                    [](const Group& g) { return g.factor->should_renew(); });
  return factorize_schur(kkt);
}

/// Beside the substitutions of the iteration that it saves, in operations.
bool SchurSolver::is_renewal_cheap() const {
  double substitutions = 0, interfaces = 0;
  for (const Group& g : groups_) {
    if (!g.factor->is_renewed_cheaply(g.G)) return false;
    substitutions += g.factor->operations_of_substitution();
  }
  for (const auto& rows : interface_rows_) interfaces += 3 * std::pow(static_cast<double>(rows.size()), 3);
  return interfaces < substitutions;
}

void SchurSolver::read_rows(Group& group, const KktMatrix& kkt) const {
  const Mat3* R = group.factor->axes();
  for (const RowsOnGroup::Block& g : group.G.blocks) {
    Eigen::Map<MatrixX> values(group.G.values.data() + g.values, g.handle.rows, g.handle.cols);
    values = kkt.matrix.block(g.handle);
    if (R)
      for (int r = 0; r < values.rows(); ++r) values.row(r) = (values.row(r) * *R).eval();
  }
}

/// G C^-1 G^T
void SchurSolver::collect_own(Group& group) const {
  const int n = group.G.count;
  if (n == 0) return;
  group.on_touched.setZero(group.G.touched_count(), n);
  group.factor->respond(group.G, group.on_touched, inside_);
  group.own.setZero(n, n);
  group.G.each([&](const auto& G, const auto& rows, const auto& columns) {
    group.own(rows, Eigen::all) += G.lazyProduct(group.on_touched(columns, Eigen::all));
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
        schur_.block(a.interface, b.interface) += group.own.block(a.first, b.first, a.count, b.count);
  return schur_.factorize();
}

void SchurSolver::solve(Eigen::Ref<MatrixX> x) {
  const auto columns = x.cols();
  each_group([&](Group& group) {
    group.b.resize(group.size, columns);
    for (const Piece& p : group.pieces) group.b.middleRows(p.local, p.size) = x.middleRows(p.dof, p.size);
    if (const Mat3* R = group.factor->axes()) turn(R->transpose(), group.b);
    group.factor->solve(group.b, inside_);
    group.lambda.setZero(group.G.count, columns);
    group.moved.resize(group.G.touched_count(), columns);
    for (int t = 0; t < group.G.touched_count(); ++t) group.moved.row(t) = group.b.row(group.G.touched[t]);
    group.G.each([&](const auto& G, const auto& rows, const auto& of) {
      group.lambda(rows, Eigen::all) += G.lazyProduct(group.moved(of, Eigen::all));
    });
  });
  if (rows_ > 0) solve_schur(x.bottomRows(rows_));
  each_group([&](Group& group) {
    for (int k = 0; k < group.G.count; ++k) group.lambda.row(k) = x.row(dofs_ + group.rows[k]);
    if (group.G.count > 0) group.factor->subtract_response(group.G, group.lambda, group.b);
    if (const Mat3* R = group.factor->axes()) turn(*R, group.b);
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
