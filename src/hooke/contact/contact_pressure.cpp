#include "hooke/contact/contact_pressure.h"

#include <cmath>

namespace hooke {

void ContactPressure::find(std::span<const Vec3> forces, std::span<const std::vector<FramePose>> places,
                           std::vector<std::vector<double>>& pressure) const {
  std::vector<Vec3> force(nodes.size()), area(nodes.size(), zero3);
  for (std::size_t k = 0; k < nodes.size(); ++k) force[k] = forces[static_cast<std::size_t>(nodes[k].frame)];
  for (const Middle& middle : middles)
    for (const int end : middle.ends)
      force[static_cast<std::size_t>(end)] += 0.5 * force[static_cast<std::size_t>(middle.node)];

  const auto at = [&](int k) -> const Vec3& {
    const SolidNode& node = nodes[static_cast<std::size_t>(k)].copies.front();
    return places[static_cast<std::size_t>(node.body)][static_cast<std::size_t>(node.node)].p;
  };
  for (const auto& face : faces) {
    const std::size_t n = face[3] < 0 ? 3 : 4;
    std::array<Vec3, 4> corner;  // of the triangle there with the two neighbours
    for (std::size_t c = 0; c < n; ++c) {
      const Vec3& here = at(face[c]);
      corner[c] = 0.5 * (at(face[(c + 1) % n]) - here).cross(at(face[(c + n - 1) % n]) - here);
    }
    for (std::size_t c = 0; c < n; ++c)  // the bilinear shape function over a quadrilateral, exactly
      area[static_cast<std::size_t>(face[c])] +=
          n == 3 ? Vec3(corner[c] / 3)
                 : Vec3((corner[(c + n - 1) % n] + corner[c] + corner[(c + 1) % n]) / 6);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double square = area[k].squaredNorm();
    if (square == 0) continue;
    const double p = -force[k].dot(area[k]) / square;
    for (const SolidNode& copy : nodes[k].copies) {
      double& most = pressure[static_cast<std::size_t>(copy.body)][static_cast<std::size_t>(copy.node)];
      if (std::abs(p) > std::abs(most)) most = p;
    }
  }
}

}  // namespace hooke
