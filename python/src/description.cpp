// What there is to set, for the classes of the package, their stubs and their documentation: the descriptions by which
// model files are read (base/type_info.h), as JSON.
#include <map>
#include <set>

#include "hooke/base/text.h"
#include "hooke/io/document/function_reader.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/writer.h"
#include "hooke/io/model/model_file.h"
#include "problem.h"

namespace hooke::python {
namespace {

/// "switch-off" is the class SwitchOff.
std::string class_name(const std::string& name) {
  std::string made;
  bool is_first = true;
  for (const char c : name) {
    const bool is_letter = c != '-' && c != '_';
    if (is_letter) made += is_first ? static_cast<char>(std::toupper(c)) : c;
    is_first = !is_letter;
  }
  return made;
}

/// "bodies" are of class Body.
std::string singular(std::string plural) {
  if (plural.ends_with("ies")) return plural.substr(0, plural.size() - 3) + "y";
  if (plural.ends_with("s")) plural.pop_back();
  return plural;
}

class Describer {
 public:
  explicit Describer(const Catalog& catalog) : catalog_(catalog) {}

  Json all() {
    const std::string root = name_of(type_of<Problem>(), "problem", "");
    Json::Object kinds;
    for (const auto& [group, members] : groups_) kinds.emplace_back(group, Json(members));
    return Json::Object{{"root", root}, {"groups", kinds}, {"classes", Json(classes_)}};
  }

 private:
  using Kind = TypeInfo::Kind;

  /// The class of a structure; those without a name of their own are called by the key they stand under.
  std::string name_of(const TypeInfo& type, const std::string& key, const std::string& parent) {
    if (const auto known = names_.find(&type); known != names_.end()) return known->second;
    std::string name = class_name(*type.definition ? type.definition : key);
    if (taken_.contains(name)) name = parent + name;
    for (int k = 2; taken_.contains(name); ++k) name += std::to_string(k);
    taken_.insert(name);
    names_.emplace(&type, name);
    const std::size_t place = classes_.size();
    classes_.emplace_back(name, Json());
    Json described = structure(type, name);  // may add more classes
    classes_[place].second = std::move(described);
    return name;
  }

  Json structure(const TypeInfo& type, const std::string& name) {
    Json::List fields;
    Json beside;
    for (const FieldInfo& field : type.fields) {
      Json described = of(field.type(), *field.key ? field.key : field.doc.text, name);
      if (!*field.key) {  // {rigid: {...}, at: ...}: the kind takes the other fields along
        beside = described;
        continue;
      }
      const Json usual = *field.doc.default_text || field.doc.required
                             ? Json()
                             : write_json(field.type(), field.in(type.defaults.get()));
      fields.push_back(Json::Object{{"key", field.key},
                                    {"text", field.doc.text},
                                    {"unit", field.doc.unit},
                                    {"required", field.doc.required},
                                    {"default", usual},
                                    {"default_text", field.doc.default_text},
                                    {"range", to_string(field.doc.check)},
                                    {"type", described}});
    }
    return Json::Object{{"name", type.name},
                        {"shorthand", type.shorthand},
                        {"flat", *type.name != 0 && is_flat(type)},
                        {"kinds", beside},
                        {"fields", fields}};
  }

  std::vector<std::string> alternatives(const TypeInfo& choice, const std::string& key,
                                        const std::string& parent) {
    std::vector<std::string> all;
    for (const TypeFunction type : choice.alternatives) all.push_back(name_of(type(), key, parent));
    return all;
  }

  Json of(const TypeInfo& type, const std::string& key, const std::string& parent) {
    switch (type.kind) {
      case Kind::number:
        return kind("number");
      case Kind::whole:
        return kind("whole");
      case Kind::boolean:
        return kind("boolean");
      case Kind::text:
        return kind("text");
      case Kind::word:
        return kind("word", {{"words", Json(type.words)}});
      case Kind::list:
        return kind("list", {{"item", of(type.item_type(), singular(key), parent)}, {"count", type.count}});
      case Kind::named:
        return kind("named", {{"item", of(type.item_type(), singular(key), parent)}});
      case Kind::optional:
        return kind("optional", {{"item", of(type.item_type(), key, parent)}});
      case Kind::structure:
        return kind("structure", {{"class", name_of(type, key, parent)}});
      case Kind::choice:
        return kind("choice", {{"classes", Json(alternatives(type, key, parent))}});
      case Kind::open:
        return kind("open", {{"group", type.name}, {"classes", Json(members(type.name))}});
      case Kind::special:
        return special(type, key, parent);
    }
    return {};
  }

  Json special(const TypeInfo& type, const std::string& key, const std::string& parent) {
    Json described = kind("special", {{"name", type.name}});
    if (std::string_view(type.name) == "function")
      described["classes"] = Json(alternatives(type_of<FunctionKinds>(), key, parent));
    return described;
  }

  const std::vector<std::string>& members(const std::string& group) {
    if (const auto known = groups_.find(group); known != groups_.end()) return known->second;
    groups_[group];  // a settings struct may hold others of its group
    std::vector<std::string> all;
    for (const TypeCatalog::Entry& entry : catalog_.of(group)) all.push_back(name_of(*entry.type, group, ""));
    return groups_[group] = all;
  }

  static Json kind(const char* name, Json::Object more = {}) {
    more.emplace(more.begin(), "kind", name);
    return more;
  }

  const Catalog& catalog_;
  std::map<const TypeInfo*, std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, std::vector<std::string>> groups_;
  Json::Object classes_;
};

}  // namespace

void bind_description(py::module_& module) {
  module.def(
      "description", [] { return Describer(Catalog::built_in()).all().dump(); },
      "All that can be set, as JSON: classes with their fields.");
}

}  // namespace hooke::python
