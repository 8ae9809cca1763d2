#include "hooke/io/document/schema.h"

#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/special.h"
#include "hooke/io/document/writer.h"

namespace hooke {
namespace {

/// `for i in 1..n`, `if n > 1`, `else`: what they hold is not checked by the schema.
const char* const directives = "^(for .+|if .+|else( if .+)?)$";

Json expression() { return Json::Object{{"$ref", "#/$defs/expression"}}; }

bool is_null(const Json& value) { return value.dump() == "null"; }

Json any_kind_of_name(const Json& item) {
  return Json::Object{{"type", "object"},
                      {"patternProperties", Json::Object{{directives, true}}},
                      {"additionalProperties", item}};
}

Json number_schema(const char* type, const Doc& doc) {
  Json number = Json::Object{{"type", type}};
  if (doc.check.has_low()) number[doc.check.without_low ? "exclusiveMinimum" : "minimum"] = doc.check.low;
  if (doc.check.has_high()) number[doc.check.without_high ? "exclusiveMaximum" : "maximum"] = doc.check.high;
  return any_of({number, expression()});
}

Json axis_schema(const Json& list) {
  return any_of({list, Json::Object{{"enum", Json::List{"x", "y", "z", "-x", "-y", "-z"}}}});
}

Json word_schema(const std::vector<std::string>& words) {
  return Json::Object{{"enum", Json::List(words.begin(), words.end())}};
}

Json object_schema(const Json::Object& properties, const Json::List& required) {
  Json object = Json::Object{{"type", "object"}, {"properties", properties}};
  if (!required.empty()) object["required"] = required;
  object["patternProperties"] = Json::Object{{directives, true}};
  object["additionalProperties"] = false;
  return object;
}

/// Adds description, unit and default to the schema of a field.
Json annotate(Json field, const Doc& doc, const Json& default_value) {
  std::string text = doc.text;
  if (*doc.unit) text += formatted(" [{}]", doc.unit);
  if (*doc.default_text) text += formatted(" (default: {})", doc.default_text);
  if (!text.empty()) field["description"] = text;
  if (!doc.required && !*doc.default_text && !is_null(default_value)) field["default"] = default_value;
  return field;
}

/// What a field is when nothing is given, as it would stand in a file; null for what that cannot tell.
Json default_of(const TypeInfo& type, const void* value) {
  using Kind = TypeInfo::Kind;
  if (type.kind == Kind::optional)
    return type.size(value) ? default_of(type.item_type(), type.item_of(value, 0)) : Json();
  if (type.kind == Kind::list) {
    const Kind item = type.item_type().kind;
    if (item != Kind::number && item != Kind::whole && item != Kind::boolean && item != Kind::text) return {};
  }
  if (type.kind == Kind::named || type.kind == Kind::structure || type.kind == Kind::choice ||
      type.kind == Kind::open || type.kind == Kind::special)
    return {};
  return write_json(type, value);
}

std::string table_row(const std::string& key, const Doc& doc, const Json& default_value,
                      const std::string& words) {
  std::string by_default = *doc.default_text ? doc.default_text : default_value.dump();
  if (doc.required) by_default = "required";
  if (by_default == "null") by_default = "";
  return formatted("| `{}` | {} | {} | {} | {} |\n", key, doc.text, doc.unit, by_default,
                   words.empty() ? to_string(doc.check) : words);
}

}  // namespace

static Json or_null(const Json& schema) { return any_of({schema, Json::Object{{"type", "null"}}}); }

Json any_of(Json::List choices) { return Json::Object{{"anyOf", std::move(choices)}}; }

Json list_schema(const Json& item, int count) {
  const Json spliced = Json::Object{{"type", "object"},
                                    {"patternProperties", Json::Object{{directives, true}}},
                                    {"additionalProperties", false}};
  Json list = Json::Object{{"type", "array"}, {"items", item}};
  if (count >= 0) {
    list["minItems"] = count;
    list["maxItems"] = count;
  } else {
    list["items"] = any_of({item, spliced});
  }
  return list;
}

/// This kind is the one that is given; null takes away a kind that was included.
static Json given(const std::string& name) {
  const Json null = Json::Object{{"type", "null"}};
  return Json::Object{{"required", Json::List{name}},
                      {"properties", Json::Object{{name, Json::Object{{"not", null}}}}}};
}

Json Schema::one_of(const Json::Object& kinds) {
  Json::List choices;
  Json::Object properties;
  for (const auto& [name, settings] : kinds) {
    choices.push_back(given(name));
    properties.emplace_back(name, or_null(settings));
  }
  Json object = object_schema(properties, {});
  object["oneOf"] = choices;
  return object;
}

Json Schema::document(Json root, const std::string& title) const {
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = title;
  Json::Object definitions = definitions_;
  definitions.emplace_back("expression",
                           Json::Object{{"type", "string"},
                                        {"pattern", "^\\s*\\$\\{[^}]*\\}\\s*$"},
                                        {"description", "an expression of the parameters, such as ${2*l1}"}});
  root["$defs"] = definitions;
  return root;
}

std::vector<Schema::Alternative> Schema::alternatives(const TypeInfo& choice) const {
  std::vector<Alternative> all;
  if (choice.kind == TypeInfo::Kind::open)
    for (const TypeCatalog::Entry& entry : catalog_.of(choice.name))
      all.push_back({entry.type->name, entry.type});
  for (const TypeFunction alternative : choice.alternatives)
    all.push_back({alternative().name, &alternative()});
  return all;
}

Json Schema::of(const TypeInfo& type, const Doc& doc) {
  using Kind = TypeInfo::Kind;
  switch (type.kind) {
    case Kind::number:
      return number_schema("number", doc);
    case Kind::whole:
      return number_schema("integer", doc);
    case Kind::boolean:
      return Json::Object{{"type", "boolean"}};
    case Kind::text:
      return Json::Object{{"type", "string"}};
    case Kind::word:
      return word_schema(type.words);
    case Kind::list:
      return of_list(type, doc);
    case Kind::named:
      return any_kind_of_name(or_null(of(type.item_type(), doc)));  // which removes what was included
    case Kind::optional:
      return or_null(of(type.item_type(), doc));
    case Kind::structure:
      return of_structure(type);
    case Kind::choice:
    case Kind::open:
      return of_choice(type);
    case Kind::special:
      return special_notation(type.name).schema(*this, doc);
  }
  return {};
}

Json Schema::of_list(const TypeInfo& type, const Doc& doc) {
  const Json item = of(type.item_type(), doc), list = list_schema(item, type.count);
  if (type.count < 0) return any_of({list, item});
  return type.count == 3 && type.item_type().kind == TypeInfo::Kind::number ? axis_schema(list) : list;
}

Json Schema::of_choice(const TypeInfo& type) {
  Json::Object nested;
  Json::List flat, words;
  for (const auto& [name, kind] : alternatives(type)) {
    if (is_flat(*kind)) {
      flat.push_back(of(*kind));
    } else {
      nested.emplace_back(name, of(*kind));
      words.emplace_back(name);
    }
  }
  if (*type.alone) flat.push_back(any_of({of<double>(), of<std::string>()}));
  if (nested.empty()) return any_of(flat);
  flat.push_back(one_of(nested));
  if (!*type.example) flat.push_back(Json::Object{{"enum", words}});
  return any_of(flat);
}

Json Schema::of_structure(const TypeInfo& type) {
  if (!*type.definition) return structure_alone(type);
  const Json reference = Json::Object{{"$ref", std::string("#/$defs/") + type.definition}};
  for (const auto& [name, definition] : definitions_)
    if (name == type.definition) return reference;
  definitions_.emplace_back(type.definition, Json());  // before its fields, which may refer to it
  Json result = structure_alone(type);
  for (auto& [name, definition] : definitions_)
    if (name == type.definition) definition = result;
  return reference;
}

/// A mapping with the keys of the structure and, where it has one, one of the kinds.
Json Schema::structure_alone(const TypeInfo& type) {
  Json::Object properties;
  Json::List required, one_kind;
  Json alone;
  for (const FieldInfo& field : type.fields) {
    if (!*field.key) {
      for (const auto& [name, kind] : alternatives(field.type())) {
        properties.emplace_back(name, or_null(of(*kind)));
        one_kind.push_back(given(name));
      }
      continue;
    }
    properties.emplace_back(field.key, annotate(of(field.type(), field.doc), field.doc,
                                                default_of(field.type(), field.in(type.defaults.get()))));
    if (field.doc.required) required.emplace_back(field.key);
    if (std::string_view(field.key) == type.shorthand) alone = properties.back().second;
  }
  Json result = object_schema(properties, required);
  if (!one_kind.empty()) result["oneOf"] = one_kind;
  return *type.shorthand ? any_of({result, alone}) : result;
}

std::string table_of(const TypeInfo& type) {
  std::string table = "| key | meaning | unit | default | allowed |\n| --- | --- | --- | --- | --- |\n";
  for (const FieldInfo& field : type.fields)
    if (*field.key)
      table += table_row(field.key, field.doc, default_of(field.type(), field.in(type.defaults.get())),
                         list_words(field.type().words));
  return table;
}

}  // namespace hooke
