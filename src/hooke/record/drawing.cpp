#include "hooke/record/drawing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hooke/contact/mesh_field.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

FramePose in_body(const FramePose& X_WF, int body, const std::vector<FramePose>& bodies) {
  return body < 0 ? X_WF : inverse(bodies[static_cast<std::size_t>(body)]) * X_WF;
}

Drawing::Connection connection(const std::array<int, 2>& frames, const System& system,
                               const std::vector<FramePose>& bodies, const SystemWorkspace& workspace) {
  Drawing::Connection result;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto frame = static_cast<std::size_t>(frames[k]);
    result.bodies[k] = system.frame_map().frames[frame].body;
    result.frames[k] = in_body(workspace.frames.pose[frame], result.bodies[k], bodies);
  }
  return result;
}

Vec3 size_of(const BoxShape& box) { return box.size; }
Vec3 size_of(const CylinderShape& cylinder) {
  return {2 * cylinder.radius, 2 * cylinder.radius, cylinder.length};
}
Vec3 size_of(const SphereShape& sphere) { return Vec3::Constant(2 * sphere.radius); }
Vec3 size_of(const MeshShape&) { return Vec3::Ones(); }

void add_shapes(const BodyEntry& body, int number, Drawing& drawing) {
  for (const GeometryEntry& geometry : body.geometry)
    std::visit(
        [&](const auto& shape) {
          int mesh = -1;
          if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, MeshShape>) {
            mesh = static_cast<int>(drawing.meshes.size());
            drawing.meshes.push_back({shape.points, shape.triangles});
          }
          drawing.shapes.push_back({number, shape.name, size_of(shape), geometry.place.pose(),
                                    geometry.colour.value_or(""), mesh});
        },
        geometry.shape);
  const auto* rigid = body.formulation.get_if<RigidSettings>();
  if (!rigid || !body.geometry.empty()) return;
  if (rigid->shape)
    std::visit(
        [&](const auto& shape) {
          drawing.shapes.push_back({number, shape.name, size_of(shape), {identity3, rigid->centre}, ""});
        },
        *rigid->shape);
  for (const PointMass& point : rigid->points) {  // a ball of steel
    constexpr double steel = 7850;
    const double diameter = std::cbrt(6 * point.mass / (M_PI * steel));
    drawing.shapes.push_back(
        {number, SphereShape::name, Vec3::Constant(diameter), {identity3, point.at}, ""});
  }
}

/// Rings of `sides` points about z, each joined to the one before.
TriangleMesh revolved(const std::vector<Vec2>& profile) {  // radius, z
  constexpr int sides = 32;
  TriangleMesh mesh;
  for (std::size_t ring = 0; ring < profile.size(); ++ring)
    for (int k = 0; k < sides; ++k) {
      const double turn = 2 * std::numbers::pi * k / sides;
      mesh.points.emplace_back(profile[ring].x() * std::cos(turn), profile[ring].x() * std::sin(turn),
                               profile[ring].y());
      if (ring == 0) continue;
      const int below = sides * (static_cast<int>(ring) - 1), next = (k + 1) % sides;
      mesh.triangles.push_back({below + k, below + next, below + sides + k});
      mesh.triangles.push_back({below + next, below + sides + next, below + sides + k});
    }
  return mesh;
}

TriangleMesh terrain(const HeightFieldSurface& field) {
  TriangleMesh mesh;
  const int rows = static_cast<int>(field.heights.size()),
            columns = static_cast<int>(field.heights[0].size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      mesh.points.emplace_back((c - 0.5 * (columns - 1)) * field.spacing.x(),
                               (r - 0.5 * (rows - 1)) * field.spacing.y(),
                               field.heights[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
      if (r == 0 || c == 0) continue;
      const int here = r * columns + c, below = here - columns;
      mesh.triangles.push_back({below - 1, below, here});
      mesh.triangles.push_back({below - 1, here, here - 1});
    }
  return mesh;
}

/// A surface as it is drawn; of those without an end, a piece as large as the mechanism around `middle`.
class SurfaceShapes {
 public:
  SurfaceShapes(Drawing& drawing, int body, const FramePose& place, const Vec3& middle, double size)
      : drawing_(drawing),
        body_(body),
        place_(place),
        middle_(place.R.transpose() * (middle - place.p)),
        size_(size) {}

  void operator()(const SphereShape& sphere) { add(sphere); }
  void operator()(const BoxShape& box) { add(box); }
  void operator()(const CylinderShape& cylinder) { add(cylinder); }
  void operator()(const CapsuleSurface& capsule) {
    add(CylinderShape{capsule.radius, capsule.length});
    for (const double end : {-0.5, 0.5})
      add(SphereShape{capsule.radius}, {identity3, end * capsule.length * unit_z});
  }
  void operator()(const MeshShape& mesh) { add(TriangleMesh{mesh.points, mesh.triangles}); }
  void operator()(const HullSurface& hull) { add(convex_hull(hull.mesh ? hull.mesh->points : hull.corners)); }
  void operator()(const ConeSurface& cone) {
    const double z = 0.5 * cone.length;
    add(revolved({{0, -z}, {cone.bottom, -z}, {cone.top, z}, {0, z}}));
  }
  void operator()(const HeightFieldSurface& field) { add(terrain(field)); }
  void operator()(const BoreSurface& bore) {
    add(revolved({{bore.radius, -bore.radius}, {bore.radius, bore.radius}}));
  }
  void operator()(const HollowSphereSurface& hollow) {  // its lower half
    std::vector<Vec2> profile;
    for (int k = 0; k <= 8; ++k) {
      const double angle = std::numbers::pi / 16 * k;
      profile.emplace_back(hollow.radius * std::sin(angle), -hollow.radius * std::cos(angle));
    }
    add(revolved(profile));
  }
  void operator()(const HalfSpaceSurface& half) {  // a plate
    const double thick = 0.01 * size_;
    const Vec3 n = half.normal.normalized();
    add(BoxShape{{2 * size_, 2 * size_, thick}},
        {rotation_from_z(n), middle_ - (n.dot(middle_) + 0.5 * thick) * n});
  }
  void operator()(const auto&) {}  // rods and solids are drawn by themselves

 private:
  void add(const auto& shape, const FramePose& at = {}) {
    drawing_.shapes.push_back({body_, shape.name, size_of(shape), place_ * at, ""});
  }
  void add(const TriangleMesh& mesh) {
    drawing_.shapes.push_back(
        {body_, MeshShape::name, Vec3::Ones(), place_, "", static_cast<int>(drawing_.meshes.size())});
    drawing_.meshes.push_back(mesh);
  }

  Drawing& drawing_;
  int body_;
  FramePose place_;
  Vec3 middle_;
  double size_;
};

/// What a body that has no other looks touches others with.
void add_surfaces(const Model& model, const std::string& body, int number, Drawing& drawing) {
  for (const auto& [name, surface] : model.surfaces)
    if (surface.body == body)
      std::visit(SurfaceShapes(drawing, number, surface.place.pose(), zero3, 1), surface.shape);
}

/// What lies on the ground or on a frame of it, as shapes of no body.
void add_ground(const Model& model, const std::vector<FramePose>& bodies, Drawing& drawing) {
  Vec3 middle = zero3;
  for (const FramePose& body : bodies) middle += body.p / static_cast<double>(bodies.size());
  double size = 0;
  for (const FramePose& body : bodies) size = std::max(size, (body.p - middle).norm());
  for (const Drawing::Shape& shape : drawing.shapes)
    size = std::max(size, (shape.mesh < 0 ? 1.0 : 0.0) * shape.size.maxCoeff());
  for (const TriangleMesh& mesh : drawing.meshes)
    for (const Vec3& point : mesh.points) size = std::max(size, point.norm());
  for (const auto& [name, surface] : model.surfaces) {
    if (surface.body != "ground" && !surface.body.starts_with("ground.")) continue;
    FramePose place = surface.place.pose();
    if (const auto* frame =
            model.ground.frames.find(surface.body.substr(std::min<std::size_t>(7, surface.body.size()))))
      place = frame->pose() * place;
    std::visit(SurfaceShapes(drawing, -1, place, middle, size > 0 ? size : 1), surface.shape);
  }
}

std::vector<Vec2> rectangle(const Vec2& size) {
  const double x = size.x() / 2, y = size.y() / 2;
  return {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
}

/// An even ellipse for a section whose shape is not known, by its squared radii of gyration: half axes are
/// twice the radii. Both inertia / mass and bending / extension tell them; inertia is often a round number of
/// no section in particular, so the smaller one counts.
std::vector<Vec2> ellipse_like(const Section& section) {
  const Mat6& C = section.stiffness;
  const Vec2 centre = section.centre.head<2>();
  Mat2 mean{{section.inertia(1, 1), -section.inertia(0, 1)}, {-section.inertia(0, 1), section.inertia(0, 0)}};
  mean = mean / section.mass - centre * centre.transpose();
  const Mat2 stiff{{C(4, 4) / C(2, 2), 0}, {0, C(3, 3) / C(2, 2)}};
  if (stiff.trace() < mean.trace()) mean = stiff;
  const double xx = mean(0, 0), yy = mean(1, 1), xy = mean(0, 1);
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy), half = std::hypot((xx - yy) / 2, xy);
  const double most = std::max((xx + yy) / 2 + half, 0.0),
               least = std::max((xx + yy) / 2 - half, 1e-4 * most);
  return ellipse(2 * Vec2(most, least).cwiseSqrt(), centre, angle);
}

Drawing::Section section_of(const RodSettings& rod, int number) {
  if (const auto* one = std::get_if<CircleSection>(&rod.section))
    return {number, ellipse(Vec2::Constant(one->radius)), {}};
  if (const auto* one = std::get_if<TubeSection>(&rod.section))
    return {number, ellipse(Vec2::Constant(one->outer)),
            one->inner > 0 ? ellipse(Vec2::Constant(one->inner)) : std::vector<Vec2>{}};
  if (const auto* one = std::get_if<RectangleSection>(&rod.section))
    return {number, rectangle(one->size), {}};
  return {number, ellipse_like(rod.section_of()), {}};
}

const RodSettings* rod_of(const BodyEntry& body) {
  if (const auto* rod = body.formulation.get_if<CosseratSettings>()) return rod;
  if (const auto* rod = body.formulation.get_if<AncfSettings>()) return rod;
  return body.formulation.get_if<FfrfSettings>();
}

}  // namespace

std::vector<Vec2> ellipse(const Vec2& half_axes, const Vec2& centre, double angle) {
  constexpr int sides = 20;
  std::vector<Vec2> points;
  for (int k = 0; k < sides; ++k) {
    const double turn = 2 * std::numbers::pi * k / sides;
    points.emplace_back(centre + Eigen::Rotation2Dd(angle) *
                                     half_axes.cwiseProduct(Vec2(std::cos(turn), std::sin(turn))));
  }
  return points;
}

Drawing make_drawing(const BuiltModel& built) {
  const Model& model = *built.model;
  const System& system = *built.system;
  const State start = system.initial_state();
  const auto workspace = system.workspace();
  system.update(start, *workspace);
  const auto& frames = static_cast<const SystemWorkspace&>(*workspace);
  std::vector<FramePose> bodies;
  for (int b = 0; b < system.bodies(); ++b) bodies.push_back(system.motion(b, start).pose);

  Drawing drawing;
  drawing.gravity = model.gravity;
  for (const BuiltJoint& joint : built.joints)
    drawing.joints.push_back(connection(joint.frames, system, bodies, frames));
  for (const BuiltForce& force : built.forces)
    drawing.forces.push_back(connection(force.ends, system, bodies, frames));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    drawing.masses.push_back(system.mass_properties(static_cast<int>(b)));
    const std::size_t before = drawing.shapes.size();
    add_shapes(model.bodies[b].second, static_cast<int>(b), drawing);
    if (drawing.shapes.size() == before)
      add_surfaces(model, model.bodies[b].first, static_cast<int>(b), drawing);
    if (const RodSettings* rod = rod_of(model.bodies[b].second))
      drawing.sections.push_back(section_of(*rod, static_cast<int>(b)));
  }
  add_ground(model, bodies, drawing);
  return drawing;
}

}  // namespace hooke
