#include "hooke/linalg/block_lanczos.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/math/dense.h"

namespace hooke {

/// Of the columns, in the metric of the mass.
static VectorX lengths(const Eigen::SparseMatrix<double>& M, const MatrixX& x) {
  return x.cwiseProduct(M * x).colwise().sum().cwiseMax(0).cwiseSqrt();
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
    const double norm = lengths(M_, x)[0];
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
  const VectorX before = lengths(M_, x);
  remove_from(x);
  for (int i = 0; i < x.cols() && size_ < x.rows(); ++i) {
    const auto added = [&](const MatrixX& of) { return of.middleCols(first, size_ - first); };
    for (int twice = 0; twice < 2; ++twice)
      x.col(i) -= added(Q_) * (added(MQ_).transpose() * x.col(i)).eval();
    const auto length = [&] { return std::sqrt(x.col(i).dot(M_ * x.col(i))); };
    if (length() < 1e-4 * before[i]) remove_from(x.col(i));  // what is left is round-off of the others, too
    const double norm = length();
    if (!(norm > 1e-10 * before[i])) continue;
    x.col(i) /= norm;
    if (project_ && !is_allowed(x.col(i))) continue;
    Q_.col(size_) = x.col(i);
    MQ_.col(size_).noalias() = M_ * Q_.col(size_);
    ++size_;
  }
  return size_ - first;
}

namespace {

class Lanczos {
 public:
  Lanczos(const Eigen::SparseMatrix<double>& M, const Replace& inverse, int count, const MatrixX& known,
          const Replace& project)
      : M_(M), inverse_(inverse), count_(count), known_(static_cast<int>(known.cols())), basis_(M, project) {
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
    x = M_ * x;
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

  /// What A^-1 M makes of vectors [first, first + count) beyond the space.
  struct Open {
    int first, count;
    MatrixX outside;
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
    const VectorX before = lengths(M_, image);
    basis_.remove_from(image);
    const VectorX after = lengths(M_, image);
    for (int i = 0; i < added; ++i)
      if (after[i] <= 1e-12 * before[i]) image.col(i).setZero();  // round-off
    open_.push_back({first, added, std::move(image)});
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
    MatrixX rest = MatrixX::Zero(M_.rows(), theta_.size());  // A^-1 M x - theta x of all x = Q s
    for (Open& open : open_) {
      basis_.remove_from(open.outside);
      rest.noalias() += open.outside * s_.middleRows(open.first, open.count);
    }
    return static_cast<int>((lengths(M_, rest).array() <= 1e-9 * theta_.array().abs()).count());
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
