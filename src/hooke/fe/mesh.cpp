#include "hooke/fe/mesh.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "hooke/fe/shape_functions.h"

namespace hooke {
namespace {

using Edge = std::array<int, 2>;
using Face = std::array<int, 4>;

constexpr std::array<Edge, 12> hex_edges{
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
constexpr std::array<Edge, 6> tet_edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
constexpr std::array<Face, 6> hex_faces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
constexpr std::array<Face, 4> tet_faces{{{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}};

bool is_hex(ElementType type) { return type == ElementType::hex8 || type == ElementType::hex20; }
bool is_quadratic(ElementType type) { return type == ElementType::hex20 || type == ElementType::tet10; }

SolidMesh as_type(const SolidMesh& hexes, ElementType type) {
  const SolidMesh linear = is_hex(type) ? hexes : cut_into_tets(hexes);
  return is_quadratic(type) ? with_middle_nodes(linear) : linear;
}

/// Hexahedra between layers of quadrilaterals, `per_layer` nodes apart.
void stack(SolidMesh& mesh, const std::vector<Face>& quads, int per_layer, int layers) {
  for (int layer = 0; layer < layers; ++layer)
    for (const Face& quad : quads) {
      std::array<int, 8> hex;
      for (int k = 0; k < 4; ++k) {
        hex[k] = quad[k] + per_layer * layer;
        hex[k + 4] = hex[k] + per_layer;
      }
      mesh.add_element(ElementType::hex8, hex);
    }
}

/// A grid of n x m cells, the second direction closed on itself if `closed`.
std::vector<Face> grid_quads(int n, int m, bool closed = false) {
  std::vector<Face> quads;
  const int columns = n + 1, rows = closed ? m : m + 1;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      const int next = (j + 1) % rows;
      quads.push_back({j * columns + i, j * columns + i + 1, next * columns + i + 1, next * columns + i});
    }
  return quads;
}

}  // namespace

int node_count(ElementType type) {
  constexpr int counts[] = {8, 20, 4, 10};
  return counts[static_cast<int>(type)];
}
int corner_count(ElementType type) { return is_hex(type) ? 8 : 4; }
std::span<const Edge> edges(ElementType type) {
  return is_hex(type) ? std::span<const Edge>(hex_edges) : tet_edges;
}
std::span<const Face> faces(ElementType type) {
  return is_hex(type) ? std::span<const Face>(hex_faces) : tet_faces;
}

Mat3X SolidMesh::positions_of(const Element& e) const {
  Mat3X x(3, node_count(e.type));
  for (int column = 0; int node : nodes_of(e)) x.col(column++) = nodes[node];
  return x;
}

void SolidMesh::add_element(ElementType type, std::span<const int> element_nodes, int material) {
  elements.push_back({type, material, static_cast<int>(connectivity.size())});
  connectivity.insert(connectivity.end(), element_nodes.begin(), element_nodes.end());
}

const std::vector<int>& SolidMesh::set(const std::string& name) const {
  if (const auto found = node_sets.find(name); found != node_sets.end()) return found->second;
  std::string names;
  for (const auto& [known, of] : node_sets) names += (names.empty() ? "" : ", ") + known;
  throw std::invalid_argument(names.empty()
                                  ? formatted("the mesh has no node set '{}', nor any other", name)
                                  : formatted("the mesh has no node set '{}'; it has {}", name, names));
}

int SolidMesh::nearest_node(const Vec3& point) const {
  const auto nearer = [&](const Vec3& a, const Vec3& b) {
    return (a - point).squaredNorm() < (b - point).squaredNorm();
  };
  return static_cast<int>(std::min_element(nodes.begin(), nodes.end(), nearer) - nodes.begin());
}

std::vector<BoundaryFace> boundary_faces(const SolidMesh& mesh) {
  std::map<Face, std::pair<int, BoundaryFace>> seen;  // by sorted corners: how often, and the face
  for (int e = 0; const SolidMesh::Element& element : mesh.elements) {
    const auto nodes = mesh.nodes_of(element);
    for (const Face& face : faces(element.type)) {
      Face corners{-1, -1, -1, -1};
      for (int k = 0; k < 4; ++k)
        if (face[k] >= 0) corners[k] = nodes[face[k]];
      Face key = corners;
      std::sort(key.begin(), key.end());
      auto& entry = seen.try_emplace(key, 0, BoundaryFace{e, corners}).first->second;
      ++entry.first;
    }
    ++e;
  }
  std::vector<BoundaryFace> outside;
  for (const auto& [key, entry] : seen)
    if (entry.first == 1) outside.push_back(entry.second);
  return outside;
}

SolidMesh with_middle_nodes(const SolidMesh& linear) {
  SolidMesh mesh;
  mesh.nodes = linear.nodes;
  std::map<Edge, int> middles;
  for (const SolidMesh::Element& element : linear.elements) {
    const auto corners = linear.nodes_of(element);
    std::vector<int> nodes(corners.begin(), corners.end());
    for (const Edge& edge : edges(element.type)) {
      const auto [a, b] = std::minmax(corners[edge[0]], corners[edge[1]]);
      const auto [at, is_new] = middles.try_emplace({a, b}, static_cast<int>(mesh.nodes.size()));
      if (is_new) mesh.nodes.push_back(0.5 * (linear.nodes[a] + linear.nodes[b]));
      nodes.push_back(at->second);
    }
    mesh.add_element(is_hex(element.type) ? ElementType::hex20 : ElementType::tet10, nodes, element.material);
  }
  for (const auto& [name, set] : linear.node_sets) {
    std::vector<char> is_in(linear.nodes.size(), 0);
    for (int node : set) is_in[node] = 1;
    std::vector<int>& larger = mesh.node_sets[name] = set;
    for (const auto& [edge, middle] : middles)
      if (is_in[edge[0]] && is_in[edge[1]]) larger.push_back(middle);
  }
  return mesh;
}

SolidMesh cut_into_tets(const SolidMesh& hexes) {
  // Around the diagonal 0-6, one tet for each way from 0 to 6 along three edges.
  constexpr int tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                              {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  SolidMesh mesh;
  mesh.nodes = hexes.nodes;
  mesh.node_sets = hexes.node_sets;
  for (const SolidMesh::Element& element : hexes.elements) {
    const auto nodes = hexes.nodes_of(element);
    for (const auto& tet : tets)
      mesh.add_element(ElementType::tet4,
                       std::array{nodes[tet[0]], nodes[tet[1]], nodes[tet[2]], nodes[tet[3]]},
                       element.material);
  }
  return mesh;
}

SolidMesh box_mesh(const Vec3& size, const std::array<int, 3>& n, ElementType type) {
  SolidMesh mesh;
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) {
        const std::array index{i, j, k};
        const int node = static_cast<int>(mesh.nodes.size());
        Vec3 x;
        for (int d = 0; d < 3; ++d) {
          x[d] = size[d] * (static_cast<double>(index[d]) / n[d] - 0.5);
          if (index[d] == 0) mesh.node_sets[std::string{"xyz"[d]} + "_min"].push_back(node);
          if (index[d] == n[d]) mesh.node_sets[std::string{"xyz"[d]} + "_max"].push_back(node);
        }
        mesh.nodes.push_back(x);
      }
  stack(mesh, grid_quads(n[0], n[1]), (n[0] + 1) * (n[1] + 1), n[2]);
  return as_type(mesh, type);
}

SolidMesh revolved_mesh(const RevolvedProfile& profile, ElementType type) {
  const auto& stations = profile.stations;
  const int n = profile.across;
  const bool ring = stations.front().inner > 0;

  // A station at every layer, at least one element between two given ones.
  std::vector<RevolvedProfile::Station> layers{stations.front()};
  const double length = stations.back().z - stations.front().z;
  for (std::size_t s = 1; s < stations.size(); ++s) {
    const auto &a = stations[s - 1], &b = stations[s];
    const int pieces = std::max(1, static_cast<int>(std::lround(profile.along * (b.z - a.z) / length)));
    for (int k = 1; k <= pieces; ++k) {
      const double u = static_cast<double>(k) / pieces;
      layers.push_back(
          {std::lerp(a.z, b.z, u), std::lerp(a.outer, b.outer, u), std::lerp(a.inner, b.inner, u)});
    }
  }

  SolidMesh mesh;
  const int rows = ring ? profile.around : n + 1;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto& at = layers[layer];
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i <= n; ++i) {
        const auto put_in = [&](const char* set) {
          mesh.node_sets[set].push_back(static_cast<int>(mesh.nodes.size()));
        };
        if (layer == 0) put_in("bottom");
        if (layer + 1 == layers.size()) put_in("top");
        if (ring) {
          const double angle = 2 * std::numbers::pi * j / rows,
                       r = std::lerp(at.inner, at.outer, static_cast<double>(i) / n);
          if (i == 0) put_in("inside");
          if (i == n) put_in("outside");
          mesh.nodes.emplace_back(r * std::cos(angle), r * std::sin(angle), at.z);
        } else {  // the square [-1, 1]^2 drawn to a disc: lines x, y = constant become halves of ellipses
          const double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
          if (i == 0 || i == n || j == 0 || j == n) put_in("outside");
          if (2 * i == n && 2 * j == n) put_in("axis");
          mesh.nodes.emplace_back(at.outer * x * std::sqrt(1 - y * y / 2),
                                  at.outer * y * std::sqrt(1 - x * x / 2), at.z);
        }
      }
  }
  stack(mesh, grid_quads(n, ring ? profile.around : n, ring), (n + 1) * rows,
        static_cast<int>(layers.size()) - 1);
  return as_type(mesh, type);
}

std::vector<std::string> mesh_faults(const SolidMesh& mesh) {
  std::vector<std::string> faults;
  if (mesh.elements.empty()) return {"the mesh has no solid elements"};

  std::vector<int> inverted;
  for (int e = 0; const SolidMesh::Element& element : mesh.elements) {
    if (smallest_jacobian(element.type, mesh.positions_of(element)) <= 0) inverted.push_back(e);
    ++e;
  }
  if (!inverted.empty()) {
    const Vec3 at = mesh.positions_of(mesh.elements[inverted[0]]).rowwise().mean();
    faults.push_back(
        formatted("{} of {} elements are inverted or flat, the first is number {} at ({:.4g}, {:.4g}, "
                  "{:.4g}): its nodes are in the wrong order, or it is too distorted",
                  inverted.size(), mesh.elements.size(), inverted[0] + 1, at.x(), at.y(), at.z()));
  }

  // Connected regions, by uniting the nodes of each element.
  std::vector<int> parent(mesh.nodes.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::vector<char> used(mesh.nodes.size(), 0);
  for (const SolidMesh::Element& element : mesh.elements)
    for (int node : mesh.nodes_of(element)) {
      used[node] = 1;
      parent[root(node)] = root(mesh.nodes_of(element)[0]);
    }
  int regions = 0, free_nodes = 0, first_free = -1;
  for (int i = 0; i < static_cast<int>(mesh.nodes.size()); ++i) {
    if (used[i])
      regions += root(i) == i;
    else if (free_nodes++ == 0)
      first_free = i;
  }
  if (free_nodes)
    faults.push_back(
        formatted("{} nodes belong to no element, the first is number {}", free_nodes, first_free + 1));
  if (regions > 1)
    faults.push_back(
        formatted("the mesh falls into {} regions that share no node: unite coincident nodes, or make "
                  "a body of each region",
                  regions));

  // Coincident nodes: sorted along x, neighbours within a small part of the extent.
  Vec3 low = mesh.nodes[0], high = low;
  for (const Vec3& x : mesh.nodes) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double close = 1e-9 * (high - low).norm();
  std::vector<int> order(mesh.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return mesh.nodes[a].x() < mesh.nodes[b].x(); });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1;
         j < order.size() && mesh.nodes[order[j]].x() - mesh.nodes[order[i]].x() <= close; ++j)
      if ((mesh.nodes[order[j]] - mesh.nodes[order[i]]).norm() <= close) {
        faults.push_back(
            formatted("nodes {} and {} are at the same place: unite them", order[i] + 1, order[j] + 1));
        i = order.size();
        break;
      }
  return faults;
}

}  // namespace hooke
