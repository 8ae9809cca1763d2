#pragma once
#include <complex>
#include <vector>

#include "hooke/analysis/modes.h"

/// Modes of a model that few coordinates y describe, x = N y, with its first-order states z:
///
///     M y'' + D y' + K y + D_z z = 0,     z' = -K_y y - D_y y' - D_zz z
namespace hooke {

struct ReducedSystem {
  MatrixX M, D, K;
  MatrixX D_z{}, K_y{}, D_y{}, D_zz{};  ///< empty without states
  int states() const { return static_cast<int>(D_zz.rows()); }
};

struct ReducedMode {
  std::complex<double> eigenvalue;
  Eigen::VectorXcd y, z;
};

/// By rising |eigenvalue|, one of each conjugate pair. Without damping, omega^2 within the noise is zero: of
/// round-off one would vibrate, another fall.
std::vector<ReducedMode> modes_of(const ReducedSystem& system, double noise);

/// omega^2 that round-off in K makes, beside the largest K_ii / M_ii.
inline constexpr double relative_noise = 1e-15;

/// The motion scaled to 1 where it is largest in dof units.
Mode make_mode(std::complex<double> eigenvalue, const Eigen::VectorXcd& motion, const VectorX& unit);

/// With omega^2 = -s^2: one mode that vibrates, or two that grow and decay.
std::vector<std::complex<double>> eigenvalues_of(double omega2);

}  // namespace hooke
