#pragma once
#include "hooke/fe/modal_reduction.h"
#include "hooke/fe/solid_model.h"

namespace hooke {

/// Second derivatives of the elastic forces of a solid at rest, with co-rotated elements: of the energy 1/2 d^T K d with
/// d = exp(theta)^T (X + u) - X, theta the rotation that fits an element best. To second order in u, and but for rigid motions,
///
///     d = u + e(u, u),    2 e(a, b) = -theta_a x b - theta_b x a + 1/2 (theta_a x (theta_b x X) + theta_b x (theta_a x X))
///
/// so that the third derivative of the energy is 2 (a K e(b, c) + b K e(a, c) + c K e(a, b)).
///
/// Columns: d2f/(deta_i deta_j) of u = sum shapes_j eta_j, for j = i, ..., n - 1.
MatrixX second_forces(const SolidModel& model, const MatrixX& shapes, int i);

/// With K s_ij = -d2f/(deta_i deta_j) the strain energy has a term of third order, -S_k K s_ij eta_i eta_j eta_k / 3, where the shapes
/// span a part of s_ij: bending shortens a rod along a mode of stretching, and stretching unbends it. The same motions have other
/// coordinates without that term: three pairs share each S_k K s_ij, and what they keep of it must sum up to one,
///
///     s_ij <- s_ij + sum_k (w_k / (w_i + w_j + w_k) - 1) (S_k K s_ij / omega_k^2) S_k
///
/// w_k is large for modes that stretch, which is to say, stiffen others: so bending shortens, and stretching does not unbend.
class QuadraticEnergy {
 public:
  /// Columns of `second_forces`: d2f/deta_i^2.
  QuadraticEnergy(const SparseMatrix& K, const Modes& modes, const MatrixX& second_forces);
  /// Columns of `second`: s_ij for j = first, ..., n - 1.
  void correct(int i, int first, Eigen::Ref<MatrixX> second) const;

 private:
  const Modes& modes_;
  MatrixX KS_;
  VectorX square_, weight_;
};

}  // namespace hooke
