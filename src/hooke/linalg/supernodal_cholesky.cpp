#include "hooke/linalg/supernodal_cholesky.h"

#include <suitesparse/cholmod.h>

#include <algorithm>
#include <atomic>

#include "hooke/linalg/metis_lock.h"

extern "C" void openblas_set_num_threads(int);

namespace hooke {
namespace {

/// SuiteSparse's interface is not const-correct; nothing is written. `stype` -1: the lower triangle of a
/// symmetric one.
cholmod_sparse view(const Eigen::SparseMatrix<double>& A) {
  cholmod_sparse s{};
  s.nrow = s.ncol = static_cast<std::size_t>(A.rows());
  s.nzmax = static_cast<std::size_t>(A.nonZeros());
  s.p = const_cast<int*>(A.outerIndexPtr());
  s.i = const_cast<int*>(A.innerIndexPtr());
  s.x = const_cast<double*>(A.valuePtr());
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_REAL;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = s.packed = 1;
  return s;
}

/// The graph of the blocks.
Eigen::SparseMatrix<double> blocks_of(const Eigen::SparseMatrix<double>& A, int block) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < A.cols(); column += block)
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, column); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()) / block, column / block, 1.0);
  Eigen::SparseMatrix<double> graph(A.rows() / block, A.cols() / block);
  graph.setFromTriplets(entries.begin(), entries.end());
  return graph;
}

}  // namespace

struct SupernodalCholesky::Cholmod {
  cholmod_common common;
  cholmod_factor* factor = nullptr;

  Cholmod() {
    openblas_set_num_threads(1);  // threads are Hooke's own decision
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.print = 0;
  }
  ~Cholmod() {
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }

  void analyze(const Eigen::SparseMatrix<double>& A, int block) {
    const Eigen::SparseMatrix<double> graph = blocks_of(A, block);
    cholmod_sparse whole = view(A), of_blocks = view(graph);
    std::vector<int> order(graph.rows()), expanded;
    {
      const std::lock_guard held(metis_lock());
      cholmod_metis(&of_blocks, nullptr, 0, true, order.data(), &common);
    }
    for (int b : order)
      for (int k = 0; k < block; ++k) expanded.push_back(block * b + k);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    factor = cholmod_analyze_p(&whole, expanded.data(), nullptr, 0, &common);
  }
};

SupernodalCholesky::SupernodalCholesky() = default;
SupernodalCholesky::~SupernodalCholesky() = default;
SupernodalCholesky::SupernodalCholesky(SupernodalCholesky&&) noexcept = default;

bool SupernodalCholesky::factorize(const Eigen::SparseMatrix<double>& A, int block) {
  if (!cholmod_) {
    cholmod_ = std::make_unique<Cholmod>();
    cholmod_->analyze(A, block);
  }
  cholmod_sparse matrix = view(A);
  cholmod_factor*& L = cholmod_->factor;
  if (!L || !cholmod_factorize(&matrix, L, &cholmod_->common) || L->minor < L->n) return false;

  const auto* first = static_cast<int*>(L->super);
  const auto* row_list = static_cast<int*>(L->pi);
  const auto* values = static_cast<int*>(L->px);
  if (supernodes_.empty()) {
    order_.assign(static_cast<int*>(L->Perm), static_cast<int*>(L->Perm) + L->n);
    rows_.assign(static_cast<int*>(L->s), static_cast<int*>(L->s) + L->ssize);
    for (std::size_t s = 0; s < L->nsuper; ++s) {
      const int columns = first[s + 1] - first[s], rows = row_list[s + 1] - row_list[s];
      supernodes_.push_back({first[s], columns, rows, static_cast<std::size_t>(row_list[s]),
                             static_cast<std::size_t>(values[s])});
      nonzeros_ += static_cast<std::size_t>(columns) * (2 * rows - columns + 1) / 2;
      most_rows_ = std::max(most_rows_, rows);
    }
    find_branches();
  }
  return true;
}

SupernodalCholesky SupernodalCholesky::single() const {
  SupernodalCholesky copy;
  copy.order_ = order_, copy.rows_ = rows_, copy.supernodes_ = supernodes_;
  copy.branches_ = branches_, copy.trunk_ = trunk_, copy.trunk_rows_ = trunk_rows_, copy.targets_ = targets_;
  copy.nonzeros_ = nonzeros_, copy.most_rows_ = most_rows_;
  const auto* values = static_cast<double*>(cholmod_->factor->x);
  copy.single_.assign(values, values + cholmod_->factor->xsize);
  return copy;
}

/// The heaviest branch is split, its root becoming part of the trunk, until none has more than a quarter of
/// all entries. Supernodes are in postorder, so a branch is a run of them.
void SupernodalCholesky::find_branches() {
  constexpr std::size_t worth_sharing_entries = 300000;  // about 0.1 ms
  const int count = static_cast<int>(supernodes_.size()), n = static_cast<int>(order_.size());
  targets_ = rows_;
  if (nonzeros_ < worth_sharing_entries) return;
  std::vector<int> of_unknown(n), parent(count, -1), first(count);
  for (int s = 0; s < count; ++s)
    for (int k = 0; k < supernodes_[s].columns; ++k) of_unknown[supernodes_[s].first + k] = s, first[s] = s;
  std::vector<std::size_t> weight(count, 0);
  std::vector<std::vector<int>> children(count);
  for (int s = 0; s < count; ++s) {
    const Supernode& node = supernodes_[s];
    weight[s] += static_cast<std::size_t>(node.columns) * node.rows;
    if (node.rows == node.columns) continue;
    parent[s] = of_unknown[rows_[node.row_list + node.columns]];
    weight[parent[s]] += weight[s];
    first[parent[s]] = std::min(first[parent[s]], first[s]);
    children[parent[s]].push_back(s);
  }
  std::size_t all = 0;
  std::vector<int> roots;
  for (int s = 0; s < count; ++s)
    if (parent[s] < 0) roots.push_back(s), all += weight[s];
  const auto lighter = [&](int a, int b) { return weight[a] < weight[b]; };
  for (;;) {
    const auto heaviest = std::max_element(roots.begin(), roots.end(), lighter);
    if (roots.empty() || weight[*heaviest] <= all / 4) break;
    const int split = *heaviest;
    roots.erase(heaviest);
    trunk_.push_back(split);
    roots.insert(roots.end(), children[split].begin(), children[split].end());
  }
  std::sort(trunk_.begin(), trunk_.end());
  std::sort(roots.begin(), roots.end(), [&](int a, int b) { return weight[a] > weight[b]; });
  std::vector<int> in_trunk(n, -1);
  for (int s : trunk_)
    for (int k = 0; k < supernodes_[s].columns; ++k) {
      in_trunk[supernodes_[s].first + k] = static_cast<int>(trunk_rows_.size());
      trunk_rows_.push_back(supernodes_[s].first + k);
    }
  for (int root : roots) {
    const int apart = n + static_cast<int>(branches_.size() * trunk_rows_.size());
    branches_.push_back({first[root], root + 1, weight[root]});
    for (int s = first[root]; s <= root; ++s)
      for (int k = 0; k < supernodes_[s].rows; ++k) {
        int& target = targets_[supernodes_[s].row_list + k];
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
  const int* row = rows_.data() + s.row_list;
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
  const std::size_t n = order_.size(), shared = trunk_rows_.size();
  const auto each_branch = [&](auto&& work) {
    std::atomic<std::size_t> next = 0;
    auto take = [&](int) {
      for (std::size_t b; (b = next++) < branches_.size();) work(branches_[b]);
    };
    if (team && branches_.size() > 1)
      team->run(take);
    else
      take(0);
  };
  const auto go_forward = [&](int s) { forward<width>(supernodes_[s], L + supernodes_[s].values, x); };
  const auto go_back = [&](int s) { backward<width>(supernodes_[s], L + supernodes_[s].values, x); };
  const int count = static_cast<int>(supernodes_.size());
  if (branches_.empty()) {
    for (int s = 0; s < count; ++s) go_forward(s);
    for (int s = count; s-- > 0;) go_back(s);
    return;
  }
  std::fill(x + n * width, x + (n + branches_.size() * shared) * width, Scalar(0));
  each_branch([&](const Branch& b) {
    for (int s = b.first; s < b.last; ++s) go_forward(s);
  });
  for (std::size_t b = 0; b < branches_.size(); ++b)
    for (std::size_t k = 0; k < shared; ++k)
      Row<Scalar, width>(x + static_cast<std::size_t>(trunk_rows_[k]) * width) +=
          Row<Scalar, width>(x + (n + b * shared + k) * width);
  for (int s : trunk_) go_forward(s);
  for (auto s = trunk_.rbegin(); s != trunk_.rend(); ++s) go_back(*s);
  each_branch([&](const Branch& b) {
    for (int s = b.last; s-- > b.first;) go_back(s);
  });
}

void SupernodalCholesky::solve(Eigen::Ref<MatrixX> x, Team* team) const {
  const std::size_t n = order_.size(), with_sums = n + branches_.size() * trunk_rows_.size();
  const auto run = [&]<class Scalar, int width>(const Scalar* L, int first,
                                                std::integral_constant<int, width>) {
    thread_local std::vector<Scalar> permuted;
    if (permuted.size() < with_sums * width) permuted.resize(with_sums * width);
    const int columns = std::min(width, static_cast<int>(x.cols()) - first);
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < width; ++c)
        permuted[i * width + c] = c < columns ? static_cast<Scalar>(x(order_[i], first + c)) : Scalar(0);
    substitute<width>(L, permuted.data(), team);
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c) x(order_[i], first + c) = permuted[i * width + c];
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
  is_single() ? run_all(single_.data()) : run_all(static_cast<const double*>(cholmod_->factor->x));
}

}  // namespace hooke
