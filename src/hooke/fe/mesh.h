#pragma once
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hooke/math/types.h"

/// Meshes of solid elements, and the ones that need no program to make them.
namespace hooke {

/// Nodes are numbered as in VTK and Abaqus: corners first, the middles of the edges after them
/// (bottom, top, uprights of a hex20; 01 12 20 03 13 23 of a tet10).
enum class ElementType { hex8, hex20, tet4, tet10 };

int node_count(ElementType type);
int corner_count(ElementType type);
/// The two corners that each middle node lies between.
std::span<const std::array<int, 2>> edges(ElementType type);
/// The corners of each face, seen from outside anticlockwise; three or four.
std::span<const std::array<int, 4>> faces(ElementType type);  ///< of a tet the fourth is -1

struct SolidMesh {
  struct Element {
    ElementType type;
    int material = 0;  ///< index into whatever list of materials goes with the mesh
    int first = 0;     ///< of its nodes in `connectivity`
  };

  std::vector<Vec3> nodes;
  std::vector<Element> elements;
  std::vector<int> connectivity;
  std::map<std::string, std::vector<int>> node_sets;

  std::span<const int> nodes_of(const Element& e) const {
    return {connectivity.data() + e.first, static_cast<std::size_t>(node_count(e.type))};
  }
  /// 3 x n
  Mat3X positions_of(const Element& e) const;
  void add_element(ElementType type, std::span<const int> element_nodes, int material = 0);
  /// Throws std::invalid_argument, which names the sets there are.
  const std::vector<int>& set(const std::string& name) const;
  int nearest_node(const Vec3& point) const;
};

/// A quadrilateral or triangle of the boundary: corners of the element it belongs to, outward normal.
struct BoundaryFace {
  int element;
  std::array<int, 4> corners;  ///< node numbers; the fourth is -1 for a triangle
};
std::vector<BoundaryFace> boundary_faces(const SolidMesh& mesh);
/// Along the outward normal, at(node) being where a node is.
Vec3 face_area(const std::array<int, 4>& c, const auto& at) {
  return c[3] < 0 ? Vec3(0.5 * (at(c[1]) - at(c[0])).cross(at(c[2]) - at(c[0])))
                  : Vec3(0.5 * (at(c[2]) - at(c[0])).cross(at(c[3]) - at(c[1])));
}

/// The same mesh with the middles of all edges as nodes: hex8 -> hex20, tet4 -> tet10. A middle is in a node
/// set when both ends are.
SolidMesh with_middle_nodes(const SolidMesh& linear);
/// Each hex8 cut into six tet4 along one diagonal, the same way in all, so that faces match.
SolidMesh cut_into_tets(const SolidMesh& hexes);

/// A box about the origin. Node sets x_min, x_max, y_min, ... are its faces.
SolidMesh box_mesh(const Vec3& size, const std::array<int, 3>& divisions,
                   ElementType type = ElementType::hex8);

/// A body of revolution about z: at each station of the profile a disc (inner 0) or ring.
struct RevolvedProfile {
  struct Station {
    double z = 0, outer = 0, inner = 0;
  };
  std::vector<Station> stations;  ///< z ascending
  int across = 2;                 ///< elements from side to side of a disc, or through the wall of a ring
  int around = 16;                ///< elements around a ring; a disc has 4 `across`
  int along = 1;                  ///< elements along the whole length, shared out among the stations
};
/// Node sets bottom, top, outside; of a disc axis, of a ring inside.
SolidMesh revolved_mesh(const RevolvedProfile& profile, ElementType type = ElementType::hex8);

/// What is wrong with a mesh, one sentence each: inverted or flat elements, coincident nodes, nodes of no
/// element, regions that are not connected. Empty: nothing.
std::vector<std::string> mesh_faults(const SolidMesh& mesh);

}  // namespace hooke
