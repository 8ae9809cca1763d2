#include "hooke/analysis/modes.h"

#include <algorithm>
#include <numbers>

#include "hooke/base/error.h"
#include "hooke/math/dense.h"

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

/// M-orthonormal modes of the symmetric part of K, their squared frequencies, which may be negative, and
/// frequencies in rad/s, those near zero lifted above it.
struct UndampedModes {
  MatrixX Phi;
  VectorX omega2, Omega;
};

/// Solved as M x = theta (K + sigma M) x with a small sigma: the error of theta is relative to the largest,
/// which belongs to the lowest frequency. (A slender rod has frequencies from 10 to 1e8 rad/s; K x = omega^2
/// M x would leave no digit of the first.)
UndampedModes undamped_modes(const MatrixX& M, const MatrixX& K) {
  const MatrixX S = 0.5 * (K + K.transpose());
  const double highest = (S.diagonal().cwiseAbs().cwiseQuotient(M.diagonal())).maxCoeff() + 1e-300;
  for (double sigma = 1e-10 * highest;;
       sigma *= 100) {  // larger where K is negative: an unstable equilibrium
    const MatrixX shifted = S + sigma * M;
    if (!is_positive_definite(shifted)) continue;
    const auto [theta, vectors] = symmetric_eigen(M, shifted);
    const VectorX omega2 = theta.cwiseInverse().array() - sigma;
    return {vectors * theta.cwiseSqrt().cwiseInverse().asDiagonal(), omega2,
            omega2.cwiseAbs().cwiseMax(sigma).cwiseSqrt()};
  }
}

/// Far below what a load that follows its body or an equilibrium not reached would leave, above round-off.
bool is_symmetric(const MatrixX& K) {
  const VectorX scale = K.diagonal().cwiseAbs().cwiseSqrt();
  return ((K - K.transpose()).cwiseAbs().array() <= 1e-10 * (scale * scale.transpose()).array()).all();
}

/// In the undamped modes, x = Phi y, and with u = Omega y, w = y':  u' = Omega w,  w' = -Phi^T K Phi Omega^-1
/// u
/// - Phi^T D Phi w. Its entries are frequencies, not their squares, so that the low ones of a stiff model
/// keep their digits. `add` takes the eigenvalue and y.
template <class Add>
void add_general_modes(const Linearisation& of, const MatrixX& Phi, const VectorX& Omega, Add&& add) {
  const auto f = Omega.size();
  MatrixX A = MatrixX::Zero(2 * f, 2 * f);
  A.topRightCorner(f, f) = Omega.asDiagonal();
  A.bottomLeftCorner(f, f) = -(Phi.transpose() * of.K * Phi) * Omega.cwiseInverse().asDiagonal();
  A.bottomRightCorner(f, f) = -Phi.transpose() * of.D * Phi;
  const auto [values, vectors] = general_eigen(A);
  const double scale = Omega.maxCoeff();
  for (int i = 0; i < 2 * f; ++i) {
    const std::complex<double> s = values[i];
    if (s.imag() < -1e-9 * scale) continue;  // the conjugate is listed
    add(s, Omega.cwiseInverse().asDiagonal() * vectors.col(i).head(f));
  }
}

/// With first-order states z:  y' = w,  M w' = -K y - D w - D_z z,  z' = -K_z y - D_zw w - D_zz z  on the motions y that
/// constraints leave free.
Linearisation with_states(const Tangents& full, int states, const VectorX& unit) {
  const auto n = full.M.rows(), m = n - states;
  Linearisation result;
  result.N = null_space(full.G.leftCols(m), 1e-9);
  const MatrixX& N = result.N;
  const auto f = N.cols();
  result.M = N.transpose() * full.M.topLeftCorner(m, m) * N;
  result.D = N.transpose() * full.D.topLeftCorner(m, m) * N;
  result.K = N.transpose() * full.K.topLeftCorner(m, m) * N;
  MatrixX A = MatrixX::Zero(2 * f + states, 2 * f + states);
  A.block(0, f, f, f).setIdentity();
  MatrixX rows(f, 2 * f + states);
  rows << result.K, result.D, N.transpose() * full.D.topRightCorner(m, states);
  if (f > 0) A.middleRows(f, f) = -result.M.ldlt().solve(rows);
  A.bottomRows(states) << -full.K.bottomLeftCorner(states, m) * N, -full.D.bottomLeftCorner(states, m) * N,
      -full.D.bottomRightCorner(states, states);
  const auto [values, vectors] = general_eigen(A);
  const double scale = values.cwiseAbs().maxCoeff();
  for (int i = 0; i < values.size(); ++i) {
    if (values[i].imag() < -1e-9 * scale) continue;  // the conjugate is listed
    Eigen::VectorXcd motion(n);
    motion << N * vectors.col(i).head(f), vectors.col(i).tail(states);
    result.modes.push_back(make_mode(values[i], motion, unit));
  }
  std::sort(result.modes.begin(), result.modes.end(),
            [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  return result;
}

}  // namespace

Tangents tangents(const Dae& dae, const State& state) {
  auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  VectorX r;
  dae.update(state, *workspace);
  dae.residual(state, *workspace, r);
  const int n = dae.nv();
  const auto tangent = [&](const Weights& weights) {
    dae.tangent(state, weights, *workspace, kkt);
    return kkt.matrix.dense();
  };
  const MatrixX mass = tangent({.m = 1});
  return {mass.topLeftCorner(n, n), tangent({.m = 0, .d = 1}).topLeftCorner(n, n),
          tangent({.m = 0, .k = 1}).topLeftCorner(n, n), mass.bottomLeftCorner(dae.nc(), n)};
}

Linearisation linearise(const Dae& dae, const State& state) {
  const int states = dae.first_order_states();
  if (const auto v = state.v.head(state.v.size() - states); v.size() && v.cwiseAbs().maxCoeff() > 1e-9)
    throw Error(ExitCode::bad_model,
                "modes are those of a state of rest, and this one moves: set the velocities to zero");
  const Tangents full = tangents(dae, state);
  if (states > 0) return with_states(full, states, dae.dof_scale());
  Linearisation result;
  result.N = null_space(full.G, 1e-9);
  const MatrixX& N = result.N;
  result.M = N.transpose() * full.M * N;
  result.D = N.transpose() * full.D * N;
  result.K = N.transpose() * full.K * N;
  const int f = static_cast<int>(N.cols());
  if (f == 0) return result;

  const auto [Phi, omega2, Omega] = undamped_modes(result.M, result.K);
  const auto add = [&](std::complex<double> s, const Eigen::VectorXcd& y) {
    result.modes.push_back(make_mode(s, N * (Phi * y), dae.dof_scale()));
  };
  if (result.D.isZero(0) && is_symmetric(result.K)) {
    for (int i = 0; i < f; ++i) {
      const std::complex<double> s = std::sqrt(std::complex<double>(-omega2[i]));
      add(s, VectorX::Unit(f, i));
      if (s.imag() == 0) add(-s, VectorX::Unit(f, i));
    }
  } else {
    add_general_modes(result, Phi, Omega, add);
  }
  std::sort(result.modes.begin(), result.modes.end(),
            [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  return result;
}

}  // namespace hooke
