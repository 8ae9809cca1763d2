#include "analysis/modes.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <numbers>

#include "base/error.h"

namespace hooke {
namespace {

Mode make_mode(std::complex<double> eigenvalue, const Eigen::VectorXcd& motion, const VectorX& unit) {
  Mode mode{
      .eigenvalue = eigenvalue, .frequency = std::abs(eigenvalue) / (2 * std::numbers::pi), .shape = motion};
  mode.damping = std::abs(eigenvalue) > 0 ? -eigenvalue.real() / std::abs(eigenvalue) : 0;
  int largest = 0;
  motion.cwiseQuotient(unit).cwiseAbs().maxCoeff(&largest);
  if (std::abs(motion[largest]) > 0) mode.shape /= motion[largest];
  return mode;
}

}  // namespace

Linearisation linearise(const Dae& dae, const State& state) {
  if (state.v.size() && state.v.cwiseAbs().maxCoeff() > 1e-9)
    throw Error(ExitCode::bad_model,
                "modes are those of a state of rest, and this one moves: set the velocities to zero");
  auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  VectorX r;
  dae.update(state, *workspace);
  dae.residual(state, *workspace, r);
  const int n = dae.nv(), m = dae.nc();
  const auto tangent = [&](const Weights& weights) {
    dae.tangent(state, weights, *workspace, kkt);
    return kkt.matrix.dense();
  };
  const MatrixX mass = tangent({.m = 1});
  Linearisation result;
  result.N = MatrixX::Identity(n, n);
  if (m > 0) {
    Eigen::ColPivHouseholderQR<MatrixX> qr(mass.block(n, 0, m, n).transpose());
    qr.setThreshold(1e-9);
    const MatrixX Q = qr.householderQ();
    result.N = Q.rightCols(n - qr.rank());
  }
  const MatrixX& N = result.N;
  const auto reduce = [&](const MatrixX& A) { return MatrixX(N.transpose() * A.topLeftCorner(n, n) * N); };
  result.M = reduce(mass);
  result.D = reduce(tangent({.m = 0, .d = 1}));
  result.K = reduce(tangent({.m = 0, .k = 1}));
  const int f = static_cast<int>(N.cols());
  if (f == 0) return result;

  MatrixX A = MatrixX::Zero(2 * f, 2 * f);
  const Eigen::LLT<MatrixX> M(result.M);
  A.topRightCorner(f, f).setIdentity();
  A.bottomLeftCorner(f, f) = -M.solve(result.K);
  A.bottomRightCorner(f, f) = -M.solve(result.D);
  const Eigen::EigenSolver<MatrixX> solver(A);
  const double scale = std::sqrt(A.bottomLeftCorner(f, f).norm()) + 1e-300;
  for (int i = 0; i < 2 * f; ++i) {
    const std::complex<double> s = solver.eigenvalues()[i];
    if (s.imag() < -1e-9 * scale) continue;  // the conjugate is listed
    result.modes.push_back(make_mode(s, N * solver.eigenvectors().col(i).head(f), dae.dof_scale()));
  }
  std::sort(result.modes.begin(), result.modes.end(),
            [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  return result;
}

}  // namespace hooke
