#include "hooke/io/model/model_file.h"

#include <algorithm>
#include <cctype>

#include "hooke/catalog/components.h"
#include "hooke/io/document/document.h"
#include "hooke/io/model/model_keys.h"
#include "hooke/io/document/text_file.h"

namespace hooke {
namespace {

/// A name may stand before a dot ("crank.tip"), in a path and in an output file.
void check_names(const Value* section, Diagnostics& diagnostics) {
  constexpr size_t longest = 100;
  if (!section || !section->is_mapping()) return;
  for (const Value& entry : section->children) {
    const auto is_part = [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-' || c >= 0x80;
    };
    if (!entry.key.empty() && entry.key.size() <= longest &&
        std::all_of(entry.key.begin(), entry.key.end(), is_part))
      continue;
    diagnostics.error(entry.key_location(), section->path(),
                      "a name is made of letters, digits, _ and -, not '{}'", excerpt(entry.key));
  }
}

void check_all_names(const Value& root, Diagnostics& diagnostics) {
  for (const char* section : {"bodies", "joints", "drives", "forces", "subsystems"})
    check_names(root.find(section), diagnostics);
  if (const Value* ground = root.find("ground")) check_names(ground->find("frames"), diagnostics);
  if (const Value* bodies = root.find("bodies"))
    for (const Value& body : bodies->children) check_names(body.find("frames"), diagnostics);
}

/// Deep enough for every key that a later error may be about, without single numbers of lists; for what is
/// left out, the nearest place above is found.
void note_locations(const Value& value, const std::string& path, int levels,
                    std::map<std::string, Location>& locations) {
  constexpr size_t longest = 500;
  if (path.size() > longest) return;
  if (!path.empty()) locations.emplace(path, value.location());
  if (levels == 0) return;
  for (const Value& child : value.children) {
    if (value.is_sequence() && child.is_scalar() && (child.number || parse_number(child.text))) continue;
    const std::string step = value.is_sequence() ? formatted("[{}]", child.index)
                             : path.empty()      ? child.key
                                                 : "." + child.key;
    note_locations(child, path + step, levels - 1, locations);
  }
}

// ---- from what was read to the model ----

void add(const std::string& name, SpringKeys& keys, Model& model) {
  model.springs.push_back(
      {.name = name, .type = keys.name, .between = keys.between, .points = keys.points, .law = keys});
}
void add(const std::string& name, TorsionSpringKeys& keys, Model& model) {
  model.springs.push_back({.name = name,
                           .type = keys.name,
                           .between = keys.between,
                           .at = keys.at,
                           .axis = keys.axis,
                           .law = keys});
}
void add(const std::string& name, JointForceKeys& keys, Model& model) {
  model.springs.push_back({.name = name, .type = keys.name, .between = {keys.coordinate, ""}, .law = keys});
}
void add(const std::string& name, BushingKeys& keys, Model& model) {
  model.bushings.push_back(
      {name, keys.between, keys, keys.stiffness.matrix, keys.damping.matrix, keys.preload});
}
LoadEntry& add_load(const std::string& name, auto& keys, Model& model) {
  LoadEntry load{.name = name, .on = keys.on};
  if (keys.force) load.force = *keys.force;
  if (keys.torque) load.torque = *keys.torque;
  load.has_torque = keys.torque.has_value();
  load.follower = keys.in == LoadAxes::body;
  return model.loads.emplace_back(std::move(load));
}
void add(const std::string& name, LoadKeys& keys, Model& model) { add_load(name, keys, model).at = keys.at; }
void add(const std::string& name, DistributedLoadKeys& keys, Model& model) {
  add_load(name, keys, model).distributed = true;
}

Model to_model(FileKeys& file) {
  Model model;
  model.title = file.title;
  model.gravity = file.gravity;
  model.ground_frames = std::move(file.ground.frames);
  for (auto& [name, keys] : file.bodies) {
    BodyEntry& body = model.bodies.emplace_back(std::move(static_cast<BodyEntry&>(keys)));
    body.name = name;
    body.place = keys;
    if (keys.ends) body.between.assign(keys.ends->begin(), keys.ends->end());
  }
  for (auto& [name, keys] : file.joints) model.joints.emplace_back(std::move(keys)).name = name;
  for (auto& [name, keys] : file.drives) model.drives.emplace_back(std::move(keys)).name = name;
  for (auto& [name, keys] : file.forces)
    std::visit([&, &key = name](auto& force) { add(key, force, model); }, keys.kind);
  return model;
}

}  // namespace

ModelFile parse_model(const std::string& text, const std::string& name,
                      const std::vector<std::string>& overrides, Diagnostics& diagnostics) {
  const Document document = parse_document(text, name, overrides, diagnostics);
  const Value& root = document.root();

  FileKeys file;
  read(root, file, diagnostics);
  check_all_names(root, diagnostics);
  if (const Value* linear = root.find("linear"))
    diagnostics.error(linear->location(), "linear",
                      "linear subsystems have no bodies: such a file is for hooke run, check and stability");
  if (const Value* version = root.find("hooke"); version && file.hooke != FileKeys::version)
    diagnostics.error(version->location(), "hooke",
                      "this program reads version {} of the file format, not {}", FileKeys::version,
                      file.hooke);
  if (const Value* include = root.find("include"))  // those of files are gone from the document
    diagnostics.error(include->location(), "include", "only a file can include others");

  constexpr int levels = 6;  // such as bodies.crank.frames.tip.rotate.axis
  ModelFile result{
      to_model(file), std::move(file.run), file.outputs, std::move(file.subsystems), file.coupling, text};
  note_locations(root, "", levels, result.model.locations);
  if (!diagnostics.has_errors()) result.model = with_components(std::move(result.model), diagnostics);
  return result;
}

ModelFile read_model_file(const std::string& path, const std::vector<std::string>& overrides,
                          Diagnostics& diagnostics) {
  return parse_model(read_text_file(path), path, overrides, diagnostics);
}

}  // namespace hooke
