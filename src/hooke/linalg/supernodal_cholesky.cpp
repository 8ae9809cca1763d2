#include "hooke/linalg/supernodal_cholesky.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "hooke/linalg/gpl.h"

namespace hooke {

SupernodalCholesky::SupernodalCholesky(CholeskyKind kind)
    : maker_(kind == CholeskyKind::own ? make_multifrontal() : make_cholmod()) {
  if (!maker_)
    throw std::invalid_argument("this build has no CHOLMOD; configure one with -DHOOKE_WITH_GPL=ON");
}
SupernodalCholesky::~SupernodalCholesky() = default;
SupernodalCholesky::SupernodalCholesky(SupernodalCholesky&&) noexcept = default;

bool SupernodalCholesky::factorize(const Eigen::SparseMatrix<double>& A, int block, Team* team) {
  if (pattern_.order.empty()) {
    pattern_ = maker_->analyze(A, block);
    nonzeros_ = pattern_.nonzeros();
    most_rows_ = pattern_.most_rows();
    plan_substitution();
  }
  return maker_->factorize(A, pattern_, team);
}

SupernodalCholesky SupernodalCholesky::single() const {
  SupernodalCholesky copy;
  copy.pattern_ = pattern_, copy.trunk_rows_ = trunk_rows_, copy.targets_ = targets_;
  copy.nonzeros_ = nonzeros_, copy.most_rows_ = most_rows_;
  copy.single_.assign(maker_->values(), maker_->values() + pattern_.size_of_values());
  return copy;
}

/// What branches add to rows of the trunk they add to sums of their own.
void SupernodalCholesky::plan_substitution() {
  const std::vector<Supernode>& nodes = pattern_.supernodes;
  const int n = static_cast<int>(pattern_.order.size());
  targets_ = pattern_.rows;
  std::vector<int> in_trunk(n, -1);
  for (int s : pattern_.trunk)
    for (int k = 0; k < nodes[s].columns; ++k) {
      in_trunk[nodes[s].first + k] = static_cast<int>(trunk_rows_.size());
      trunk_rows_.push_back(nodes[s].first + k);
    }
  for (std::size_t b = 0; b < pattern_.branches.size(); ++b) {
    const int apart = n + static_cast<int>(b * trunk_rows_.size());
    for (int s = pattern_.branches[b].first; s < pattern_.branches[b].last; ++s)
      for (int k = 0; k < nodes[s].rows; ++k) {
        int& target = targets_[nodes[s].row_list + k];
        if (in_trunk[target] >= 0) target = apart + in_trunk[target];
      }
  }
}

namespace {

/// Several right-hand sides side by side, those of one unknown next to each other.
template <class Scalar, int width>
using Row = Eigen::Map<Eigen::Array<Scalar, width, 1>>;

constexpr int tile = 16;  // columns of L that are worked on at once: more would not stay in reach

/// sum of L(i, j) x_j over columns, for four rows i at a time.
template <int width, class Scalar, class Take>
void multiply(const Scalar* L, int stride, int rows, int columns, Scalar* x, Take&& take) {
  using Values = Eigen::Array<Scalar, width, 1>;
  int i = 0;
  for (; i + 4 <= rows; i += 4) {
    Values a = Values::Zero(), b = a, c = a, d = a;
    for (int j = 0; j < columns; ++j) {
      const Scalar* l = L + i + static_cast<std::size_t>(j) * stride;
      const Values x_j = Row<Scalar, width>(x + j * width);
      a += l[0] * x_j, b += l[1] * x_j, c += l[2] * x_j, d += l[3] * x_j;
    }
    take(i, a), take(i + 1, b), take(i + 2, c), take(i + 3, d);
  }
  for (; i < rows; ++i) {
    Values a = Values::Zero();
    for (int j = 0; j < columns; ++j)
      a += L[i + static_cast<std::size_t>(j) * stride] * Row<Scalar, width>(x + j * width);
    take(i, a);
  }
}

/// sum of L(i, j) x_i over rows, for four columns j at a time.
template <int width, class Scalar, class Take>
void multiply_transposed(const Scalar* L, int stride, int rows, int columns, Scalar* x, Take&& take) {
  using Values = Eigen::Array<Scalar, width, 1>;
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    Values a = Values::Zero(), b = a, c = a, d = a;
    const Scalar *l0 = L + static_cast<std::size_t>(j) * stride, *l1 = l0 + stride, *l2 = l1 + stride,
                 *l3 = l2 + stride;
    for (int i = 0; i < rows; ++i) {
      const Values x_i = Row<Scalar, width>(x + i * width);
      a += l0[i] * x_i, b += l1[i] * x_i, c += l2[i] * x_i, d += l3[i] * x_i;
    }
    take(j, a), take(j + 1, b), take(j + 2, c), take(j + 3, d);
  }
  for (; j < columns; ++j) {
    Values a = Values::Zero();
    for (int i = 0; i < rows; ++i)
      a += L[i + static_cast<std::size_t>(j) * stride] * Row<Scalar, width>(x + i * width);
    take(j, a);
  }
}

/// Scratch of the thread.
template <class Scalar>
Scalar* scratch(std::size_t size) {
  thread_local std::vector<Scalar> of_thread;
  if (of_thread.size() < size) of_thread.resize(size);
  return of_thread.data();
}

template <class Scalar>
auto view(const Scalar* L, int rows, int columns, int stride) {
  return Eigen::Map<const Eigen::Matrix<Scalar, -1, -1>, 0, Eigen::OuterStride<>>(
      L, rows, columns, Eigen::OuterStride<>(stride));
}

}  // namespace

/// L = [L11; L21] of the supernode's columns: x_1 <- L11^-1 x_1, x_2 <- x_2 - L21 x_1.
template <int width, class Scalar>
void SupernodalCholesky::forward(const Supernode& s, const Scalar* L, Scalar* x) const {
  const int rest = s.rows - s.columns;
  const int* target = targets_.data() + s.row_list;
  Scalar* own = x + static_cast<std::size_t>(s.first) * width;
  if constexpr (width == 1) {
    Eigen::Map<Eigen::Matrix<Scalar, -1, 1>> x_1(own, s.columns), x_2(scratch<Scalar>(most_rows_), rest);
    view(L, s.columns, s.columns, s.rows).template triangularView<Eigen::Lower>().solveInPlace(x_1);
    x_2.noalias() = view(L + s.columns, rest, s.columns, s.rows) * x_1;
    for (int k = 0; k < rest; ++k) x[target[s.columns + k]] -= x_2[k];
  } else {
    using Values = Eigen::Array<Scalar, width, 1>;
    for (int first = 0; first < s.columns; first += tile) {
      const int end = std::min(first + tile, s.columns);
      for (int j = first; j < end; ++j) {
        const Scalar* l = L + static_cast<std::size_t>(j) * s.rows;
        const Values x_j = Row<Scalar, width>(own + j * width) / l[j];
        Row<Scalar, width>(own + j * width) = x_j;
        for (int i = j + 1; i < end; ++i) Row<Scalar, width>(own + i * width) -= l[i] * x_j;
      }
      multiply<width>(L + end + static_cast<std::size_t>(first) * s.rows, s.rows, s.rows - end, end - first,
                      own + first * width, [&](int i, const auto& sum) {
                        Row<Scalar, width>(x + static_cast<std::size_t>(target[end + i]) * width) -= sum;
                      });
    }
  }
}

/// x_1 <- L11^-T (x_1 - L21^T x_2)
template <int width, class Scalar>
void SupernodalCholesky::backward(const Supernode& s, const Scalar* L, Scalar* x) const {
  const int rest = s.rows - s.columns;
  const int* row = pattern_.rows.data() + s.row_list;
  Scalar* own = scratch<Scalar>(static_cast<std::size_t>(most_rows_) * width);
  for (int k = 0; k < s.rows; ++k)
    Row<Scalar, width>(own + k * width) = Row<Scalar, width>(x + static_cast<std::size_t>(row[k]) * width);
  if constexpr (width == 1) {
    Eigen::Map<Eigen::Matrix<Scalar, -1, 1>> x_1(own, s.columns), x_2(own + s.columns, rest);
    x_1.noalias() -= view(L + s.columns, rest, s.columns, s.rows).transpose() * x_2;
    view(L, s.columns, s.columns, s.rows)
        .transpose()
        .template triangularView<Eigen::Upper>()
        .solveInPlace(x_1);
  } else {
    using Values = Eigen::Array<Scalar, width, 1>;
    for (int end = s.columns; end > 0;) {
      const int first = (end - 1) / tile * tile;
      multiply_transposed<width>(L + end + static_cast<std::size_t>(first) * s.rows, s.rows, s.rows - end,
                                 end - first, own + end * width, [&](int j, const auto& sum) {
                                   Row<Scalar, width>(own + (first + j) * width) -= sum;
                                 });
      for (int j = end - 1; j >= first; --j) {
        const Scalar* l = L + static_cast<std::size_t>(j) * s.rows;
        Values x_j = Row<Scalar, width>(own + j * width);
        for (int i = j + 1; i < end; ++i) x_j -= l[i] * Row<Scalar, width>(own + i * width);
        Row<Scalar, width>(own + j * width) = x_j / l[j];
      }
      end = first;
    }
  }
  std::copy(own, own + static_cast<std::ptrdiff_t>(s.columns) * width,
            x + static_cast<std::size_t>(s.first) * width);
}

/// Branches, each with its own sums for what they share; then the trunk; and back.
template <int width, class Scalar>
void SupernodalCholesky::substitute(const Scalar* L, Scalar* x, Team* team) const {
  const std::size_t n = pattern_.order.size(), shared = trunk_rows_.size();
  const auto each_branch = [&](auto&& work) {
    std::atomic<std::size_t> next = 0;
    auto take = [&](int) {
      for (std::size_t b; (b = next++) < pattern_.branches.size();) work(pattern_.branches[b]);
    };
    if (team && pattern_.branches.size() > 1)
      team->run(take);
    else
      take(0);
  };
  const auto go_forward = [&](int s) {
    forward<width>(pattern_.supernodes[s], L + pattern_.supernodes[s].values, x);
  };
  const auto go_back = [&](int s) {
    backward<width>(pattern_.supernodes[s], L + pattern_.supernodes[s].values, x);
  };
  const int count = static_cast<int>(pattern_.supernodes.size());
  if (pattern_.branches.empty()) {
    for (int s = 0; s < count; ++s) go_forward(s);
    for (int s = count; s-- > 0;) go_back(s);
    return;
  }
  std::fill(x + n * width, x + (n + pattern_.branches.size() * shared) * width, Scalar(0));
  each_branch([&](const SupernodalPattern::Branch& b) {
    for (int s = b.first; s < b.last; ++s) go_forward(s);
  });
  for (std::size_t b = 0; b < pattern_.branches.size(); ++b)
    for (std::size_t k = 0; k < shared; ++k)
      Row<Scalar, width>(x + static_cast<std::size_t>(trunk_rows_[k]) * width) +=
          Row<Scalar, width>(x + (n + b * shared + k) * width);
  for (int s : pattern_.trunk) go_forward(s);
  for (auto s = pattern_.trunk.rbegin(); s != pattern_.trunk.rend(); ++s) go_back(*s);
  each_branch([&](const SupernodalPattern::Branch& b) {
    for (int s = b.last; s-- > b.first;) go_back(s);
  });
}

void SupernodalCholesky::solve(Eigen::Ref<MatrixX> x, Team* team) const {
  const std::size_t n = pattern_.order.size(), with_sums = n + pattern_.branches.size() * trunk_rows_.size();
  const auto run = [&]<class Scalar, int width>(const Scalar* L, int first,
                                                std::integral_constant<int, width>) {
    thread_local std::vector<Scalar> permuted;
    if (permuted.size() < with_sums * width) permuted.resize(with_sums * width);
    const int columns = std::min(width, static_cast<int>(x.cols()) - first);
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < width; ++c)
        permuted[i * width + c] =
            c < columns ? static_cast<Scalar>(x(pattern_.order[i], first + c)) : Scalar(0);
    substitute<width>(L, permuted.data(), team);
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c) x(pattern_.order[i], first + c) = permuted[i * width + c];
  };
  const auto run_all = [&](const auto* L) {
    for (int c = 0; c < x.cols();)
      if (const auto left = x.cols() - c; left == 1)
        run(L, c, std::integral_constant<int, 1>()), c += 1;
      else if (left <= 4)
        run(L, c, std::integral_constant<int, 4>()), c += 4;
      else
        run(L, c, std::integral_constant<int, 8>()), c += 8;
  };
  is_single() ? run_all(single_.data()) : run_all(maker_->values());
}

}  // namespace hooke
