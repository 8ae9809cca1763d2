#pragma once
// JSON Schema (draft 2020-12) and tables for the documentation, from the same descriptions that reader.h reads by.
// Editors complete and check model files with it. Wherever a number may stand, a "${...}" may, too, and mappings may
// hold `for` and `if` entries (document.h).
//
//   Schema schema(catalog);
//   Json root = schema.of(type_of<RigidSettings>());
//   print("{}", schema.document(root, "Hooke model").dump(2));
//
// A struct that has a `name` goes into the schema's definitions, so that it may contain itself.
#include <string>

#include "hooke/base/any.h"
#include "hooke/io/document/json.h"

namespace hooke {

class Schema {
 public:
  explicit Schema(const TypeCatalog& catalog) : catalog_(catalog) {}

  /// What a value of that type looks like in a file.
  Json of(const TypeInfo& type, const Doc& doc = {});
  template <class T>
  Json of(const Doc& doc = {}) {
    return of(type_of<T>(), doc);
  }
  /// A mapping with exactly one of these keys and its value: {rigid: ...}.
  static Json one_of(const Json::Object& kinds);
  /// The schema of a whole file.
  Json document(Json root, const std::string& title) const;

 private:
  struct Alternative {
    std::string name;
    const TypeInfo* type;
  };
  Json of_list(const TypeInfo& type, const Doc& doc);
  Json of_structure(const TypeInfo& type);
  Json structure_alone(const TypeInfo& type);
  Json of_choice(const TypeInfo& type);
  std::vector<Alternative> alternatives(const TypeInfo& choice) const;

  const TypeCatalog& catalog_;
  Json::Object definitions_;
};

Json any_of(Json::List choices);
Json list_schema(const Json& item, int count);

/// The fields as a Markdown table: key, meaning, unit, default, allowed.
std::string table_of(const TypeInfo& type);
template <class T>
std::string table_of() {
  return table_of(type_of<T>());
}

}  // namespace hooke
