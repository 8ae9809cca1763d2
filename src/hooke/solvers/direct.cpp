#include <suitesparse/klu.h>

#include <algorithm>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/solvers/constant_mass.h"
#include "hooke/solvers/dca.h"
#include "hooke/solvers/dense_lu.h"
#include "hooke/solvers/schur.h"
#include "hooke/solvers/umfpack_factor.h"

namespace hooke {
namespace {

/// LU with partial pivoting on the whole matrix: the fastest for a handful of bodies.
class DenseSolver final : public NewtonSolver {
 public:
  explicit DenseSolver(int size) : lu_(size) {}

  bool factorize(const KktMatrix& kkt) override {
    const BlockMatrix& A = kkt.matrix;
    lu_.matrix.setZero();
    for (int column = 0; column < A.size(); ++column)
      for (int k = A.outer()[column]; k < A.outer()[column + 1]; ++k)
        lu_.matrix(A.inner()[k], column) = A.values()[k];
    return lu_.factorize();
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    for (int column = 0; column < x.cols(); ++column) lu_.solve(x.col(column));
  }
  std::string_view name() const override { return "dense"; }

 private:
  DenseLu lu_;
};

/// KLU: left-looking sparse LU. The pivot order of the first factorisation is kept (klu_refactor) as long as
/// the matrix stays about as well conditioned as it was then; otherwise it pivots anew.
class KluSolver final : public NewtonSolver {
 public:
  KluSolver() { klu_defaults(&common_); }
  ~KluSolver() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;

  bool factorize(const KktMatrix& kkt) override {
    // SuiteSparse's interface is not const-correct; nothing is written.
    auto* outer = const_cast<int*>(kkt.matrix.outer());
    auto* inner = const_cast<int*>(kkt.matrix.inner());
    auto* values = const_cast<double*>(kkt.matrix.values());
    if (!symbolic_) symbolic_ = klu_analyze(kkt.matrix.size(), outer, inner, &common_);
    if (!symbolic_) return false;

    if (numeric_ && klu_refactor(outer, inner, values, symbolic_, numeric_, &common_) &&
        klu_rcond(symbolic_, numeric_, &common_) && common_.rcond > 1e-3 * pivoted_rcond_)
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

/// UMFPACK: multifrontal LU, better than KLU when the factor is dense (large flexible bodies).
class UmfpackSolver final : public NewtonSolver {
 public:
  bool factorize(const KktMatrix& kkt) override {
    const BlockMatrix& A = kkt.matrix;
    return factor_.factorize(A.size(), A.outer(), A.inner(), A.values());
  }
  void solve(Eigen::Ref<MatrixX> x) override {
    for (int column = 0; column < x.cols(); ++column) factor_.solve(x.col(column));
  }
  std::string_view name() const override { return "umfpack"; }

 private:
  UmfpackFactor factor_;
};

/// Up to here dense LU beats KLU (measured: bench/solvers).
constexpr int dense_up_to = 48;

}  // namespace

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names{"auto", "dense", "sparse", "klu", "umfpack", "schur", "dca"};
  return names;
}

std::unique_ptr<NewtonSolver> make_solver(std::string_view name, int size, std::shared_ptr<Team> team) {
  if (name == "dense" || (name == "auto" && size <= dense_up_to)) return std::make_unique<DenseSolver>(size);
  if (name == "auto" || name == "sparse" || name == "klu") return std::make_unique<KluSolver>();
  if (name == "umfpack") return std::make_unique<UmfpackSolver>();
  if (name == "schur") return std::make_unique<SchurSolver>(std::move(team));
  if (name == "constant-mass") return std::make_unique<ConstantMassSolver>(make_solver("auto", size));
  if (name == "dca") return std::make_unique<DcaSolver>(std::move(team));
  throw Error(ExitCode::usage, formatted("no solver named '{}'{}", name, suggest(name, solver_names())));
}

std::unique_ptr<NewtonSolver> make_solver(std::string_view name, const KktStructure& structure,
                                          std::shared_ptr<Team> team) {
  const auto& sizes = structure.dof_sizes;
  const bool rigid = sizes.size() > 1 && structure.body_blocks.size() == sizes.size() + 1 &&
                     std::all_of(sizes.begin(), sizes.end(), [](int size) { return size == 6; });
  if (name == "auto" && rigid && structure.couplings.empty()) name = "dca";
  return make_solver(name, structure.dofs() + structure.rows(), std::move(team));
}

}  // namespace hooke
