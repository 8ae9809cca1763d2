#pragma once
#include <Eigen/SparseCore>

#include "hooke/fe/mesh.h"
#include "hooke/fe/section.h"

/// Linear elastic solid elements: stiffness and mass of one, and of a mesh.
///
/// Strains and stresses are written xx, yy, zz, xy, yz, zx, shear strains in full (gamma). A mass matrix is
/// that of one coordinate (node x node): the mass of all is it times the identity of space, whichever way the
/// axes are turned, consistent or lumped (Kan et al., remark after (13)).
namespace hooke {

struct SolidMaterial {
  Mat6 elasticity = Mat6::Zero();  ///< stress = elasticity * strain, in the axes of the mesh
  double density = 0;

  static SolidMaterial isotropic(const Material& material);
  /// Moduli along the material's axes x, y, z; poisson and shear for xy, yz, zx, where poisson ij is the
  /// contraction along j under stress along i. `axes`: the material's axes as columns.
  static SolidMaterial orthotropic(const Vec3& young, const Vec3& poisson, const Vec3& shear, double density,
                                   const Mat3& axes = identity3);
};

struct SolidOptions {
  /// hex8 with nine inner modes (Taylor, Beresford, Wilson 1976): bends without locking. Without them it is
  /// the plain trilinear element of full integration.
  bool incompatible_modes = true;
  /// The diagonal of the consistent mass, scaled to the element's mass (Hinton, Rock, Zienkiewicz 1976).
  bool lumped_mass = false;
};

/// 3n x 3n, dofs of a node together.
MatrixX element_stiffness(ElementType type, const Mat3X& nodes, const Mat6& elasticity,
                          const SolidOptions& options = {});
/// n x n
MatrixX element_mass(ElementType type, const Mat3X& nodes, double density, const SolidOptions& options = {});
/// Integrals of the shape functions: the share of each node in the volume.
VectorX element_volumes(ElementType type, const Mat3X& nodes);
/// Strain (6 x 3n, times the displacements of the nodes) at each point of the stiffness's rule, and the part
/// of the volume that the point stands for.
struct StrainPoint {
  Mat6X strain;
  double volume;
};
std::vector<StrainPoint> element_strains(ElementType type, const Mat3X& nodes, const Mat6& elasticity,
                                         const SolidOptions& options = {});
/// Values at the nodes of an element from those at the points of the stiffness's rule: nodes x points.
const MatrixX& extrapolation_to_nodes(ElementType type);

using SparseMatrix = Eigen::SparseMatrix<double>;

struct SolidMatrices {
  SparseMatrix stiffness;  ///< 3n x 3n
  SparseMatrix mass;       ///< n x n, of one coordinate
  VectorX volumes;         ///< of each node's shape function
};
SolidMatrices assemble(const SolidMesh& mesh, const std::vector<SolidMaterial>& materials,
                       const SolidOptions& options = {});
/// The mass of all coordinates, 3n x 3n.
SparseMatrix of_all_coordinates(const SparseMatrix& mass);

}  // namespace hooke
