#include "hooke/io/document/writer.h"

#include <algorithm>
#include <cctype>

#include "hooke/base/any.h"
#include "hooke/base/error.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/special.h"

namespace hooke {
namespace {

constexpr std::size_t longest_line = 100;

/// The fields that differ from the defaults; a kind under its name.
Json::Object fields_of(const TypeInfo& type, const void* value);

Json::Object chosen_fields(const TypeInfo& type, const void* value) {
  const TypeInfo* kind = type.chosen(value);
  if (!kind) return {};
  Json::Object fields = fields_of(*kind, type.chosen_of(value));
  if (is_flat(*kind)) return fields;
  Json::Object
      named;  // not from a braced list: where memory for its copy ends, g++ 12 destroys that list twice
  named.emplace_back(kind->name, std::move(fields));
  return named;
}

Json write_chosen(const TypeInfo& type, const void* value) {
  return type.chosen(value) ? Json(chosen_fields(type, value)) : Json();
}

/// Of a field without a key, whose own fields stand in its place.
Json::Object flat_fields(const TypeInfo& type, const void* value) {
  using Kind = TypeInfo::Kind;
  switch (type.kind) {
    case Kind::structure:
      return fields_of(type, value);
    case Kind::choice:
    case Kind::open:
      return chosen_fields(type, value);
    case Kind::optional:
      return type.size(value) ? flat_fields(type.item_type(), type.item_of(value, 0)) : Json::Object();
    default:
      return {};
  }
}

Json::Object fields_of(const TypeInfo& type, const void* value) {
  for (const TypeInfo::Unwritable& u : type.unwritable)
    if (const std::string what = u.what(static_cast<const char*>(value) + u.offset); !what.empty())
      throw Error(ExitCode::usage, what + " cannot be written to a file");
  Json::Object fields;
  for (const FieldInfo& field : type.fields) {
    const TypeInfo& field_type = field.type();
    if (!*field.key) {
      for (auto& each : flat_fields(field_type, field.in(value))) fields.push_back(std::move(each));
      continue;
    }
    Json written = write_json(field_type, field.in(value));
    if (field.doc.required || written != write_json(field_type, field.in(type.defaults.get()))) {
      fields.emplace_back(field.key, std::move(written));
    }
  }
  return fields;
}

bool is_plain(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

std::string key_text(const std::string& key) { return is_plain(key) ? key : Json(key).dump(); }

std::string flow(const Json& value) {
  if (const auto* object = value.object()) {
    std::string text;
    for (const auto& [key, item] : *object)
      text += (text.empty() ? "" : ", ") + key_text(key) + ": " + flow(item);
    return "{" + text + "}";
  }
  if (const auto* list = value.list()) {
    std::string text;
    for (const Json& item : *list) text += (text.empty() ? "" : ", ") + flow(item);
    return "[" + text + "]";
  }
  return value.dump();
}

void write_block(const Json& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  const auto write_item = [&](const std::string& head, const Json& item, bool must_break) {
    const std::string line = margin + head + flow(item);
    const auto* object = item.object();
    const auto* list = item.list();
    const bool can_break = (object && !object->empty()) || (list && !list->empty());
    if (can_break && (must_break || line.size() > longest_line)) {
      out += margin + head.substr(0, head.size() - 1) + "\n";
      write_block(item, indent + 2, out);
    } else {
      out += line + "\n";
    }
  };
  if (const auto* object = value.object())
    for (const auto& [key, item] : *object)
      write_item(key_text(key) + ": ", item, indent == 0 && item.object());
  else if (const auto* list = value.list())
    for (const Json& item : *list) write_item("- ", item, false);
}

}  // namespace

Json write_json(const TypeInfo& type, const void* value) {
  using Kind = TypeInfo::Kind;
  switch (type.kind) {
    case Kind::number:
      return *static_cast<const double*>(value);
    case Kind::whole:
      return *static_cast<const int*>(value);
    case Kind::boolean:
      return *static_cast<const bool*>(value);
    case Kind::text:
      return *static_cast<const std::string*>(value);
    case Kind::word:
      return type.words.at(static_cast<std::size_t>(type.get_word(value)));
    case Kind::list: {
      Json::List list;
      for (std::size_t i = 0; i < type.size(value); ++i)
        list.push_back(write_json(type.item_type(), type.item_of(value, i)));
      return list;
    }
    case Kind::named: {
      Json::Object object;
      for (std::size_t i = 0; i < type.size(value); ++i)
        object.emplace_back(type.key_of(value, i), write_json(type.item_type(), type.item_of(value, i)));
      return object;
    }
    case Kind::optional:
      return type.size(value) ? write_json(type.item_type(), type.item_of(value, 0)) : Json();
    case Kind::structure:
      return fields_of(type, value);
    case Kind::choice:
    case Kind::open:
      return write_chosen(type, value);
    case Kind::special:
      return special_notation(type.name).write(value);
  }
  return {};
}

std::string to_yaml(const Json& document) {
  std::string text;
  write_block(document, 0, text);
  return text;
}

}  // namespace hooke
