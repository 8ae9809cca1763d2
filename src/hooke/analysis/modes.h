#pragma once
#include <complex>
#include <vector>

#include "hooke/system/dae.h"

namespace hooke {

struct Mode {
  std::complex<double> eigenvalue;  ///< s^-1, of exp(eigenvalue t)
  double frequency = 0;             ///< |eigenvalue| / 2 pi, Hz
  double damping = 0;               ///< ratio to critical: -Re / |eigenvalue|
  Eigen::VectorXcd shape;           ///< motion of all dofs, that of the one which moves most (in dof units) 1
};

/// M, D = dr/dv, K = dr/dq of the residual r = M a + G^T lambda - f at a state, and G; dense.
struct Tangents {
  MatrixX M, D, K, G;
};
Tangents tangents(const Dae& dae, const State& state);

/// The model linearised about a state of rest or a steady motion (analysis/steady_motion.h), on the motions the constraints allow: with N spanning the null
/// space of G,
///     N^T M N x'' + N^T D N x' + N^T K N x = 0,
/// K with the stiffness of the multipliers. Modes come by rising frequency, one of each conjugate pair.
/// Dense: meant for up to a few hundred degrees of freedom. Throws Error when the state moves otherwise.
struct Linearisation {
  MatrixX M, D, K, N;
  std::vector<Mode> modes;
};
Linearisation linearise(const Dae& dae, const State& state);

}  // namespace hooke
