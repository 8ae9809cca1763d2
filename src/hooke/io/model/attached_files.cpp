#include "hooke/io/model/attached_files.h"

#include "hooke/base/format.h"
#include "hooke/bodies/modal_data.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/mesh/mesh_file.h"
#include "hooke/io/mesh/modal_file.h"
#include "hooke/io/mesh/solid_mesh_file.h"

namespace hooke {
namespace {

/// read_it(path of the file, as seen from the file that names it)
void attach(const Model& model, const std::string& key, const std::string& file, Diagnostics& diagnostics,
            auto&& read_it) {
  if (file.empty()) return;  // that it is missing was said already
  const Location at = model.locate(key);
  try {
    read_it(path_from(at.file, file));
  } catch (const Error& error) {
    diagnostics.error(at, key, "{}", error.what());
  }
}

void attach_shape(MeshShape& mesh, const std::string& path) {
  TriangleMesh triangles = read_mesh_file(path);
  for (Vec3& point : triangles.points) point *= mesh.scale;
  mesh.points = std::move(triangles.points);
  mesh.triangles = std::move(triangles.triangles);
}

}  // namespace

void read_attached_files(Model& model, Diagnostics& diagnostics) {
  for (auto& [name, body] : model.bodies) {
    const std::string key = "bodies." + name;
    if (auto* modal = body.formulation.get_if<ModalSettings>(); modal && !modal->data)
      attach(model, key + ".modal", modal->file, diagnostics, [&](const std::string& path) {
        modal->data = std::make_shared<const ModalData>(read_modal_file(path));
      });
    if (auto* solid = body.formulation.get_if<SolidSettings>())
      if (auto* file = std::get_if<MeshFile>(&solid->mesh); file && !file->mesh)
        attach(model, key + ".solid", file->path, diagnostics,
               [&](const std::string& path) { read_mesh(path, *file); });
    for (std::size_t k = 0; k < body.geometry.size(); ++k)
      if (auto* mesh = std::get_if<MeshShape>(&body.geometry[k].shape); mesh && mesh->triangles.empty())
        attach(model, formatted("{}.geometry[{}].mesh", key, k), mesh->file, diagnostics,
               [&](const std::string& path) { attach_shape(*mesh, path); });
  }
}

}  // namespace hooke
