#include "hooke/linalg/sparse_lu.h"

#include <Eigen/SparseLU>

#if HOOKE_WITH_KLU
#include <suitesparse/klu.h>
#endif

namespace hooke {
namespace {

/// It allocates in every factorisation.
class EigenLu final : public SparseLu {
 public:
  bool factorize(int size, const int* outer, const int* inner, const double* values) override {
    const Eigen::Map<const Matrix> A(size, size, outer[size], outer, inner, values);
    if (matrix_.rows() != size) {
      matrix_ = A;
      lu_.analyzePattern(matrix_);
    }
    std::copy(values, values + outer[size], matrix_.valuePtr());
    if (!matrix_.coeffs().allFinite()) return false;
    lu_.factorize(matrix_);
    return lu_.info() == Eigen::Success;
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    for (int column = 0; column < x.cols(); ++column) {
      solution_ = lu_.solve(x.col(column));
      x.col(column) = solution_;
    }
  }
  std::string_view name() const override { return "sparse"; }

 private:
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix_;
  Eigen::SparseLU<Matrix> lu_;
  VectorX solution_;
};

#if HOOKE_WITH_KLU
/// The pivot order of the first factorisation is kept (klu_refactor) as long as the matrix stays about as well
/// conditioned as it was then; otherwise it pivots anew.
class Klu final : public SparseLu {
 public:
  Klu() { klu_defaults(&common_); }
  ~Klu() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  bool factorize(int size, const int* outer_read, const int* inner_read, const double* values_read) override {
    // SuiteSparse's interface is not const-correct; nothing is written.
    auto* outer = const_cast<int*>(outer_read);
    auto* inner = const_cast<int*>(inner_read);
    auto* values = const_cast<double*>(values_read);
    if (!symbolic_) symbolic_ = klu_analyze(size, outer, inner, &common_);
    if (!symbolic_) return false;

    constexpr double digits_lost = 1e-3;  // by old pivots, before new ones are sought
    if (numeric_ && klu_refactor(outer, inner, values, symbolic_, numeric_, &common_) &&
        klu_rcond(symbolic_, numeric_, &common_) && common_.rcond > digits_lost * pivoted_rcond_)
      return true;

    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(outer, inner, values, symbolic_, &common_);
    if (!numeric_ || common_.status == KLU_SINGULAR) return false;
    klu_rcond(symbolic_, numeric_, &common_);
    pivoted_rcond_ = common_.rcond;
    return pivoted_rcond_ > 0;
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    klu_solve(symbolic_, numeric_, static_cast<int>(x.outerStride()), static_cast<int>(x.cols()), x.data(),
              &common_);
  }
  std::string_view name() const override { return "klu"; }

 private:
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double pivoted_rcond_ = 0;
};
#endif

}  // namespace

std::unique_ptr<SparseLu> make_eigen_lu() { return std::make_unique<EigenLu>(); }

std::unique_ptr<SparseLu> make_klu() {
#if HOOKE_WITH_KLU
  return std::make_unique<Klu>();
#else
  return nullptr;
#endif
}

}  // namespace hooke
