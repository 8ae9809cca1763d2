#pragma once
#include <string>
#include <vector>

#include "hooke/linalg/kkt.h"

namespace hooke {

/// The order in which subsystems are joined: an elimination tree of the joints, from a nested dissection of
/// the graph in which two joints are neighbours when they sit on the same leaf.
struct JointTree {
  /// A body, or several that are coupled other than by joints.
  struct Leaf {
    std::vector<int> blocks;   ///< dof blocks
    std::vector<int> offsets;  ///< of each block in the leaf's own numbering, and the end
    std::vector<int>
        joints;  ///< constraints that join it to others or the ground, in the order of elimination
    std::vector<int> inside;  ///< constraints it keeps for itself: they act on no other leaf
    int rows = 0;             ///< of all its joints
    int dofs() const { return offsets.back(); }
    /// One block of six dofs, whose mass matrix can be inverted.
    bool is_body() const { return blocks.size() == 1 && dofs() == 6; }
  };
  /// One joint: eliminated when everything below it is joined.
  struct Node {
    int rows = 0;               ///< of the joint
    int first_row = 0;          ///< in the multipliers
    std::vector<int> handles;   ///< joints left outside, in the order of elimination
    std::vector<int> offsets;   ///< of the joint (0) and of each handle in the front, and the end
    std::vector<int> leaves;    ///< whose first eliminated joint is this one
    std::vector<int> children;  ///< joints whose compounds are joined here
    std::vector<std::vector<int>> leaf_rows;   ///< where each row of a leaf's joints stands in this front
    std::vector<std::vector<int>> child_rows;  ///< where each handle row of a child stands in this front
    int parent = -1;
    int level = 0;  ///< 0 for a node without children
    int size() const { return offsets.back(); }
  };
  std::vector<Leaf> leaves;
  std::vector<Node> nodes;  ///< by constraint number
  std::vector<int> order;   ///< constraint numbers, children before parents, without those inside leaves
  int depth = 0;            ///< levels on the critical path

  explicit JointTree(const KktStructure& structure);
  JointTree() = default;
  /// For so many threads: the share each joint belongs to, whole subtrees of about equal work, or -1 for the
  /// few joints above them.
  std::vector<int> split(int shares) const;
  /// An indented picture of the tree with the given joint names.
  std::string print(const std::vector<std::string>& names) const;
  /// The same as a drawing (SVG): joints as circles with their names, leaves as squares, the last elimination
  /// on top.
  std::string draw(const std::vector<std::string>& names) const;
};

}  // namespace hooke
