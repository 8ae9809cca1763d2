#include "hooke/solvers/joint_tree.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "hooke/base/format.h"
#include "hooke/linalg/graph.h"

namespace hooke {
namespace {

/// The connected sets of dof blocks under the couplings of C.
std::vector<std::vector<int>> coupled_sets(const KktStructure& s) {
  std::vector<int> root(s.dof_sizes.size());
  std::iota(root.begin(), root.end(), 0);
  const std::function<int(int)> find = [&](int i) { return root[i] == i ? i : root[i] = find(root[i]); };
  for (auto [i, j] : s.couplings) root[std::max(find(i), find(j))] = std::min(find(i), find(j));
  std::vector<std::vector<int>> sets(s.dof_sizes.size());
  for (int b = 0; b < static_cast<int>(root.size()); ++b) sets[find(b)].push_back(b);
  std::erase_if(sets, [](const auto& set) { return set.empty(); });
  return sets;
}

/// Position of each joint in a nested-dissection order.
std::vector<int> dissect(const std::vector<std::set<int>>& neighbours) {
  Graph graph;
  for (const auto& joints : neighbours) {
    graph.adjacent.insert(graph.adjacent.end(), joints.begin(), joints.end());
    graph.start.push_back(static_cast<int>(graph.adjacent.size()));
  }
  std::vector<int> position(neighbours.size());
  for (int k = 0; int joint : nested_dissection(graph)) position[joint] = k++;
  return position;
}

}  // namespace

JointTree::JointTree(const KktStructure& s) {
  const int joints = static_cast<int>(s.row_sizes.size());
  std::vector<int> leaf_of(s.dof_sizes.size());
  for (auto& blocks : coupled_sets(s)) {
    Leaf leaf{.blocks = std::move(blocks), .offsets = {0}, .joints = {}};
    for (int b : leaf.blocks) {
      leaf_of[b] = static_cast<int>(leaves.size());
      leaf.offsets.push_back(leaf.offsets.back() + s.dof_sizes[b]);
    }
    leaves.push_back(std::move(leaf));
  }
  std::vector<char> is_inside(joints, 0);
  for (int j = 0; j < joints; ++j) {
    std::set<int> on;
    for (int b : s.constraint_blocks[j]) on.insert(leaf_of[b]);
    is_inside[j] = on.size() == 1 && !leaves[*on.begin()].is_body();
    for (int l : on) (is_inside[j] ? leaves[l].inside : leaves[l].joints).push_back(j);
  }

  std::vector<std::set<int>> neighbours(joints);
  for (const Leaf& leaf : leaves)
    for (int i : leaf.joints)
      for (int j : leaf.joints)
        if (i != j) neighbours[i].insert(j);
  const std::vector<int> position = dissect(neighbours);
  const auto earlier = [&](int a, int b) { return position[a] < position[b]; };

  std::vector<int> by_position(joints);
  for (int j = 0; j < joints; ++j) by_position[position[j]] = j;
  std::copy_if(by_position.begin(), by_position.end(), std::back_inserter(order),
               [&](int j) { return !is_inside[j]; });
  nodes.resize(joints);
  for (int j = 0, row = 0; j < joints; row += s.row_sizes[j++]) {
    nodes[j].rows = s.row_sizes[j];
    nodes[j].first_row = row;
  }
  for (int l = 0; l < static_cast<int>(leaves.size()); ++l) {
    Leaf& leaf = leaves[l];
    std::sort(leaf.joints.begin(), leaf.joints.end(), earlier);
    for (int j : leaf.joints) leaf.rows += s.row_sizes[j];
    if (!leaf.joints.empty()) nodes[leaf.joints[0]].leaves.push_back(l);
  }
  for (int j : order) {  // symbolic elimination
    Node& node = nodes[j];
    std::set<int> outside;
    for (int l : node.leaves) outside.insert(leaves[l].joints.begin(), leaves[l].joints.end());
    for (int child : node.children) {
      outside.insert(nodes[child].handles.begin(), nodes[child].handles.end());
      node.level = std::max(node.level, nodes[child].level + 1);
    }
    outside.erase(j);
    node.handles.assign(outside.begin(), outside.end());
    std::sort(node.handles.begin(), node.handles.end(), earlier);
    node.offsets = {0, node.rows};
    for (int h : node.handles) node.offsets.push_back(node.offsets.back() + s.row_sizes[h]);
    const auto rows_of = [&](std::vector<int> list) {
      std::vector<int> rows;
      for (int h : list) {
        const auto k =
            h == j ? -1 : std::find(node.handles.begin(), node.handles.end(), h) - node.handles.begin();
        for (int r = 0; r < s.row_sizes[h]; ++r) rows.push_back(node.offsets[k + 1] + r);
      }
      return rows;
    };
    for (int l : node.leaves) node.leaf_rows.push_back(rows_of(leaves[l].joints));
    for (int child : node.children) node.child_rows.push_back(rows_of(nodes[child].handles));
    if (!node.handles.empty()) {
      node.parent = node.handles[0];
      nodes[node.parent].children.push_back(j);
    }
    depth = std::max(depth, node.level + 1);
  }
}

namespace {

/// Numbers shares in the order of their joints: other loops give every thread its share of the joints in that
/// order, and what a thread has written is in its cache.
void number_along(int shares, std::vector<int>& share) {
  std::vector<double> sum(shares, 0.0), count(shares, 1e-9);
  for (std::size_t j = 0; j < share.size(); ++j)
    if (share[j] >= 0) sum[share[j]] += static_cast<double>(j), ++count[share[j]];
  std::vector<int> by_place(shares), number(shares);
  std::iota(by_place.begin(), by_place.end(), 0);
  std::sort(by_place.begin(), by_place.end(),
            [&](int a, int b) { return sum[a] / count[a] < sum[b] / count[b]; });
  for (int p = 0; p < shares; ++p) number[by_place[p]] = p;
  for (int& p : share)
    if (p >= 0) p = number[p];
}

}  // namespace

std::vector<int> JointTree::split(int shares) const {
  std::vector<int> share(nodes.size(), 0);
  if (shares == 1) return share;
  std::vector<double> work(nodes.size(), 0.0);  // of a joint and everything below
  double total = 0;
  for (int j : order) {
    const Node& node = nodes[j];
    double own = static_cast<double>(node.size()) * node.size() * node.rows;
    for (int l : node.leaves)
      own += static_cast<double>(leaves[l].dofs()) * leaves[l].dofs() * (6 + leaves[l].rows);
    total += own;
    work[j] += own;
    if (node.parent >= 0) work[node.parent] += work[j];
  }
  const auto lighter = [&](int a, int b) { return work[a] < work[b]; };
  std::vector<int> subtrees;
  for (int j : order)
    if (nodes[j].parent < 0) subtrees.push_back(j);
  // The heaviest subtree is opened until the shares come out even; what is above is done by one thread alone.
  for (int opened = 0;; ++opened) {
    std::sort(subtrees.begin(), subtrees.end(), lighter);
    std::vector<double> load(shares, 0.0);
    std::fill(share.begin(), share.end(), -1);
    for (auto j = subtrees.rbegin(); j != subtrees.rend(); ++j) {
      const auto least = std::min_element(load.begin(), load.end());
      *least += work[*j];
      share[*j] = static_cast<int>(least - load.begin());
    }
    const bool even = *std::max_element(load.begin(), load.end()) <= 1.05 * total / shares;
    if (even || subtrees.empty() || opened >= 4 * shares || nodes[subtrees.back()].children.empty()) break;
    const int heaviest = subtrees.back();
    subtrees.pop_back();
    subtrees.insert(subtrees.end(), nodes[heaviest].children.begin(), nodes[heaviest].children.end());
  }
  for (auto j = order.rbegin(); j != order.rend(); ++j)
    if (share[*j] < 0 && nodes[*j].parent >= 0) share[*j] = share[nodes[*j].parent];
  number_along(shares, share);
  return share;
}

std::string JointTree::print(const std::vector<std::string>& names) const {
  std::string text;
  const std::function<void(int, int)> line = [&](int j, int indent) {
    text += std::string(2 * indent, ' ') + names[j];
    if (!nodes[j].handles.empty()) {
      text += "  (handles:";
      for (int h : nodes[j].handles) text += " " + names[h];
      text += ")";
    }
    text += "\n";
    for (int child : nodes[j].children) line(child, indent + 1);
  };
  for (int j : order)
    if (nodes[j].parent < 0) line(j, 0);
  return text;
}

std::string JointTree::draw(const std::vector<std::string>& names) const {
  constexpr double across = 26, down = 60, margin = 30;
  std::string lines, marks;
  double next = margin;  // where the next leaf is drawn
  const auto height = [&](int level) { return margin + down * (depth - level); };
  // Each joint stands in the middle above what it joins; returns where.
  const std::function<double(int)> place = [&](int j) {
    std::vector<std::pair<double, double>> below;
    for (std::size_t k = 0; k < nodes[j].leaves.size(); ++k, next += across)
      below.emplace_back(next, height(-1));
    for (int child : nodes[j].children) {
      const double x = place(child);
      below.emplace_back(x, height(nodes[child].level));
    }
    double x = next;
    if (below.empty())
      next += across;
    else
      x = 0.5 * (below.front().first + below.back().first);
    const double y = height(nodes[j].level);
    for (std::size_t k = 0; k < below.size(); ++k) {
      lines += formatted("<path d='M{:.0f} {:.0f}L{:.0f} {:.0f}'/>", x, y, below[k].first, below[k].second);
      if (k < nodes[j].leaves.size())
        marks += formatted("<rect x='{:.0f}' y='{:.0f}' width='8' height='8'/>", below[k].first - 4,
                           below[k].second - 4);
    }
    marks += formatted("<circle cx='{:.0f}' cy='{:.0f}' r='4'/><text x='{:.0f}' y='{:.0f}'>{}</text>", x, y,
                       x + 6, y - 6, names[j]);
    return x;
  };
  for (int j : order)
    if (nodes[j].parent < 0) place(j);
  return formatted(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{:.0f}' height='{:.0f}' font-family='sans-serif' "
      "font-size='9'>"
      "<rect width='100%' height='100%' fill='white'/><g stroke='#999999'>{}</g><g "
      "fill='#1b6ca8'>{}</g></svg>\n",
      next + 2 * margin, height(-1) + margin, lines, marks);
}

}  // namespace hooke
