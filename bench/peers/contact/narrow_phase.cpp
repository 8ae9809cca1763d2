// Two shapes near each other: how far apart, and which way. Hooke's narrow phase beside that of FCL and of Bullet, on the same poses and against
// distances found by brute force. Prints a table; bench/peers/contact/run narrow.
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <fcl/fcl.h>
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <random>

#include "hooke/catalog/contact_shapes.h"
#include "hooke/contact/mesh_field.h"
#include "hooke/contact/surface_pairs.h"

namespace {

using namespace hooke;

struct Found {
  double distance = 0;  ///< negative: how deep
  Vec3 normal = Vec3::Zero();
};
using Query = std::function<Found(const FramePose&, const FramePose&)>;

/// Of a convex shape, all of which is within `radius` of its corners' hull.
struct Solid {
  TriangleMesh mesh;
  double radius = 0;
  Surface surface;
  std::shared_ptr<fcl::CollisionGeometryd> fcl;
  std::unique_ptr<btConvexShape> bullet;
};

template <class Shape>
void set_surface(const Shape& shape, Solid& to, int frame) {
  to.surface.frame = to.surface.body = frame;
  shape_surface(shape, 1e-9, to.surface);
}

TriangleMesh box_mesh(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(0.5 * size.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  return convex_hull(corners);
}

Solid box(const Vec3& size, int frame) {
  Solid made{.mesh = box_mesh(size)};
  set_surface(BoxShape{.size = size}, made, frame);
  made.fcl = std::make_shared<fcl::Boxd>(size);
  made.bullet = std::make_unique<btBoxShape>(btVector3(0.5 * size.x(), 0.5 * size.y(), 0.5 * size.z()));
  made.bullet->setMargin(0);
  return made;
}

Solid capsule(double radius, double length, int frame) {
  Solid made{.mesh = {{{0, 0, -0.5 * length}, {0, 0, 0.5 * length}}, {{0, 1, 1}}}, .radius = radius};
  set_surface(CapsuleSurface{.radius = radius, .length = length}, made, frame);
  made.fcl = std::make_shared<fcl::Capsuled>(radius, length);
  made.bullet = std::make_unique<btCapsuleShapeZ>(radius, length);
  return made;
}

Solid hull(std::mt19937& chance, int frame) {
  std::normal_distribution<double> some;
  HullSurface shape;
  for (int k = 0; k < 30; ++k)
    shape.corners.push_back(
        Vec3(some(chance), some(chance), some(chance)).normalized().cwiseProduct(Vec3(0.15, 0.1, 0.08)));
  Solid made{.mesh = convex_hull(shape.corners)};
  set_surface(shape, made, frame);
  auto points =
      std::make_shared<std::vector<fcl::Vector3d>>(made.mesh.points.begin(), made.mesh.points.end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& t : made.mesh.triangles) faces->insert(faces->end(), {3, t[0], t[1], t[2]});
  made.fcl =
      std::make_shared<fcl::Convexd>(points, static_cast<int>(made.mesh.triangles.size()), faces, false);
  auto convex = std::make_unique<btConvexHullShape>();
  for (const Vec3& p : made.mesh.points) convex->addPoint(btVector3(p.x(), p.y(), p.z()), false);
  convex->recalcLocalAabb();
  convex->setMargin(0);
  made.bullet = std::move(convex);
  return made;
}

/// A torus, which is not convex: Bullet's pairs of convex shapes do not take it.
Solid torus(int frame) {
  constexpr int around = 48, across = 24;
  MeshShape shape;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * M_PI * i / around, b = 2 * M_PI * j / across, r = 0.1 + 0.04 * std::cos(b);
      shape.points.emplace_back(r * std::cos(a), r * std::sin(a), 0.04 * std::sin(b));
    }
  const auto at = [](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      shape.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      shape.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  Solid made{.mesh = {shape.points, shape.triangles}};
  set_surface(shape, made, frame);
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : made.mesh.triangles)
    triangles.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                           static_cast<std::size_t>(t[2]));
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel();
  model->addSubModel(std::vector<fcl::Vector3d>(made.mesh.points.begin(), made.mesh.points.end()), triangles);
  model->endModel();
  made.fcl = model;
  return made;
}

Solid sphere(double radius, int frame) {
  Solid made{.mesh = {{Vec3::Zero()}, {{0, 0, 0}}}, .radius = radius};
  set_surface(SphereShape{.radius = radius}, made, frame);
  made.fcl = std::make_shared<fcl::Sphered>(radius);
  return made;
}

// --- by brute force

Vec3 nearest_on(const Vec3& x, const Vec3& a, const Vec3& b) {
  const double square = (b - a).squaredNorm();
  return square > 0 ? Vec3(a + std::clamp((x - a).dot(b - a) / square, 0.0, 1.0) * (b - a)) : a;
}

/// From a point to a triangle, which may be a segment or a point.
Vec3 way_to(const Vec3& x, const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  if (n.norm() > 0) {
    bool is_above = true;
    for (std::size_t k = 0; k < 3; ++k) is_above &= n.cross(t[(k + 1) % 3] - t[k]).dot(x - t[k]) >= 0;
    if (is_above) return n * (n.dot(t[0] - x) / n.squaredNorm());
  }
  Vec3 least = nearest_on(x, t[0], t[1]) - x;
  for (std::size_t k = 1; k < 3; ++k)
    if (const Vec3 way = nearest_on(x, t[k], t[(k + 1) % 3]) - x; way.norm() < least.norm()) least = way;
  return least;
}

/// Of two segments: at both ends, or where both are crossed at right angles.
Vec3 way_between(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Vec3 least = nearest_on(a, c, d) - a;
  const auto look = [&](const Vec3& way) {
    if (way.norm() < least.norm()) least = way;
  };
  look(nearest_on(b, c, d) - b), look(c - nearest_on(c, a, b)), look(d - nearest_on(d, a, b));
  const Vec3 u = b - a, v = d - c, n = u.cross(v);
  if (n.squaredNorm() == 0) return least;
  const double s = (c - a).cross(v).dot(n) / n.squaredNorm(), t = (c - a).cross(u).dot(n) / n.squaredNorm();
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) look(c + t * v - a - s * u);
  return least;
}

/// How deep two convex polyhedra are in each other: the least way out, which is along a normal of a face or across an edge of each.
Found exact_depth(const Solid& A, const Solid& B, const FramePose& a, const FramePose& b) {
  const auto directions = [](const Solid& of, const FramePose& at) {
    std::pair<std::vector<Vec3>, std::vector<Vec3>> normals_and_edges;
    for (const auto& t : of.mesh.triangles) {
      const auto corner = [&](std::size_t k) -> const Vec3& {
        return of.mesh.points[static_cast<std::size_t>(t[k % 3])];
      };
      normals_and_edges.first.push_back(at.R * (corner(1) - corner(0)).cross(corner(2) - corner(0)));
      for (std::size_t k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3]) normals_and_edges.second.push_back(at.R * (corner(k + 1) - corner(k)));
    }
    return normals_and_edges;
  };
  const auto [normals_A, edges_A] = directions(A, a);
  const auto [normals_B, edges_B] = directions(B, b);
  Found least{-1e9, Vec3::Zero()};
  const auto look = [&](const Vec3& along) {
    if (along.norm() < 1e-9) return;
    for (const Vec3& n : {Vec3(along.normalized()), Vec3(-along.normalized())}) {
      double end = -1e9, begin = 1e9;  // of A and of B along it
      for (const Vec3& p : A.mesh.points) end = std::max(end, n.dot(a.p + a.R * p));
      for (const Vec3& p : B.mesh.points) begin = std::min(begin, n.dot(b.p + b.R * p));
      if (begin - end > least.distance) least = {begin - end, -n};
    }
  };
  for (const auto* normals : {&normals_A, &normals_B})
    for (const Vec3& n : *normals) look(n);
  for (const Vec3& u : edges_A)
    for (const Vec3& v : edges_B) look(u.cross(v) / (u.norm() * v.norm()));
  return least;
}

Found exact(const Solid& A, const Solid& B, const FramePose& a, const FramePose& b) {
  if (A.radius == 0 && B.radius == 0)
    if (const Found depth = exact_depth(A, B, a, b); depth.distance < 0) return depth;
  const auto corners = [](const Solid& of, const FramePose& at) {
    std::vector<std::array<Vec3, 3>> all;
    for (const auto& t : of.mesh.triangles) {
      auto& to = all.emplace_back();
      for (std::size_t k = 0; k < 3; ++k)
        to[k] = at.p + at.R * of.mesh.points[static_cast<std::size_t>(t[k])];
    }
    return all;
  };
  const auto of_A = corners(A, a), of_B = corners(B, b);
  Vec3 least = Vec3::Constant(1e9);  // from A to B
  const auto look = [&](const Vec3& way) {
    if (way.norm() < least.norm()) least = way;
  };
  for (const auto& s : of_A)
    for (const auto& t : of_B)
      for (std::size_t i = 0; i < 3; ++i) {
        look(way_to(s[i], t)), look(-way_to(t[i], s));
        for (std::size_t j = 0; j < 3; ++j) look(way_between(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3]));
      }
  return {least.norm() - A.radius - B.radius, -least.normalized()};  // the normal is that of B
}

// --- by the libraries

Query by_hooke(const Solid& A, const Solid& B) {
  auto pairs = std::make_shared<SurfacePairs>();
  pairs->surfaces = {A.surface, B.surface};
  pairs->contacts = {{.lists = {std::vector{0}, std::vector{1}}}};
  pairs->finish();
  auto balls = std::make_shared<SurfacePairs::Balls>(pairs->balls());
  return [=](const FramePose& a, const FramePose& b) {
    const std::array pose{a, b};
    ContactGap least{std::numeric_limits<double>::infinity()};
    bool turned = false;
    pairs->for_each_near(pose, 4, 0, *balls, [&](const SurfacePairs::Place& place, int) {
      const ContactGap at = pairs->gap_of(place, pose);
      if (at.gap < least.gap) least = at, turned = place.side == 1;
    });
    return Found{least.gap, turned ? Vec3(-least.normal) : least.normal};
  };
}

Query by_fcl(const Solid& A, const Solid& B) {
  const auto transform = [](const FramePose& X) {
    fcl::Transform3d T = fcl::Transform3d::Identity();
    T.linear() = X.R;
    T.translation() = X.p;
    return T;
  };
  return [=, &A, &B](const FramePose& a, const FramePose& b) {
    const fcl::Transform3d T_A = transform(a), T_B = transform(b);
    fcl::DistanceRequestd ask(true);
    ask.enable_signed_distance = true;
    ask.gjk_solver_type = fcl::GST_LIBCCD;
    ask.distance_tolerance = 1e-9;
    fcl::DistanceResultd answer;
    const double distance = fcl::distance(A.fcl.get(), T_A, B.fcl.get(), T_B, ask, answer);
    const Vec3 way = answer.nearest_points[0] - answer.nearest_points[1];
    return Found{distance, Vec3((distance < 0 ? -1 : 1) * way.normalized())};
  };
}

Query by_bullet(const Solid& A, const Solid& B) {
  const auto transform = [](const FramePose& X) {
    const Mat3& R = X.R;
    return btTransform(
        btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
        btVector3(X.p.x(), X.p.y(), X.p.z()));
  };
  return [=, &A, &B](const FramePose& a, const FramePose& b) {
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver deep;
    btGjkPairDetector detector(A.bullet.get(), B.bullet.get(), &simplex, &deep);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = transform(a), input.m_transformB = transform(b);
    btPointCollector answer;
    detector.getClosestPoints(input, answer, nullptr);
    const btVector3& n = answer.m_normalOnBInWorld;
    return Found{answer.m_distance, Vec3(n.x(), n.y(), n.z())};
  };
}

// --- the table

struct Pose {
  FramePose a, b;
  Found exact;
};

/// Turned at random, and moved along a line through both, from outside, until they are `gap` apart.
Pose pose_apart(const Solid& A, const Solid& B, double gap, std::mt19937& chance) {
  std::normal_distribution<double> some;
  const auto turn = [&] {
    return Quat(some(chance), some(chance), some(chance), some(chance)).normalized().toRotationMatrix();
  };
  Pose pose{{turn(), Vec3::Zero()}, {turn(), Vec3::Zero()}, {}};
  const Vec3 way = Vec3(some(chance), some(chance), some(chance)).normalized();
  for (double along = 1; along > 0;) {  // from outside, never by more than they are apart
    pose.b.p = along * way;
    pose.exact = exact(A, B, pose.a, pose.b);
    if (pose.exact.distance - gap < 1e-3 * std::abs(gap)) return pose;
    along -= pose.exact.distance - gap;
  }
  return pose_apart(A, B, gap, chance);  // it went through a hole
}

void compare(const char* name, const Solid& A, const Solid& B, std::mt19937& chance) {
  constexpr int count = 200;
  for (const auto& [text, low, high] : {std::tuple{"far", 0.01, 0.1},
                                        {"near", 1e-3, 0.01},
                                        {"touching", -1e-5, -1e-6},
                                        {"deep", -0.01, -1e-3}}) {
    std::vector<Pose> poses;
    std::uniform_real_distribution<double> gap(low, high);
    for (int k = 0; k < count; ++k) poses.push_back(pose_apart(A, B, gap(chance), chance));
    std::vector<std::pair<const char*, Query>> all{{"Hooke", by_hooke(A, B)}, {"FCL 0.7", by_fcl(A, B)}};
    if (A.bullet && B.bullet) all.emplace_back("Bullet 3.24", by_bullet(A, B));
    for (const auto& [library, query] : all) {
      double distance = 0, angle = 0;
      for (const Pose& pose : poses) {
        const Found found = query(pose.a, pose.b);
        distance = std::max(distance, std::abs(found.distance - pose.exact.distance));
        angle = std::max(angle, (found.normal - pose.exact.normal).norm());
      }
      double best = 1e9;
      for (int round = 0; round < 20; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (const Pose& pose : poses) query(pose.a, pose.b);
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
      fmt::print("| {} | {} | {} | {:.2f} | {:.1e} | {:.1e} |\n", name, text, library, 1e6 * best / count,
                 distance, angle);
    }
  }
}

}  // namespace

int main() {
  std::mt19937 chance(1);
  fmt::print(
      "### Narrow phase\n\nTwo shapes turned at random, 10 to 100 mm (far) or 1 to 10 mm (near) apart, 1 to "
      "10 "
      "um (touching) or 1 to 10 mm (deep) in each other: time for one question, and the largest error of the "
      "distance or depth (m) and of the normal over 200 poses, against brute force over all faces and edges; "
      "the depth is the least way out. FCL with libccd and the tolerance 1e-9, Bullet in double precision "
      "without "
      "margins.\n\n"
      "| shapes | | library | time, us | error of distance | of normal |\n| --- | --- | --- | --- | --- | "
      "--- |\n");
  compare("box, box", box({0.2, 0.3, 0.1}, 0), box({0.1, 0.1, 0.2}, 1), chance);
  compare("capsule, capsule", capsule(0.05, 0.3, 0), capsule(0.02, 0.2, 1), chance);
  const Solid one = hull(chance, 0), other = hull(chance, 1);
  compare("hull, hull (30 corners)", one, other, chance);
  compare("mesh of 2304 triangles, ball", torus(0), sphere(0.03, 1), chance);
}
