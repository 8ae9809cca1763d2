/// Duff and Reid's multifrontal method (ACM TOMS 9, 1983) on supernodes. The front of a supernode is its
/// panel of L beside the square of what it takes from the rows below; it begins with entries of A and with
/// the squares of its children, which are no longer needed then:
///
///     [ L11           ]      L11 L11^T = F11,    L21 = F21 L11^-T,    U = F22 - L21 L21^T
///     [ L21  U        ]
///
/// The squares lie on two stacks, one for supernodes of odd depth and one for those of even: a supernode
/// pushes on one while its children are on top of the other. All places are known beforehand.
#include <algorithm>
#include <array>
#include <atomic>

#include "hooke/linalg/cholesky_maker.h"
#include "hooke/linalg/dense_kernels.h"

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

class Multifrontal final : public CholeskyMaker {
 public:
  SupernodalPattern analyze(const Sparse& A, int block) override;
  bool factorize(const Sparse& A, const SupernodalPattern& pattern, Team* team) override;
  const double* values() const override { return L_.data(); }
  void finish() override {
    entries_ = {}, first_entry_ = {}, runs_ = {}, areas_ = {};
    fronts_ = {};
  }

 private:
  /// An entry of A: its number there, and its place in the panel.
  struct Entry {
    int from, to;
  };
  /// Rows below a supernode's panel that follow each other in its parent's front, too.
  struct Run {
    int from, to, length;
  };
  struct Front {
    int first_run = 0, last_run = 0;
    int area = 0, stack = 0;
    std::size_t square = 0;     ///< where it begins there
    std::vector<int> children;  ///< in rising order: sums do not depend on threads
  };
  /// Two stacks for each branch, and for the trunk.
  struct Area {
    std::array<std::vector<double>, 2> stacks;
  };

  void place_entries(const Sparse& A, const SupernodalPattern& pattern);
  void place_fronts(const SupernodalPattern& pattern);
  bool eliminate(int s, const double* A, const SupernodalPattern& pattern);
  void add_square(const Front& child, int size, const Supernode& node, double* panel, double* square) const;
  double* square_of(const Front& front) {
    return areas_[front.area].stacks[front.stack].data() + front.square;
  }

  std::vector<Entry> entries_;
  std::vector<int> first_entry_;  ///< by supernode
  std::vector<Run> runs_;
  std::vector<Front> fronts_;
  std::vector<Area> areas_;
  std::vector<double> L_;
};

SupernodalPattern Multifrontal::analyze(const Sparse& A, int block) {
  SupernodalPattern pattern = find_supernodes(A, block);
  place_entries(A, pattern);
  place_fronts(pattern);
  L_.resize(pattern.size_of_values());
  return pattern;
}

void Multifrontal::place_entries(const Sparse& A, const SupernodalPattern& pattern) {
  const int n = static_cast<int>(pattern.order.size()), count = static_cast<int>(pattern.supernodes.size());
  std::vector<int> place(n), of_column(n);
  for (int k = 0; k < n; ++k) place[pattern.order[k]] = k;
  for (int s = 0; s < count; ++s)
    std::fill_n(of_column.begin() + pattern.supernodes[s].first, pattern.supernodes[s].columns, s);
  struct Position {
    int entry, row, column;
  };
  const auto each = [&](auto&& take) {
    for (int j = 0; j < n; ++j)
      for (int k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; ++k)
        if (const int i = A.innerIndexPtr()[k]; i >= j) {
          const auto [column, row] = std::minmax(place[i], place[j]);
          take(of_column[column], Position{k, row, column});
        }
  };
  first_entry_.assign(count + 1, 0);
  each([&](int s, const Position&) { ++first_entry_[s + 1]; });
  for (int s = 0; s < count; ++s) first_entry_[s + 1] += first_entry_[s];
  std::vector<Position> positions(first_entry_.back());
  std::vector<int> end(first_entry_.begin(), first_entry_.end() - 1), in_panel(n);
  each([&](int s, const Position& position) { positions[end[s]++] = position; });
  for (int s = 0; s < count; ++s) {
    const Supernode& node = pattern.supernodes[s];
    for (int k = 0; k < node.rows; ++k) in_panel[pattern.rows[node.row_list + k]] = k;
    for (int e = first_entry_[s]; e < first_entry_[s + 1]; ++e) {
      const auto [entry, row, column] = positions[e];
      entries_.push_back({entry, (column - node.first) * node.rows + in_panel[row]});
    }
  }
}

void Multifrontal::place_fronts(const SupernodalPattern& pattern) {
  const int n = static_cast<int>(pattern.order.size()), count = static_cast<int>(pattern.supernodes.size());
  fronts_.resize(count);
  areas_.resize(pattern.branches.size() + 1);
  for (std::size_t b = 0; b < pattern.branches.size(); ++b)
    for (int s = pattern.branches[b].first; s < pattern.branches[b].last; ++s)
      fronts_[s].area = static_cast<int>(b) + 1;
  std::vector<int> in_parent(n);
  for (int s = count; s-- > 0;)
    if (const int parent = pattern.supernodes[s].parent; parent >= 0)
      fronts_[s].stack = 1 - fronts_[parent].stack;
  for (int s = 0; s < count; ++s) {
    const Supernode& node = pattern.supernodes[s];
    if (node.parent < 0) continue;
    const Supernode& parent = pattern.supernodes[node.parent];
    fronts_[node.parent].children.push_back(s);
    for (int k = 0; k < parent.rows; ++k) in_parent[pattern.rows[parent.row_list + k]] = k;
    fronts_[s].first_run = static_cast<int>(runs_.size());
    for (int k = 0; k < node.rows - node.columns; ++k) {
      const int to = in_parent[pattern.rows[node.row_list + node.columns + k]];
      // A run ends where the parent's panel does.
      if (k > 0 && to == runs_.back().to + runs_.back().length && to != parent.columns)
        ++runs_.back().length;
      else
        runs_.push_back({k, to, 1});
    }
    fronts_[s].last_run = static_cast<int>(runs_.size());
  }
  std::vector<std::array<std::size_t, 2>> top(areas_.size(), {0, 0}), most = top;
  for (int s = 0; s < count; ++s) {
    Front& front = fronts_[s];
    const auto below = static_cast<std::size_t>(pattern.supernodes[s].rows - pattern.supernodes[s].columns);
    front.square = top[front.area][front.stack];
    top[front.area][front.stack] += below * below;
    most[front.area][front.stack] = std::max(most[front.area][front.stack], top[front.area][front.stack]);
    for (int c : front.children)
      if (fronts_[c].area == front.area) {
        top[front.area][fronts_[c].stack] = fronts_[c].square;
        break;  // the first child lies lowest
      }
  }
  for (std::size_t a = 0; a < areas_.size(); ++a)
    for (int k : {0, 1}) areas_[a].stacks[k].resize(most[a][k]);
}

bool Multifrontal::factorize(const Sparse& A, const SupernodalPattern& pattern, Team* team) {
  const double* values = A.valuePtr();
  if (pattern.branches.empty()) {
    for (int s = 0; s < static_cast<int>(fronts_.size()); ++s)
      if (!eliminate(s, values, pattern)) return false;
    return true;
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> good = true;
  auto take = [&](int) {
    for (std::size_t b; (b = next++) < pattern.branches.size();)
      for (int s = pattern.branches[b].first; s < pattern.branches[b].last && good; ++s)
        if (!eliminate(s, values, pattern)) good = false;
  };
  if (team)
    team->run(take);
  else
    take(0);
  for (int s : pattern.trunk)
    if (!good || !eliminate(s, values, pattern)) return false;
  return good;
}

bool Multifrontal::eliminate(int s, const double* A, const SupernodalPattern& pattern) {
  const Supernode& node = pattern.supernodes[s];
  const Front& front = fronts_[s];
  const int below = node.rows - node.columns;
  double *panel = L_.data() + node.values, *square = square_of(front);
  std::fill_n(panel, static_cast<std::size_t>(node.rows) * node.columns, 0.0);
  for (int e = first_entry_[s]; e < first_entry_[s + 1]; ++e) panel[entries_[e].to] = A[entries_[e].from];
  const bool has_children = !front.children.empty();
  if (has_children) std::fill_n(square, static_cast<std::size_t>(below) * below, 0.0);
  for (int c : front.children)
    add_square(fronts_[c], pattern.supernodes[c].rows - pattern.supernodes[c].columns, node, panel, square);

  if (!dense::cholesky(panel, node.columns, node.rows)) return false;
  if (below == 0) return true;
  dense::solve_from_right(panel, node.columns, node.rows, panel + node.columns, below, node.rows);
  dense::subtract_square(panel + node.columns, below, node.columns, node.rows, square, below, has_children);
  return true;
}

/// The lower triangle of a child's square goes to its parent's front.
void Multifrontal::add_square(const Front& child, int size, const Supernode& node, double* panel,
                              double* square) const {
  const double* from = areas_[child.area].stacks[child.stack].data() + child.square;
  const int below = node.rows - node.columns;
  for (int r = child.first_run; r < child.last_run; ++r)
    for (int k = 0; k < runs_[r].length; ++k, from += size) {
      const int row = runs_[r].from + k, column = runs_[r].to + k;
      double* to = column < node.columns
                       ? panel + static_cast<std::ptrdiff_t>(column) * node.rows
                       : square + static_cast<std::ptrdiff_t>(column - node.columns) * below - node.columns;
      for (int i = k; i < runs_[r].length; ++i) to[runs_[r].to + i] += from[row - k + i];
      for (int q = r + 1; q < child.last_run; ++q) {
        const Run& run = runs_[q];
        for (int i = 0; i < run.length; ++i) to[run.to + i] += from[run.from + i];
      }
    }
}

}  // namespace

std::unique_ptr<CholeskyMaker> make_multifrontal() { return std::make_unique<Multifrontal>(); }

}  // namespace hooke
