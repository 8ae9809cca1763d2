#include "solvers/dca.h"

#include <Eigen/LU>

namespace hooke {
namespace {

/// The sizes that rigid bodies and common joints have are compiled, all others go through Eigen::Dynamic.
template <int... Sizes, class F>
void with_size(int n, F&& f) {
  if (!((n == Sizes && (f(std::integral_constant<int, Sizes>{}), true)) || ...)) f(std::integral_constant<int, Eigen::Dynamic>{});
}

/// C is a mass matrix with smaller additions, so two 3 x 3 inverses do and no pivoting is needed.
void invert6(const Mat6& C, Eigen::Map<Mat6> inverse) {
  const Mat3 A = C.topLeftCorner<3, 3>().inverse();
  const Mat3 BA = C.bottomLeftCorner<3, 3>() * A, AB = A * C.topRightCorner<3, 3>();
  const Mat3 S = (C.bottomRightCorner<3, 3>() - BA * C.topRightCorner<3, 3>()).inverse();
  inverse.bottomRightCorner<3, 3>() = S;
  inverse.bottomLeftCorner<3, 3>().noalias() = -S * BA;
  inverse.topRightCorner<3, 3>().noalias() = -AB * S;
  inverse.topLeftCorner<3, 3>() = A;
  inverse.topLeftCorner<3, 3>().noalias() -= AB * inverse.bottomLeftCorner<3, 3>();
}

}  // namespace

void DcaSolver::analyse(const KktMatrix& kkt) {
  tree_ = JointTree(kkt.structure());
  dofs_ = kkt.dofs();
  int size = 0, largest = 0;
  for (const JointTree::Leaf& leaf : tree_.leaves) {
    const int n = leaf.dofs();
    LeafPlace place{.inverse = size, .G = size + n * n, .X = size + n * n + n * leaf.rows};
    size = place.X + n * leaf.rows;
    largest = std::max(largest, std::max(n * n, leaf.rows * leaf.rows));
    for (int column : leaf.blocks)
      for (int row : leaf.blocks) place.C.push_back(kkt.C(row, column));
    for (int j : leaf.joints) {
      for (int b : leaf.blocks) place.Gt.push_back(kkt.Gt(j, b));
      for (int r = 0; r < tree_.nodes[j].rows; ++r) place.rows.push_back(tree_.nodes[j].first_row + r);
    }
    for (int b : leaf.blocks)
      for (int dof = kkt.matrix.offsets()[b]; dof < kkt.matrix.offsets()[b + 1]; ++dof) place.dofs.push_back(dof);
    places_.push_back(std::move(place));
  }
  numbers_.assign(size, 0.0);
  scratch_.assign(largest, 0.0);
  size = 0;
  for (std::size_t j = 0; j < tree_.nodes.size(); ++j) {
    const JointTree::Node& node = tree_.nodes[j];
    fronts_.push_back(size);
    size += node.size() * node.size();
    auto& rows = front_rows_.emplace_back();
    for (int r = 0; r < node.rows; ++r) rows.push_back(node.first_row + r);
    for (int h : node.handles)
      for (int r = 0; r < tree_.nodes[h].rows; ++r) rows.push_back(tree_.nodes[h].first_row + r);
  }
  front_numbers_.assign(size, 0.0);
  eps_.setZero(kkt.rows());
  loads_.setZero(kkt.rows());
  multipliers_.setZero(kkt.rows());
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

/// C and G^T of a leaf out of the matrix; C goes where its inverse will be.
void DcaSolver::read_leaf(int l, const BlockMatrix& matrix) {
  const JointTree::Leaf& leaf = tree_.leaves[l];
  const LeafPlace& place = places_[l];
  const int n = leaf.dofs(), blocks = static_cast<int>(leaf.blocks.size());
  const auto copy = [&](const BlockHandle& from, double* to) {  // to: n numbers from one column to the next
    for (int c = 0; c < from.cols; ++c) std::copy_n(matrix.values() + from.start + c * from.stride, from.rows, to + c * n);
  };
  if (blocks > 1) std::fill_n(&numbers_[place.inverse], n * (n + leaf.rows), 0.0);  // where blocks share no entry
  for (int c = 0, k = 0; c < blocks; ++c)
    for (int r = 0; r < blocks; ++r, ++k)
      if (place.C[k].start >= 0) copy(place.C[k], &numbers_[place.inverse + n * leaf.offsets[c] + leaf.offsets[r]]);
  int column = 0, k = 0;
  for (int j : leaf.joints) {
    for (int b = 0; b < blocks; ++b, ++k)
      if (place.Gt[k].start >= 0) copy(place.Gt[k], &numbers_[place.G + n * column + leaf.offsets[b]]);
    column += tree_.nodes[j].rows;
  }
}

void DcaSolver::factor_leaf(int l) {
  const LeafPlace& place = places_[l];
  const int n = tree_.leaves[l].dofs();
  with_size<6>(n, [&](auto N) {
    Eigen::Map<Eigen::Matrix<double, N, N>> C(&numbers_[place.inverse], n, n);
    if constexpr (N == 6) invert6(Mat6(C), C);
    else C = C.inverse().eval();
    with_size<3, 5, 6, 8, 10>(tree_.leaves[l].rows, [&](auto R) {
      using Rows = Eigen::Map<Eigen::Matrix<double, N, R>>;
      const Rows G(&numbers_[place.G], n, tree_.leaves[l].rows);
      Rows(&numbers_[place.X], n, tree_.leaves[l].rows).noalias() = C * G;
    });
  });
}

/// Gathers what is joined at a joint and eliminates the joint. With Phi the sum of compliances, the front becomes
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
    with_size<6>(n, [&](auto N) {
      with_size<3, 5, 6, 8, 10>(rows, [&](auto R) {
        using Rows = Eigen::Map<const Eigen::Matrix<double, N, R>>;
        Eigen::Map<Eigen::Matrix<double, R, R>>(scratch_.data(), rows, rows).noalias() =
            Rows(&numbers_[places_[l].G], n, rows).transpose() * Rows(&numbers_[places_[l].X], n, rows);
      });
    });
    add(scratch_.data(), rows, node.leaf_rows[k]);
  }
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    const JointTree::Node& below = tree_.nodes[node.children[k]];
    add(&front_numbers_[fronts_[node.children[k]] + below.rows * (below.size() + 1)], below.size(), node.child_rows[k]);
  }

  bool good = true;
  with_size<1, 2, 3, 5, 6>(r, [&](auto R) {
    using Outer = Eigen::OuterStride<>;
    Eigen::Map<Eigen::Matrix<double, R, R>, 0, Outer> own(front, r, r, Outer(size));
    Eigen::Matrix<double, R, R> inverse = own;
    inverse.diagonal() += eps_.segment(node.first_row, r);
    inverse = inverse.inverse().eval();
    own = inverse;
    good = inverse.allFinite();
    with_size<3, 5, 6, 10>(u, [&](auto U) {
      if (u == 0) return;
      Eigen::Map<Eigen::Matrix<double, U, R>, 0, Outer> L(front + r, u, r, Outer(size));
      const Eigen::Map<Eigen::Matrix<double, R, U>, 0, Outer> right(front + size * r, r, u, Outer(size));
      Eigen::Map<Eigen::Matrix<double, U, U>, 0, Outer> rest(front + size * r + r, u, u, Outer(size));
      const Eigen::Matrix<double, U, R> Phi_hj = L;
      L.noalias() = Phi_hj * inverse;
      rest.noalias() -= L * right;
    });
  });
  return good;
}

/// Loads at the joints from the leaves, up the tree, down the tree, and the leaves' motions:
///   (Phi + eps) dlambda = G C^-1 p - s,     dq = C^-1 p - X dlambda.
void DcaSolver::solve(Eigen::Ref<MatrixX> x) {
  for (int column = 0; column < x.cols(); ++column) {
    double* b = x.col(column).data();
    loads_ = -x.col(column).tail(loads_.size());
    for (std::size_t l = 0; l < places_.size(); ++l) {
      const LeafPlace& place = places_[l];
      const int n = static_cast<int>(place.dofs.size()), rows = static_cast<int>(place.rows.size());
      with_size<6>(n, [&](auto N) {
        Eigen::Matrix<double, N, 1> p(n);
        for (int i = 0; i < n; ++i) p[i] = b[place.dofs[i]];
        const Eigen::Matrix<double, N, 1> motion = Eigen::Map<Eigen::Matrix<double, N, N>>(&numbers_[place.inverse], n, n) * p;
        for (int i = 0; i < n; ++i) b[place.dofs[i]] = motion[i];
        const Eigen::Map<Eigen::Matrix<double, N, Eigen::Dynamic>> G(&numbers_[place.G], n, rows);
        for (int i = 0; i < rows; ++i) loads_[place.rows[i]] += G.col(i).dot(motion);
      });
    }
    for (int j : tree_.order) {
      const JointTree::Node& node = tree_.nodes[j];
      const int size = node.size(), r = node.rows;
      const double* L = &front_numbers_[fronts_[j]];
      const std::vector<int>& rows = front_rows_[j];
      for (int k = 0; k < r; ++k)
        for (int i = r; i < size; ++i) loads_[rows[i]] -= L[size * k + i] * loads_[rows[k]];
    }
    for (auto j = tree_.order.rbegin(); j != tree_.order.rend(); ++j) {
      const JointTree::Node& node = tree_.nodes[*j];
      const int size = node.size(), r = node.rows;
      const double* front = &front_numbers_[fronts_[*j]];
      const std::vector<int>& rows = front_rows_[*j];
      for (int i = r; i < size; ++i)
        for (int k = 0; k < r; ++k) loads_[rows[k]] -= front[size * i + k] * multipliers_[rows[i]];
      for (int k = 0; k < r; ++k) {
        double sum = 0;
        for (int i = 0; i < r; ++i) sum += front[size * i + k] * loads_[rows[i]];
        multipliers_[rows[k]] = sum;
      }
    }
    for (std::size_t l = 0; l < places_.size(); ++l) {
      const LeafPlace& place = places_[l];
      const int n = static_cast<int>(place.dofs.size());
      const double* X = &numbers_[place.X];
      for (std::size_t k = 0; k < place.rows.size(); ++k)
        for (int i = 0; i < n; ++i) b[place.dofs[i]] -= X[n * k + i] * multipliers_[place.rows[k]];
    }
    x.col(column).tail(multipliers_.size()) = multipliers_;
  }
}

}  // namespace hooke
