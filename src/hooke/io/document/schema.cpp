#include "hooke/io/document/schema.h"

#include "hooke/base/text.h"

namespace hooke {
namespace {

/// `for i in 1..n`, `if n > 1`, `else`: what they hold is not checked by the schema.
const char* const directives = "^(for .+|if .+|else( if .+)?)$";

Json expression() { return Json::Object{{"$ref", "#/$defs/expression"}}; }

bool is_null(const Json& value) { return value.dump() == "null"; }

}  // namespace

Json any_of(Json::List choices) { return Json::Object{{"anyOf", std::move(choices)}}; }

Json number_schema(const char* type, const Doc& doc) {
  Json number = Json::Object{{"type", type}};
  if (doc.check.has_low()) number[doc.check.without_low ? "exclusiveMinimum" : "minimum"] = doc.check.low;
  if (doc.check.has_high()) number[doc.check.without_high ? "exclusiveMaximum" : "maximum"] = doc.check.high;
  return any_of({number, expression()});
}

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

Json axis_schema(const Json& list) {
  return any_of({list, Json::Object{{"enum", Json::List{"x", "y", "z", "-x", "-y", "-z"}}}});
}

Json object_schema(const Json::Object& properties, const Json::List& required) {
  Json object = Json::Object{{"type", "object"}, {"properties", properties}};
  if (!required.empty()) object["required"] = required;
  object["patternProperties"] = Json::Object{{directives, true}};
  object["additionalProperties"] = false;
  return object;
}

Json Schema::one_of(const Json::Object& kinds) {
  Json::List choices;
  for (const auto& [name, settings] : kinds) choices.push_back(Json::Object{{"required", Json::List{name}}});
  Json object = object_schema(kinds, {});
  object["oneOf"] = choices;
  return object;
}

Json Schema::named(const Json& item) {
  return Json::Object{{"type", "object"},
                      {"patternProperties", Json::Object{{directives, true}}},
                      {"additionalProperties", item}};
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

Json annotate(Json field, const Doc& doc, const Json& default_value) {
  std::string text = doc.text;
  if (*doc.unit) text += formatted(" [{}]", doc.unit);
  if (*doc.default_text) text += formatted(" (default: {})", doc.default_text);
  if (!text.empty()) field["description"] = text;
  if (!doc.required && !*doc.default_text && !is_null(default_value)) field["default"] = default_value;
  return field;
}

std::string table_row(const std::string& key, const Doc& doc, const Json& default_value,
                      const std::string& words) {
  std::string by_default = *doc.default_text ? doc.default_text : default_value.dump();
  if (doc.required) by_default = "required";
  if (by_default == "null") by_default = "";
  return formatted("| `{}` | {} | {} | {} | {} |\n", key, doc.text, doc.unit, by_default,
                     words.empty() ? to_string(doc.check) : words);
}

}  // namespace hooke
