#pragma once
#include "hooke/fe/solid_element.h"

namespace hooke {

/// Six rows of stress for each of the given nodes, from the displacements of all nodes of the mesh, in its
/// axes: extrapolated from the points of the elements, the mean of those that meet there.
Eigen::SparseMatrix<double, Eigen::RowMajor> stress_matrix(const SolidMesh& mesh,
                                                           const std::vector<SolidMaterial>& materials,
                                                           const SolidOptions& options,
                                                           const std::vector<int>& nodes);

/// Equivalent stress of von Mises.
double von_mises(const Vec6& stress);

}  // namespace hooke
