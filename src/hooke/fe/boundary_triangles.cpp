#include "hooke/fe/boundary_triangles.h"

#include <algorithm>

namespace hooke {

std::map<std::pair<int, int>, int> middles_of(const SolidMesh& mesh) {
  std::map<std::pair<int, int>, int> middles;
  for (const SolidMesh::Element& element : mesh.elements) {
    const auto nodes = mesh.nodes_of(element);
    const auto corners = static_cast<std::size_t>(corner_count(element.type));
    for (std::size_t k = corners; k < nodes.size(); ++k) {
      const auto& [a, b] = edges(element.type)[k - corners];
      middles[std::minmax(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)])] = nodes[k];
    }
  }
  return middles;
}

std::vector<std::array<int, 3>> boundary_triangles(const SolidMesh& mesh) {
  const auto middles = middles_of(mesh);
  std::vector<std::array<int, 3>> triangles;
  for (const BoundaryFace& face : boundary_faces(mesh)) {
    std::vector<int> inner(face.corners.begin(), face.corners.begin() + (face.corners[3] < 0 ? 3 : 4));
    if (middles.contains(std::minmax(inner[0], inner[1]))) {
      std::vector<int> between;
      for (std::size_t k = 0; k < inner.size(); ++k)
        between.push_back(middles.at(std::minmax(inner[k], inner[(k + 1) % inner.size()])));
      for (std::size_t k = 0; k < inner.size(); ++k)
        triangles.push_back({inner[k], between[k], between[(k + inner.size() - 1) % inner.size()]});
      inner = between;
    }
    triangles.push_back({inner[0], inner[1], inner[2]});
    if (inner.size() == 4) triangles.push_back({inner[0], inner[2], inner[3]});
  }
  return triangles;
}

}  // namespace hooke
