#pragma once
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

}  // namespace hooke
