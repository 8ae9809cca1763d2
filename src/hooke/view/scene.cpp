#include "hooke/view/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hooke/base/error.h"
#include "hooke/view/default_shapes.h"

namespace hooke {
namespace {

constexpr double pi = std::numbers::pi;

/// "slider" of "body.slider"
std::vector<std::string> without_kind(std::vector<std::string> labels) {
  for (std::string& label : labels) label.erase(0, label.find('.') + 1);
  return labels;
}

FramePose pose_at(const double* p, const double* q) {
  return {Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix(), Vec3(p[0], p[1], p[2])};
}

bool is_colour(const std::string& text) {
  return text.size() == 7 && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == text.npos;
}

/// Whoever wrote the file, nothing may point to a body or mesh that is not there.
void keep_what_exists(Scene& scene) {
  const int count = static_cast<int>(scene.bodies.size()),
            meshes = static_cast<int>(scene.drawing.meshes.size());
  std::erase_if(scene.drawing.shapes, [&](const Drawing::Shape& shape) {
    return shape.body < 0 || shape.body >= count || !shape.size.allFinite() || !shape.pose.p.allFinite() ||
           !shape.pose.R.allFinite();
  });
  for (Drawing::Shape& shape : scene.drawing.shapes) {
    const bool is_mesh = shape.mesh >= 0 && shape.mesh < meshes;
    if (is_mesh)
      shape.type = "mesh";
    else if (shape.type != "cylinder" && shape.type != "sphere")
      shape.type = "box";
    if (!is_colour(shape.colour)) shape.colour.clear();
  }
  for (auto* list : {&scene.drawing.joints, &scene.drawing.forces})
    for (Drawing::Connection& connection : *list)
      for (int& body : connection.bodies)
        if (body >= count) body = -1;
}

/// Every body must have its numbers; a solid that does not is left out.
void check_motion(const ResultsReader& results, Scene& scene) {
  if (results.frames() == 0) return;
  if (body_poses(results, 0).size() != scene.bodies.size())
    throw Error(ExitCode::file, "the results are damaged: they do not have a position for each body");
  std::erase_if(scene.solids, [&](const ResultsReader::Solid& solid) {
    return results.read_rows(solid.displacement, 0, 1).size() != 3 * solid.mesh.points.size();
  });
}

/// A frame on a rod moves with the node nearest to it at the start.
void attach_to_nodes(const ResultsReader& results, Scene& scene) {
  if (scene.rods.empty() || results.frames() == 0) return;
  const std::vector<FramePose> bodies = body_poses(results, 0);
  const auto attach = [&](Drawing::Connection& connection) {
    for (std::size_t k = 0; k < 2; ++k) {
      const int body = connection.bodies[k];
      if (body < 0 || body >= static_cast<int>(bodies.size())) continue;
      const auto b = static_cast<std::size_t>(body);
      const auto rod = std::find_if(scene.rods.begin(), scene.rods.end(),
                                    [&](const auto& one) { return one.name == scene.bodies[b]; });
      if (rod == scene.rods.end()) continue;
      const FramePose X_WF = bodies[b] * connection.frames[k];
      const std::vector<FramePose> nodes = rod_poses(results, *rod, 0);
      const auto nearest = std::min_element(nodes.begin(), nodes.end(), [&](const auto& m, const auto& n) {
        return (m.p - X_WF.p).squaredNorm() < (n.p - X_WF.p).squaredNorm();
      });
      connection.frames[k] = inverse(*nearest) * X_WF;
      connection.bodies[k] = static_cast<int>(bodies.size() + scene.carriers.size());
      scene.carriers.push_back({static_cast<std::size_t>(rod - scene.rods.begin()),
                                static_cast<std::size_t>(nearest - nodes.begin())});
    }
  };
  for (Drawing::Connection& joint : scene.drawing.joints) attach(joint);
  for (Drawing::Connection& force : scene.drawing.forces) attach(force);
}

class Bounds {
 public:
  void add(const Vec3& point, double radius = 0) {
    if (!point.allFinite()) return;
    low_ = low_.cwiseMin(point.array().matrix() - Vec3::Constant(radius));
    high_ = high_.cwiseMax(point + Vec3::Constant(radius));
  }
  void add(const FramePose& X_WB, const Drawing::Shape& shape, const std::vector<TriangleMesh>& meshes) {
    const FramePose X = X_WB * shape.pose;
    if (shape.mesh >= 0 && shape.mesh < static_cast<int>(meshes.size())) {
      for (const Vec3& point : meshes[static_cast<std::size_t>(shape.mesh)].points)
        add(X.R * point.cwiseProduct(shape.size) + X.p);
      return;
    }
    if (shape.type == "sphere") return add(X.p, 0.5 * shape.size.x());
    for (int k = 0; k < 8; ++k)
      add(X.R * Vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5).cwiseProduct(shape.size) +
          X.p);
  }
  bool is_empty() const { return !(low_.array() <= high_.array()).all(); }
  std::array<Vec3, 2> get() const { return {low_, high_}; }

 private:
  Vec3 low_ = Vec3::Constant(std::numeric_limits<double>::infinity()), high_ = -low_;
};

std::array<Vec3, 2> bounds_of(const ResultsReader& results, const Scene& scene) {
  constexpr std::size_t most = 200;  // outputs looked at
  Bounds bounds;
  const std::size_t stride = std::max<std::size_t>(1, results.frames() / most);
  for (std::size_t frame = 0; frame < results.frames(); frame += stride) {
    const std::vector<FramePose> bodies = body_poses(results, frame);
    for (const Drawing::Shape& shape : scene.drawing.shapes)
      if (shape.body >= 0 && shape.body < static_cast<int>(bodies.size()))
        bounds.add(bodies[static_cast<std::size_t>(shape.body)], shape, scene.drawing.meshes);
    for (const ResultsReader::Rod& rod : scene.rods)
      for (const FramePose& node : rod_poses(results, rod, frame)) bounds.add(node.p, rod.radius);
    for (std::size_t k = 0; k < scene.solids.size(); ++k)
      for (const Vec3& point : solid_points(results, scene, k, frame, bodies)) bounds.add(point);
  }
  const auto add_ground = [&](const std::vector<Drawing::Connection>& list) {
    for (const Drawing::Connection& connection : list)
      for (std::size_t k = 0; k < 2; ++k)
        if (connection.bodies[k] < 0) bounds.add(connection.frames[k].p, scene.joint_size);
  };
  add_ground(scene.drawing.joints);
  add_ground(scene.drawing.forces);
  if (bounds.is_empty()) return {Vec3::Constant(-scene.size), Vec3::Constant(scene.size)};
  return bounds.get();
}

// --- triangles

TriangleMesh unit_box() {
  TriangleMesh box;
  for (int k = 0; k < 8; ++k)
    box.points.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  box.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return box;
}

TriangleMesh unit_cylinder(int sides) {
  TriangleMesh cylinder;
  for (const double z : {-0.5, 0.5})
    for (int k = 0; k < sides; ++k)
      cylinder.points.emplace_back(0.5 * std::cos(2 * pi * k / sides), 0.5 * std::sin(2 * pi * k / sides), z);
  cylinder.points.emplace_back(0, 0, -0.5);
  cylinder.points.emplace_back(0, 0, 0.5);
  for (int k = 0; k < sides; ++k) {
    const int next = (k + 1) % sides;
    cylinder.triangles.push_back({k, next, sides + k});
    cylinder.triangles.push_back({next, sides + next, sides + k});
    cylinder.triangles.push_back({2 * sides, next, k});
    cylinder.triangles.push_back({2 * sides + 1, sides + k, sides + next});
  }
  return cylinder;
}

TriangleMesh unit_sphere(int sides) {
  TriangleMesh sphere;
  const int rings = std::max(sides / 2, 3);  // from pole to pole
  sphere.points.emplace_back(0, 0, -0.5);
  for (int ring = 1; ring < rings; ++ring)
    for (int k = 0; k < sides; ++k) {
      const double latitude = pi * ring / rings - pi / 2, longitude = 2 * pi * k / sides;
      sphere.points.emplace_back(0.5 * std::cos(latitude) * std::cos(longitude),
                                 0.5 * std::cos(latitude) * std::sin(longitude), 0.5 * std::sin(latitude));
    }
  sphere.points.emplace_back(0, 0, 0.5);
  const auto at = [&](int ring, int k) { return 1 + (ring - 1) * sides + k % sides; };
  const int last = static_cast<int>(sphere.points.size()) - 1;
  for (int k = 0; k < sides; ++k) {
    sphere.triangles.push_back({0, at(1, k + 1), at(1, k)});
    for (int ring = 1; ring + 1 < rings; ++ring) {
      sphere.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k)});
      sphere.triangles.push_back({at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)});
    }
    sphere.triangles.push_back({last, at(rings - 1, k), at(rings - 1, k + 1)});
  }
  return sphere;
}

}  // namespace

std::vector<FramePose> body_poses(const ResultsReader& results, std::size_t frame) {
  const std::vector<double> p = results.read_rows("bodies/position", frame, 1),
                            q = results.read_rows("bodies/orientation", frame, 1);
  std::vector<FramePose> poses;
  if (4 * p.size() != 3 * q.size())
    throw Error(ExitCode::file, "the results are damaged: not all bodies have a position and an orientation");
  for (std::size_t b = 0; 3 * b < p.size(); ++b) poses.push_back(pose_at(&p[3 * b], &q[4 * b]));
  return poses;
}

std::vector<FramePose> rod_poses(const ResultsReader& results, const ResultsReader::Rod& rod,
                                 std::size_t frame) {
  const std::vector<double> row = results.read_rows(rod.path, frame, 1);
  std::vector<FramePose> poses;
  for (std::size_t k = 0; k + 6 < row.size(); k += 7) poses.push_back(pose_at(&row[k], &row[k + 3]));
  return poses;
}

std::vector<Vec3> solid_points(const ResultsReader& results, const Scene& scene, std::size_t solid,
                               std::size_t frame, const std::vector<FramePose>& bodies) {
  const ResultsReader::Solid& one = scene.solids[solid];
  const auto named = std::find(scene.bodies.begin(), scene.bodies.end(), one.name);
  const auto b = static_cast<std::size_t>(named - scene.bodies.begin());
  const FramePose pose = b < bodies.size() ? bodies[b] : FramePose{};
  const std::vector<double> u = results.read_rows(one.displacement, frame, 1);
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < one.mesh.points.size() && 3 * k + 2 < u.size(); ++k)
    points.push_back(pose.p + pose.R * (one.mesh.points[k] + Vec3(&u[3 * k])));
  return points;
}

TriangleMesh triangles_of(const Drawing::Shape& shape, const std::vector<TriangleMesh>& meshes, int sides) {
  TriangleMesh mesh;
  if (shape.mesh >= 0 && shape.mesh < static_cast<int>(meshes.size()))
    mesh = meshes[static_cast<std::size_t>(shape.mesh)];
  else if (shape.type == "cylinder")
    mesh = unit_cylinder(sides);
  else if (shape.type == "sphere")
    mesh = unit_sphere(sides);
  else
    mesh = unit_box();
  for (Vec3& point : mesh.points) point = shape.pose.R * point.cwiseProduct(shape.size) + shape.pose.p;
  return mesh;
}

Scene make_scene(const ResultsReader& results) {
  Scene scene;
  scene.bodies = without_kind(results.labels(Items::body));
  scene.joints = without_kind(results.labels(Items::joint));
  scene.forces = without_kind(results.labels(Items::force));
  scene.joint_types = results.joint_types();
  scene.force_types = results.force_types();
  scene.drawing = results.drawing();
  scene.drawing.masses.resize(scene.bodies.size());
  keep_what_exists(scene);
  scene.rods = results.rods();
  scene.solids = results.solids();
  check_motion(results, scene);
  std::vector<char> is_drawn;  // as a tube or as what it is
  for (const std::string& body : scene.bodies) {
    const auto is_it = [&](const auto& one) { return one.name == body; };
    is_drawn.push_back(std::any_of(scene.rods.begin(), scene.rods.end(), is_it) ||
                       std::any_of(scene.solids.begin(), scene.solids.end(), is_it));
  }
  add_default_shapes(scene.drawing, scene.joint_types, is_drawn);
  attach_to_nodes(results, scene);
  scene.size = typical_size(scene.drawing);
  scene.joint_size = 0.09 * scene.size;
  scene.bounds = bounds_of(results, scene);
  // A long chain of short links has small joints, a small body that travels far does not get lost.
  const double span = (scene.bounds[1] - scene.bounds[0]).norm();
  scene.joint_size = std::clamp(scene.joint_size, 0.002 * span, 0.05 * span);
  return scene;
}

}  // namespace hooke
