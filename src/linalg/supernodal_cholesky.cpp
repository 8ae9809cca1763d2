#include "linalg/supernodal_cholesky.h"

#include <suitesparse/cholmod.h>

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
    cholmod_metis(&of_blocks, nullptr, 0, true, order.data(), &common);
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
  }
  twofold_.assign(static_cast<double*>(L->x), static_cast<double*>(L->x) + L->xsize);
  return true;
}

void SupernodalCholesky::finish() { cholmod_.reset(); }

SupernodalCholesky SupernodalCholesky::single() const {
  SupernodalCholesky copy;
  copy.order_ = order_, copy.rows_ = rows_, copy.supernodes_ = supernodes_;
  copy.nonzeros_ = nonzeros_, copy.most_rows_ = most_rows_;
  copy.single_.assign(twofold_.begin(), twofold_.end());
  return copy;
}

/// Forward and backward, supernode by supernode: L = [L11; L21] of its columns.
template <class Scalar>
void SupernodalCholesky::substitute(const std::vector<Scalar>& L,
                                    Eigen::Ref<Eigen::Matrix<Scalar, -1, -1>> x) const {
  using Matrix = Eigen::Matrix<Scalar, -1, -1>;
  thread_local Matrix below;
  if (below.rows() < most_rows_ || below.cols() < x.cols()) below.resize(most_rows_, x.cols());
  const auto part = [&](const Supernode& s, int row, int rows) {
    return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(L.data() + s.values + row, rows, s.columns,
                                                             Eigen::OuterStride<>(s.rows));
  };
  const auto columns = x.cols();
  for (const Supernode& s : supernodes_) {
    const int rest = s.rows - s.columns;
    const int* row = rows_.data() + s.row_list + s.columns;
    auto own = x.middleRows(s.first, s.columns);
    auto t = below.block(0, 0, rest, columns);
    for (int c = 0; c < columns; ++c) {
      part(s, 0, s.columns).template triangularView<Eigen::Lower>().solveInPlace(own.col(c));
      t.col(c).noalias() = part(s, s.columns, rest) * own.col(c);
      for (int k = 0; k < rest; ++k) x(row[k], c) -= t(k, c);
    }
  }
  for (auto at = supernodes_.rbegin(); at != supernodes_.rend(); ++at) {
    const Supernode& s = *at;
    const int rest = s.rows - s.columns;
    const int* row = rows_.data() + s.row_list + s.columns;
    auto own = x.middleRows(s.first, s.columns);
    auto t = below.block(0, 0, rest, columns);
    for (int c = 0; c < columns; ++c) {
      for (int k = 0; k < rest; ++k) t(k, c) = x(row[k], c);
      own.col(c).noalias() -= part(s, s.columns, rest).transpose() * t.col(c);
      part(s, 0, s.columns).transpose().template triangularView<Eigen::Upper>().solveInPlace(own.col(c));
    }
  }
}

void SupernodalCholesky::solve(Eigen::Ref<MatrixX> x) const {
  const auto run = [&]<class Scalar>(const std::vector<Scalar>& L) {
    thread_local Eigen::Matrix<Scalar, -1, -1> permuted;
    permuted.resize(x.rows(), x.cols());
    for (int c = 0; c < x.cols(); ++c)
      for (int i = 0; i < x.rows(); ++i) permuted(i, c) = static_cast<Scalar>(x(order_[i], c));
    substitute<Scalar>(L, permuted);
    for (int c = 0; c < x.cols(); ++c)
      for (int i = 0; i < x.rows(); ++i) x(order_[i], c) = permuted(i, c);
  };
  is_single() ? run(single_) : run(twofold_);
}

}  // namespace hooke
