#pragma once
#include "hooke/catalog/build.h"
#include "hooke/catalog/catalog.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"

/// Small mechanisms made in C++ for tests that need something to move.
namespace hooke::test {

using NamedBody = std::pair<std::string, BodyEntry>;
using NamedJoint = std::pair<std::string, AnyJoint>;
using NamedForce = std::pair<std::string, AnyForce>;

inline NamedBody rigid(std::string name, double mass, const Vec3& inertia, const Vec3& at) {
  BodyEntry body;
  body.formulation = RigidSettings{.mass = mass, .inertia = {inertia.asDiagonal(), true}};
  body.place.at = at;
  return {std::move(name), std::move(body)};
}

/// A field of a joint whose type is known by name only.
template <class V>
V& field_of(AnyJoint& joint, const std::string& key) {
  const FieldInfo* field = joint.type().find(key);
  if (!field || field->type != &type_of<V>) throw std::logic_error("no such field: " + key);
  return *static_cast<V*>(field->in(joint.data()));
}

inline AnyJoint joint_of(const std::string& type, std::string a, std::string b) {
  AnyJoint made;
  for (const TypeCatalog::Entry& entry : Catalog::built_in().of("joint"))
    if (type == entry.type->name) entry.choose(&made);
  field_of<std::array<std::string, 2>>(made, type) = {std::move(a), std::move(b)};
  return made;
}

inline NamedJoint joint(std::string name, const std::string& type, std::string a, std::string b,
                        std::optional<Vec3> at, std::optional<Vec3> axis = {}) {
  AnyJoint made = joint_of(type, std::move(a), std::move(b));
  if (at) field_of<std::optional<Vec3>>(made, "at") = at;
  if (axis) field_of<std::optional<Vec3>>(made, "axis") = axis;
  return {std::move(name), std::move(made)};
}

/// m = 15, spinning at 150 rad/s about its axis: the usual test of a Lie-group integrator.
inline Model heavy_top() {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {rigid("top", 15, {0.234375, 0.46875, 0.234375}, {0, 1, 0})};
  model.bodies[0].second.angular_velocity = Vec3(0, 150, -4.61538);
  model.joints = {joint("tip", "spherical", "ground", "top", Vec3::Zero())};
  return model;
}

/// The spatial rigid slider crank of Haug (1989): crank along z about x, rod, slider along x.
inline Model slider_crank() {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {rigid("crank", 0.12, {1e-4, 1e-4, 1e-5}, {0, 0.1, 0.16}),
                  rigid("rod", 0.5, {4e-3, 4e-3, 4e-4}, {}),
                  rigid("slider", 2, {1e-4, 1e-4, 1e-4}, {0.2, 0, 0})};
  model.bodies[0].second.angular_velocity = Vec3(6, 0, 0);
  model.bodies[1].second.place.at.reset();
  model.bodies[1].second.between = {"B", "C"};
  model.joints = {joint("A", "revolute", "ground", "crank", Vec3(0, 0.1, 0.12), unit_x),
                  joint("B", "spherical", "crank", "rod", Vec3(0, 0.1, 0.2)),
                  joint("C", "universal", "slider", "rod", Vec3(0.2, 0, 0), unit_x),
                  joint("D", "prismatic", "ground", "slider", {}, unit_x)};
  return model;
}

/// Four different bodies joined to a ring that floats freely: 24 dofs less 14 rows leave 10 motions, none
/// redundant.
inline Model floating_ring() {
  Model model;
  const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0.2}, {1.1, 0.9, 0}, {-0.1, 1, 0.3}};
  for (int i = 0; i < 4; ++i) {
    const double k = i + 1;
    const Vec3 middle = 0.5 * (corners[i] + corners[(i + 1) % 4]);
    model.bodies.push_back(
        rigid("link" + std::to_string(i), 0.5 * k, {0.03 * k, 0.05 * k, 0.04 * k}, middle));
    model.bodies.back().second.place.rotate = AxisAngle{Vec3(k, 1, -k), 0.4 * k};
  }
  for (int i = 0; i < 4; ++i) {
    const bool is_universal = i % 2 == 1;
    model.joints.push_back(joint("joint" + std::to_string(i), is_universal ? "universal" : "spherical",
                                 "link" + std::to_string((i + 3) % 4), "link" + std::to_string(i),
                                 corners[i]));
    if (is_universal) field_of<std::optional<Vec3>>(model.joints.back().second, "axis") = Vec3(0, 0.1, 1);
  }
  return model;
}

/// A parallelogram in the xz plane, all joints revolute about y: planar, so three of its rows are there
/// twice.
inline Model parallelogram() {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {rigid("left", 1, {0.1, 0.1, 0.1}, {0, 0, -0.5}),
                  rigid("coupler", 2, {0.1, 0.3, 0.3}, {1, 0, -1}),
                  rigid("right", 1, {0.1, 0.1, 0.1}, {2, 0, -0.5})};
  model.bodies[0].second.angular_velocity = Vec3(0, 1, 0);
  model.joints = {joint("A", "revolute", "ground", "left", Vec3(0, 0, 0), unit_y),
                  joint("B", "revolute", "left", "coupler", Vec3(0, 0, -1), unit_y),
                  joint("C", "revolute", "coupler", "right", Vec3(2, 0, -1), unit_y),
                  joint("D", "revolute", "right", "ground", Vec3(2, 0, 0), unit_y)};
  return model;
}

/// n links of 1 m, 1 kg, 1 kg m2 in a row along x, spherical joints, gravity along -y.
inline Model chain(int n) {
  Model model;
  model.gravity = {0, -9.81, 0};
  for (int i = 0; i < n; ++i) {
    model.bodies.push_back(rigid("link" + std::to_string(i), 1, {1, 1, 1}, {i + 0.5, 0, 0}));
    model.joints.push_back(joint("joint" + std::to_string(i), "spherical",
                                 i == 0 ? "ground" : model.bodies[i - 1].first, model.bodies[i].first,
                                 Vec3(i, 0, 0)));
  }
  return model;
}

}  // namespace hooke::test
