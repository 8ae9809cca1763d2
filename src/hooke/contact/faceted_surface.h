#pragma once
#include <Eigen/Geometry>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// The faces of a solid, triangles between its nodes, as one surface whose normal is continuous.
///
/// The distance of a point from the nearest triangle has a kink over every edge: what slides over it is pushed one way and then, at
/// once, another. Here each triangle f tells the distance g_f from its plane, and of those around the nearest one the mean is taken:
///
///   g = sum w_f g_f / sum w_f,    w_f = (1 - t_f^2/s_f^2)^3  for t_f < s_f,  otherwise 0
///
/// t_f is how far the point's foot on the plane is beside the triangle. Over the middle of a triangle g is the distance from its plane; on the
/// way over an edge, as wide as s_f to both sides, the normal turns from one to the other. g has continuous first derivatives
/// by the point and by all nodes, so that a force law of g has a potential, and what it does to the nodes follows from that. Where all
/// triangles lie in one plane, g is the distance from it. Over edges that are sharp (`sharp`, at rest) nothing is blended.
class FacetedSurface {
 public:
  static constexpr double sharp = 1;  ///< rad between normals
  using Triangle = std::array<int, 3>;

  /// Of triangles between nodes that are there at rest. `depths`: of the solid below each triangle.
  FacetedSurface(std::span<const Triangle> triangles, std::span<const Vec3> rest,
                 std::span<const double> depths);

  int size() const { return static_cast<int>(facets_.size()); }
  double least_depth() const { return least_depth_; }
  double deepest() const { return deepest_; }
  double largest() const { return largest_; }  ///< the longest side at rest
  /// Where its nodes are, and boxes around the triangles below each branch of its tree.
  struct Posed {
    std::vector<Vec3> at;
    std::vector<Eigen::AlignedBox3d> boxes;
  };
  /// The boxes of nodes that are there now.
  void enclose(Posed& posed) const;
  const Triangle& nodes(int facet) const { return facets_[static_cast<std::size_t>(facet)].nodes; }
  /// Nodes that one point may touch at once: f(i, j), i < j, for each two.
  void for_each_pair(auto&& f) const {
    for (const auto& [i, j] : pairs_) f(i, j);
  }

  /// The distance of a point and what it depends on: the point itself first, then nodes.
  struct Patch {
    double distance = std::numeric_limits<double>::infinity();
    Vec3 normal = Vec3::UnitZ();
    double steep = 1;  ///< |dg/dx|, which is 1 but for the angles between triangles
    std::vector<int> nodes;
    VectorX slope;      ///< dg by the point and by the nodes, three each; what is beyond is not used
    VectorX weighing;   ///< of the sum of weights, as a part of it
    MatrixX bend;       ///< derivatives of the slope
    int looked_at = 0;  ///< triangles, in finding the nearest
    Eigen::Index dofs() const { return 3 * (1 + static_cast<Eigen::Index>(nodes.size())); }
    Vec3 slope_of(std::size_t node) const {
      return slope.segment<3>(3 + 3 * static_cast<Eigen::Index>(node));
    }
    /// The part of a node in what moves with the surface there; over all nodes they sum to one.
    double share(std::size_t node) const { return -normal.dot(slope_of(node)) / steep; }
  };
  /// Of a point with all that is within a `radius` of it; of one that is farther from the surface than `reach` nothing. Says whether
  /// it is over the surface.
  bool meet(const Vec3& x, double radius, const Posed& posed, double reach, bool with_bend,
            Patch& patch) const;

 private:
  struct Facet {
    Triangle nodes;
    std::array<bool, 3> is_border{};  ///< of the surface: the side opposite to each node
    double depth = 0;                 ///< a point farther below is on the other side of the solid
    double blend = 0;                 ///< s, at the surface
    double turn = 0;  ///< rad, the largest angle to a triangle beside it: farther out s grows with it
    double size = 0;  ///< longest side
    int first_near = 0, last_near = 0;
  };
  /// Of the tree of triangles, which is made at rest: those in order_[first, last), with branches further on; 0: none.
  struct Branch {
    int first, last, left = 0, right = 0;
  };
  int grow(int first, int last, std::span<const Vec3> centres);
  int nearest(const Vec3& x, const Posed& posed, double reach, int& looked_at) const;

  std::vector<Facet> facets_;
  std::vector<Branch> tree_;
  std::vector<int> order_;
  std::vector<int> near_;  ///< of each: itself, and those it shares a node with
  std::vector<std::pair<int, int>> pairs_;
  double least_depth_ = std::numeric_limits<double>::infinity(), deepest_ = 0, largest_ = 0;
};

}  // namespace hooke
