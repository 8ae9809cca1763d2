#include "hooke/analysis/reduced_modes.h"

#include <algorithm>
#include <numbers>

#include "hooke/math/dense.h"

namespace hooke {

Mode make_mode(std::complex<double> eigenvalue, const Eigen::VectorXcd& motion, const VectorX& unit) {
  Mode mode{
      .eigenvalue = eigenvalue, .frequency = std::abs(eigenvalue) / (2 * std::numbers::pi), .shape = motion};
  mode.damping = std::abs(eigenvalue) > 0 ? 0.0 - eigenvalue.real() / std::abs(eigenvalue) : 0;  // not -0
  int largest = 0;
  motion.cwiseQuotient(unit).cwiseAbs().maxCoeff(&largest);
  if (std::abs(motion[largest]) > 0) mode.shape /= motion[largest];
  return mode;
}

std::vector<std::complex<double>> eigenvalues_of(double omega2) {
  const std::complex<double> s = std::sqrt(std::complex<double>(-omega2));
  if (s.imag() != 0 || s == 0.0) return {s};
  return {s, -s};
}

namespace {

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

/// In the undamped modes, y = Phi p, and with u = Omega p, w = p':
///     u' = Omega w,     w' = -Phi^T K Phi Omega^-1 u - Phi^T D Phi w
/// Its entries are frequencies, not their squares, so that the low ones of a stiff model keep their digits.
std::vector<ReducedMode> general_modes(const ReducedSystem& of, const MatrixX& Phi, const VectorX& Omega) {
  const auto f = Omega.size();
  MatrixX A = MatrixX::Zero(2 * f, 2 * f);
  A.topRightCorner(f, f) = Omega.asDiagonal();
  A.bottomLeftCorner(f, f) = -(Phi.transpose() * of.K * Phi) * Omega.cwiseInverse().asDiagonal();
  A.bottomRightCorner(f, f) = -Phi.transpose() * of.D * Phi;
  const auto [values, vectors] = general_eigen(A);
  const double scale = Omega.maxCoeff();
  std::vector<ReducedMode> modes;
  for (int i = 0; i < 2 * f; ++i)
    if (values[i].imag() >= -1e-9 * scale)  // the conjugate is listed
      modes.push_back({values[i], Phi * (Omega.cwiseInverse().asDiagonal() * vectors.col(i).head(f)), {}});
  return modes;
}

std::vector<ReducedMode> modes_with_states(const ReducedSystem& of) {
  const auto f = of.M.rows(), states = of.D_zz.rows();
  MatrixX A = MatrixX::Zero(2 * f + states, 2 * f + states);
  A.block(0, f, f, f).setIdentity();
  MatrixX rows(f, 2 * f + states);
  rows << of.K, of.D, of.D_z;
  if (f > 0) A.middleRows(f, f) = -of.M.ldlt().solve(rows);
  A.bottomRows(states) << -of.K_y, -of.D_y, -of.D_zz;
  const auto [values, vectors] = general_eigen(A);
  const double scale = values.cwiseAbs().maxCoeff();
  std::vector<ReducedMode> modes;
  for (int i = 0; i < values.size(); ++i)
    if (values[i].imag() >= -1e-9 * scale)
      modes.push_back({values[i], vectors.col(i).head(f), vectors.col(i).tail(states)});
  return modes;
}

std::vector<ReducedMode> unsorted_modes(const ReducedSystem& system, double noise) {
  if (system.states() > 0) return modes_with_states(system);
  const auto f = system.M.rows();
  if (f == 0) return {};
  const auto [Phi, omega2, Omega] = undamped_modes(system.M, system.K);
  if (!system.D.isZero(0) || !is_symmetric(system.K)) return general_modes(system, Phi, Omega);
  std::vector<ReducedMode> modes;
  for (int i = 0; i < f; ++i)
    for (const std::complex<double> s : eigenvalues_of(std::abs(omega2[i]) < noise ? 0 : omega2[i]))
      modes.push_back({s, Phi.col(i), {}});
  return modes;
}

}  // namespace

std::vector<ReducedMode> modes_of(const ReducedSystem& system, double noise) {
  std::vector<ReducedMode> modes = unsorted_modes(system, noise);
  std::stable_sort(modes.begin(), modes.end(), [](const ReducedMode& a, const ReducedMode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  return modes;
}

}  // namespace hooke
