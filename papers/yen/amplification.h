#pragma once
#include <Eigen/Eigenvalues>

#include "hooke/integrators/alpha_parameters.h"

/// Linear theory of the alpha family on q'' = -q, written down without the integrators: (q, h v, h^2 a) from
/// step to step, by (1.3b, c) and (4.1) with f = -q.
namespace hooke::yen {

inline Eigen::Matrix3d amplification(const AlphaParameters& p, double h) {
  Eigen::Matrix3d left, right;
  left << 1, 0, -p.beta, 0, 1, -p.gamma, (1 - p.alpha_f) * h * h, 0, 1 - p.alpha_m;
  right << 1, 1, 0.5 - p.beta, 0, 1, 1 - p.gamma, -p.alpha_f * h * h, 0, -p.alpha_m;
  return left.inverse() * right;
}

/// The largest of all eigenvalues.
inline double spectral_radius(const Eigen::Matrix3d& A) { return A.eigenvalues().cwiseAbs().maxCoeff(); }

/// That of the pair the oscillation lives in: the largest as long as it is a pair.
inline double principal_radius(const AlphaParameters& p, double h) {
  return spectral_radius(amplification(p, h));
}

}  // namespace hooke::yen
