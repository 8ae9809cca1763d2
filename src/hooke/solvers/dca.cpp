#include "hooke/solvers/dca.h"

#include "hooke/solvers/dca_kernels.h"
#include "hooke/solvers/dca_plan.h"

namespace hooke {
namespace {

/// Number k of four arrays that start at different places of one.
Pack gather(const double* from, const std::array<int, Pack::lanes>& start, int k = 0) {
  return Pack::Register{from[start[0] + k], from[start[1] + k], from[start[2] + k], from[start[3] + k]};
}

/// Fewer leaves than this are not worth a share of their own: packs in it would not be full. (On 16 cores 128 links took no
/// less time on more than four threads, 512 on more than ten to sixteen.)
constexpr int worth_a_share = 32;

void clear(Pack* packs, int count) {
  for (int k = 0; k < count; ++k) packs[k].v = Pack::Register{};
}

void scatter(const Pack& value, const std::array<int, Pack::lanes>& start, int count, double* to) {
  if (count == Pack::lanes) {  // lanes known when compiling: straight from the register
    to[start[0]] = value[0], to[start[1]] = value[1], to[start[2]] = value[2], to[start[3]] = value[3];
    return;
  }
  for (int lane = 0; lane < count; ++lane) to[start[lane]] = value[lane];
}

/// f(k-th pack of numbers that start at `start`, one after the other in each lane): straight from memory
/// where the lanes lie in packs.
template <class F>
void with_packs(const std::vector<Pack>& numbers, const std::array<int, Pack::lanes>& start, bool packed,
                F&& f) {
  const auto* all = reinterpret_cast<const double*>(numbers.data());
  if (packed) {
    f([from = numbers.data() + start[0] / Pack::lanes](int k) { return from[k]; });
  } else {
    f([a = all + start[0], b = all + start[1], c = all + start[2], d = all + start[3]](int k) {
      return Pack(
          Pack::Register{a[Pack::lanes * k], b[Pack::lanes * k], c[Pack::lanes * k], d[Pack::lanes * k]});
    });
  }
}

}  // namespace

template <class F>
void DcaSolver::for_each_subtree(F&& f) {
  share_out(subtrees_.size() > 1 ? team_.get() : nullptr, [&](Share own) {
    const auto [first, last] = own.of_loop(static_cast<int>(subtrees_.size()));
    for (int s = first; s < last; ++s) f(subtrees_[s]);
  });
}

bool DcaSolver::factorize(const KktMatrix& given) {
  if (!analysed_ && !given.structure().springs.empty()) {
    springs_ = std::make_unique<CompliantRows>(given);
    with_springs_.setZero(springs_->matrix().matrix.size(), max_columns);
  }
  const KktMatrix& kkt = springs_ ? springs_->matrix() : given;
  if (!analysed_) {
    tree_ = JointTree(kkt.structure());
    const int leaves = static_cast<int>(tree_.leaves.size());
    if (leaves < worth_sharing) team_ = nullptr;
    DcaPlan(*this, kkt, static_cast<int>(given.structure().row_sizes.size()),
            team_ ? std::min(team_->most(), leaves / worth_a_share) : 1);
    dofs_ = kkt.dofs();
    analysed_ = true;
  }
  if (springs_) springs_->update(given, team_.get());
  eps_ = kkt.regularisation().data();
  for_each_subtree([&](Subtree& subtree) {
    subtree.good = true;
    for (const LeafGroup& leaf : subtree.leaves) factor_leaf(leaf, kkt.matrix.values());
    for (auto& leaf : subtree.large) subtree.good = factor_large(*leaf, kkt.matrix) && subtree.good;
    subtree.good = factor_nodes(subtree.nodes) && subtree.good;
  });
  bool good = factor_nodes(top_.nodes);
  for (const Subtree& subtree : subtrees_) good = good && subtree.good;
  return good;
}

void DcaSolver::factor_leaf(const LeafGroup& leaf, const double* values) {
  Pack *C = &numbers_[leaf.inverse], *G = &numbers_[leaf.G];
  const auto read = [&](const Blocks& from, Pack* to, int to_stride) {
    Lanes column = from.start;
    for (int c = 0; c < 6; ++c) {
      for (int r = 0; r < from.rows; ++r) to[c * to_stride + r] = gather(values, column, r);
      for (int lane = 0; lane < Pack::lanes; ++lane) column[lane] += from.stride[lane];
    }
  };
  read(leaf.C, C, 6);
  int row = 0;
  for (const Blocks& joint : leaf.joints) {
    read(joint, G + row, leaf.rows);
    row += joint.rows;
  }
  row = 0;
  for (const Blocks& column : leaf.columns) {
    Lanes start = column.start;
    for (int r = 0; r < column.rows; ++r, ++row) {
      for (int k = 0; k < 6; ++k) numbers_[leaf.Gt + k * leaf.rows + row] = gather(values, start, k);
      for (int lane = 0; lane < Pack::lanes; ++lane) start[lane] += column.stride[lane];
    }
  }
  dca::invert_body(Eigen::Map<dca::Mat6P>(C));
  dca::with_leaf_size(leaf.rows, [&](auto rows) {
    dca::leaf_compliance<rows>(C, G, &numbers_[leaf.Gt], leaf.rows, &numbers_[leaf.X], &numbers_[leaf.Phi]);
  });
}

bool DcaSolver::factor_large(LargeLeaf& leaf, const BlockMatrix& matrix) {
  for (const auto& [from, to] : leaf.blocks) leaf.matrix.matrix.block(to) = matrix.block(from);
  for (Eigen::Index k = 0; k < leaf.eps.size(); ++k)
    leaf.eps[k] = eps_[leaf.unknowns[leaf.matrix.dofs() + k] - dofs_];
  leaf.matrix.set_regularisation(leaf.eps);
  for (const auto& [from, row, dof] : leaf.G_blocks)
    leaf.G.block(row, dof, from.rows, from.cols) = matrix.block(from);
  if (!leaf.factor->factorize(leaf.matrix)) return false;
  leaf.X.setZero();
  for (const auto& [from, dof, row] : leaf.Gt_blocks)
    leaf.X.block(dof, row, from.rows, from.cols) = matrix.block(from);
  leaf.factor->solve(leaf.X);
  leaf.Phi.noalias() = leaf.G * leaf.X;
  for (Eigen::Index k = 0; k < leaf.Phi.size(); ++k) numbers_[leaf.Phi_place + k] = leaf.Phi.data()[k];
  return true;
}

/// Gathers what is joined at each joint and eliminates the joint.
bool DcaSolver::factor_nodes(const std::vector<NodeGroup>& nodes) {
  double check = 0;
  for (const NodeGroup& node : nodes) {
    const int size = node.size;
    Pack* front = &numbers_[node.front];
    clear(front, size * size);
    for (const Source& source : node.sources) {
      const int n = static_cast<int>(source.rows.size()), stride = source.columns;
      const int* rows = source.rows.data();
      with_packs(numbers_, source.matrix, source.packed, [&](auto from) {
        for (int c = 0; c < n; ++c)
          for (int i = 0; i < n; ++i) front[size * rows[c] + rows[i]] += from(stride * c + i);
      });
    }
    for (int k = 0; k < node.rows; ++k) front[k * (size + 1)] += gather(eps_ - dofs_, node.multipliers[k]);
    if (node.gives_way) {
      dca::invert_with_pivots<6>(front, size, node.count);
      dca::eliminate<6>(front, node.rows, size);
    } else {
      dca::with_joint_size(node.rows, [&](auto rows) {
        dca::invert<rows>(front, size, node.rows);
        dca::eliminate<rows>(front, node.rows, size);
      });
    }
    // Lanes that are not in use may hold anything: what they read beside others is no joint of their own.
    for (int lane = 0; lane < node.count; ++lane) check += front[0][lane] * 0;
  }
  return check == 0;
}

/// Loads at the joints from the leaves, up the tree, down the tree, and the leaves' motions:
///   (Phi + eps) dlambda = G C^-1 p - s,     dq = C^-1 p - X dlambda.
void DcaSolver::solve(Eigen::Ref<MatrixX> x) {
  for (int first = 0; first < x.cols(); first += max_columns) {
    auto b = x.middleCols(first, std::min<Eigen::Index>(max_columns, x.cols() - first));
    if (!springs_) {
      solve_columns(b);
      continue;
    }
    auto extended = with_springs_.leftCols(b.cols());
    extended.topRows(b.rows()) = b;
    extended.bottomRows(extended.rows() - b.rows()).setZero();
    solve_columns(extended);
    b = extended.topRows(b.rows());
  }
}

void DcaSolver::solve_columns(Eigen::Ref<MatrixX> b) {
  for_each_subtree([&](Subtree& subtree) {
    load(subtree, b);
    go_up(subtree.nodes, b);
  });
  go_up(top_.nodes, b);
  go_down(top_.nodes, b);
  for_each_subtree([&](Subtree& subtree) {
    go_down(subtree.nodes, b);
    move(subtree, b);
  });
}

void DcaSolver::load(Subtree& subtree, Eigen::Ref<MatrixX> b) {
  for (const LeafGroup& leaf : subtree.leaves)
    dca::with_leaf_size(leaf.rows, [&](auto rows) {
      for (int c = 0; c < b.cols(); ++c) {
        Pack* p = &vectors_[leaf.motion + 6 * c];
        for (int i = 0; i < 6; ++i) p[i] = gather(b.col(c).data(), leaf.first_dof, i);
        dca::leaf_load<rows>(&numbers_[leaf.inverse], &numbers_[leaf.G], leaf.rows, p,
                             &vectors_[leaf.load + leaf.rows * c]);
      }
    });
  for (auto& leaf : subtree.large) {
    auto p = leaf->p.leftCols(b.cols());
    for (std::size_t i = 0; i < leaf->unknowns.size(); ++i) p.row(i) = b.row(leaf->unknowns[i]);
    leaf->factor->solve(p);
    const int rows = static_cast<int>(leaf->G.rows());
    for (int c = 0; c < b.cols(); ++c)
      for (int r = 0; r < rows; ++r) vectors_[leaf->load + rows * c + r] = leaf->G.row(r).dot(p.col(c));
  }
}

void DcaSolver::go_up(const std::vector<NodeGroup>& nodes, Eigen::Ref<MatrixX> b) {
  for (const NodeGroup& node : nodes)
    for (int c = 0; c < b.cols(); ++c) {
      Pack* f = &vectors_[node.vector + node.size * c];
      for (int k = 0; k < node.rows; ++k) f[k] = -gather(b.col(c).data(), node.multipliers[k]);
      clear(f + node.rows, node.size - node.rows);
      for (const Source& source : node.sources)
        with_packs(vectors_, source.vector, source.packed, [&](auto from) {
          const int n = static_cast<int>(source.rows.size()), start = source.columns * c;
          const int* rows = source.rows.data();
          for (int i = 0; i < n; ++i) f[rows[i]] += from(start + i);
        });
      dca::with_joint_size(
          node.rows, [&](auto rows) { dca::pass_up<rows>(&numbers_[node.front], node.rows, node.size, f); });
    }
}

/// Multipliers take the place of the right-hand side.
void DcaSolver::go_down(const std::vector<NodeGroup>& nodes, Eigen::Ref<MatrixX> b) {
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
    for (int c = 0; c < b.cols(); ++c) {
      Pack* f = &vectors_[node->vector + node->size * c];
      double* multipliers = b.col(c).data();
      for (int i = node->rows; i < node->size; ++i) f[i] = gather(multipliers, node->multipliers[i]);
      dca::with_joint_size(node->rows, [&](auto rows) {
        dca::pass_down<rows>(&numbers_[node->front], node->rows, node->size, f,
                             &vectors_[node->vector + max_columns * node->size]);
      });
      for (int k = 0; k < node->rows; ++k) scatter(f[k], node->multipliers[k], node->count, multipliers);
    }
}

void DcaSolver::move(Subtree& subtree, Eigen::Ref<MatrixX> b) {
  for (const LeafGroup& leaf : subtree.leaves)
    for (int c = 0; c < b.cols(); ++c) {
      Pack motion[6];
      std::copy_n(&vectors_[leaf.motion + 6 * c], 6, motion);
      const Pack* X = &numbers_[leaf.X];
      double* to = b.col(c).data();
      for (int r = 0; r < leaf.rows; ++r) {
        const Pack multiplier = gather(to, leaf.multipliers[r]);
        for (int i = 0; i < 6; ++i) motion[i] -= X[6 * r + i] * multiplier;
      }
      for (int i = 0; i < 6; ++i) scatter(motion[i], leaf.first_dof, leaf.count, to + i);
    }
  for (auto& leaf : subtree.large)
    for (int c = 0; c < b.cols(); ++c) {
      auto p = leaf->p.col(c);
      for (std::size_t r = 0; r < leaf->multipliers.size(); ++r)
        p -= leaf->X.col(r) * b(leaf->multipliers[r], c);
      for (std::size_t i = 0; i < leaf->unknowns.size(); ++i) b(leaf->unknowns[i], c) = p[i];
    }
}

}  // namespace hooke
