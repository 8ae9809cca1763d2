#include "hooke/io/model/attached_files.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

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

/// What was made of files lately. Runs of one process load a model again and again, and bodies whose files have not changed
/// share meshes and modes. Files are compared by what is in them: reading them is nothing beside reducing a mesh.
template <class Made>
class Recent {
 public:
  std::shared_ptr<const Made> get(const std::string& path, auto&& make) {
    const std::lock_guard lock(mutex_);
    const auto is_same = [&](const Entry& entry) {
      return entry.path == path && entry.marks == marks_of(entry);
    };
    auto found = std::find_if(entries_.begin(), entries_.end(), is_same);
    if (found == entries_.end()) {
      const FilesRead files;
      Entry entry{path, {}, std::make_shared<const Made>(make(path)), files.paths()};
      const auto is_pipe = [](const std::string& file) { return !std::filesystem::is_regular_file(file); };
      if (std::any_of(entry.files.begin(), entry.files.end(), is_pipe)) return entry.made;  // read only once
      entry.marks = marks_of(entry);
      std::erase_if(entries_, [&](const Entry& old) { return old.path == path; });
      found = entries_.insert(entries_.end(), std::move(entry));
    }
    std::rotate(found, found + 1, entries_.end());
    if (entries_.size() > most) entries_.erase(entries_.begin());
    return entries_.back().made;
  }

 private:
  struct Entry {
    std::string path;
    std::vector<std::size_t> marks;  // of the contents of files
    std::shared_ptr<const Made> made;
    std::vector<std::string> files;  // the one at path, and what it names
  };
  static std::vector<std::size_t> marks_of(const Entry& entry) {
    std::vector<std::size_t> marks;
    for (const std::string& file : entry.files) try {
        marks.push_back(std::hash<std::string>()(read_text_file(file)));
      } catch (const Error&) {
        return {};  // it is gone: whoever makes it anew says so
      }
    return marks;
  }
  static constexpr std::size_t most = 8;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

void read_from(const std::string& path, ModalSettings& modal) {
  static Recent<ModalData> recent;
  modal.data = recent.get(path, read_modal_file);
}
void read_from(const std::string& path, MeshFile& file) {
  static Recent<MeshFile> recent;
  const auto known = recent.get(path, [](const std::string& at) {
    MeshFile made;
    read_mesh(at, made);
    return made;
  });
  file.mesh = known->mesh;
  file.materials = known->materials;
}
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
