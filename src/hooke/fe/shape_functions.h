#pragma once
#include "hooke/fe/mesh.h"

/// Shape functions of solid elements on their unit shapes: [-1, 1]^3 of a hexahedron, the tetrahedron with
/// corners at the origin and the three unit points.
namespace hooke {

struct ShapeValues {
  VectorX value;   ///< of each node's function
  Mat3X gradient;  ///< with respect to the unit shape's coordinates, a column for each node
};
ShapeValues shape_values(ElementType type, const Vec3& xi);

/// A node in the unit shape.
Vec3 unit_position(ElementType type, int node);

struct VolumePoint {
  Vec3 xi;
  double weight;
};
/// For the stiffness: 2x2x2 (hex8), 3x3x3 (hex20), 1 (tet4), 4 (tet10) points.
const std::vector<VolumePoint>& stiffness_points(ElementType type);
/// For products of shape functions, exact on undistorted elements.
const std::vector<VolumePoint>& mass_points(ElementType type);

/// Of the map from the unit shape, at the points of the stiffness and at the corners.
double smallest_jacobian(ElementType type, const Mat3X& nodes);

}  // namespace hooke
