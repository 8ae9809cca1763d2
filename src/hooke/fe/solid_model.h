#pragma once
#include "hooke/fe/shared_sums.h"
#include "hooke/fe/solid_element.h"
#include "hooke/linalg/body_matrices.h"

namespace hooke {

/// Everything of a solid that does not change: its mesh, and stiffness and mass in the axes of the mesh,
/// assembled and by element. Bodies of the same kind share one.
struct SolidModel {
  struct Element {
    ElementType type;
    int first;       ///< of its nodes in mesh.connectivity
    int stiffness;   ///< in `element_stiffness`
    int first_pair;  ///< of its pairs of nodes in `element_pairs`
  };

  /// Up to four elements of one type, which are computed with at once.
  struct Four {
    ElementType type;
    bool one_stiffness;  ///< they share
    int count;
    int first_place;  ///< of its nodes' in `sums_of_elements`
    std::array<int, 4> element;
  };

  /// A face that a load acts on: how its nodes share it, and where d(node)/d(corner) of such a load goes in
  /// the body's blocks.
  struct LoadedFace {
    std::array<int, 4> corners;  ///< the fourth is -1 for a triangle
    std::vector<std::pair<int, double>> shares;
    std::vector<int> pairs;  ///< node by node, corner by corner, numbered as element_pairs
    int corner_count() const { return corners[3] < 0 ? 3 : 4; }
  };

  SolidMesh mesh;
  std::vector<SolidMaterial> materials;
  SolidOptions options;

  BodyMatrices matrices;
  /// Nodes i < j of a common element, ascending; block k of the matrices is (i, j) there.
  std::vector<std::pair<int, int>> couplings;
  std::vector<int> first_coupling;  ///< of each node as i, and the end
  /// A register that takes a column of three reads one number beyond it: one block more than there are couplings.
  std::vector<Mat3> diagonal_stiffness, coupling_stiffness;
  std::vector<double> diagonal_mass, coupling_mass;

  std::vector<Element> elements;
  std::vector<Four> fours;                 ///< all of them
  SharedSums sums_of_elements;             ///< fours add to nodes; each element in turn
  SharedSums sums_of_couplings;            ///< rows of K do: node i, then j of its couplings
  std::vector<MatrixX> element_stiffness;  ///< congruent elements share one
  /// For each pair (a, b) of an element's nodes, row by row: node number if a = b, else nodes + 2 k for entry
  /// (i, j) of coupling k and one more for (j, i), which is how a body's blocks are numbered.
  std::vector<int> element_pairs;

  VectorX share;   ///< mass of each node's shape function: what gravity acts on
  VectorX weight;  ///< positive, of sum one: what frames are fitted with
  Vec3 centre;     ///< mean of the nodes by weight
  Mat3X arms;      ///< nodes from there
  double extent;   ///< largest distance of a node from there

  /// Throws std::invalid_argument with what is wrong with the mesh.
  SolidModel(SolidMesh mesh, std::vector<SolidMaterial> materials, const SolidOptions& options);

  int nodes() const { return static_cast<int>(mesh.nodes.size()); }
  /// f = K u, both 4 x nodes, so that a node fills a register: the last row of u is zero, that of f means nothing.
  /// Or of two or four u at once, which lie side by side at each node. f has room for `places` nodes.
  void multiply_stiffness(const double* u, double* f, int columns = 1, Team* team = nullptr) const;
  int places() const { return nodes() + sums_of_couplings.extra_places(); }
  /// r += M a, both 3 x nodes.
  void add_mass_product(const double* a, double factor, double* r, Team* team = nullptr) const;

  /// All whose corners are in the set.
  std::vector<LoadedFace> faces_of(const std::vector<int>& set) const;
  /// Forces on the nodes, 3 x nodes, of a traction (N/m2) on these faces and of a pressure against their
  /// outward normals.
  Mat3X surface_load(const std::vector<int>& set, const Vec3& traction, double pressure = 0) const;
  /// How far the element that turns most does, rad (sine, at its middle), where the nodes are displaced by u.
  double largest_turn(const Mat3X& u) const;
};

}  // namespace hooke
