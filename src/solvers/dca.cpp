#include "solvers/dca.h"

#include <Eigen/LU>
#include <algorithm>

/// All matrices below are plain arrays, column by column: the innermost loops run down a column, with a
/// length known when compiling for the sizes that rigid bodies and common joints have, which is all the
/// vectoriser needs.
namespace hooke {
namespace {

/// f(std::integral_constant<int, n>) when n is one of the sizes, else with 0: "see the argument".
template <int... Sizes, class F>
void with_size(int n, F&& f) {
  if (!((n == Sizes && (f(std::integral_constant<int, Sizes>{}), true)) || ...))
    f(std::integral_constant<int, 0>{});
}

/// Y += factor A X,  A is rows x inner with the given distance between its columns.
template <int Rows>
void add_product(double factor, const double* __restrict A, int A_stride, int rows, int inner,
                 const double* __restrict X, int X_stride, int columns, double* __restrict Y, int Y_stride) {
  const int n = Rows ? Rows : rows;
  for (int c = 0; c < columns; ++c) {
    double* y = Y + c * Y_stride;
    for (int k = 0; k < inner; ++k) {
      const double x = factor * X[c * X_stride + k];
      for (int i = 0; i < n; ++i) y[i] += A[k * A_stride + i] * x;
    }
  }
}

/// Gauss-Jordan in place. No pivoting: what is inverted here is a compliance, positive definite but for small
/// terms.
template <int Size>
void invert(double* A, int stride, int size) {
  const int n = Size ? Size : size;
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / A[k * stride + k];
    A[k * stride + k] = 1;
    for (int c = 0; c < n; ++c) A[c * stride + k] *= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = A[k * stride + i];
      A[k * stride + i] = 0;
      for (int c = 0; c < n; ++c) A[c * stride + i] -= factor * A[c * stride + k];
    }
  }
}

/// Two 3 x 3 inverses: C is a mass matrix with smaller additions.
void invert_body(Eigen::Map<Mat6> C) {
  const Mat3 A = C.topLeftCorner<3, 3>().inverse(), B = C.topRightCorner<3, 3>();
  const Mat3 DA = C.bottomLeftCorner<3, 3>() * A, AB = A * B;
  const Mat3 S = (C.bottomRightCorner<3, 3>() - DA * B).inverse();
  C.bottomRightCorner<3, 3>() = S;
  C.bottomLeftCorner<3, 3>().noalias() = -S * DA;
  C.topRightCorner<3, 3>().noalias() = -AB * S;
  C.topLeftCorner<3, 3>() = A;
  C.topLeftCorner<3, 3>().noalias() -= AB * C.bottomLeftCorner<3, 3>();
}

}  // namespace

void DcaSolver::analyse(const KktMatrix& kkt) {
  tree_ = JointTree(kkt.structure());
  dofs_ = kkt.dofs();
  int size = 0, largest = 0;
  for (const JointTree::Leaf& leaf : tree_.leaves) {
    const int n = leaf.dofs();
    LeafPlace place{.inverse = size,
                    .G = size + n * n,
                    .X = size + n * n + n * leaf.rows,
                    .C = {},
                    .G_blocks = {},
                    .dofs = {},
                    .rows = {}};
    size = place.X + n * leaf.rows;
    largest = std::max({largest, max_columns * (2 * n + leaf.rows), leaf.rows * leaf.rows});
    for (int column : leaf.blocks)
      for (int row : leaf.blocks) place.C.push_back(kkt.C(row, column));
    for (int j : leaf.joints) {
      for (int b : leaf.blocks) place.G_blocks.push_back(kkt.G(j, b));
      for (int r = 0; r < tree_.nodes[j].rows; ++r) place.rows.push_back(tree_.nodes[j].first_row + r);
    }
    for (int b : leaf.blocks)
      for (int dof = kkt.matrix.offsets()[b]; dof < kkt.matrix.offsets()[b + 1]; ++dof)
        place.dofs.push_back(dof);
    places_.push_back(std::move(place));
  }
  numbers_.assign(size, 0.0);
  size = 0;
  for (std::size_t j = 0; j < tree_.nodes.size(); ++j) {
    const JointTree::Node& node = tree_.nodes[j];
    fronts_.push_back(size);
    size += node.size() * node.size();
    largest = std::max({largest, node.rows * node.size(), max_columns * node.size()});
    auto& rows = front_rows_.emplace_back();
    for (int r = 0; r < node.rows; ++r) rows.push_back(node.first_row + r);
    for (int h : node.handles)
      for (int r = 0; r < tree_.nodes[h].rows; ++r) rows.push_back(tree_.nodes[h].first_row + r);
  }
  front_numbers_.assign(size, 0.0);
  scratch_.assign(largest, 0.0);
  eps_.setZero(kkt.rows());
  loads_.setZero(kkt.rows(), max_columns);
  analysed_ = true;
}

bool DcaSolver::factorize(const KktMatrix& kkt) {
  if (!analysed_) analyse(kkt);
  eps_ = kkt.regularisation();
  for (int l = 0; l < static_cast<int>(tree_.leaves.size()); ++l) {
    read_leaf(l, kkt.matrix);
    factor_leaf(l);
  }
  bool good = true;
  for (int j : tree_.order) good = factor_node(j) && good;
  return good;
}

/// C and G of a leaf out of the matrix; C goes where its inverse will be.
void DcaSolver::read_leaf(int l, const BlockMatrix& matrix) {
  const JointTree::Leaf& leaf = tree_.leaves[l];
  const LeafPlace& place = places_[l];
  const int n = leaf.dofs(), blocks = static_cast<int>(leaf.blocks.size());
  const auto copy = [&](const BlockHandle& from, double* to, int stride) {
    for (int c = 0; c < from.cols; ++c)
      std::copy_n(matrix.values() + from.start + c * from.stride, from.rows, to + c * stride);
  };
  if (blocks > 1)
    std::fill_n(&numbers_[place.inverse], n * (n + leaf.rows), 0.0);  // where blocks share no entry
  for (int c = 0, k = 0; c < blocks; ++c)
    for (int r = 0; r < blocks; ++r, ++k)
      if (place.C[k].start >= 0)
        copy(place.C[k], &numbers_[place.inverse + n * leaf.offsets[c] + leaf.offsets[r]], n);
  int row = 0, k = 0;
  for (int j : leaf.joints) {
    for (int b = 0; b < blocks; ++b, ++k)
      if (place.G_blocks[k].start >= 0)
        copy(place.G_blocks[k], &numbers_[place.G + leaf.rows * leaf.offsets[b] + row], leaf.rows);
    row += tree_.nodes[j].rows;
  }
}

void DcaSolver::factor_leaf(int l) {
  const LeafPlace& place = places_[l];
  const int n = tree_.leaves[l].dofs(), rows = tree_.leaves[l].rows;
  double *C = &numbers_[place.inverse], *X = &numbers_[place.X];
  if (n == 6) {
    invert_body(Eigen::Map<Mat6>(C));
  } else {
    Eigen::Map<MatrixX> whole(C, n, n);
    whole = whole.inverse().eval();
  }
  std::fill_n(X, n * rows, 0.0);
  const double* G = &numbers_[place.G];
  with_size<6>(n, [&](auto N) {  // X = C^-1 G^T
    const int size = N ? N : n;
    for (int c = 0; c < rows; ++c)
      for (int k = 0; k < size; ++k)
        for (int i = 0; i < size; ++i) X[c * size + i] += C[k * size + i] * G[k * rows + c];
  });
}

/// Gathers what is joined at a joint and eliminates the joint. With Phi the sum of compliances, the front
/// becomes
///   [ (Phi_jj + eps)^-1            Phi_jh        ]
///   [ L = Phi_hj (Phi_jj + eps)^-1  Phi_hh - L Phi_jh ]
bool DcaSolver::factor_node(int j) {
  const JointTree::Node& node = tree_.nodes[j];
  const int size = node.size(), r = node.rows, u = size - r;
  double* front = &front_numbers_[fronts_[j]];
  std::fill_n(front, size * size, 0.0);
  const auto add = [&](const double* from, int stride, const std::vector<int>& rows) {
    const int n = static_cast<int>(rows.size());
    for (int c = 0; c < n; ++c)
      for (int i = 0; i < n; ++i) front[size * rows[c] + rows[i]] += from[stride * c + i];
  };
  for (std::size_t k = 0; k < node.leaves.size(); ++k) {
    const int l = node.leaves[k], n = tree_.leaves[l].dofs(), rows = tree_.leaves[l].rows;
    std::fill_n(scratch_.data(), rows * rows, 0.0);
    with_size<3, 5, 6, 8, 10>(rows, [&](auto R) {
      add_product<R>(1, &numbers_[places_[l].G], rows, rows, n, &numbers_[places_[l].X], n, rows,
                     scratch_.data(), rows);
    });
    add(scratch_.data(), rows, node.leaf_rows[k]);
  }
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    const JointTree::Node& below = tree_.nodes[node.children[k]];
    add(&front_numbers_[fronts_[node.children[k]] + below.rows * (below.size() + 1)], below.size(),
        node.child_rows[k]);
  }
  for (int k = 0; k < r; ++k) front[k * (size + 1)] += eps_[node.first_row + k];
  with_size<1, 2, 3, 5, 6>(r, [&](auto R) { invert<R>(front, size, r); });
  if (u > 0) {
    double* Phi_hj = scratch_.data();
    for (int k = 0; k < r; ++k) {
      std::copy_n(front + size * k + r, u, Phi_hj + u * k);
      std::fill_n(front + size * k + r, u, 0.0);
    }
    with_size<3, 5, 6, 10>(u, [&](auto U) {
      add_product<U>(1, Phi_hj, u, u, r, front, size, r, front + r, size);
      add_product<U>(-1, front + r, size, u, r, front + size * r, size, u, front + size * r + r, size);
    });
  }
  return std::isfinite(front[0]);
}

/// Loads at the joints from the leaves, up the tree, down the tree, and the leaves' motions:
///   (Phi + eps) dlambda = G C^-1 p - s,     dq = C^-1 p - X dlambda.
/// What a joint or leaf needs is gathered into a few consecutive numbers, so that products run down columns.
void DcaSolver::solve(Eigen::Ref<MatrixX> x) {
  for (int first = 0; first < x.cols(); first += max_columns) {
    const int columns = std::min<int>(max_columns, static_cast<int>(x.cols()) - first);
    auto b = x.middleCols(first, columns);
    loads_.leftCols(columns) = -b.bottomRows(loads_.rows());
    for (const LeafPlace& place : places_) load_joints(place, b);
    for (int j : tree_.order) go_up(j, columns);
    for (auto j = tree_.order.rbegin(); j != tree_.order.rend(); ++j) go_down(*j, columns);
    for (const LeafPlace& place : places_) move_leaf(place, b);
    b.bottomRows(loads_.rows()) = loads_.leftCols(columns);
  }
}

void DcaSolver::load_joints(const LeafPlace& place, Eigen::Ref<MatrixX> b) {
  const int n = static_cast<int>(place.dofs.size()), rows = static_cast<int>(place.rows.size()),
            columns = static_cast<int>(b.cols());
  double *p = scratch_.data(), *motion = p + n * columns, *load = motion + n * columns;
  for (int c = 0; c < columns; ++c)
    for (int i = 0; i < n; ++i) p[c * n + i] = b(place.dofs[i], c);
  std::fill_n(motion, (n + rows) * columns, 0.0);
  with_size<6>(
      n, [&](auto N) { add_product<N>(1, &numbers_[place.inverse], n, n, n, p, n, columns, motion, n); });
  with_size<3, 5, 6, 8, 10>(rows, [&](auto R) {
    add_product<R>(1, &numbers_[place.G], rows, rows, n, motion, n, columns, load, rows);
  });
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < n; ++i) b(place.dofs[i], c) = motion[c * n + i];
    for (int i = 0; i < rows; ++i) loads_(place.rows[i], c) += load[c * rows + i];
  }
}

void DcaSolver::go_up(int j, int columns) {
  const JointTree::Node& node = tree_.nodes[j];
  const int size = node.size(), r = node.rows, u = size - r, stride = static_cast<int>(loads_.rows());
  const int* handle_rows = front_rows_[j].data() + r;
  double* change = scratch_.data();
  std::fill_n(change, u * columns, 0.0);
  with_size<3, 5, 6, 10>(u, [&](auto U) {
    add_product<U>(1, &front_numbers_[fronts_[j]] + r, size, u, r, &loads_(node.first_row, 0), stride,
                   columns, change, u);
  });
  for (int c = 0; c < columns; ++c)
    for (int i = 0; i < u; ++i) loads_(handle_rows[i], c) -= change[c * u + i];
}

/// Multipliers take the place of the loads.
void DcaSolver::go_down(int j, int columns) {
  const JointTree::Node& node = tree_.nodes[j];
  const int size = node.size(), r = node.rows, u = size - r, stride = static_cast<int>(loads_.rows());
  const double* front = &front_numbers_[fronts_[j]];
  const int* handle_rows = front_rows_[j].data() + r;
  double *outside = scratch_.data(), *load = outside + u * columns, *multipliers = &loads_(node.first_row, 0);
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < u; ++i) outside[c * u + i] = loads_(handle_rows[i], c);
    std::copy_n(multipliers + c * stride, r, load + c * r);
    std::fill_n(multipliers + c * stride, r, 0.0);
  }
  with_size<1, 2, 3, 5, 6>(r, [&](auto R) {
    add_product<R>(-1, front + size * r, size, r, u, outside, u, columns, load, r);
    add_product<R>(1, front, size, r, r, load, r, columns, multipliers, stride);
  });
}

void DcaSolver::move_leaf(const LeafPlace& place, Eigen::Ref<MatrixX> b) {
  const int n = static_cast<int>(place.dofs.size()), rows = static_cast<int>(place.rows.size()),
            columns = static_cast<int>(b.cols());
  double *multipliers = scratch_.data(), *motion = multipliers + rows * columns;
  for (int c = 0; c < columns; ++c) {
    for (int k = 0; k < rows; ++k) multipliers[c * rows + k] = loads_(place.rows[k], c);
    for (int i = 0; i < n; ++i) motion[c * n + i] = b(place.dofs[i], c);
  }
  with_size<6>(n, [&](auto N) {
    add_product<N>(-1, &numbers_[place.X], n, n, rows, multipliers, rows, columns, motion, n);
  });
  for (int c = 0; c < columns; ++c)
    for (int i = 0; i < n; ++i) b(place.dofs[i], c) = motion[c * n + i];
}

}  // namespace hooke
