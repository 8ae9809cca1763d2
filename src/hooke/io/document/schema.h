#pragma once
// JSON Schema (draft 2020-12) and tables for the documentation, from the same descriptions that reader.h
// reads by. Editors complete and check model files with it. Wherever a number may stand, a "${...}" may, too,
// and mappings may hold `for` and `if` entries (document.h).
//
//   Schema schema;
//   Json root = schema.of<RigidSettings>();
//   print("{}", schema.document(root, "Hooke model").dump(2));
//
// A struct that has a `name` goes into the schema's definitions, so that it may contain itself.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hooke/base/fields.h"
#include "hooke/io/document/json.h"
#include "hooke/io/document/reader.h"

namespace hooke {

template <class T>
struct Type {};

class Schema {
 public:
  /// What a T looks like in a file.
  template <class T>
  Json of(const Doc& doc = {}) {
    return schema(*this, Type<T>{}, doc);
  }

  /// A mapping with exactly one of these keys and its value: {rigid: ...}.
  static Json one_of(const Json::Object& kinds);
  /// A mapping from names to things that all look like `item`.
  static Json named(const Json& item);
  /// The schema of a whole file.
  Json document(Json root, const std::string& title) const;

  template <Described T>
  Json of_struct();

 private:
  Json::Object definitions_;
};

/// Adds description, unit and default to the schema of a field.
Json annotate(Json field, const Doc& doc, const Json& default_value);
Json number_schema(const char* type, const Doc& doc);
Json list_schema(const Json& item, int count);
Json axis_schema(const Json& list);
Json any_of(Json::List choices);
Json object_schema(const Json::Object& properties, const Json::List& required);

/// The value as it would stand in a file; null for what a default cannot be given for.
template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_convertible_v<T, Json> && !std::is_enum_v<T>) {
    return value;
  } else if constexpr (NamedEnum<T>) {
    return to_word(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? to_json(*value) : Json();
  } else if constexpr (requires {
                         Json(value[0]);
                         value.size();
                       }) {
    Json::List list;
    for (decltype(value.size()) i = 0; i < value.size(); ++i) list.push_back(value[i]);
    return list;
  } else {
    return {};
  }
}

inline Json schema(Schema&, Type<double>, const Doc& doc) { return number_schema("number", doc); }
inline Json schema(Schema&, Type<int>, const Doc& doc) { return number_schema("integer", doc); }
inline Json schema(Schema&, Type<bool>, const Doc&) { return Json::Object{{"type", "boolean"}}; }
inline Json schema(Schema&, Type<std::string>, const Doc&) { return Json::Object{{"type", "string"}}; }

template <int N>
Json schema(Schema& all, Type<Eigen::Matrix<double, N, 1>>, const Doc& doc) {
  const Json list = list_schema(all.of<double>(doc), N);
  return N == 3 ? axis_schema(list) : list;
}
template <class T, size_t N>
Json schema(Schema& all, Type<std::array<T, N>>, const Doc& doc) {
  return list_schema(all.of<T>(doc), N);
}
template <class T>
Json schema(Schema& all, Type<std::vector<T>>, const Doc& doc) {
  const Json item = all.of<T>(doc);
  return any_of({list_schema(item, -1), item});
}
template <class T>
Json schema(Schema& all, Type<std::vector<std::pair<std::string, T>>>, const Doc& doc) {
  return Schema::named(all.of<T>(doc));
}
template <class T>
Json schema(Schema& all, Type<std::optional<T>>, const Doc& doc) {
  return all.of<T>(doc);
}
template <NamedEnum E>
Json schema(Schema&, Type<E>, const Doc&) {
  Json::List words;
  for (const std::string& word : words_of<E>()) words.emplace_back(word);
  return Json::Object{{"enum", words}};
}
template <class... Ts>
Json schema(Schema& all, Type<std::variant<Ts...>>, const Doc&) {
  const Json mapping = Schema::one_of({{Ts::name, all.of<Ts>()}...});
  return any_of({mapping, Json::Object{{"enum", Json::List{Ts::name...}}}});
}
template <Described T>
Json schema(Schema& all, Type<T>, const Doc&) {
  return all.of_struct<T>();
}

/// Where two kinds of different things have the same name, one says what its definition is called.
template <Described T>
constexpr const char* definition_name() {
  if constexpr (requires { T::definition; })
    return T::definition;
  else
    return T::name;
}

template <Described T>
Json Schema::of_struct() {
  constexpr bool is_named = requires { std::string(T::name); };
  if constexpr (is_named) {
    const Json reference = Json::Object{{"$ref", std::string("#/$defs/") + definition_name<T>()}};
    for (const auto& [name, definition] : definitions_)
      if (name == definition_name<T>()) return reference;
    definitions_.emplace_back(definition_name<T>(), Json());  // before its fields, which may refer to it
  }
  Json::Object properties;
  Json::List required;
  Json alone;
  const T defaults{};
  auto visitor = [&](const char* key, auto member, const Doc& doc) {
    using Field = std::remove_cvref_t<decltype(defaults.*member)>;
    properties.emplace_back(key, annotate(of<Field>(doc), doc, to_json(defaults.*member)));
    if (doc.required) required.emplace_back(key);
    if constexpr (HasShorthand<T>)
      if (std::string(key) == T::shorthand) alone = properties.back().second;
  };
  T::describe(visitor);
  Json result = object_schema(properties, required);
  if constexpr (HasShorthand<T>) result = any_of({result, alone});
  if constexpr (is_named) {
    for (auto& [name, definition] : definitions_)
      if (name == definition_name<T>()) definition = result;
    return Json::Object{{"$ref", std::string("#/$defs/") + definition_name<T>()}};
  }
  return result;
}

std::string table_row(const std::string& key, const Doc& doc, const Json& default_value,
                      const std::string& words);

/// The fields as a Markdown table: key, meaning, unit, default, allowed.
template <Described T>
std::string table_of() {
  std::string table = "| key | meaning | unit | default | allowed |\n| --- | --- | --- | --- | --- |\n";
  const T defaults{};
  auto visitor = [&](const char* key, auto member, const Doc& doc) {
    using Field = std::remove_cvref_t<decltype(defaults.*member)>;
    std::string words;
    if constexpr (NamedEnum<Field>) words = list_words(words_of<Field>());
    table += table_row(key, doc, to_json(defaults.*member), words);
  };
  T::describe(visitor);
  return table;
}

}  // namespace hooke
