#include "hooke/linalg/supernodes.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "hooke/linalg/graph.h"

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Blocks that share an entry.
Graph graph_of_blocks(const Sparse& A, int block) {
  const int size = static_cast<int>(A.rows()) / block;
  Graph graph;
  std::vector<std::vector<int>> neighbours(size);
  std::vector<int> seen(size, -1);
  for (int b = 0; b < size; ++b)
    for (int column = block * b; column < block * (b + 1); ++column)
      for (Sparse::InnerIterator it(A, column); it; ++it)
        if (const int other = static_cast<int>(it.row()) / block; other > b && seen[other] != b) {
          seen[other] = b;
          neighbours[b].push_back(other);
          neighbours[other].push_back(b);
        }
  for (const auto& of : neighbours) {
    graph.adjacent.insert(graph.adjacent.end(), of.begin(), of.end());
    graph.start.push_back(static_cast<int>(graph.adjacent.size()));
  }
  return graph;
}

/// Lists of numbers, one after another.
struct Lists {
  std::vector<int> start, items;
  std::span<const int> operator[](int k) const {
    return {items.data() + start[k], items.data() + start[k + 1]};
  }
};

/// `each` calls take(list, item) for all items, in the order they have in their lists; it is run twice.
template <class Each>
Lists collect(int count, Each&& each) {
  Lists lists{std::vector<int>(count + 1, 0), {}};
  each([&](int list, int) { ++lists.start[list + 1]; });
  std::partial_sum(lists.start.begin(), lists.start.end(), lists.start.begin());
  lists.items.resize(lists.start.back());
  std::vector<int> end(lists.start.begin(), lists.start.end() - 1);
  each([&](int list, int item) { lists.items[end[list]++] = item; });
  return lists;
}

/// By rows i of P A P^T: the columns k < i in which they have an entry.
Lists lower_rows(const Sparse& A, const std::vector<int>& order) {
  const int n = static_cast<int>(order.size());
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  return collect(n, [&](auto&& take) {
    for (int column = 0; column < n; ++column)
      for (Sparse::InnerIterator it(A, column); it; ++it)
        if (it.row() > column)
          take(std::max(place[it.row()], place[column]), std::min(place[it.row()], place[column]));
  });
}

/// The same entries by columns, in rising order: so twice transposed is sorted.
Lists transposed(const Lists& rows) {
  const int n = static_cast<int>(rows.start.size()) - 1;
  return collect(n, [&](auto&& take) {
    for (int i = 0; i < n; ++i)
      for (int k : rows[i]) take(k, i);
  });
}

/// The row of the first entry of L below the diagonal, column by column (Liu, ACM TOMS 12, 1986).
std::vector<int> elimination_tree(const Lists& rows) {
  const int n = static_cast<int>(rows.start.size()) - 1;
  std::vector<int> parent(n, -1), ancestor(n, -1);
  for (int i = 0; i < n; ++i)
    for (int k : rows[i])
      while (k != -1 && k < i) {
        const int next = ancestor[k];
        ancestor[k] = i;  // a shortcut for whoever comes next
        if (next == -1) parent[k] = i;
        k = next;
      }
  return parent;
}

/// Children before parents, each subtree without a gap.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first_child(n, -1), sibling(n, -1), order, path;
  for (int k = n; k-- > 0;)
    if (parent[k] >= 0) sibling[k] = first_child[parent[k]], first_child[parent[k]] = k;
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      const int k = path.back(), child = first_child[k];
      if (child >= 0) {
        first_child[k] = sibling[child];
        path.push_back(child);
      } else {
        path.pop_back();
        order.push_back(k);
      }
    }
  }
  return order;
}

void put_in_postorder(std::vector<int>& order, std::vector<int>& parent) {
  const std::vector<int> post = postorder(parent), old_order = order, old_parent = parent;
  std::vector<int> place(post.size());
  for (std::size_t k = 0; k < post.size(); ++k) place[post[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < post.size(); ++k) {
    order[k] = old_order[post[k]];
    parent[k] = old_parent[post[k]] < 0 ? -1 : place[old_parent[post[k]]];
  }
}

/// A supernode on its way to being one: columns that follow each other, and rows below them.
struct Candidate {
  int first, columns;
  std::vector<int> below;
};

/// Fundamental supernodes (Liu, Ng and Peyton, SIAM J. Matrix Anal. Appl. 14, 1993): a column begins a new
/// one where it is a leaf of some row's subtree of the elimination tree, or more than one subtree ends in it.
std::vector<Candidate> fundamental_supernodes(const Lists& rows, const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> children(n, 0), first_descendant(n);
  std::vector<char> begins(n, 0);
  std::iota(first_descendant.begin(), first_descendant.end(), 0);
  for (int k = 0; k < n; ++k)
    if (const int p = parent[k]; p >= 0) {
      ++children[p];
      first_descendant[p] = std::min(first_descendant[p], first_descendant[k]);
    }
  for (int i = 0; i < n; ++i) {
    int last = -1;
    for (int k : rows[i]) {
      if (first_descendant[k] > last) begins[k] = 1;
      last = k;
    }
  }
  std::vector<Candidate> all;
  std::vector<int> of_column(n);
  for (int k = 0; k < n; ++k) {
    if (k == 0 || begins[k] || children[k] != 1 || parent[k - 1] != k) all.push_back({k, 0, {}});
    ++all.back().columns;
    of_column[k] = static_cast<int>(all.size()) - 1;
  }
  for (int i = 0; i < n; ++i)
    for (int k : rows[i]) {
      Candidate& s = all[of_column[k]];
      if (i >= s.first + s.columns && (s.below.empty() || s.below.back() != i)) s.below.push_back(i);
    }
  std::vector<int> both;
  for (Candidate& s : all) {
    if (s.below.empty()) continue;
    Candidate& p = all[of_column[s.below[0]]];
    both.clear();
    std::set_union(p.below.begin(), p.below.end(),
                   std::lower_bound(s.below.begin(), s.below.end(), p.first + p.columns), s.below.end(),
                   std::back_inserter(both));
    std::swap(p.below, both);
  }
  return all;
}

/// Small supernodes go together with their parents where that stores few zeros: kernels like it and so do
/// substitutions. The numbers are those that others found good; bench/factors shows little between half and
/// twice of them.
bool should_merge(int columns, double zeros, double entries) {
  if (columns <= 4) return true;
  return zeros < (columns <= 16 ? 0.8 : columns <= 48 ? 0.1 : 0.05) * entries;
}

/// Which supernode each goes into: itself, or a later one.
std::vector<int> merge_supernodes(const std::vector<Candidate>& all, const std::vector<int>& parent) {
  const int count = static_cast<int>(all.size());
  std::vector<std::vector<int>> children(count);
  std::vector<int> into(count), columns(count);
  std::vector<double> zeros(count, 0);
  std::iota(into.begin(), into.end(), 0);
  for (int p = 0; p < count; ++p) {
    columns[p] = all[p].columns;
    const auto rest = static_cast<double>(all[p].below.size());
    const auto added = [&](int c) {  // zeros in the child's columns
      return columns[c] * (columns[p] + rest - static_cast<double>(all[c].below.size()));
    };
    std::stable_sort(children[p].begin(), children[p].end(),
                     [&](int a, int b) { return added(a) < added(b); });
    for (int c : children[p]) {
      const int both = columns[p] + columns[c];
      const double more = zeros[p] + zeros[c] + added(c), entries = both * (0.5 * (both + 1) + rest);
      if (!should_merge(both, more, entries)) continue;
      into[c] = p;
      columns[p] = both, zeros[p] = more;
    }
    if (parent[p] >= 0) children[parent[p]].push_back(p);
  }
  for (int s = count; s-- > 0;) into[s] = into[into[s]];
  return into;
}

}  // namespace

std::vector<int> dissection_of_blocks(const Sparse& A, int block) {
  std::vector<int> order;
  for (int b : nested_dissection(graph_of_blocks(A, block)))
    for (int k = 0; k < block; ++k) order.push_back(block * b + k);
  return order;
}

SupernodalPattern find_supernodes(const Sparse& A, int block) {
  const int n = static_cast<int>(A.rows());
  SupernodalPattern pattern;
  std::vector<int> order = dissection_of_blocks(A, block);
  std::vector<int> tree = elimination_tree(lower_rows(A, order));
  put_in_postorder(order, tree);
  const std::vector<Candidate> all =
      fundamental_supernodes(transposed(transposed(lower_rows(A, order))), tree);

  const int count = static_cast<int>(all.size());
  std::vector<int> of_column(n), parent(count, -1);
  for (int s = 0; s < count; ++s)
    for (int k = 0; k < all[s].columns; ++k) of_column[all[s].first + k] = s;
  for (int s = 0; s < count; ++s)
    if (!all[s].below.empty()) parent[s] = of_column[all[s].below[0]];
  const std::vector<int> into = merge_supernodes(all, parent);

  // The merged ones in postorder; those that went into others make them wider.
  std::vector<std::vector<int>> members(count);
  std::vector<int> merged_parent(count, -1);
  for (int s = 0; s < count; ++s) {
    members[into[s]].push_back(s);
    if (into[s] == s && parent[s] >= 0) merged_parent[s] = into[parent[s]];
  }
  std::vector<int> number(count, -1), place(n);
  std::size_t values = 0;
  const std::vector<int> post = postorder(merged_parent);
  for (int s : post) {
    if (into[s] != s) continue;  // a root of its own in that forest
    Supernode node{static_cast<int>(pattern.order.size()), 0, 0, -1, 0, 0};
    for (int m : members[s])
      for (int k = 0; k < all[m].columns; ++k) {
        place[all[m].first + k] = static_cast<int>(pattern.order.size());
        pattern.order.push_back(order[all[m].first + k]);
      }
    node.columns = static_cast<int>(pattern.order.size()) - node.first;
    node.rows = node.columns + static_cast<int>(all[s].below.size());
    number[s] = static_cast<int>(pattern.supernodes.size());
    pattern.supernodes.push_back(node);
  }
  for (int s : post) {
    if (into[s] != s) continue;
    Supernode& node = pattern.supernodes[number[s]];
    if (merged_parent[s] >= 0) node.parent = number[merged_parent[s]];
    node.row_list = pattern.rows.size();
    node.values = values;
    values += static_cast<std::size_t>(node.rows) * node.columns;
    for (int k = 0; k < node.columns; ++k) pattern.rows.push_back(node.first + k);
    const auto below = static_cast<std::ptrdiff_t>(pattern.rows.size());
    for (int i : all[s].below) pattern.rows.push_back(place[i]);
    std::sort(pattern.rows.begin() + below, pattern.rows.end());
  }
  find_branches(pattern);
  return pattern;
}

/// The heaviest branch is split, its root becoming part of the trunk, until none has more than a quarter of
/// all entries.
void find_branches(SupernodalPattern& pattern) {
  constexpr std::size_t worth_sharing_entries = 300000;  // substitution takes about 0.1 ms
  if (pattern.nonzeros() < worth_sharing_entries) return;
  const auto& nodes = pattern.supernodes;
  const int count = static_cast<int>(nodes.size());
  std::vector<int> first(count), roots;
  std::iota(first.begin(), first.end(), 0);
  std::vector<std::size_t> weight(count, 0);
  std::vector<std::vector<int>> children(count);
  std::size_t all = 0;
  for (int s = 0; s < count; ++s) {
    weight[s] += static_cast<std::size_t>(nodes[s].columns) * nodes[s].rows;
    const int parent = nodes[s].parent;
    if (parent < 0) {
      roots.push_back(s), all += weight[s];
      continue;
    }
    weight[parent] += weight[s];
    first[parent] = std::min(first[parent], first[s]);
    children[parent].push_back(s);
  }
  const auto lighter = [&](int a, int b) { return weight[a] < weight[b]; };
  for (;;) {
    const auto heaviest = std::max_element(roots.begin(), roots.end(), lighter);
    if (roots.empty() || weight[*heaviest] <= all / 4) break;
    const int split = *heaviest;
    roots.erase(heaviest);
    pattern.trunk.push_back(split);
    roots.insert(roots.end(), children[split].begin(), children[split].end());
  }
  std::sort(pattern.trunk.begin(), pattern.trunk.end());
  std::sort(roots.begin(), roots.end(), [&](int a, int b) { return weight[a] > weight[b]; });
  for (int root : roots) pattern.branches.push_back({first[root], root + 1, weight[root]});
}

std::size_t SupernodalPattern::size_of_values() const {
  if (supernodes.empty()) return 0;
  const Supernode& last = supernodes.back();
  return last.values + static_cast<std::size_t>(last.rows) * last.columns;
}

std::size_t SupernodalPattern::nonzeros() const {
  std::size_t sum = 0;
  for (const Supernode& s : supernodes)
    sum += static_cast<std::size_t>(s.columns) * static_cast<std::size_t>(2 * s.rows - s.columns + 1) / 2;
  return sum;
}

int SupernodalPattern::most_rows() const {
  int most = 0;
  for (const Supernode& s : supernodes) most = std::max(most, s.rows);
  return most;
}

}  // namespace hooke
