#include "hooke/coupling/linear_sides.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <stdexcept>

namespace hooke {
namespace {

MatrixX null_space(const MatrixX& rows, Eigen::Index n) {
  if (rows.rows() == 0) return MatrixX::Identity(n, n);
  Eigen::ColPivHouseholderQR<MatrixX> qr(rows.transpose());
  qr.setThreshold(1e-9);
  const MatrixX Q = qr.householderQ();
  return Q.rightCols(n - qr.rank());
}

Eigen::LLT<MatrixX> factor_of_mass(const MatrixX& M, const char* side) {
  Eigen::LLT<MatrixX> factor(M);
  if (factor.info() != Eigen::Success)
    throw std::invalid_argument(std::string("the mass matrix of the ") + side + " side is not positive");
  return factor;
}

/// G Q = 1 for the rows of cut joints, with inner_rows Q = 0 and the motions that both leave free
/// mass-orthogonal to Q.
MatrixX joint_motions(const DisplacedSideMatrices& side, const MatrixX& rows, const Eigen::LLT<MatrixX>& M) {
  const Eigen::Index joints = side.G.rows();
  if (joints == 0) return MatrixX::Zero(side.M.rows(), 0);
  const MatrixX S = rows * M.solve(rows.transpose());
  const Eigen::CompleteOrthogonalDecomposition<MatrixX> decomposition(S);
  MatrixX Q = M.solve(rows.transpose()) * decomposition.pseudoInverse().leftCols(joints);
  if ((side.G * Q - MatrixX::Identity(joints, joints)).cwiseAbs().maxCoeff() > 1e-6)
    throw std::invalid_argument(
        "it cannot follow the joints (it is held otherwise, or their rows depend on each other)");
  return Q;
}

}  // namespace

MatrixX joint_mass(const DisplacedSideMatrices& side) {
  if (side.G.rows() == 0) return MatrixX::Zero(side.G_u.cols(), side.G_u.cols());
  std::vector<Eigen::Index> touched;
  for (Eigen::Index j = 0; j < side.G.cols(); ++j)
    if (!side.G.col(j).isZero(0)) touched.push_back(j);
  const MatrixX M = side.M(touched, touched), G = side.G(Eigen::all, touched);
  return side.G_u.transpose() * (G * M.ldlt().solve(G.transpose())).ldlt().solve(side.G_u);
}

StateSpace forced_state_space(const ForcedSideMatrices& side) {
  const Eigen::Index n = side.M.rows(), m = side.C.rows();
  const auto M = factor_of_mass(side.M, "forced");
  const MatrixX rate = -(MatrixX(n, 2 * n) << M.solve(side.K), M.solve(side.D)).finished();
  StateSpace system;
  system.A = MatrixX::Zero(2 * n, 2 * n);
  system.A.topRightCorner(n, n).setIdentity();
  system.A.bottomRows(n) = rate;
  system.B = MatrixX::Zero(2 * n, m);
  system.B.bottomRows(n) = M.solve(side.C.transpose());
  system.C = MatrixX::Zero(3 * m, 2 * n);
  system.C.topLeftCorner(m, n) = side.C;
  system.C.block(m, n, m, n) = side.C;
  system.C.bottomRows(m) = side.C * rate;
  system.D = MatrixX::Zero(3 * m, m);
  system.D.bottomRows(m) = side.C * M.solve(side.C.transpose());
  return system;
}

/// z = P s - Q G_u u: P spans what the joints leave free, Q is mass-orthogonal to it with G Q = 1. Then
///
///   P^T M P s'' = -P^T (D z' + K z + D_u u' + K_u u)
///   w = Q_u^T (D z' + K z + D_u u' + K_u u) - B_F u'' - K_u^T z - D_u^T z' - W_u u - V_u u',
///   Q_u = Q G_u,  B_F = Q_u^T M Q_u
DisplacedStateSpace displaced_state_space(const DisplacedSideMatrices& side) {
  const Eigen::Index n = side.M.rows(), m = side.G_u.cols();
  const auto M = factor_of_mass(side.M, "displaced");
  MatrixX rows(side.G.rows() + side.inner_rows.rows(), n);
  rows.topRows(side.G.rows()) = side.G;
  rows.bottomRows(side.inner_rows.rows()) = side.inner_rows;
  const MatrixX P = null_space(rows, n), Q_u = joint_motions(side, rows, M) * side.G_u;
  const auto given = [](const MatrixX& matrix, Eigen::Index height, Eigen::Index width) {
    return matrix.size() ? matrix : MatrixX(MatrixX::Zero(height, width));
  };
  const MatrixX K_u = given(side.K_u, n, m), D_u = given(side.D_u, n, m), W_u = given(side.W_u, m, m),
                V_u = given(side.V_u, m, m);
  const Eigen::Index f = P.cols();
  const auto M_P = factor_of_mass(P.transpose() * side.M * P, "displaced");
  const MatrixX force_q = K_u - side.K * Q_u, force_v = D_u - side.D * Q_u;  // of u and u' on z

  DisplacedStateSpace system;
  system.P = P, system.Q = Q_u;
  system.A = MatrixX::Zero(2 * f, 2 * f);
  system.A.topRightCorner(f, f).setIdentity();
  system.A.bottomLeftCorner(f, f) = -M_P.solve(P.transpose() * side.K * P);
  system.A.bottomRightCorner(f, f) = -M_P.solve(P.transpose() * side.D * P);
  system.B = MatrixX::Zero(2 * f, 3 * m);
  system.B.block(f, 0, f, m) = -M_P.solve(P.transpose() * force_q);
  system.B.block(f, m, f, m) = -M_P.solve(P.transpose() * force_v);

  system.C.resize(m, 2 * f);
  system.C << Q_u.transpose() * side.K * P - K_u.transpose() * P,
      Q_u.transpose() * side.D * P - D_u.transpose() * P;
  system.D.resize(m, 3 * m);
  system.D << Q_u.transpose() * force_q + K_u.transpose() * Q_u - W_u,
      Q_u.transpose() * force_v + D_u.transpose() * Q_u - V_u, -Q_u.transpose() * side.M * Q_u;
  return system;
}

LinearCoupling couple(const LinearPair& pair, const ForceDisplacementSettings& settings) {
  const StateSpace &forced = pair.forced, &displaced = pair.displaced;
  const Eigen::Index m = forced.B.cols();
  const MatrixX A = forced.D.bottomRows(m), B_F = -displaced.D.rightCols(m);
  MatrixX B = MatrixX::Zero(m, m);
  if (settings.forces == CouplingForces::exact) B = B_F;
  if (settings.forces == CouplingForces::small) B = pair.joint_mass;
  if ((B - B_F).norm() < 1e-12 * B_F.norm()) B = B_F;  // round-off would close a loop

  StateSpace R = forced,
             F = displaced;  // R also tells the acceleration without reaction, before that with it
  R.C.conservativeResize(4 * m, Eigen::NoChange);
  R.C.bottomRows(m) = forced.C.bottomRows(m);
  R.D = MatrixX::Zero(4 * m, m);
  R.D.bottomRows(m) = A;
  F.B.conservativeResize(Eigen::NoChange, 4 * m);
  F.B.middleCols(2 * m, m).setZero();
  F.B.rightCols(m) = displaced.B.rightCols(m);
  MatrixX D(m, 4 * m);
  D << displaced.D.leftCols(2 * m), -B, B - B_F;
  const Eigen::PartialPivLU<MatrixX> both(MatrixX::Identity(m, m) + B * A);
  F.C = both.solve(displaced.C);
  F.D = both.solve(D);

  LinearCoupling coupling;
  coupling.systems = {std::move(R), std::move(F)};
  coupling.L = MatrixX::Zero(5 * m, 5 * m);  // inputs: w; u, u', both accelerations. Outputs: these, then w
  coupling.L.topRightCorner(m, m).setIdentity();
  coupling.L.bottomLeftCorner(4 * m, 4 * m).setIdentity();
  const int n = static_cast<int>(m);
  for (int i = 0; i < n; ++i) coupling.inputs.push_back({settings.force_degree});
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < n; ++i) coupling.inputs.push_back({settings.motion_degree, k == 1 ? n + i : -1});
  coupling.outputs = settings.exchange == CouplingExchange::in_turn ? LinearCoupling::Outputs::in_turn
                                                                    : LinearCoupling::Outputs::states_first;
  coupling.order = settings.order == CouplingOrder::gauss_seidel ? LinearCoupling::Order::gauss_seidel
                                                                 : LinearCoupling::Order::jacobi;
  return coupling;
}

LinearPair pair_of(const LinearSides& sides, StateSpace::Advance advance) {
  LinearPair pair{forced_state_space(sides.forced), displaced_state_space(sides.displaced),
                  sides.displaced.joint_mass};
  pair.displaced.advance = advance;
  return pair;
}

LinearCoupling couple(const LinearSides& sides, const ForceDisplacementSettings& settings,
                      StateSpace::Advance advance) {
  return couple(pair_of(sides, advance), settings);
}

}  // namespace hooke
