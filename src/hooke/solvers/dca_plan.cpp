#include "hooke/solvers/dca_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "hooke/solvers/direct.h"

namespace hooke {
namespace {

/// Lanes that are not used compute the same as the first.
void set_lane(std::array<int, Pack::lanes>& lanes, int lane, int value) {
  if (lane == 0)
    lanes.fill(value);
  else
    lanes[lane] = value;
}

bool lie_in_a_pack(const std::array<int, Pack::lanes>& lanes, int count) {
  if (lanes[0] % Pack::lanes != 0) return false;
  for (int lane = 0; lane < count; ++lane)
    if (lanes[lane] != lanes[0] + lane) return false;
  return true;
}

}  // namespace

DcaPlan::DcaPlan(DcaSolver& solver, const KktMatrix& kkt, int constraints, int threads)
    : s_(solver), kkt_(kkt), constraints_(constraints) {
  const JointTree& tree = s_.tree_;
  s_.subtrees_.resize(threads);
  sort_below();
  split(threads);
  group_nodes();
  group_leaves();
  for (auto* groups : {&leaf_groups_, &node_groups_})  // what one thread works on lies together
    std::stable_sort(groups->begin(), groups->end(), [](const Group& a, const Group& b) {
      // the subtree above all others, number -1, comes last
      return std::pair(static_cast<unsigned>(a.subtree), a.level) <
             std::pair(static_cast<unsigned>(b.subtree), b.level);
    });
  leaf_results_.resize(tree.leaves.size());
  node_results_.resize(tree.nodes.size());
  for (const Group& group : leaf_groups_) {
    if (group.shape.empty())
      place_large_leaf(group.members[0], group.subtree);
    else
      place_leaves(group);
  }
  for (const Group& group : node_groups_) place_nodes(group);
  s_.numbers_.assign(numbers_, Pack(0));
  s_.vectors_.assign(vectors_, Pack(0));
}

void DcaPlan::sort_below() {
  const JointTree& tree = s_.tree_;
  below_.resize(tree.nodes.size());
  for (std::size_t j = 0; j < tree.nodes.size(); ++j) {
    const JointTree::Node& node = tree.nodes[j];
    for (std::size_t k = 0; k < node.leaves.size(); ++k)
      below_[j].push_back({false, node.leaves[k], &node.leaf_rows[k], tree.leaves[node.leaves[k]].rows});
    for (std::size_t k = 0; k < node.children.size(); ++k)
      below_[j].push_back({true, node.children[k], &node.child_rows[k], tree.nodes[node.children[k]].size()});
    std::stable_sort(below_[j].begin(), below_[j].end(), [](const Below& a, const Below& b) {
      return std::tie(a.child, a.columns, *a.rows) < std::tie(b.child, b.columns, *b.rows);
    });
  }
}

void DcaPlan::split(int threads) {
  const JointTree& tree = s_.tree_;
  node_subtree_ = tree.split(threads);
  for (int l = 0; l < static_cast<int>(tree.leaves.size()); ++l) {
    const int subtree = tree.leaves[l].joints.empty() ? -1 : node_subtree_[tree.leaves[l].joints[0]];
    leaf_subtree_.push_back(subtree < 0 ? l % threads : subtree);  // those below no subtree are spread
  }
}

void DcaPlan::group_nodes() {
  const JointTree& tree = s_.tree_;
  node_place_.assign(tree.nodes.size(), 0);
  leaf_place_.assign(tree.leaves.size(), 0);
  std::vector<std::vector<int>> levels(tree.depth);
  for (int j : tree.order) levels[tree.nodes[j].level].push_back(j);
  for (int level = tree.depth - 1; level >= 0; --level) {
    auto& joints = levels[level];
    std::stable_sort(joints.begin(), joints.end(),
                     [&](int a, int b) { return node_place_[a] < node_place_[b]; });
    std::map<std::vector<int>, std::size_t> open;  // shape -> group with a free lane
    for (int j : joints) {
      const JointTree::Node& node = tree.nodes[j];
      std::vector<int> shape{node_subtree_[j], gives_way(j), node.rows, node.size()};
      for (const Below& b : below_[j]) {
        shape.push_back(-b.columns);
        shape.insert(shape.end(), b.rows->begin(), b.rows->end());
      }
      auto [at, is_new] = open.try_emplace(shape, node_groups_.size());
      if (!is_new && node_groups_[at->second].members.size() == Pack::lanes)
        at->second = node_groups_.size(), is_new = true;
      if (is_new) node_groups_.push_back({node_subtree_[j], level, shape, {}});
      Group& group = node_groups_[at->second];
      group.members.push_back(j);
      for (std::size_t k = 0; k < below_[j].size(); ++k) {
        const long place = (static_cast<long>(at->second) * 1000 + static_cast<long>(k)) * Pack::lanes +
                           static_cast<long>(group.members.size());
        (below_[j][k].child ? node_place_ : leaf_place_)[below_[j][k].number] = place;
      }
    }
  }
}

void DcaPlan::group_leaves() {
  const JointTree& tree = s_.tree_;
  std::vector<int> leaves(tree.leaves.size());
  std::iota(leaves.begin(), leaves.end(), 0);
  std::stable_sort(leaves.begin(), leaves.end(),
                   [&](int a, int b) { return leaf_place_[a] < leaf_place_[b]; });
  std::map<std::vector<int>, std::size_t> open;
  for (int l : leaves) {
    const JointTree::Leaf& leaf = tree.leaves[l];
    if (!leaf.is_body()) {
      leaf_groups_.push_back({leaf_subtree_[l], 0, {}, {l}});
      continue;
    }
    std::vector<int> shape{leaf_subtree_[l]};
    for (int j : leaf.joints) shape.push_back(gives_way(j) ? -tree.nodes[j].rows : tree.nodes[j].rows);
    auto [at, is_new] = open.try_emplace(shape, leaf_groups_.size());
    if (!is_new && leaf_groups_[at->second].members.size() == Pack::lanes)
      at->second = leaf_groups_.size(), is_new = true;
    if (is_new) leaf_groups_.push_back({leaf_subtree_[l], 0, shape, {}});
    leaf_groups_[at->second].members.push_back(l);
  }
}

void DcaPlan::place_leaves(const Group& group) {
  const JointTree& tree = s_.tree_;
  const JointTree::Leaf& first = tree.leaves[group.members[0]];
  const int m = first.rows, joints = static_cast<int>(first.joints.size());
  const bool has_springs =
      std::any_of(first.joints.begin(), first.joints.end(), [&](int j) { return gives_way(j); });
  const int Gt = has_springs ? 6 * m : 0;
  DcaSolver::LeafGroup made{.count = static_cast<int>(group.members.size()),
                            .rows = m,
                            .inverse = numbers_,
                            .G = numbers_ + 36,
                            .Gt = numbers_ + 36 + Gt,
                            .X = numbers_ + 36 + Gt + 6 * m,
                            .Phi = numbers_ + 36 + Gt + 12 * m,
                            .motion = vectors_,
                            .load = vectors_ + 6 * DcaSolver::max_columns,
                            .C = {},
                            .joints = std::vector<DcaSolver::Blocks>(joints),
                            .columns = std::vector<DcaSolver::Blocks>(has_springs ? joints : 0),
                            .multipliers = std::vector<Lanes>(m)};
  numbers_ += 36 + Gt + 12 * m + m * m;
  vectors_ += (6 + m) * DcaSolver::max_columns;
  for (int lane = 0; lane < made.count; ++lane) {
    const JointTree::Leaf& leaf = tree.leaves[group.members[lane]];
    const auto place = [&](DcaSolver::Blocks& blocks, const BlockHandle& h, int rows) {
      blocks.rows = rows;
      set_lane(blocks.start, lane, h.start);
      set_lane(blocks.stride, lane, h.stride);
    };
    const int block = leaf.blocks[0];
    place(made.C, kkt_.C(block, block), 6);
    set_lane(made.first_dof, lane, kkt_.matrix.offsets()[block]);
    int row = 0;
    for (std::size_t k = 0; k < leaf.joints.size(); ++k) {
      const int rows = tree.nodes[leaf.joints[k]].rows;
      place(made.joints[k], kkt_.G(leaf.joints[k], block), rows);
      if (has_springs) place(made.columns[k], kkt_.Gt(leaf.joints[k], block), rows);
      for (int r = 0; r < rows; ++r)
        set_lane(made.multipliers[row++], lane, first_multiplier(leaf.joints[k]) + r);
    }
    leaf_results_[group.members[lane]] = {Pack::lanes * made.Phi + lane, Pack::lanes * made.load + lane};
  }
  subtree_of(group.subtree).leaves.push_back(std::move(made));
}

void DcaPlan::place_large_leaf(int l, int subtree) {
  const JointTree::Leaf& leaf = s_.tree_.leaves[l];
  auto large = std::make_unique<DcaSolver::LargeLeaf>();
  const int blocks = static_cast<int>(leaf.blocks.size());
  for (int b = 0; b < blocks; ++b) {
    const int block = leaf.blocks[b];
    large->structure.dof_sizes.push_back(kkt_.structure().dof_sizes[block]);
    for (int c = 0; c < b; ++c)
      if (kkt_.C(block, leaf.blocks[c]).start >= 0) large->structure.couplings.emplace_back(c, b);
    for (int dof = kkt_.matrix.offsets()[block]; dof < kkt_.matrix.offsets()[block + 1]; ++dof)
      large->unknowns.push_back(dof);
  }
  large->structure.body_blocks = {0, blocks};
  for (int j : leaf.inside) {
    large->structure.row_sizes.push_back(s_.tree_.nodes[j].rows);
    auto& on = large->structure.constraint_blocks.emplace_back();
    for (int b = 0; b < blocks; ++b)
      if (kkt_.G(j, leaf.blocks[b]).start >= 0) on.push_back(b);
    for (int r = 0; r < s_.tree_.nodes[j].rows; ++r) large->unknowns.push_back(first_multiplier(j) + r);
  }
  const int size = static_cast<int>(large->unknowns.size());
  large->matrix = KktMatrix(large->structure);
  large->factor = make_direct(size);
  const auto copy = [&](const BlockHandle& from, const BlockHandle& to) {
    if (from.start >= 0) large->blocks.emplace_back(from, to);
  };
  for (int c = 0; c < blocks; ++c) {
    for (int r = 0; r < blocks; ++r) copy(kkt_.C(leaf.blocks[r], leaf.blocks[c]), large->matrix.C(r, c));
    for (int k = 0; k < static_cast<int>(leaf.inside.size()); ++k) {
      copy(kkt_.G(leaf.inside[k], leaf.blocks[c]), large->matrix.G(k, c));
      copy(kkt_.Gt(leaf.inside[k], leaf.blocks[c]), large->matrix.Gt(k, c));
    }
  }
  int row = 0;
  for (int j : leaf.joints) {
    for (int b = 0; b < blocks; ++b)
      if (const BlockHandle from = kkt_.G(j, leaf.blocks[b]); from.start >= 0) {
        large->G_blocks.emplace_back(from, row, leaf.offsets[b]);
        large->Gt_blocks.emplace_back(kkt_.Gt(j, leaf.blocks[b]), leaf.offsets[b], row);
      }
    for (int r = 0; r < s_.tree_.nodes[j].rows; ++r, ++row)
      large->multipliers.push_back(first_multiplier(j) + r);
  }
  large->eps.setZero(size - leaf.dofs());
  large->G.setZero(leaf.rows, size);
  large->X.setZero(size, leaf.rows);
  large->Phi.setZero(leaf.rows, leaf.rows);
  large->p.setZero(size, DcaSolver::max_columns);
  large->Phi_place = numbers_;
  large->load = vectors_;
  numbers_ += leaf.rows * leaf.rows;
  vectors_ += leaf.rows * DcaSolver::max_columns;
  leaf_results_[l] = {Pack::lanes * large->Phi_place, Pack::lanes * large->load};
  subtree_of(subtree).large.push_back(std::move(large));
}

void DcaPlan::place_nodes(const Group& group) {
  const JointTree& tree = s_.tree_;
  const JointTree::Node& first = tree.nodes[group.members[0]];
  const int size = first.size();
  DcaSolver::NodeGroup made{.count = static_cast<int>(group.members.size()),
                            .rows = first.rows,
                            .size = size,
                            .gives_way = gives_way(group.members[0]),
                            .front = numbers_,
                            .vector = vectors_,
                            .sources = {},
                            .multipliers = std::vector<Lanes>(size)};
  numbers_ += size * size + first.rows;                    // and scratch
  vectors_ += size * DcaSolver::max_columns + first.rows;  // likewise
  for (const Below& b : below_[group.members[0]])
    made.sources.push_back({.rows = *b.rows, .columns = b.columns});
  for (int lane = 0; lane < made.count; ++lane) {
    const int j = group.members[lane];
    const JointTree::Node& node = tree.nodes[j];
    for (std::size_t k = 0; k < below_[j].size(); ++k) {
      const Below& b = below_[j][k];
      const Result& from = (b.child ? node_results_ : leaf_results_)[b.number];
      set_lane(made.sources[k].matrix, lane, from.matrix);
      set_lane(made.sources[k].vector, lane, from.vector);
    }
    for (int r = 0; r < node.rows; ++r) set_lane(made.multipliers[r], lane, first_multiplier(j) + r);
    int row = node.rows;
    for (int h : node.handles)
      for (int r = 0; r < tree.nodes[h].rows; ++r)
        set_lane(made.multipliers[row++], lane, first_multiplier(h) + r);
    node_results_[j] = {Pack::lanes * (made.front + node.rows * (size + 1)) + lane,
                        Pack::lanes * (made.vector + node.rows) + lane};
  }
  for (DcaSolver::Source& source : made.sources) source.packed = lie_in_a_pack(source.matrix, made.count);
  subtree_of(group.subtree).nodes.push_back(std::move(made));
}

}  // namespace hooke
