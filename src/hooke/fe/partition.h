#pragma once
#include "hooke/fe/mesh.h"

/// A mesh cut into components that share no node: a solid that bends far is made of several, each with a
/// frame of its own, tied together where they meet (Kan et al., Fig. 4).
namespace hooke {

/// The component of each element: slabs across an axis (0, 1, 2; -1: the longest) with equally many elements,
/// as far as possible. Or graded, with their ends at (k/components)^grading of the length: above 1 the slabs are
/// shorter where the axis begins, below 1 where it ends.
std::vector<int> slabs(const SolidMesh& mesh, int components, int axis = -1, double grading = 1);
/// The same with small interfaces, wherever they are (linalg/graph.h). Every component is connected.
std::vector<int> metis_components(const SolidMesh& mesh, int components);

/// Nodes of components a < b that are one node of the whole; where more than two components meet, all are
/// tied to the first.
struct ComponentTie {
  int a, b;
  std::string set;  ///< of both meshes, in the same order
};
struct CutMesh {
  std::vector<SolidMesh> meshes;  ///< in the axes of the whole, with what they have of its sets
  std::vector<ComponentTie> ties;
};
CutMesh cut_mesh(const SolidMesh& mesh, const std::vector<int>& component_of_element);

}  // namespace hooke
