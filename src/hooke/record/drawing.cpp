#include "hooke/record/drawing.h"

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

}  // namespace

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
    add_shapes(model.bodies[b].second, static_cast<int>(b), drawing);
  }
  return drawing;
}

}  // namespace hooke
