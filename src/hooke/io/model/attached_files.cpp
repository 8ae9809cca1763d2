#include "hooke/io/model/attached_files.h"

#include <filesystem>

#include "hooke/base/format.h"
#include "hooke/bodies/modal_data.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/mesh/mesh_file.h"
#include "hooke/io/mesh/modal_file.h"
#include "hooke/io/mesh/solid_mesh_file.h"

namespace hooke {
namespace {

void attach_shape(MeshShape& mesh, const std::string& path) {
  TriangleMesh triangles = read_mesh_file(path);
  for (Vec3& point : triangles.points) point *= mesh.scale;
  mesh.points = std::move(triangles.points);
  mesh.triangles = std::move(triangles.triangles);
}

/// visit(key path, name of the file, settings) for each file that a model names.
void for_each_file(Model& model, auto&& visit) {
  for (auto& [name, body] : model.bodies) {
    const std::string key = "bodies." + name;
    if (auto* modal = body.formulation.template get_if<ModalSettings>())
      visit(key + ".modal", modal->file, *modal);
    if (auto* solid = body.formulation.template get_if<SolidSettings>())
      if (auto* file = std::get_if<MeshFile>(&solid->mesh)) visit(key + ".solid", file->path, *file);
    for (std::size_t k = 0; k < body.geometry.size(); ++k)
      if (auto* mesh = std::get_if<MeshShape>(&body.geometry[k].shape))
        visit(formatted("{}.geometry[{}].mesh", key, k), mesh->file, *mesh);
  }
  for (auto& [name, surface] : model.surfaces) {
    const std::string key = "surfaces." + name;
    if (auto* mesh = std::get_if<MeshShape>(&surface.shape)) visit(key + ".mesh", mesh->file, *mesh);
    if (auto* hull = std::get_if<HullSurface>(&surface.shape); hull && hull->mesh)
      visit(key + ".hull.mesh", hull->mesh->file, *hull->mesh);
  }
}

bool is_read(const ModalSettings& modal) { return modal.data != nullptr; }
bool is_read(const MeshFile& file) { return file.mesh != nullptr; }
bool is_read(const MeshShape& mesh) { return !mesh.triangles.empty(); }

void read_from(const std::string& path, ModalSettings& modal) {
  modal.data = std::make_shared<const ModalData>(read_modal_file(path));
}
void read_from(const std::string& path, MeshFile& file) { read_mesh(path, file); }
void read_from(const std::string& path, MeshShape& mesh) { attach_shape(mesh, path); }

}  // namespace

void read_attached_files(Model& model, Diagnostics& diagnostics) {
  for_each_file(model, [&](const std::string& key, const std::string& file, auto& settings) {
    if (is_read(settings) || file.empty()) return;  // that it is missing was said already
    const Location at = model.locate(key);
    try {
      read_from(path_from(at.file, file), settings);
    } catch (const Error& error) {
      diagnostics.error(at, key, "{}", error.what());
    }
  });
}

Model seen_from(Model model, const std::string& folder) {
  namespace fs = std::filesystem;
  for_each_file(model, [&](const std::string& key, std::string& file, auto&) {
    if (file.empty() || fs::path(file).is_absolute()) return;
    file = fs::proximate(path_from(model.locate(key).file, file), folder.empty() ? "." : folder)
               .generic_string();
  });
  return model;
}

}  // namespace hooke
