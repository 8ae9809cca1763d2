#include "hooke/base/format.h"

#include <algorithm>
#include <stdexcept>

#include "hooke/bodies/rigid.h"
#include "hooke/catalog/make_bodies.h"
#include "hooke/math/dense.h"

namespace hooke {

namespace {

/// Before a mesh of so many hexahedra is made: each is cut into six tetrahedra.
void bound_elements(double hexahedra, ElementType type, const char* key, const Complain& complain) {
  const bool is_cut = type == ElementType::tet4 || type == ElementType::tet10;
  const std::string excess = limits::solid_elements.excess(is_cut ? 6 * hexahedra : hexahedra);
  if (!excess.empty()) complain(key, excess);
}

}  // namespace

void BoxMesh::check(const Complain& complain) const {
  bound_elements(static_cast<double>(divisions[0]) * divisions[1] * divisions[2], element, "divisions",
                 complain);
}

void RevolvedMesh::check(const Complain& complain) const {
  const double layers = std::max<double>(along, static_cast<double>(profile.size()));
  const bool is_hollow = !profile.empty() && profile[0][2] > 0;
  bound_elements(layers * across * (is_hollow ? around : across), element, "along", complain);
  if (profile.size() < 2)
    return complain("profile", "needs at least two stations [z, outer radius, inner radius]");
  for (std::size_t s = 0; s < profile.size(); ++s) {
    const Vec3& at = profile[s];
    if (s > 0 && at[0] <= profile[s - 1][0])
      return complain("profile", "the stations must follow each other along z");
    if (!(at[1] > at[2]) || at[2] < 0)
      return complain("profile", "the outer radius must exceed the inner one, which must not be negative");
    if ((at[2] > 0) != (profile[0][2] > 0))
      return complain("profile", "the inner radius must be 0 at all stations (solid) or at none (hollow)");
  }
}

SolidMesh RevolvedMesh::make() const {
  RevolvedProfile p{.across = across, .around = around, .along = along};
  for (const Vec3& at : profile) p.stations.push_back({at[0], at[1], at[2]});
  return revolved_mesh(p, element);
}

void OrthotropicSettings::check(const Complain& complain) const {
  if (x.cross(y).norm() < 1e-8 * x.norm() * y.norm() || x.norm() == 0)
    return complain("y", "the two axes must not be parallel");
  if (!(smallest_eigenvalue(make().elasticity) > 0))
    complain(
        "poisson",
        "with these ratios the material would give energy when it is strained: each must be smaller than "
        "the root of the ratio of its two moduli");
}

SolidMaterial OrthotropicSettings::make() const {
  Mat3 axes;
  const Vec3 first = x.normalized(), third = x.cross(y).normalized();
  axes << first, third.cross(first), third;
  return SolidMaterial::orthotropic(young, poisson, shear, density, axes);
}

SolidMesh MeshFile::make() const {
  if (!mesh) throw std::invalid_argument("the mesh '" + path + "' was not read");
  SolidMesh scaled = *mesh;
  double extent = 0;
  for (Vec3& x : scaled.nodes) {
    x *= scale.value_or(1);
    extent = std::max(extent, (x - scaled.nodes[0]).norm());
  }
  if (!scale && extent > 100)
    throw std::invalid_argument(
        formatted("the mesh is {:.4g} m large: if it is in millimetres, give it 'scale: 1e-3', and 'scale: "
                  "1' if it is not",
                  extent));
  return scaled;
}

void SolidSettings::check(const Complain& complain) const {
  const bool from_file = std::holds_alternative<MeshFile>(mesh);
  if (material && orthotropic) return complain("orthotropic", "and 'material' cannot both be given");
  if (!material && !orthotropic && !from_file)
    return complain(
        "material",
        "is missing: give it, such as {young: 7e10, poisson: 0.3, density: 2700}, or 'orthotropic'");
  if (!materials.empty() && !from_file)
    return complain("materials", "only a mesh file has parts of several materials");
  const auto is_incompressible = [](const MaterialSettings& m) { return m.poisson > 0.499; };
  for (const auto& [part, m] : materials)
    if (is_incompressible(m))
      complain("materials",
               "a solid needs a Poisson's ratio below 0.5, where it cannot be compressed at all");
  if (material && is_incompressible(*material))
    complain("material", "a solid needs a Poisson's ratio below 0.5, where it cannot be compressed at all");
}

std::shared_ptr<const SolidModel> SolidSettings::model() const {
  const auto isotropic = [](const MaterialSettings& m) {
    return SolidMaterial::isotropic({m.young, m.poisson, m.density});
  };
  std::vector<SolidMaterial> made;
  const auto of_all = material      ? std::optional(isotropic(*material))
                      : orthotropic ? std::optional(orthotropic->make())
                                    : std::nullopt;
  if (const auto* file = std::get_if<MeshFile>(&mesh)) {
    for (const auto& [part, values] : file->materials) {
      const auto given =
          std::find_if(materials.begin(), materials.end(), [&](const auto& m) { return m.first == part; });
      if (given != materials.end())
        made.push_back(isotropic(given->second));
      else if (of_all)
        made.push_back(*of_all);
      else if (values && file->scale.value_or(1) == 1)
        made.push_back(*values);
      else
        throw std::invalid_argument(formatted(
            "of what is the part '{}' of the mesh? Give 'material', or '{}' under 'materials', in SI units",
            part, part));
    }
  } else {
    made.push_back(*of_all);
  }
  return std::make_shared<const SolidModel>(
      std::visit([](const auto& choice) { return choice.make(); }, mesh), std::move(made),
      SolidOptions{incompatible_modes, mass == MassLumping::lumped});
}

/// Frames go with the nodes of a set; without one with a node that is there, if a point will do, or with the
/// element there.
MadeBody SolidSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                  Flexibility flexibility) const {
  const SolidSettings& settings = *this;
  CorotationalSolid solid(settings.model());
  solid.corotation = settings.corotation;
  solid.fit = settings.frame;
  solid.constant_tangent = settings.tangent == SolidTangent::constant;
  solid.consistent = settings.force == CorotationalForce::consistent;
  solid.mass_damping = settings.mass_damping;
  solid.stiffness_damping = settings.stiffness_damping;
  solid.start = start.pose;
  solid.start_twist = start.twist;
  for (const SurfaceLoadSettings& s : settings.surface_loads) {
    const std::vector<int>& set = solid.model->mesh.set(s.nodes);
    const Mat3X load =
        solid.model->surface_load(set, start.pose.R.transpose() * s.traction, s.follower ? 0 : s.pressure);
    if (s.follower) solid.follower_pressures.push_back({solid.model->faces_of(set), s.pressure});
    solid.load = solid.load.size() ? Mat3X(solid.load + start.pose.R * load) : Mat3X(start.pose.R * load);
  }
  const std::shared_ptr<const SolidModel> model = solid.model;

  MadeBody made;
  if (flexibility == Flexibility::frozen) {
    const MassProperties same = solid.mass_properties();
    RigidBody rigid{same.mass, same.inertia, same.centre, start.pose, start.twist};
    const int number = system.add_body(rigid, body);
    made.add_patch = [&system, number, rigid](const FramePose& X_BF, const std::string&, bool) {
      return system.add_frame<RigidBody>(number, rigid.attach(X_BF));
    };
  } else {
    const int number = system.add_body(solid, body);
    made.solid = model;
    made.has_one_frame = solid.corotation == Corotation::component;
    made.add_patch = [&system, number, solid](const FramePose& X_BF, const std::string& nodes,
                                              bool oriented) {
      const SolidMesh& whole = solid.model->mesh;
      const int nearest = whole.nearest_node(X_BF.p);
      const bool is_node = (whole.nodes[nearest] - X_BF.p).norm() <= 1e-6 * solid.model->extent;
      if (!oriented && is_node && (nodes.empty() || whole.set(nodes).size() == 1))
        return system.add_frame<CorotationalSolid>(number, solid.attach_node(nearest), false);
      return system.add_frame<CorotationalSolid>(
          number, nodes.empty() ? solid.attach(X_BF) : solid.attach(X_BF, whole.set(nodes)));
    };
  }
  made.add_frame = [add = made.add_patch](const FramePose& X_BF, std::optional<double>) {
    return add(X_BF, "", true);
  };
  made.set_places = [model](const std::string& set) {
    std::vector<Vec3> places;
    for (int node : model->mesh.set(set)) places.push_back(model->mesh.nodes[node]);
    return places;
  };
  made.distance = [model](const Vec3& place) {
    return (model->mesh.nodes[model->mesh.nearest_node(place)] - place).norm();
  };
  for (const auto& [set, nodes] : model->mesh.node_sets) made.sets.push_back(set);
  return made;
}

}  // namespace hooke
