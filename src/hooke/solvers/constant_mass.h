#pragma once
#include <Eigen/Cholesky>

#include "hooke/solvers/dense_lu.h"
#include "hooke/solvers/solver.h"

namespace hooke {

/// For C = M, where an explicit method needs a new G in every stage but hardly ever a new M: that of rods and
/// solids in absolute coordinates and of rigid bodies is constant. Each body's inverse is kept as long as its
/// C is the same, and what is left is as large as the number of constraints:
///
///     S = G C^-1 G^T + eps,     S dlambda = G C^-1 r - s,     dq = C^-1 (r - G^T dlambda)
///
/// Small bodies may change. Where a large one does, or there are too many rows, it hands over to KLU for
/// good.
class ConstantMassSolver final : public NewtonSolver {
 public:
  explicit ConstantMassSolver(std::unique_ptr<NewtonSolver> general) : general_(std::move(general)) {}
  bool factorize(const KktMatrix& kkt) override;
  void solve(Eigen::Ref<MatrixX> x) override;
  std::string_view name() const override { return suits_ ? "constant-mass" : general_->name(); }

 private:
  struct Place {  // of C or G: where it is in the matrix, and here
    BlockHandle handle;
    int row, column;
  };
  struct Body {
    int dof = 0, size = 0;
    std::vector<Place> C_places, G_places;
    std::vector<int> rows, touched;  // of the system, local dofs
    MatrixX C, inverse, of_touched;  // of_touched: columns of the inverse
    Eigen::LLT<MatrixX> factor;
    MatrixX G, response, S;  // rows x touched; C^-1 G^T; G C^-1 G^T
    bool is_known = false;
    VectorX dq, lambda;
  };

  void plan(const KktMatrix& kkt);
  bool renew(Body& body, const BlockMatrix& matrix);

  std::unique_ptr<NewtonSolver> general_;
  bool is_planned_ = false, suits_ = true;
  std::vector<Body> bodies_;
  std::vector<BlockHandle> between_;  // blocks of C that join bodies: zero, or it does not suit
  int dofs_ = 0;
  DenseLu schur_;
  VectorX lambda_;
};

}  // namespace hooke
