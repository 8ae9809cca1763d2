#pragma once
#include <string>

#include "hooke/contact/touching_feature.h"
#include "hooke/fe/triangle_mesh.h"

namespace hooke {

/// Points that are in the same place made one, and triangles without area left out.
TriangleMesh welded(const TriangleMesh& mesh);
/// Why the mesh bounds no matter: it is open, its triangles disagree on which side is out, or it is inside out. Empty: it does.
std::string problem_of(const TriangleMesh& mesh);
/// The triangles around points, without those that lie in the plane of others; empty: the points lie in a plane.
TriangleMesh convex_hull(const std::vector<Vec3>& points);

/// All that is within `rounding` of what a closed mesh bounds. The nearest triangle is found in a tree of boxes; on which side
/// of it a point lies tells the normal at the nearest place, that of an edge or corner being the mean of its triangles'
/// (Baerentzen, Aanaes, IEEE Trans. Visualization and Computer Graphics 11 (2005) 243-253).
class MeshField final : public DistanceField {
 public:
  explicit MeshField(TriangleMesh mesh, double rounding = 0, bool is_hull = false);
  DistanceSample at(const Vec3& x) const override;
  bool is_convex() const override { return is_hull_; }
  double bound() const override { return bound_ + rounding_; }
  double depth() const override { return depth_; }

 private:
  struct Triangle {
    std::array<Vec3, 3> corners;
    /// Outward normals of the face, of the edges that begin at each corner, and of the corners.
    Vec3 face;
    std::array<Vec3, 3> edges, points;
  };
  struct Node {
    Vec3 low, high;
    int first, count;  ///< of its triangles; a node with count 0 has the nodes `first` and the one after it
  };
  struct Nearest {
    double square = std::numeric_limits<double>::infinity();
    Vec3 place = Vec3::Zero(), outward = Vec3::UnitZ();
    Vec3 along = Vec3::Zero();  ///< unit vector of an edge
    enum class On { face, edge, corner } on = On::face;
  };
  void split(int node, int first, int count);
  double depth_below(const Vec3& from, const Vec3& normal) const;
  static void look_at(const Triangle& triangle, const Vec3& x, Nearest& nearest);

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
  double rounding_, bound_ = 0, depth_ = 0;
  bool is_hull_;
};

/// Corners and sharp edges of a mesh, which may touch others.
std::vector<TouchingFeature> features_of(const TriangleMesh& mesh, double rounding);

}  // namespace hooke
