#include "hooke/view/surfaces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <unordered_map>

namespace hooke {
namespace {

constexpr double pi = std::numbers::pi;

TriangleMesh unit_box() {
  TriangleMesh box;
  for (int k = 0; k < 8; ++k)
    box.points.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  box.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return box;
}

TriangleMesh unit_cylinder(int sides) {
  TriangleMesh cylinder;
  for (const double z : {-0.5, 0.5})
    for (int k = 0; k < sides; ++k)
      cylinder.points.emplace_back(0.5 * std::cos(2 * pi * k / sides), 0.5 * std::sin(2 * pi * k / sides), z);
  cylinder.points.emplace_back(0, 0, -0.5);
  cylinder.points.emplace_back(0, 0, 0.5);
  for (int k = 0; k < sides; ++k) {
    const int next = (k + 1) % sides;
    cylinder.triangles.push_back({k, next, sides + k});
    cylinder.triangles.push_back({next, sides + next, sides + k});
    cylinder.triangles.push_back({2 * sides, next, k});
    cylinder.triangles.push_back({2 * sides + 1, sides + k, sides + next});
  }
  return cylinder;
}

TriangleMesh unit_sphere(int sides) {
  TriangleMesh sphere;
  const int rings = std::max(sides / 2, 3);  // from pole to pole
  sphere.points.emplace_back(0, 0, -0.5);
  for (int ring = 1; ring < rings; ++ring)
    for (int k = 0; k < sides; ++k) {
      const double latitude = pi * ring / rings - pi / 2, longitude = 2 * pi * k / sides;
      sphere.points.emplace_back(0.5 * std::cos(latitude) * std::cos(longitude),
                                 0.5 * std::cos(latitude) * std::sin(longitude), 0.5 * std::sin(latitude));
    }
  sphere.points.emplace_back(0, 0, 0.5);
  const auto at = [&](int ring, int k) { return 1 + (ring - 1) * sides + k % sides; };
  const int last = static_cast<int>(sphere.points.size()) - 1;
  for (int k = 0; k < sides; ++k) {
    sphere.triangles.push_back({0, at(1, k + 1), at(1, k)});
    for (int ring = 1; ring + 1 < rings; ++ring) {
      sphere.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k)});
      sphere.triangles.push_back({at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)});
    }
    sphere.triangles.push_back({last, at(rings - 1, k), at(rings - 1, k + 1)});
  }
  return sphere;
}

/// Side faces between the rings of neighbouring nodes, which begin at point `first`.
void add_sides(int first, int around, int nodes, bool faces_inwards,
               std::vector<std::array<int, 3>>& triangles) {
  for (int n = 0; n + 1 < nodes; ++n)
    for (int k = 0; k < around; ++k) {
      int a = first + n * around + k, b = first + n * around + (k + 1) % around;
      if (faces_inwards) std::swap(a, b);
      triangles.push_back({a, b, a + around});
      triangles.push_back({b, b + around, a + around});
    }
}

/// Whoever wrote a mesh may have given each triangle corners of its own: corners in one place are one.
std::vector<int> welded(const std::vector<Vec3>& points) {
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& p) const {
      std::uint64_t all = 0;
      for (const double x : p) all = (all ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15ULL;
      return all ^ all >> 32;
    }
  };
  std::unordered_map<std::array<double, 3>, int, Hash> first;
  std::vector<int> same;
  for (const Vec3& p : points)
    same.push_back(first.try_emplace({p.x() + 0.0, p.y() + 0.0, p.z() + 0.0}, static_cast<int>(same.size()))
                       .first->second);
  return same;
}

}  // namespace

TriangleMesh triangles_of(const Drawing::Shape& shape, const std::vector<TriangleMesh>& meshes, int sides) {
  TriangleMesh mesh;
  if (shape.mesh >= 0 && shape.mesh < static_cast<int>(meshes.size()))
    mesh = meshes[static_cast<std::size_t>(shape.mesh)];
  else if (shape.type == "cylinder")
    mesh = unit_cylinder(sides);
  else if (shape.type == "sphere")
    mesh = unit_sphere(sides);
  else
    mesh = unit_box();
  for (Vec3& point : mesh.points) point = shape.pose.R * point.cwiseProduct(shape.size) + shape.pose.p;
  return mesh;
}

TriangleMesh rod_surface(const std::vector<Vec2>& outline, const std::vector<Vec2>& hole,
                         const std::vector<FramePose>& nodes) {
  TriangleMesh mesh;
  const auto add_rings = [&](const std::vector<Vec2>& ring) {
    for (const FramePose& node : nodes)
      for (const Vec2& at : ring) mesh.points.push_back(node.p + node.R * Vec3(at.x(), at.y(), 0));
  };
  const int around = static_cast<int>(outline.size()), count = static_cast<int>(nodes.size());
  const int inside = around * count, last = around * (count - 1);
  const bool is_hollow = hole.size() == outline.size();
  add_rings(outline);
  add_sides(0, around, count, false, mesh.triangles);
  if (is_hollow) {
    add_rings(hole);
    add_sides(inside, around, count, true, mesh.triangles);
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around;
      mesh.triangles.push_back({k, inside + k, next});
      mesh.triangles.push_back({next, inside + k, inside + next});
      mesh.triangles.push_back({last + k, last + next, inside + last + k});
      mesh.triangles.push_back({last + next, inside + last + next, inside + last + k});
    }
  } else {
    for (int k = 1; k + 1 < around; ++k) {
      mesh.triangles.push_back({0, k + 1, k});
      mesh.triangles.push_back({last, last + k, last + k + 1});
    }
  }
  return mesh;
}

std::vector<std::array<int, 2>> feature_edges(const TriangleMesh& mesh, double angle) {
  const std::vector<int> same = welded(mesh.points);
  const auto at = [&](int k) -> const Vec3& { return mesh.points[static_cast<std::size_t>(k)]; };
  struct Sides {
    Vec3 normal;
    int count = 0;
    bool is_sharp = false;
  };
  std::map<std::array<int, 2>, Sides> edges;
  for (const std::array<int, 3>& corners : mesh.triangles) {
    const Vec3 normal = (at(corners[1]) - at(corners[0])).cross(at(corners[2]) - at(corners[0])).normalized();
    if (!(normal.squaredNorm() > 0.5)) continue;  // a triangle without an area has no side
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = same[static_cast<std::size_t>(corners[k])],
                b = same[static_cast<std::size_t>(corners[(k + 1) % 3])];
      Sides& sides = edges[{std::min(a, b), std::max(a, b)}];
      if (sides.count++ == 0)
        sides.normal = normal;
      else
        sides.is_sharp = sides.is_sharp || sides.normal.dot(normal) < std::cos(angle);
    }
  }
  std::vector<std::array<int, 2>> sharp;
  for (const auto& [edge, sides] : edges)
    if (sides.is_sharp || sides.count == 1) sharp.push_back(edge);
  return sharp;
}

}  // namespace hooke
