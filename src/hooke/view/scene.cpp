#include "hooke/view/scene.h"

#include <algorithm>
#include <limits>

#include "hooke/base/error.h"
#include "hooke/view/default_shapes.h"

namespace hooke {
namespace {

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
    return shape.body < -1 || shape.body >= count || !shape.size.allFinite() || !shape.pose.p.allFinite() ||
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
  void add(const Bounds& other) {
    low_ = low_.cwiseMin(other.low_);
    high_ = high_.cwiseMax(other.high_);
  }
  Vec3 centre() const { return 0.5 * (low_ + high_); }
  /// The distance of the farthest corner.
  double reach_from(const Vec3& point) const {
    return (low_ - point).cwiseAbs().cwiseMax((high_ - point).cwiseAbs()).norm();
  }
  bool is_empty() const { return !(low_.array() <= high_.array()).all(); }
  std::array<Vec3, 2> get() const { return {low_, high_}; }

 private:
  Vec3 low_ = Vec3::Constant(std::numeric_limits<double>::infinity()), high_ = -low_;
};

/// The boxes of the bodies over all outputs or at the first. What belongs to no body is in one more.
std::vector<Bounds> boxes_of(const ResultsReader& results, const Scene& scene, std::size_t frames) {
  constexpr std::size_t most = 200;  // outputs looked at
  std::vector<Bounds> boxes(scene.bodies.size() + 1);
  const auto box_of = [&](const std::string& name) -> Bounds& {
    const int body = scene.body_named(name);
    return body < 0 ? boxes.back() : boxes[static_cast<std::size_t>(body)];
  };
  const std::size_t stride = std::max<std::size_t>(1, frames / most);
  for (std::size_t frame = 0; frame < frames; frame += stride) {
    const std::vector<FramePose> bodies = body_poses(results, frame);
    for (const Drawing::Shape& shape : scene.drawing.shapes)
      if (const auto b = static_cast<std::size_t>(shape.body); shape.body >= 0 && b < bodies.size())
        boxes[b].add(bodies[b], shape, scene.drawing.meshes);
    for (const ResultsReader::Rod& rod : scene.rods) {
      Bounds& box = box_of(rod.name);
      for (const FramePose& node : rod_poses(results, rod, frame))
        for (const Vec2& at : rod.outline) box.add(node.p + node.R * Vec3(at.x(), at.y(), 0));
    }
    for (std::size_t k = 0; k < scene.solids.size(); ++k) {
      Bounds& box = box_of(scene.solids[k].name);
      for (const Vec3& point : solid_points(results, scene, k, frame, bodies)) box.add(point);
    }
  }
  return boxes;
}

Bounds ground_of(const Scene& scene) {
  Bounds ground;
  for (const auto* list : {&scene.drawing.joints, &scene.drawing.forces})
    for (const Drawing::Connection& connection : *list)
      for (std::size_t k = 0; k < 2; ++k)
        if (connection.bodies[k] < 0) ground.add(connection.frames[k].p, scene.joint_size);
  return ground;
}

/// The middle one of the centres, along each axis: one that is far away does not move it.
Vec3 middle_of(const std::vector<Bounds>& boxes) {
  Vec3 middle = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> places;
    for (const Bounds& box : boxes)
      if (!box.is_empty()) places.push_back(box.centre()[axis]);
    if (places.empty()) return middle;
    const auto half = places.begin() + static_cast<std::ptrdiff_t>((places.size() - 1) / 2);
    std::nth_element(places.begin(), half, places.end());
    middle[axis] = *half;
  }
  return middle;
}

/// Bodies that go ten times as far from the middle of the start as all that is nearer, but never more than
/// half of them: around one that was lost, the rest would be a dot.
std::vector<char> find_lost(const std::vector<Bounds>& boxes, const std::vector<Bounds>& start,
                            const Bounds& ground) {
  constexpr double far = 10;
  const Vec3 middle = middle_of(start);
  std::vector<char> is_lost(boxes.size() - 1, 0);
  std::vector<std::pair<double, std::size_t>> reach;
  for (std::size_t b = 0; b < is_lost.size(); ++b)
    if (!boxes[b].is_empty()) reach.emplace_back(boxes[b].reach_from(middle), b);
  std::sort(reach.begin(), reach.end());
  double known = ground.is_empty() ? 0 : ground.reach_from(middle);
  for (std::size_t k = 0; k < reach.size(); ++k) {
    if (2 * k > reach.size() - 1 && reach[k].first > far * known)
      is_lost[reach[k].second] = 1;
    else
      known = std::max(known, reach[k].first);
  }
  return is_lost;
}

void find_bounds(const ResultsReader& results, Scene& scene) {
  const std::vector<Bounds> boxes = boxes_of(results, scene, results.frames()),
                            start = boxes_of(results, scene, std::min<std::size_t>(1, results.frames()));
  const Bounds ground = ground_of(scene);
  scene.flew_away = find_lost(boxes, start, ground);
  Bounds all = ground;
  all.add(boxes.back());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    all.add(scene.flew_away[b] ? start[b] : boxes[b]);
    scene.boxes.push_back(boxes[b].get());
  }
  scene.bounds = all.is_empty() ? std::array<Vec3, 2>{Vec3::Constant(-scene.size), Vec3::Constant(scene.size)}
                                : all.get();
}

}  // namespace

int Scene::body_named(const std::string& name) const {
  const auto found = std::find(bodies.begin(), bodies.end(), name);
  return found == bodies.end() ? -1 : static_cast<int>(found - bodies.begin());
}

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
  const int b = scene.body_named(one.name);
  const FramePose pose = b < 0 ? FramePose{} : bodies[static_cast<std::size_t>(b)];
  const std::vector<double> u = results.read_rows(one.displacement, frame, 1);
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < one.mesh.points.size() && 3 * k + 2 < u.size(); ++k)
    points.push_back(pose.p + pose.R * (one.mesh.points[k] + Vec3(&u[3 * k])));
  return points;
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
  for (ResultsReader::Rod& rod : scene.rods)
    if (rod.outline.empty())
      rod.outline = ellipse(Vec2::Constant(rod.radius > 0 ? rod.radius : 0.01 * scene.size));
  find_bounds(results, scene);
  // A long chain of short links has small joints, a small body that travels far does not get lost.
  const double span = (scene.bounds[1] - scene.bounds[0]).norm();
  scene.joint_size = std::clamp(scene.joint_size, 0.002 * span, 0.05 * span);
  return scene;
}

}  // namespace hooke
