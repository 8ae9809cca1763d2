// The features and distance fields of the shapes that a model file knows.
#include "hooke/catalog/contact_shapes.h"

#include <numbers>

#include "hooke/base/format.h"
#include "hooke/contact/height_field.h"
#include "hooke/contact/mesh_field.h"

namespace hooke {
namespace {

using Kind = TouchingFeature::Kind;

void add_box(const Vec3& size, double rounding, std::vector<TouchingFeature>& to) {
  const Vec3 half = 0.5 * size - Vec3::Constant(rounding);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    to.push_back({.centre = half.cwiseProduct(sign), .radius = rounding});
    for (int axis = 0; axis < 3; ++axis) {  // edges from the corner that is the lower end
      if (sign[axis] > 0) continue;
      TouchingFeature edge{.kind = Kind::segment, .centre = half.cwiseProduct(sign), .radius = rounding};
      edge.centre[axis] = 0;
      edge.axis[axis] = half[axis];
      for (const double end : {-1.0, 1.0}) edge.turn = end, to.push_back(edge);
    }
  }
}

/// Points of a rim: on a plane that it lies flat on they carry it evenly. And the ends of the arc that lies on a face.
void add_rim(double radius, double z, double rounding, std::vector<TouchingFeature>& to) {
  if (radius == 0) return to.push_back({.centre = Vec3(0, 0, z)});
  for (int quarter = 0; quarter < 4; ++quarter)
    to.push_back({.kind = Kind::rim,
                  .centre = Vec3(0, 0, z),
                  .axis = Vec3::UnitZ(),
                  .rim_radius = radius,
                  .turn = 0.5 * std::numbers::pi * quarter,
                  .radius = rounding});
  constexpr int around = 16;  // 2 % of the radius are between their polygon and the rim
  for (int k = 0; k < around; ++k)
    to.push_back({.kind = Kind::rim_point,
                  .centre = Vec3(0, 0, z),
                  .axis = Vec3::UnitZ(),
                  .rim_radius = radius,
                  .turn = 2 * std::numbers::pi * k / around,
                  .radius = rounding});
  for (const double end : {-1.0, 1.0})
    to.push_back({.kind = Kind::arc_end,
                  .centre = Vec3(0, 0, z),
                  .axis = Vec3::UnitZ(),
                  .rim_radius = radius,
                  .turn = end,
                  .radius = rounding});
}

using Features = std::vector<TouchingFeature>;

void add_features(const auto&, double, Features&) {}  // half-spaces, hollows: others touch them
void add_features(const SphereShape& sphere, double, Features& to) {
  to.push_back({.radius = sphere.radius});
}
void add_features(const BoxShape& box, double rounding, Features& to) { add_box(box.size, rounding, to); }
void add_features(const CapsuleSurface& capsule, double, Features& to) {
  const Vec3 half(0, 0, 0.5 * capsule.length);
  to.push_back({.centre = half, .radius = capsule.radius});
  to.push_back({.centre = -half, .radius = capsule.radius});
  for (const double end : {-1.0, 1.0})
    to.push_back({.kind = Kind::segment, .axis = half, .turn = end, .radius = capsule.radius});
}
void add_features(const CylinderShape& cylinder, double rounding, Features& to) {
  const double z = 0.5 * cylinder.length - rounding;
  add_rim(cylinder.radius - rounding, -z, rounding, to);
  add_rim(cylinder.radius - rounding, z, rounding, to);
}
void add_features(const ConeSurface& cone, double, Features& to) {
  add_rim(cone.bottom, -0.5 * cone.length, 0, to);
  add_rim(cone.top, 0.5 * cone.length, 0, to);
}

using Field = std::shared_ptr<const DistanceField>;

Field field_of(const SphereShape& sphere, double) { return std::make_shared<SphereField>(sphere.radius); }
Field field_of(const HalfSpaceSurface&, double) { return std::make_shared<HalfSpaceField>(); }
Field field_of(const BoxShape& box, double rounding) {
  return std::make_shared<BoxField>(box.size, rounding);
}
Field field_of(const CapsuleSurface& c, double) { return std::make_shared<CapsuleField>(c.radius, c.length); }
Field field_of(const CylinderShape& cylinder, double rounding) {
  const auto profile = RevolvedField::cylinder(cylinder.radius - rounding, cylinder.length - 2 * rounding);
  return std::make_shared<RevolvedField>(profile, rounding);
}
Field field_of(const ConeSurface& cone, double) {
  return std::make_shared<RevolvedField>(RevolvedField::cone(cone.bottom, cone.top, cone.length));
}
Field field_of(const HollowSphereSurface& s, double) { return std::make_shared<HollowSphereField>(s.radius); }
Field field_of(const BoreSurface& bore, double) { return std::make_shared<BoreField>(bore.radius); }
Field field_of(const HeightFieldSurface& ground, double) {
  const std::size_t rows = ground.heights.size(), columns = ground.heights.front().size();
  MatrixX heights(rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      heights(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = ground.heights[r][c];
  return std::make_shared<HeightField>(std::move(heights), ground.spacing);
}

void add_to(const Features& features, Surface& to) {
  for (const TouchingFeature& feature : features) {
    to.features.push_back({to.frame, feature});
    to.has_edges |= feature.kind == Kind::segment;
    to.has_rims |= feature.kind == Kind::rim;
  }
}

std::string shape_by_mesh(const TriangleMesh& mesh, double rounding, bool is_hull, Surface& to) {
  constexpr std::size_t most_features = 5000;
  to.field = std::make_shared<MeshField>(mesh, rounding, is_hull);
  const Features features = features_of(mesh, rounding);
  add_to(features, to);
  if (features.size() <= most_features) return "";
  return formatted(
      "has {} corners and sharp edges that may touch, more than {}: take a coarser mesh for contact",
      features.size(), most_features);
}

}  // namespace

template <class Shape>
std::string shape_surface(const Shape& shape, double rounding, Surface& to) {
  to.is_round = std::is_same_v<Shape, SphereShape> || std::is_same_v<Shape, CapsuleSurface>;
  to.field = field_of(shape, rounding);
  Features features;
  add_features(shape, rounding, features);
  add_to(features, to);
  return "";
}

std::string shape_surface(const MeshShape& shape, double rounding, Surface& to) {
  const TriangleMesh mesh = welded({shape.points, shape.triangles});
  if (mesh.triangles.empty()) return "";  // it could not be read, which was said
  if (const std::string problem = problem_of(mesh); !problem.empty())
    return formatted("the mesh {}", problem);
  return shape_by_mesh(mesh, rounding, false, to);
}

std::string shape_surface(const HullSurface& shape, double rounding, Surface& to) {
  const TriangleMesh hull = convex_hull(shape.mesh ? shape.mesh->points : shape.corners);
  if (hull.triangles.empty()) return "needs four points that do not lie in one plane";
  return shape_by_mesh(hull, rounding, true, to);
}

template std::string shape_surface(const SphereShape&, double, Surface&);
template std::string shape_surface(const HalfSpaceSurface&, double, Surface&);
template std::string shape_surface(const BoxShape&, double, Surface&);
template std::string shape_surface(const CapsuleSurface&, double, Surface&);
template std::string shape_surface(const CylinderShape&, double, Surface&);
template std::string shape_surface(const ConeSurface&, double, Surface&);
template std::string shape_surface(const HeightFieldSurface&, double, Surface&);
template std::string shape_surface(const HollowSphereSurface&, double, Surface&);
template std::string shape_surface(const BoreSurface&, double, Surface&);

}  // namespace hooke
