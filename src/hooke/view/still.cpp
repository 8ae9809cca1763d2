#include "hooke/view/still.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hooke/view/chart.h"

namespace hooke {
namespace {

/// Looks along -back; right and up span the picture.
struct Camera {
  Vec3 right, up, back, centre;
  double scale = 1, width = 1, height = 1;

  Vec2 project(const Vec3& p) const {
    const Vec3 d = p - centre;
    return {width / 2 + scale * d.dot(right), height / 2 - scale * d.dot(up)};
  }
  double depth(const Vec3& p) const { return (p - centre).dot(back); }
};

/// Across a plane mechanism, else from a corner: as stage.js does.
Camera look_at(const Scene& scene, double width, double height) {
  const Vec3 extent = scene.bounds[1] - scene.bounds[0];
  const Vec3 up = scene.drawing.gravity.norm() > 0 ? Vec3(-scene.drawing.gravity.normalized()) : unit_z;
  Eigen::Index thin = 0;
  extent.minCoeff(&thin);
  std::array<double, 2> others{extent[(thin + 1) % 3], extent[(thin + 2) % 3]};
  const bool is_flat = std::abs(up[thin]) < 0.9 && (extent[thin] < 0.4 * std::min(others[0], others[1]) ||
                                                    extent[thin] < 0.05 * std::max(others[0], others[1]));
  Vec3 front = Vec3::Zero();
  if (is_flat)
    front[thin] = thin == 1 ? -1 : 1;
  else
    front = std::abs(up.y()) > 0.9 ? unit_z : Vec3(-unit_y);
  const Vec3 side = up.cross(front).normalized();
  front = side.cross(up);
  const double azimuth = is_flat ? 0.3 : 0.62, elevation = is_flat ? 0.2 : 0.4;
  Camera camera;
  camera.back =
      std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side) + std::sin(elevation) * up;
  camera.right = up.cross(camera.back).normalized();
  camera.up = camera.back.cross(camera.right);
  camera.centre = 0.5 * (scene.bounds[0] + scene.bounds[1]);
  camera.width = width;
  camera.height = height;
  double half_width = 1e-9, half_height = 1e-9;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner(scene.bounds[k & 1].x(), scene.bounds[k >> 1 & 1].y(), scene.bounds[k >> 2 & 1].z());
    half_width = std::max(half_width, std::abs((corner - camera.centre).dot(camera.right)));
    half_height = std::max(half_height, std::abs((corner - camera.centre).dot(camera.up)));
  }
  camera.scale = 0.46 * std::min(width / half_width, height / half_height);
  return camera;
}

/// Something drawn, and how near it is.
struct Stroke {
  double depth;
  std::string svg;
};

std::string shade(const std::string& colour, double light) {
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k)
    rgb[k] = std::clamp(
        static_cast<int>(std::lround(std::stoi(colour.substr(1 + 2 * k, 2), nullptr, 16) * light)), 0, 255);
  return formatted("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

void add_shape(const TriangleMesh& mesh, const FramePose& X_WB, const std::string& paint,
               const Camera& camera, std::vector<Stroke>& strokes) {
  const Vec3 light = (camera.back + 0.6 * camera.up - 0.3 * camera.right).normalized();
  std::vector<Vec3> points;
  for (const Vec3& point : mesh.points) points.push_back(X_WB.R * point + X_WB.p);
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = points[static_cast<std::size_t>(i)], &b = points[static_cast<std::size_t>(j)],
               &c = points[static_cast<std::size_t>(k)];
    const Vec3 normal = (b - a).cross(c - a).normalized();
    if (!(normal.dot(camera.back) > 0)) continue;
    const std::string fill = shade(paint, 0.62 + 0.5 * std::max(normal.dot(light), 0.0));
    const Vec2 p = camera.project(a), q = camera.project(b), r = camera.project(c);
    strokes.push_back(
        {camera.depth((a + b + c) / 3),
         formatted("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\" fill=\"{}\" stroke=\"{}\"/>\n",
                   p.x(), p.y(), q.x(), q.y(), r.x(), r.y(), fill, fill)});
  }
}

FramePose carrier_pose(int body, const std::vector<FramePose>& bodies) {
  return body >= 0 && body < static_cast<int>(bodies.size()) ? bodies[static_cast<std::size_t>(body)]
                                                             : FramePose{};
}

void add_line(const Vec3& from, const Vec3& to, const char* paint, double thickness, const Camera& camera,
              std::vector<Stroke>& strokes) {
  const Vec2 p = camera.project(from), q = camera.project(to);
  strokes.push_back(
      {camera.depth(0.5 * (from + to)),
       formatted(
           "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
           "stroke-linecap=\"round\"/>\n",
           p.x(), p.y(), q.x(), q.y(), paint, thickness)});
}

void add_joints(const Scene& scene, const std::vector<FramePose>& bodies, const Camera& camera,
                std::vector<Stroke>& strokes) {
  for (std::size_t j = 0; j < scene.drawing.joints.size(); ++j) {
    const std::string type = j < scene.joint_types.size() ? scene.joint_types[j] : "";
    if (type == "drive" || type == "gear" || type == "rack-and-pinion") continue;
    const Drawing::Connection& joint = scene.drawing.joints[j];
    const FramePose A = carrier_pose(joint.bodies[0], bodies) * joint.frames[0],
                    B = carrier_pose(joint.bodies[1], bodies) * joint.frames[1];
    if (type == "distance") {
      add_line(A.p, B.p, "#3a3f46", std::max(1.0, 0.15 * scene.joint_size * camera.scale), camera, strokes);
      continue;
    }
    const double radius = std::clamp(0.5 * scene.joint_size * camera.scale, 1.0, 6.0);
    const Vec2 p = camera.project(A.p);
    const bool is_ground = joint.bodies[0] < 0;
    strokes.push_back({camera.depth(A.p) + 1.2 * scene.joint_size,
                       formatted("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" "
                                 "stroke=\"#3a3f46\" stroke-width=\"1.2\"/>\n",
                                 p.x(), p.y(), radius, is_ground ? "#3a3f46" : "#ffffff")});
  }
}

/// A zigzag between its ends.
void add_springs(const Scene& scene, const std::vector<FramePose>& bodies, const Camera& camera,
                 std::vector<Stroke>& strokes) {
  for (std::size_t f = 0; f < scene.drawing.forces.size(); ++f) {
    if (f >= scene.force_types.size() || scene.force_types[f] != "spring") continue;
    const Drawing::Connection& spring = scene.drawing.forces[f];
    const Vec3 A = (carrier_pose(spring.bodies[0], bodies) * spring.frames[0]).p,
               B = (carrier_pose(spring.bodies[1], bodies) * spring.frames[1]).p;
    const Vec2 p = camera.project(A), q = camera.project(B), along = q - p;
    const Vec2 across = Vec2(-along.y(), along.x()).normalized() * std::min(5.0, 0.06 * along.norm());
    std::string path = formatted("M{:.1f} {:.1f}", p.x(), p.y());
    constexpr int turns = 8;
    for (int k = 0; k <= 2 * turns; ++k) {
      const bool is_end = k == 0 || k == 2 * turns;
      const Vec2 at = p + (0.12 + 0.76 * k / (2 * turns)) * along +
                      (is_end  ? 0.0
                       : k % 2 ? 1.0
                               : -1.0) *
                          across;
      path += formatted("L{:.1f} {:.1f}", at.x(), at.y());
    }
    strokes.push_back(
        {camera.depth(0.5 * (A + B)),
         formatted("<path d=\"{}L{:.1f} {:.1f}\" fill=\"none\" stroke=\"#3a3f46\" stroke-width=\"1.1\" "
                   "stroke-linejoin=\"round\"/>\n",
                   path, q.x(), q.y())});
  }
}

}  // namespace

std::string draw_still(const ResultsReader& results, const Scene& scene, std::size_t frame, double width,
                       double height) {
  const Camera camera = look_at(scene, width, height);
  std::vector<FramePose> bodies = body_poses(results, frame);
  std::vector<std::vector<FramePose>> rods;
  for (const ResultsReader::Rod& rod : scene.rods) rods.push_back(rod_poses(results, rod, frame));
  for (const Carrier& carrier : scene.carriers) bodies.push_back(rods[carrier.rod][carrier.node]);

  std::vector<Stroke> strokes;
  const int sides = scene.drawing.shapes.size() > 60 ? 8 : 16;
  for (const Drawing::Shape& shape : scene.drawing.shapes)
    add_shape(triangles_of(shape, scene.drawing.meshes, sides), carrier_pose(shape.body, bodies),
              shape.colour.empty() ? colour(shape.body) : shape.colour, camera, strokes);
  for (std::size_t r = 0; r < rods.size(); ++r)
    for (std::size_t k = 1; k < rods[r].size(); ++k)
      add_line(rods[r][k - 1].p, rods[r][k].p, colour(static_cast<int>(r)).c_str(),
               std::max(1.5, 2 * scene.rods[r].radius * camera.scale), camera, strokes);
  add_joints(scene, bodies, camera, strokes);
  add_springs(scene, bodies, camera, strokes);
  std::stable_sort(strokes.begin(), strokes.end(),
                   [](const Stroke& a, const Stroke& b) { return a.depth < b.depth; });

  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\" "
      "stroke-width=\"0.4\" stroke-linejoin=\"round\">\n",
      width, height, width, height);
  for (const Stroke& stroke : strokes) svg += stroke.svg;
  return svg + "</svg>\n";
}

}  // namespace hooke
