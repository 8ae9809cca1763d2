#include "hooke/gpu/dissection.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hooke::gpu {
namespace {

constexpr int smallest_cell = 24, deepest = 14;
constexpr int widest_front = 12000;  // dofs: a vector of as many is kept on the chip

/// A set of nodes that is cut in two by `own`, or is not cut any more.
struct Cell {
  int parent = -1, level = 0;
  std::vector<int> own, border;
};

/// The part of each node of a set: 0 and 1 for the sides, 2 between them.
using Cut = std::vector<char>;

struct Sizes {
  int side[2] = {0, 0}, between = 0;
  explicit Sizes(const Cut& cut) {
    for (char part : cut) part == 2 ? ++between : ++side[static_cast<int>(part)];
  }
  bool is_fair() const {
    const int all = side[0] + side[1] + between;
    return side[0] > 0 && side[1] > 0 && std::max(side[0], side[1]) <= 3 * all / 5;
  }
};

Graph within(const Graph& graph, const std::vector<int>& set, std::vector<int>& place) {
  Graph sub;
  for (std::size_t k = 0; k < set.size(); ++k) place[set[k]] = static_cast<int>(k);
  for (int v : set) {
    for (int e = graph.start[v]; e < graph.start[v + 1]; ++e)
      if (const int at = place[graph.adjacent[e]]; at >= 0) sub.adjacent.push_back(at);
    sub.start.push_back(static_cast<int>(sub.adjacent.size()));
  }
  for (int v : set) place[v] = -1;
  return sub;
}

/// Across axis d at the median; the nodes of one side that touch the other are between them.
Cut cut_across(const Graph& sub, const std::vector<double>& x, int side) {
  std::vector<double> sorted = x;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const double at = *middle - 1e-9 * (*most - *least);
  Cut cut(x.size());
  for (std::size_t v = 0; v < x.size(); ++v) cut[v] = x[v] > at;
  const Cut sides = cut;
  for (int v = 0; v < sub.size(); ++v)
    if (sides[v] == side)
      for (int e = sub.start[v]; e < sub.start[v + 1]; ++e)
        if (sides[sub.adjacent[e]] != side) cut[v] = 2;
  return cut;
}

/// The fair cut with the fewest nodes between; empty: there is none.
Cut best_cut(const Graph& sub, const std::vector<int>& set, const Mat3X& positions) {
  Cut best;
  int fewest = std::numeric_limits<int>::max();
  const auto consider = [&](Cut cut) {
    const Sizes sizes(cut);
    const int unfair = std::abs(sizes.side[0] - sizes.side[1]) / 8;
    if (!sizes.is_fair() || 4 * sizes.between + unfair >= fewest) return;
    fewest = 4 * sizes.between + unfair;
    best = std::move(cut);
  };
  std::vector<double> x(set.size());
  for (int d = 0; d < 3; ++d) {
    for (std::size_t k = 0; k < set.size(); ++k) x[k] = positions(d, set[k]);
    for (int side : {0, 1}) consider(cut_across(sub, x, side));
  }
  if (set.size() > 100) consider(vertex_separator(sub));
  return best;
}

std::vector<Cell> halve(const Graph& graph, const Mat3X& positions) {
  std::vector<Cell> cells(1);
  std::vector<std::vector<int>> sets(1);
  sets[0].resize(graph.size());
  std::iota(sets[0].begin(), sets[0].end(), 0);
  std::vector<int> place(graph.size(), -1);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::vector<int> set = std::move(sets[c]);
    Cut cut;
    if (static_cast<int>(set.size()) > smallest_cell && cells[c].level < deepest)
      cut = best_cut(within(graph, set, place), set, positions);
    if (cut.empty()) {
      cells[c].own = std::move(set);
      continue;
    }
    for (int side : {0, 1}) {
      cells.push_back({static_cast<int>(c), cells[c].level + 1, {}, {}});
      sets.emplace_back();
      for (std::size_t k = 0; k < set.size(); ++k)
        if (cut[k] == side) sets.back().push_back(set[k]);
    }
    for (std::size_t k = 0; k < set.size(); ++k)
      if (cut[k] == 2) cells[c].own.push_back(set[k]);
  }
  return cells;
}

/// Nodes of cells above that touch what is in or under a cell.
void find_borders(const Graph& graph, std::vector<Cell>& cells) {
  std::vector<int> cell_of(graph.size()), seen(cells.size(), -1);
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (int v : cells[c].own) cell_of[v] = static_cast<int>(c);
  for (int u = 0; u < graph.size(); ++u)
    for (int e = graph.start[u]; e < graph.start[u + 1]; ++e)
      for (int c = cell_of[graph.adjacent[e]]; cells[c].level > cells[cell_of[u]].level && seen[c] != u;
           c = cells[c].parent) {
        seen[c] = u;
        cells[c].border.push_back(u);
      }
}

double padded(int n, int to) { return static_cast<double>((n + to - 1) / to * to); }

double bytes_of(int own, int border) {
  const int n = 3 * own, m = 3 * border;
  return 4 * (padded(n + m, 4) * padded(n, 32) + padded(n, 4) * padded(m, 32));
}

/// The last level of each group of levels that make one, from the root down.
std::vector<int> choose_groups(const std::vector<Cell>& cells, int levels, const SolveCost& cost) {
  std::vector<int> top(cells.size());  // the cell in the first level of the group that a cell is merged into
  std::vector<double> best(levels + 1, std::numeric_limits<double>::infinity());
  std::vector<int> last(levels, levels - 1);
  best[levels] = 0;
  for (int a = levels - 1; a >= 0; --a) {
    std::vector<int> own(cells.size(), 0);
    int widest = 0;
    for (std::size_t c = 0; c < cells.size(); ++c)
      top[c] = cells[c].level > a ? top[cells[c].parent] : static_cast<int>(c);
    for (int b = a; b < levels; ++b) {
      double bytes = 0, fronts = 0;
      for (std::size_t c = 0; c < cells.size(); ++c)
        if (cells[c].level == b) own[top[c]] += static_cast<int>(cells[c].own.size());
      for (std::size_t c = 0; c < cells.size(); ++c)
        if (cells[c].level == a) {
          ++fronts;
          bytes += bytes_of(own[c], static_cast<int>(cells[c].border.size()));
          widest = std::max({widest, 3 * own[c], 3 * static_cast<int>(cells[c].border.size())});
        }
      if (widest > widest_front && b > a) break;
      const double time =
          best[b + 1] + bytes * cost.per_byte + (a == 0 ? 1 : 2) * (cost.per_stage + fronts * cost.per_front);
      if (time < best[a]) best[a] = time, last[a] = b;
    }
  }
  std::vector<int> ends;
  for (int a = 0; a < levels; a = ends.back() + 1) ends.push_back(last[a]);
  return ends;
}

}  // namespace

Dissection dissect(const Graph& graph, const Mat3X& positions, const SolveCost& cost) {
  std::vector<Cell> cells = halve(graph, positions);
  find_borders(graph, cells);
  int levels = 0;
  for (const Cell& cell : cells) levels = std::max(levels, cell.level + 1);
  const std::vector<int> ends = choose_groups(cells, levels, cost);

  std::vector<int> front_of(cells.size(), -1), group_of(levels);
  for (int g = 0, level = 0; level < levels; ++level) {
    group_of[level] = g;
    if (level == ends[g]) ++g;
  }
  Dissection made;
  made.levels = static_cast<int>(ends.size());
  std::vector<std::vector<int>> own;
  std::vector<int> top;  // the cell of each front
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int up = cells[c].parent, depth = group_of[cells[c].level];
    if (up >= 0 && group_of[cells[up].level] == depth) {
      front_of[c] = front_of[up];
    } else {
      front_of[c] = static_cast<int>(top.size());
      top.push_back(static_cast<int>(c));
      own.emplace_back();
      Front& front = made.fronts.emplace_back();
      front.parent = up < 0 ? -1 : front_of[up];
      front.depth = depth;
    }
    own[front_of[c]].insert(own[front_of[c]].end(), cells[c].own.begin(), cells[c].own.end());
  }
  // Cells come from the root down: fronts the other way round are children before parents.
  const int count = static_cast<int>(top.size());
  std::reverse(made.fronts.begin(), made.fronts.end());
  std::vector<int> number(graph.size());
  for (int f = 0; f < count; ++f) {
    Front& front = made.fronts[f];
    if (front.parent >= 0) front.parent = count - 1 - front.parent;
    front.first = static_cast<int>(made.order.size());
    front.count = static_cast<int>(own[count - 1 - f].size());
    for (int v : own[count - 1 - f]) {
      number[v] = static_cast<int>(made.order.size());
      made.order.push_back(v);
    }
  }
  for (int f = 0; f < count; ++f) {
    Front& front = made.fronts[f];
    for (int v : cells[top[count - 1 - f]].border) front.border.push_back(number[v]);
    std::sort(front.border.begin(), front.border.end());
    for (int child : front.children) front.height = std::max(front.height, made.fronts[child].height + 1);
    if (front.parent >= 0) made.fronts[front.parent].children.push_back(f);
    made.bytes += bytes_of(front.count, static_cast<int>(front.border.size()));
  }
  return made;
}

}  // namespace hooke::gpu
