#include "hooke/catalog/components.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <stdexcept>

#include "hooke/catalog/joint_settings.h"
#include "hooke/fe/partition.h"

namespace hooke {
namespace {

/// A mesh as if read from a file, whose materials have names.
MeshFile as_file(const MeshSettings& mesh) {
  if (const auto* file = std::get_if<MeshFile>(&mesh)) return *file;
  MeshFile made{.path = "", .scale = 1.0};
  made.mesh =
      std::make_shared<const SolidMesh>(std::visit([](const auto& choice) { return choice.make(); }, mesh));
  made.materials = {{"", std::nullopt}};
  return made;
}

CutMesh cut(const SolidMesh& mesh, const SolidSettings& solid) {
  const int n = solid.components, axis = static_cast<int>(solid.cut) - 1;
  return cut_mesh(
      mesh, solid.cut == SolidCut::metis ? metis_components(mesh, n) : slabs(mesh, n, axis, solid.grading));
}

bool has_face(const SolidMesh& mesh, const std::string& name) {
  const auto set = mesh.node_sets.find(name);
  if (set == mesh.node_sets.end()) return false;
  const auto is_in = [&](int node) {
    return node < 0 || std::find(set->second.begin(), set->second.end(), node) != set->second.end();
  };
  const auto faces = boundary_faces(mesh);
  return std::any_of(faces.begin(), faces.end(), [&](const BoundaryFace& face) {
    return std::all_of(face.corners.begin(), face.corners.end(), is_in);
  });
}

void add_components(const std::string& body_name, const BodyEntry& body, const SolidSettings& solid,
                    Model& to) {
  MeshFile whole = as_file(solid.mesh);
  CutMesh pieces = cut(*whole.mesh, solid);
  for (const SurfaceLoadSettings& load : solid.surface_loads)
    whole.mesh->set(load.nodes);  // explains itself where there is none
  const auto name = [&](int component) { return formatted("{}_{}", body_name, component + 1); };
  for (std::size_t k = 0; k < pieces.meshes.size(); ++k) {
    auto& [component, entry] = to.bodies.emplace_back(name(static_cast<int>(k)), body);
    entry.component_of = body_name;
    if (!to.locations.empty()) to.locations["bodies." + component] = to.locate("bodies." + body_name);
    SolidSettings& settings = *entry.formulation.get_if<SolidSettings>();
    settings.components = 1;
    std::erase_if(settings.surface_loads,
                  [&](const SurfaceLoadSettings& load) { return !has_face(pieces.meshes[k], load.nodes); });
    MeshFile mesh = whole;
    mesh.mesh = std::make_shared<const SolidMesh>(std::move(pieces.meshes[k]));
    settings.mesh = std::move(mesh);
  }
  for (const ComponentTie& tie : pieces.ties)
    to.joints.emplace_back(
        formatted("{}_{}_{}", body_name, tie.a + 1, tie.b + 1),
        TieSettings{.between = {name(tie.a) + "." + tie.set, name(tie.b) + "." + tie.set}});
}

}  // namespace

bool has_components(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const auto& body) {
    const auto* solid = body.second.formulation.template get_if<SolidSettings>();
    return solid && solid->components > 1;
  });
}

Model with_components(Model model, Diagnostics& diagnostics) {
  Named<BodyEntry> given;
  std::swap(given, model.bodies);
  for (auto& [name, body] : given) {
    const auto* solid = body.formulation.get_if<SolidSettings>();
    if (!solid || solid->components == 1) {
      model.bodies.emplace_back(name, std::move(body));
    } else {
      const std::string path = "bodies." + name;
      try {
        add_components(name, body, *solid, model);
      } catch (const std::invalid_argument& problem) {
        diagnostics.error(model.locate(path), path, "{}", problem.what());
      }
    }
  }
  return model;
}

}  // namespace hooke
