#include "hooke/view/still.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "hooke/view/chart.h"
#include "hooke/view/painter.h"
#include "hooke/view/surfaces.h"

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

std::string shade(const std::string& colour, double light) {
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k)
    rgb[k] = std::clamp(
        static_cast<int>(std::lround(std::stoi(colour.substr(1 + 2 * k, 2), nullptr, 16) * light)), 0, 255);
  return formatted("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

std::string draw(const Piece& piece, const Camera& camera) {
  if (piece.corners.size() == 1) return piece.paint;
  const Vec3 light = (camera.back + 0.6 * camera.up - 0.3 * camera.right).normalized();
  const auto& at = piece.corners;
  const Vec3 normal = (at[1] - at[0]).cross(at[2] - at[0]).normalized();
  const std::string fill = shade(piece.paint, 0.62 + 0.5 * std::max(normal.dot(light), 0.0));
  std::string path, edges;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Vec2 p = camera.project(at[k]), q = camera.project(at[(k + 1) % at.size()]);
    path += formatted("{}{:.1f} {:.1f}", k ? 'L' : 'M', p.x(), p.y());
    if (piece.is_edge[k]) edges += formatted("M{:.1f} {:.1f}L{:.1f} {:.1f}", p.x(), p.y(), q.x(), q.y());
  }
  std::string svg = formatted("<path d=\"{}z\" fill=\"{}\" stroke=\"{}\"/>\n", path, fill, fill);
  if (!edges.empty()) svg += formatted("<path d=\"{}\" stroke=\"#20262d\"/>\n", edges);
  return svg;
}

/// A surface in the world; `paint` tells the colour of a triangle by its number. `edges` are pairs of its
/// points.
template <class Paint>
void add_surface(const TriangleMesh& mesh, const std::vector<std::array<int, 2>>& edges, const Paint& paint,
                 bool is_closed, const Camera& camera, std::vector<Piece>& pieces) {
  const std::set<std::array<int, 2>> sharp(edges.begin(), edges.end());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    auto corners = mesh.triangles[t];
    const auto at = [&](std::size_t k) { return mesh.points[static_cast<std::size_t>(corners[k])]; };
    const bool is_behind = !((at(1) - at(0)).cross(at(2) - at(0)).dot(camera.back) > 0);
    if (is_behind && is_closed) continue;
    if (is_behind) std::swap(corners[1], corners[2]);
    Piece piece{{}, {}, paint(t)};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(corners[k], corners[(k + 1) % 3]);
      piece.corners.push_back(at(k));
      piece.is_edge.push_back(sharp.contains({low, high}));
    }
    pieces.push_back(std::move(piece));
  }
}

FramePose carrier_pose(int body, const std::vector<FramePose>& bodies) {
  return body >= 0 && body < static_cast<int>(bodies.size()) ? bodies[static_cast<std::size_t>(body)]
                                                             : FramePose{};
}

void add_line(const Vec3& from, const Vec3& to, const char* paint, double thickness, const Camera& camera,
              std::vector<Piece>& pieces) {
  const Vec2 p = camera.project(from), q = camera.project(to);
  pieces.push_back(
      {{0.5 * (from + to)},
       {0},
       formatted(
           "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
           "stroke-linecap=\"round\"/>\n",
           p.x(), p.y(), q.x(), q.y(), paint, thickness)});
}

void add_joints(const Scene& scene, const std::vector<FramePose>& bodies, const Camera& camera,
                std::vector<Piece>& pieces) {
  for (std::size_t j = 0; j < scene.drawing.joints.size(); ++j) {
    const std::string type = j < scene.joint_types.size() ? scene.joint_types[j] : "";
    if (type == "drive" || type == "gear" || type == "rack-and-pinion") continue;
    const Drawing::Connection& joint = scene.drawing.joints[j];
    const FramePose A = carrier_pose(joint.bodies[0], bodies) * joint.frames[0],
                    B = carrier_pose(joint.bodies[1], bodies) * joint.frames[1];
    if (type == "distance") {
      add_line(A.p, B.p, "#3a3f46", std::max(1.0, 0.15 * scene.joint_size * camera.scale), camera, pieces);
      continue;
    }
    const double radius = std::clamp(0.5 * scene.joint_size * camera.scale, 1.0, 6.0);
    const Vec2 p = camera.project(A.p);
    const bool is_ground = joint.bodies[0] < 0;
    pieces.push_back({{A.p + 3 * scene.joint_size * camera.back},
                      {0},
                      formatted("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" "
                                "stroke=\"#3a3f46\" stroke-width=\"1.2\"/>\n",
                                p.x(), p.y(), radius, is_ground ? "#3a3f46" : "#ffffff")});
  }
}

/// A zigzag between its ends.
void add_springs(const Scene& scene, const std::vector<FramePose>& bodies, const Camera& camera,
                 std::vector<Piece>& pieces) {
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
    pieces.push_back(
        {{0.5 * (A + B)},
         {0},
         formatted("<path d=\"{}L{:.1f} {:.1f}\" fill=\"none\" stroke=\"#3a3f46\" stroke-width=\"1.1\" "
                   "stroke-linejoin=\"round\"/>\n",
                   path, q.x(), q.y())});
  }
}

/// Rigid bodies.
void add_shapes(const Scene& scene, const std::vector<FramePose>& bodies, const Camera& camera,
                std::vector<Piece>& pieces) {
  const int sides = scene.drawing.shapes.size() > 60 ? 8 : 16;
  const double corner = std::max(crease, 7.0 / sides);  // what is round has none
  for (const Drawing::Shape& shape : scene.drawing.shapes) {
    if (shape.body < 0) continue;  // the ground would hide what lies on it
    TriangleMesh mesh = triangles_of(shape, scene.drawing.meshes, sides);
    const FramePose X_WB = carrier_pose(shape.body, bodies);
    for (Vec3& point : mesh.points) point = X_WB.R * point + X_WB.p;
    const std::string paint = shape.colour.empty() ? colour(shape.body) : shape.colour;
    add_surface(
        mesh, feature_edges(mesh, corner), [&](std::size_t) { return paint; }, true, camera, pieces);
  }
}

void add_rods(const Scene& scene, const std::vector<std::vector<FramePose>>& nodes, const Camera& camera,
              std::vector<Piece>& pieces) {
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    const ResultsReader::Rod& rod = scene.rods[r];
    const int body = scene.body_named(rod.name);
    const std::string paint = colour(body < 0 ? static_cast<int>(scene.bodies.size() + r) : body);
    const TriangleMesh mesh = rod_surface(rod.outline, rod.hole, nodes[r]);
    add_surface(
        mesh, feature_edges(mesh), [&](std::size_t) { return paint; }, true, camera, pieces);
    for (std::size_t k = 1; k < nodes[r].size(); ++k)  // thinner than a line, it is one
      if (2 * rod.radius * camera.scale < 1.5)
        add_line(nodes[r][k - 1].p, nodes[r][k].p, paint.c_str(), 1.5, camera, pieces);
  }
}

/// Nodes of a surface too fine to be seen are drawn as one: those in a cell of so many pixels.
TriangleMesh coarsened(const TriangleMesh& mesh, const Camera& camera, std::vector<std::size_t>& origin) {
  constexpr double pixels = 2.5;
  constexpr std::size_t many = 4000;
  const double cell = mesh.triangles.size() > many ? pixels / camera.scale : 0;
  TriangleMesh result;
  std::map<std::array<long, 3>, int> number;
  std::vector<int> of;
  for (std::size_t n = 0; n < mesh.points.size(); ++n) {
    const Vec3& p = mesh.points[n];
    const std::array<long, 3> place =
        cell > 0 ? std::array{std::lround(p.x() / cell), std::lround(p.y() / cell), std::lround(p.z() / cell)}
                 : std::array{static_cast<long>(n), 0L, 0L};
    const auto [found, is_new] = number.try_emplace(place, static_cast<int>(origin.size()));
    of.push_back(found->second);
    if (!is_new) continue;
    origin.push_back(n);
    result.points.push_back(p);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    const int i = of[static_cast<std::size_t>(a)], j = of[static_cast<std::size_t>(b)],
              k = of[static_cast<std::size_t>(c)];
    if (i != j && j != k && k != i) result.triangles.push_back({i, j, k});
  }
  return result;
}

/// How far each node of a solid is displaced: within its frame or, where results are modes, from its place at rest.
std::vector<double> displacements(const ResultsReader& results, const Scene& scene, std::size_t solid,
                                  std::size_t frame) {
  std::vector<double> sizes;
  if (results.modes().outputs.empty()) {
    const std::vector<double> u = results.read_rows(scene.solids[solid].displacement, frame, 1);
    for (std::size_t k = 0; k + 2 < u.size(); k += 3) sizes.push_back(Vec3(&u[k]).norm());
    return sizes;
  }
  const std::vector<Vec3> rest = solid_points(results, scene, solid, 0, body_poses(results, 0)),
                          now = solid_points(results, scene, solid, frame, body_poses(results, frame));
  for (std::size_t k = 0; k < std::min(rest.size(), now.size()); ++k)
    sizes.push_back((now[k] - rest[k]).norm());
  return sizes;
}

/// In the colours of their displacement.
void add_solids(const ResultsReader& results, const Scene& scene, const std::vector<FramePose>& bodies,
                const Still& still, const Camera& camera, std::vector<Piece>& pieces) {
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const std::vector<double> sizes = displacements(results, scene, s, still.frame);
    const std::vector<Vec3> moved = solid_points(results, scene, s, still.frame, bodies);
    std::vector<std::size_t> origin;
    TriangleMesh mesh = coarsened(scene.solids[s].mesh, camera, origin);
    const auto edges = feature_edges(mesh);
    for (std::size_t n = 0; n < origin.size(); ++n) mesh.points[n] = moved[origin[n]];
    const auto paint = [&](std::size_t t) {
      double sum = 0;
      for (const int n : mesh.triangles[t]) sum += sizes[origin[static_cast<std::size_t>(n)]];
      return colour_at(still.largest > 0 ? sum / 3 / still.largest : 0);
    };
    add_surface(mesh, edges, paint, false, camera, pieces);
  }
}

/// Which way x, y and z point, in a corner.
std::string draw_triad(const Camera& camera) {
  struct Axis {
    Vec3 along;
    const char *paint, *name;
  };
  std::array axes{Axis{unit_x, "#d2453d", "x"}, Axis{unit_y, "#3d9a50", "y"}, Axis{unit_z, "#3f6fc8", "z"}};
  std::sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) {
    return a.along.dot(camera.back) < b.along.dot(camera.back);
  });
  constexpr double length = 18;
  const Vec2 from(30, camera.height - 30);
  std::string svg;
  for (const Axis& axis : axes) {
    const Vec2 along(axis.along.dot(camera.right), -axis.along.dot(camera.up));
    const Vec2 tip = from + length * along, label = from + length * along + 7 * along.normalized();
    svg += formatted(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"1.6\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-size=\"11\" text-anchor=\"middle\">{}</text>\n",
        from.x(), from.y(), tip.x(), tip.y(), axis.paint, label.x(), label.y() + 3.5, axis.paint, axis.name);
  }
  return svg;
}

}  // namespace

double largest_displacement(const ResultsReader& results, const Scene& scene,
                            const std::vector<std::size_t>& frames) {
  double largest = 0;
  for (std::size_t s = 0; s < scene.solids.size(); ++s)
    for (const std::size_t frame : frames)
      for (const double size : displacements(results, scene, s, frame)) largest = std::max(largest, size);
  return largest;
}

std::string draw_still(const ResultsReader& results, const Scene& scene, const Still& still) {
  const Camera camera = look_at(scene, still.width, still.height);
  std::vector<FramePose> bodies = body_poses(results, still.frame);
  std::vector<std::vector<FramePose>> rods;
  for (const ResultsReader::Rod& rod : scene.rods) rods.push_back(rod_poses(results, rod, still.frame));
  for (const Carrier& carrier : scene.carriers) bodies.push_back(rods[carrier.rod][carrier.node]);

  std::vector<Piece> pieces;
  add_shapes(scene, bodies, camera, pieces);
  add_rods(scene, rods, camera, pieces);
  add_solids(results, scene, bodies, still, camera, pieces);
  add_joints(scene, bodies, camera, pieces);
  add_springs(scene, bodies, camera, pieces);

  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\" "
      "stroke-width=\"0.7\" stroke-linejoin=\"round\">\n",
      still.width, still.height, still.width, still.height);
  for (const Piece& piece : back_to_front(std::move(pieces), camera.back)) svg += draw(piece, camera);
  return svg + draw_triad(camera) + "</svg>\n";
}

}  // namespace hooke
