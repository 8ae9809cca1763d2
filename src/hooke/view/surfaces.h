#pragma once
#include <array>
#include <vector>

#include "hooke/record/drawing.h"

/// Triangles to draw, for stills and for other programs; the page makes those of simple shapes and rods itself.
namespace hooke {

/// Triangles of a shape in the axes of its body; `sides` of what is round.
TriangleMesh triangles_of(const Drawing::Shape& shape, const std::vector<TriangleMesh>& meshes,
                          int sides = 24);

/// A rod through its nodes, whose axes x and y are those of the section. A hole has as many points as the
/// outline.
TriangleMesh rod_surface(const std::vector<Vec2>& outline, const std::vector<Vec2>& hole,
                         const std::vector<FramePose>& nodes);

/// What the eye takes for a corner.
inline constexpr double crease = 0.6;  // rad

/// Edges where neighbouring triangles meet at more than an angle, and the rims of open surfaces.
std::vector<std::array<int, 2>> feature_edges(const TriangleMesh& mesh, double angle = crease);

}  // namespace hooke
