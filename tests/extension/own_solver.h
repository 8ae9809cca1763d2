#pragma once
#include <hooke/hooke.h>

#include <Eigen/LU>

namespace own {

/// The whole matrix by LU with full pivoting, whatever it is.
class FullPivotSolver final : public hooke::NewtonSolver {
 public:
  bool factorize(const hooke::KktMatrix& kkt) override {
    lu_.compute(kkt.matrix.dense());
    ++factorizations;
    return true;
  }
  void solve(Eigen::Ref<hooke::MatrixX> x) override { x = lu_.solve(x).eval(); }
  std::string_view name() const override { return "full-pivot"; }
  static inline int factorizations = 0;

 private:
  Eigen::FullPivLU<hooke::MatrixX> lu_;
};

struct FullPivotSettings {
  static constexpr const char* name = "full-pivot";
  static void describe(auto&) {}
  std::unique_ptr<hooke::NewtonSolver> make_solver(const hooke::KktStructure&,
                                                   std::shared_ptr<hooke::Team>) const {
    return std::make_unique<FullPivotSolver>();
  }
};

}  // namespace own
