// Hulls against each other: how deep they are in each other where their corners and edges say that they just touch.
#include "control/support.h"
#include "hooke/contact/mesh_field.h"
#include "hooke/contact/surface_pairs.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

constexpr double hull_size = 0.3;

TriangleMesh hull_around(int points, Random& random) {
  std::vector<Vec3> all;
  for (int k = 0; k < points; ++k) all.push_back(0.5 * hull_size * random_vector(3, random).normalized());
  return convex_hull(all);
}

Surface surface_of(const TriangleMesh& hull, int frame) {
  Surface made{.field = std::make_shared<MeshField>(hull, 0, true), .frame = frame, .body = frame};
  for (const TouchingFeature& feature : features_of(hull, 0)) {
    made.features.push_back({frame, feature});
    made.has_edges |= feature.kind == TouchingFeature::Kind::segment;
  }
  return made;
}

struct Polytope {
  std::vector<Vec3> points, normals, edges;
  Polytope(const TriangleMesh& mesh, const FramePose& at) {
    for (const Vec3& p : mesh.points) points.push_back(at.p + at.R * p);
    for (const auto& t : mesh.triangles) {
      const auto p = [&](std::size_t k) -> const Vec3& { return points[static_cast<std::size_t>(t[k % 3])]; };
      normals.push_back((p(1) - p(0)).cross(p(2) - p(0)).normalized());
      for (std::size_t k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3]) edges.push_back(p(k + 1) - p(k));
    }
  }
  double least_along(const Vec3& way) const {
    double least = 1e300;
    for (const Vec3& p : points) least = std::min(least, way.dot(p));
    return least;
  }
};

/// How far A must be moved along the shortest way out of B: of convex polytopes one of the normals of their faces, or of two edges.
double depth_of(const Polytope& A, const Polytope& B) {
  double least = 1e300;
  const auto look = [&](const Vec3& n) { least = std::min(least, -B.least_along(-n) - A.least_along(n)); };
  for (const Vec3& n : B.normals) look(n);
  for (const Vec3& n : A.normals) look(-n);
  for (const Vec3& a : A.edges)
    for (const Vec3& b : B.edges)
      if (const Vec3 n = a.cross(b); n.norm() > 1e-6 * a.norm() * b.norm())
        look(n.normalized()), look(-n.normalized());
  return least;
}

/// Moved onto each other until something touches, they are in each other by no more than 0.3 % of their size, whatever touches: an edge
/// that counts for its corners alone sticks out by less.
TEST(Hulls, TouchBeforeTheyAreInEachOther) {
  Random random{12};
  double deepest = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const TriangleMesh a = hull_around(30, random), b = hull_around(30, random);
    SurfacePairs pairs;
    pairs.surfaces = {surface_of(a, 0), surface_of(b, 1)};
    pairs.contacts = {{.lists = {std::vector{0}, std::vector{1}}}};
    pairs.finish();
    SurfacePairs::Balls balls = pairs.balls();
    std::array<FramePose, 2> pose{FramePose{exp_so3(3 * random_vector(3, random)), zero3},
                                  FramePose{exp_so3(3 * random_vector(3, random)), zero3}};
    const Vec3 way = random_vector(3, random).normalized();
    const auto touches = [&](double apart) {
      pose[0].p = apart * way;
      double gap = 1e300;
      pairs.for_each_near(pose, 1, 0, balls, [&](const SurfacePairs::Place& place, int) {
        gap = std::min(gap, pairs.gap_of(place, pose).gap);
      });
      return gap <= 0;
    };
    double out = hull_size, in = out;
    while (in > 0.5 * hull_size && !touches(in)) out = in, in -= 0.01 * hull_size;
    ASSERT_TRUE(touches(in));
    for (int pass = 0; pass < 8; ++pass) {
      const double middle = 0.5 * (in + out);
      (touches(middle) ? in : out) = middle;
    }
    touches(in);
    deepest = std::max(deepest, depth_of({a, pose[0]}, {b, pose[1]}));
  }
  EXPECT_LT(deepest, (3e-3 + 1e-4) * hull_size);
}

/// Of a fine mesh, which is nearly smooth, only the corners count.
TEST(Hulls, EdgesOfFineOnesDoNotCount) {
  Random random{4};
  const TriangleMesh fine = hull_around(2000, random);
  int edges = 0;
  for (const TouchingFeature& feature : features_of(fine, 0))
    edges += feature.kind == TouchingFeature::Kind::segment;
  EXPECT_LT(edges, 100) << "of " << fine.triangles.size() << " triangles";
}

}  // namespace
}  // namespace hooke::test
