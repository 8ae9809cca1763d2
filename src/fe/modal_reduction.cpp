#include "fe/modal_reduction.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>

namespace hooke {
namespace {

std::vector<int> others(int n, const std::vector<int>& held) {
  std::vector<int> free;
  for (int i = 0; i < n; ++i)
    if (std::find(held.begin(), held.end(), i) == held.end()) free.push_back(i);
  return free;
}

}  // namespace

Modes lowest_modes(const MatrixX& M, const MatrixX& K, int count, int skip) {
  const double sigma = 1e-10 * K.diagonal().cwiseQuotient(M.diagonal()).maxCoeff();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(M, K + sigma * M);
  const VectorX theta = solver.eigenvalues().reverse().segment(skip, count);
  return {solver.eigenvectors().rowwise().reverse().middleCols(skip, count) *
              theta.cwiseSqrt().cwiseInverse().asDiagonal(),
          theta.cwiseInverse().array() - sigma};
}

Modes clamped_modes(const MatrixX& M, const MatrixX& K, const std::vector<int>& held, int count) {
  const std::vector<int> free = others(static_cast<int>(M.rows()), held);
  const Modes part = lowest_modes(M(free, free), K(free, free), count);
  Modes modes{MatrixX::Zero(M.rows(), count), part.omega2};
  modes.shapes(free, Eigen::all) = part.shapes;
  return modes;
}

Modes craig_bampton(const MatrixX& M, const MatrixX& K, const std::vector<int>& boundary, int count) {
  constexpr int rigid = 6;
  const int static_shapes = static_cast<int>(boundary.size()), inner = count + rigid - static_shapes;
  const std::vector<int> free = others(static_cast<int>(M.rows()), boundary);
  MatrixX T = MatrixX::Zero(M.rows(), static_shapes + inner);
  T(boundary, Eigen::seqN(0, static_shapes)).setIdentity();
  T(free, Eigen::seqN(0, static_shapes)) = -Eigen::LLT<MatrixX>(K(free, free)).solve(K(free, boundary));
  T.rightCols(inner) = clamped_modes(M, K, boundary, inner).shapes;
  const Modes reduced = lowest_modes(T.transpose() * M * T, T.transpose() * K * T, count, rigid);
  return {T * reduced.shapes, reduced.omega2};
}

}  // namespace hooke
