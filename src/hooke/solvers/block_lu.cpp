#include "hooke/solvers/block_lu.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace hooke {
namespace {

using Neighbours = std::vector<std::set<int>>;

Neighbours neighbours_of(int count, const std::vector<std::pair<int, int>>& pairs) {
  Neighbours of(count);
  for (const auto& [i, j] : pairs)
    if (i != j) of[i].insert(j), of[j].insert(i);
  return of;
}

/// Takes p out: what is left of its neighbours becomes neighbours of each other.
void eliminate(int p, Neighbours& of) {
  for (int i : of[p]) {
    of[i].erase(p);
    for (int j : of[p])
      if (j != i) of[i].insert(j);
  }
}

/// Least degree first, in unknowns. Blocks that follow each other and have the same neighbours left go
/// together.
std::vector<std::vector<int>> order_blocks(const std::vector<int>& sizes, Neighbours of) {
  const int count = static_cast<int>(sizes.size());
  const auto degree = [&](int p) {
    int sum = 0;
    for (int i : of[p]) sum += sizes[i];
    return sum;
  };
  std::vector<int> degrees(count);
  for (int p = 0; p < count; ++p) degrees[p] = degree(p);
  std::vector<char> gone(count, 0);
  std::vector<std::vector<int>> order;
  std::set<int> expected;  // the neighbours that make the next one belong to the same
  for (int k = 0; k < count; ++k) {
    int best = -1;
    const auto is_better = [&](int p) {
      return best < 0 || degrees[p] < degrees[best] ||
             (degrees[p] == degrees[best] && expected.contains(p) > expected.contains(best));
    };
    for (int p = 0; p < count; ++p)
      if (!gone[p] && is_better(p)) best = p;
    if (expected.erase(best) && expected == of[best])
      order.back().push_back(best);
    else
      order.push_back({best});
    gone[best] = 1;
    expected = of[best];
    eliminate(best, of);
    for (int i : of[best]) degrees[i] = degree(i);
  }
  return order;
}

}  // namespace

void BlockLu::plan(std::vector<int> sizes, const std::vector<std::pair<int, int>>& pairs) {
  const int count = static_cast<int>(sizes.size());
  std::vector<int> start(count + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), start.begin() + 1);
  const auto order = order_blocks(sizes, neighbours_of(count, pairs));
  nodes_.resize(order.size());
  places_.resize(count);
  for (std::size_t n = 0; n < order.size(); ++n) {
    Node& node = nodes_[n];
    node.first = static_cast<int>(unknowns_.size());
    for (int b : order[n]) {
      places_[b] = {static_cast<int>(n), static_cast<int>(unknowns_.size()) - node.first, sizes[b]};
      for (int k = start[b]; k < start[b + 1]; ++k) unknowns_.push_back(k);
    }
    node.size = static_cast<int>(unknowns_.size()) - node.first;
  }
  std::vector<std::pair<int, int>> of_nodes;
  for (const auto& [i, j] : pairs) of_nodes.emplace_back(places_[i].node, places_[j].node);
  Neighbours of = neighbours_of(static_cast<int>(nodes_.size()), of_nodes);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node& node = nodes_[n];
    eliminate(static_cast<int>(n), of);
    node.later.assign(of[n].begin(), of[n].end());
    int rest = 0;
    for (int l : node.later) node.at.push_back(rest), rest += nodes_[l].size;
    node.diagonal.resize(node.size);
    node.below.setZero(rest, node.size);
    node.right.setZero(node.size, rest);
  }
}

void BlockLu::set_zero() {
  for (Node& node : nodes_) node.diagonal.matrix.setZero(), node.below.setZero(), node.right.setZero();
}

Eigen::Ref<MatrixX> BlockLu::entries(int p, int q) {
  if (p == q) return nodes_[p].diagonal.matrix;
  Node& first = nodes_[std::min(p, q)];
  const auto found = std::lower_bound(first.later.begin(), first.later.end(), std::max(p, q));
  const int at = first.at[found - first.later.begin()];
  if (p < q) return first.right.middleCols(at, nodes_[q].size);
  return first.below.middleRows(at, nodes_[p].size);
}

Eigen::Ref<MatrixX> BlockLu::block(int i, int j) {
  const Place &row = places_[i], &column = places_[j];
  return entries(row.node, column.node).block(row.offset, column.offset, row.size, column.size);
}

bool BlockLu::factorize() {
  for (Node& node : nodes_) {
    if (!node.diagonal.factorize()) return false;
    node.diagonal.solve_lower(node.right);
    node.diagonal.solve_upper_from_right(node.below);
    for (std::size_t a = 0; a < node.later.size(); ++a)
      for (std::size_t b = 0; b < node.later.size(); ++b)
        entries(node.later[a], node.later[b]).noalias() -=
            node.below.middleRows(node.at[a], nodes_[node.later[a]].size) *
            node.right.middleCols(node.at[b], nodes_[node.later[b]].size);
  }
  return true;
}

void BlockLu::solve(Eigen::Ref<MatrixX> x) const {
  permuted_.resize(x.rows(), 1);
  auto y = permuted_.col(0);
  for (int c = 0; c < x.cols(); ++c) {
    for (int k = 0; k < x.rows(); ++k) y[k] = x(unknowns_[k], c);
    for (const Node& node : nodes_) {
      auto own = y.segment(node.first, node.size);
      node.diagonal.solve_lower(own);
      for (std::size_t l = 0; l < node.later.size(); ++l) {
        const Node& later = nodes_[node.later[l]];
        y.segment(later.first, later.size).noalias() -= node.below.middleRows(node.at[l], later.size) * own;
      }
    }
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      auto own = y.segment(node->first, node->size);
      for (std::size_t l = 0; l < node->later.size(); ++l) {
        const Node& later = nodes_[node->later[l]];
        own.noalias() -= node->right.middleCols(node->at[l], later.size) * y.segment(later.first, later.size);
      }
      node->diagonal.solve_upper(own);
    }
    for (int k = 0; k < x.rows(); ++k) x(unknowns_[k], c) = y[k];
  }
}

}  // namespace hooke
