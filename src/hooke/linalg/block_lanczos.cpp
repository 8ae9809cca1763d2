#include "hooke/linalg/block_lanczos.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/math/dense.h"

namespace hooke {

MatrixX symmetric_product(const Eigen::SparseMatrix<double>& M, const Eigen::Ref<const MatrixX>& x) {
  constexpr int width = 8;
  using Row = Eigen::Array<double, width, 1>;
  const Eigen::Index n = x.rows();
  thread_local std::vector<double> side_by_side;
  if (side_by_side.size() < static_cast<std::size_t>(n * width)) side_by_side.resize(n * width);
  double* const rows = side_by_side.data();
  MatrixX result(n, x.cols());
  for (Eigen::Index first = 0; first < x.cols(); first += width) {
    const Eigen::Index columns = std::min<Eigen::Index>(width, x.cols() - first);
    for (Eigen::Index i = 0; i < n; ++i)
      for (int c = 0; c < width; ++c) rows[i * width + c] = c < columns ? x(i, first + c) : 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      Row sum = Row::Zero();
      for (int k = M.outerIndexPtr()[j]; k < M.outerIndexPtr()[j + 1]; ++k)
        sum += M.valuePtr()[k] *
               Eigen::Map<const Row>(rows + static_cast<std::size_t>(M.innerIndexPtr()[k]) * width);
      for (Eigen::Index c = 0; c < columns; ++c) result(j, first + c) = sum[c];
    }
  }
  return result;
}

/// Of the columns of x, in the metric of the mass, with M x.
static VectorX lengths(const MatrixX& x, const MatrixX& Mx) {
  return x.cwiseProduct(Mx).colwise().sum().cwiseMax(0).cwiseSqrt();
}

void report(const GoOn& go_on, double part) {
  if (go_on && !go_on(part)) throw Error(ExitCode::interrupted, "the search for modes was stopped");
}

void Orthonormal::remove_from(Eigen::Ref<MatrixX> x) const {
  if (size_ == 0) return;
  for (int twice = 0; twice < 2; ++twice) x.noalias() -= vectors() * (products().transpose() * x).eval();
}

/// Of unit length, and orthogonal to all others; false when constraints leave little of it.
bool Orthonormal::is_allowed(Eigen::Ref<MatrixX> x) const {
  for (int twice = 0; twice < 2; ++twice) {
    project_(x);
    remove_from(x);
    const double norm = std::sqrt(x.col(0).dot(M_ * x.col(0)));
    if (!(norm > 0.5)) return false;
    x /= norm;
  }
  return true;
}

int Orthonormal::add(MatrixX x) {
  if (const Eigen::Index room = size_ + x.cols(); room > Q_.cols()) {
    Q_.conservativeResize(x.rows(), std::max(2 * Q_.cols(), room));
    MQ_.conservativeResize(x.rows(), Q_.cols());
  }
  const int first = size_;
  const VectorX before = lengths(x, symmetric_product(M_, x));
  remove_from(x);
  MatrixX Mx = symmetric_product(M_, x);
  for (int i = 0; i < x.cols() && size_ < x.rows(); ++i) {
    const auto added = [&](const MatrixX& of) { return of.middleCols(first, size_ - first); };
    for (int twice = 0; twice < 2; ++twice) {
      const VectorX along = added(MQ_).transpose() * x.col(i);
      x.col(i) -= added(Q_) * along;
      Mx.col(i) -= added(MQ_) * along;
    }
    const auto length = [&] { return std::sqrt(std::max(x.col(i).dot(Mx.col(i)), 0.0)); };
    if (length() < 1e-4 * before[i]) {  // what is left is round-off of the others, too
      remove_from(x.col(i));
      Mx.col(i) = M_ * x.col(i);
    }
    const double norm = length();
    if (!(norm > 1e-10 * before[i])) continue;
    x.col(i) /= norm, Mx.col(i) /= norm;
    if (project_) {
      if (!is_allowed(x.col(i))) continue;
      Mx.col(i) = M_ * x.col(i);
    }
    Q_.col(size_) = x.col(i), MQ_.col(size_) = Mx.col(i);
    ++size_;
  }
  MQ_.middleCols(first, size_ - first) = symmetric_product(M_, Q_.middleCols(first, size_ - first));
  return size_ - first;
}

namespace {

class Lanczos {
 public:
  Lanczos(const Eigen::SparseMatrix<double>& M, const Replace& inverse, int count, const MatrixX& known,
          const Replace& project)
      : M_(M), inverse_(inverse), count_(count), known_(static_cast<int>(known.cols())), basis_(M, project) {
    basis_.reserve(std::min<Eigen::Index>(M.rows(), 6 * count + 48) + known_);
    if (basis_.add(known) < known_) fail_mass();
  }

  EigenPairs operator()(const GoOn& go_on) {
    constexpr int first_block = 8, other_block = 4;
    for (VectorX before;;) {
      const bool is_new = search(random(before.size() ? other_block : first_block), go_on);
      if (size() == 0 && !is_new) fail_mass();
      const bool is_same = before.size() == theta_.size() &&
                           ((theta_ - before).array().abs() <= 1e-9 * theta_.array().abs()).all();
      if (!is_new || (is_same && theta_.size() == count_))
        return {basis_.vectors().rightCols(size()) * s_, theta_};
      before = theta_;
    }
  }

 private:
  [[noreturn]] static void fail_mass() {
    throw std::invalid_argument(
        "the mass of the mesh is not a positive number: look at its density and size");
  }
  int size() const { return basis_.size() - known_; }

  /// Motions that constraints allow.
  MatrixX random(int columns) {
    MatrixX x = MatrixX::NullaryExpr(M_.rows(), columns, [&] { return normal_(engine_); });
    x = symmetric_product(M_, x);
    inverse_(x);
    return x;
  }

  /// Until what is looked for has converged, or A^-1 M leads out of the space no more; false: x was in it already.
  bool search(MatrixX x, const GoOn& go_on) {
    constexpr int least = 3;  // blocks, in which random vectors show what was missed
    const int most = 20 * count_ + 200;
    for (int blocks = 0;; ++blocks) {
      if (!expand(std::move(x), blocks > 0)) return blocks > 0;
      const int converged = solve();
      report(go_on, static_cast<double>(converged) / count_);
      if (converged == count_ && blocks + 1 >= least) return true;
      if (size() >= most && size() < M_.rows() - known_)
        throw std::runtime_error("the modes did not converge");
      x = open_.back().outside;
    }
  }

  /// What A^-1 M makes of vectors [first, first + count) beyond the first `known` of the space, and its product with M.
  struct Open {
    int first, count, known;
    MatrixX outside, product;
  };

  bool expand(MatrixX x, bool is_image_of_last) {
    const int first = size(), added = basis_.add(std::move(x));
    if (is_image_of_last) open_.pop_back();
    if (added == 0) return false;
    MatrixX image = basis_.products().rightCols(added);
    inverse_(image);
    T_.conservativeResize(size(), size());
    T_.rightCols(added).noalias() = basis_.products().rightCols(size()).transpose() * image;
    T_.bottomRows(added) = T_.rightCols(added).transpose().eval();
    const VectorX before = lengths(image, symmetric_product(M_, image));
    basis_.remove_from(image);
    MatrixX product = symmetric_product(M_, image);
    const VectorX after = lengths(image, product);
    for (int i = 0; i < added; ++i)
      if (after[i] <= 1e-12 * before[i]) image.col(i).setZero(), product.col(i).setZero();  // round-off
    open_.push_back({first, added, basis_.size(), std::move(image), std::move(product)});
    return true;
  }

  /// Of the projected problem; how many of the pairs looked for are accurate.
  int solve() {
    const SymmetricEigen ritz = symmetric_eigen(T_);
    std::vector<int> by_size(size());
    std::iota(by_size.begin(), by_size.end(), 0);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](int a, int b) { return std::abs(ritz.values[a]) > std::abs(ritz.values[b]); });
    by_size.resize(std::min(count_, size()));
    theta_ = ritz.values(by_size);
    s_ = ritz.vectors(Eigen::all, by_size);
    for (Open& open : open_)
      if (open.known < basis_.size()) {
        basis_.remove_from(open.outside);
        open.product = symmetric_product(M_, open.outside);
        open.known = basis_.size();
      }
    VectorX squares = VectorX::Zero(theta_.size());  // of A^-1 M x - theta x, x = Q s
    for (const Open& a : open_)
      for (const Open& b : open_)
        squares += s_.middleRows(a.first, a.count)
                       .cwiseProduct((a.outside.transpose() * b.product) * s_.middleRows(b.first, b.count))
                       .colwise()
                       .sum();
    return static_cast<int>((squares.array() <= 1e-18 * theta_.array().square()).count());
  }

  const Eigen::SparseMatrix<double>& M_;
  const Replace& inverse_;
  int count_, known_;
  Orthonormal basis_;
  std::mt19937 engine_{1};
  std::normal_distribution<double> normal_;
  MatrixX T_, s_;  ///< T = Q^T M A^-1 M Q; of its eigenvectors those looked for
  VectorX theta_;
  std::vector<Open> open_;
};

}  // namespace

EigenPairs largest_of_inverse(const Eigen::SparseMatrix<double>& M, const Replace& inverse, int count,
                              const MatrixX& known, const GoOn& go_on, const Replace& project) {
  return Lanczos(M, inverse, count, known, project)(go_on);
}

}  // namespace hooke
