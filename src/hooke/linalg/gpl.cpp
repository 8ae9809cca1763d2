#include "hooke/linalg/gpl.h"

#if HOOKE_WITH_GPL
#include <suitesparse/cholmod.h>
#include <suitesparse/umfpack.h>

extern "C" void openblas_set_num_threads(int);
#endif

namespace hooke {

#if HOOKE_WITH_GPL

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

class Cholmod final : public CholeskyMaker {
 public:
  Cholmod() {
    openblas_set_num_threads(1);  // threads are Hooke's own decision
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.print = 0;
  }
  ~Cholmod() override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  SupernodalPattern analyze(const Eigen::SparseMatrix<double>& A, int block) override {
    cholmod_sparse matrix = view(A);
    std::vector<int> order = dissection_of_blocks(A, block);
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    factor_ = cholmod_analyze_p(&matrix, order.data(), nullptr, 0, &common_);
    if (!factor_) return {};
    const cholmod_factor& L = *factor_;
    const auto* first = static_cast<int*>(L.super);
    const auto* row_list = static_cast<int*>(L.pi);
    const auto* values = static_cast<int*>(L.px);
    const auto* rows = static_cast<int*>(L.s);
    SupernodalPattern pattern;
    pattern.order.assign(static_cast<int*>(L.Perm), static_cast<int*>(L.Perm) + L.n);
    pattern.rows.assign(rows, rows + L.ssize);
    std::vector<int> of_column(L.n);
    for (std::size_t s = 0; s < L.nsuper; ++s)
      std::fill(of_column.begin() + first[s], of_column.begin() + first[s + 1], static_cast<int>(s));
    for (std::size_t s = 0; s < L.nsuper; ++s) {
      const int columns = first[s + 1] - first[s], count = row_list[s + 1] - row_list[s];
      pattern.supernodes.push_back(
          {first[s], columns, count, count > columns ? of_column[rows[row_list[s] + columns]] : -1,
           static_cast<std::size_t>(row_list[s]), static_cast<std::size_t>(values[s])});
    }
    find_branches(pattern);
    return pattern;
  }
  bool factorize(const Eigen::SparseMatrix<double>& A, const SupernodalPattern&, Team*) override {
    cholmod_sparse matrix = view(A);
    return factor_ && cholmod_factorize(&matrix, factor_, &common_) && factor_->minor >= factor_->n;
  }
  const double* values() const override { return static_cast<const double*>(factor_->x); }

 private:
  cholmod_common common_;
  cholmod_factor* factor_ = nullptr;
};

/// Multifrontal: better than KLU where the factor is dense, as that of a large flexible body.
class Umfpack final : public SparseLu {
 public:
  Umfpack() {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // Newton refines by itself
  }
  ~Umfpack() override {
    umfpack_di_free_numeric(&numeric_);
    umfpack_di_free_symbolic(&symbolic_);
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;

  bool factorize(int size, const int* outer, const int* inner, const double* values) override {
    outer_ = outer, inner_ = inner, values_ = values;
    if (!symbolic_) umfpack_di_symbolic(size, size, outer, inner, values, &symbolic_, control_, nullptr);
    umfpack_di_free_numeric(&numeric_);
    const int status = umfpack_di_numeric(outer, inner, values, symbolic_, &numeric_, control_, nullptr);
    integers_.resize(size);
    doubles_.resize(size);
    return status == UMFPACK_OK;
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    for (int column = 0; column < x.cols(); ++column) {
      solution_ = x.col(column);
      umfpack_di_wsolve(UMFPACK_A, outer_, inner_, values_, x.col(column).data(), solution_.data(), numeric_,
                        control_, nullptr, integers_.data(), doubles_.data());
    }
  }
  std::string_view name() const override { return "umfpack"; }

 private:
  const int *outer_ = nullptr, *inner_ = nullptr;
  const double* values_ = nullptr;
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  double control_[UMFPACK_CONTROL];
  std::vector<int> integers_;
  std::vector<double> doubles_;
  VectorX solution_;
};

}  // namespace

std::unique_ptr<CholeskyMaker> make_cholmod() { return std::make_unique<Cholmod>(); }
std::unique_ptr<SparseLu> make_umfpack() { return std::make_unique<Umfpack>(); }

#else

std::unique_ptr<CholeskyMaker> make_cholmod() { return nullptr; }
std::unique_ptr<SparseLu> make_umfpack() { return nullptr; }

#endif

}  // namespace hooke
