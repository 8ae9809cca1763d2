#include "hooke/io/document/reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "hooke/base/format.h"
#include "hooke/io/document/special.h"

namespace hooke {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// What the writer of a text that is no number may have meant.
std::string hint_for_number(const Value& value) {
  const std::string text(trim(value.text));
  if (!value.is_scalar() || value.code || text.empty()) return "";
  if (parse_number(text)) return " (write it without quotes)";
  std::string dotted = text;
  std::replace(dotted.begin(), dotted.end(), ',', '.');
  if (parse_number(dotted)) return formatted(" (write {})", dotted);
  const size_t end = text.find_first_not_of("0123456789.eE+-");
  if (is_digit(text[0]) && text.find_first_of("*/^()") == text.npos && end != text.npos &&
      !is_digit(text.back()))
    return " (write the number alone; units are SI)";
  if (value.quoted && text.find_first_of("*/+-^(") == text.npos) return "";
  return formatted(" (write \"${{{}}}\" if it is an expression)", excerpt(text));
}

bool read_number(const Value& value, double& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  const auto number = value.number                         ? value.number
                      : value.is_scalar() && !value.quoted ? parse_number(value.text)
                                                           : std::nullopt;
  if (!number) {
    diagnostics.error(value.location(), value.path(), "expected a number, got {}{}", value.describe(),
                      hint_for_number(value));
    return false;
  }
  if (!std::isfinite(*number)) return expected("a finite number", value, diagnostics);
  if (const std::string fault = range_fault({}, *number); !fault.empty()) {
    diagnostics.error(value.location(), value.path(), "{}", fault);
    return false;
  }
  out = *number;
  return true;
}

bool read_whole(const Value& value, int& out, Diagnostics& diagnostics) {
  double number = 0;
  if (!read_number(value, number, diagnostics)) return false;
  if (number != std::trunc(number)) return expected("a whole number", value, diagnostics);
  if (std::abs(number) > 2e9) return expected("a whole number of at most 9 digits", value, diagnostics);
  out = static_cast<int>(number);
  return true;
}

bool read_boolean(const Value& value, bool& out, Diagnostics& diagnostics) {
  const bool is_word = value.is_scalar() && !value.quoted && !value.broken;
  if (is_word && (value.text == "true" || value.text == "false")) {
    out = value.text == "true";
    return true;
  }
  if (is_word && value.number && (*value.number == 0 || *value.number == 1)) {  // a condition, ${n > 3}
    out = *value.number == 1;
    return true;
  }
  return expected("true or false", value, diagnostics);
}

bool read_text(const Value& value, std::string& out, Diagnostics& diagnostics) {
  if (value.broken || !value.is_scalar() || value.code) return expected("a text", value, diagnostics);
  out = value.text;
  return true;
}

/// x, y, z, -x, -y or -z as a unit vector; false when it is no such word.
bool read_axis(const Value& value, Eigen::Vector3d& out) {
  if (!value.is_scalar() || value.broken) return false;
  std::string_view word = value.text;
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.remove_prefix(1);
  if (word != "x" && word != "y" && word != "z") return false;
  out = Eigen::Vector3d::Unit(word[0] - 'x') * (is_negative ? -1 : 1);
  return true;
}

/// Three numbers are a vector, and may be an axis.
bool is_vector(const TypeInfo& type) {
  return type.kind == TypeInfo::Kind::list && type.count == 3 &&
         type.item_type().kind == TypeInfo::Kind::number;
}

/// Where no kind was found, that was said already: then all keys pass, lest the misspelt one is reported again.
std::vector<std::string> keys_besides(const Value& value, const Value* kind, std::vector<std::string> kinds) {
  if (!kind)
    for (const Value& child : value.children) kinds.push_back(child.key);
  return kinds;
}

void report_missing(const Value& mapping, const char* key, const Doc& doc, Diagnostics& diagnostics) {
  const std::string unit = *doc.unit ? formatted(" [{}]", doc.unit) : "";
  diagnostics.error(mapping.location(), mapping.path(), "'{}' is missing: {}{}", key, doc.text, unit);
}

}  // namespace

bool expected(const std::string& what, const Value& value, Diagnostics& diagnostics) {
  if (!value.broken)
    diagnostics.error(value.location(), value.path(), "expected {}, got {}", what, value.describe());
  return false;
}

std::optional<std::size_t> find_word(const Value& value, const std::vector<std::string>& words,
                                     Diagnostics& diagnostics) {
  const auto found = std::find(words.begin(), words.end(), value.text);
  if (value.is_scalar() && found != words.end() && !value.broken) return found - words.begin();
  if (!value.broken)
    diagnostics.error(value.location(), value.path(), "expected {}, got {}{}", list_words(words),
                      value.describe(), suggest(value.text, words));
  return {};
}

bool check_keys(const Value& mapping, const std::vector<std::string>& allowed, Diagnostics& diagnostics) {
  bool good = true;
  for (const Value& child : mapping.children) {
    if (std::find(allowed.begin(), allowed.end(), child.key) != allowed.end()) continue;
    diagnostics.error(child.key_location(), child.path(), "unknown key '{}'{}; known here: {}",
                      excerpt(child.key), suggest(child.key, allowed), list_words(allowed, "and"));
    good = false;
  }
  return good;
}

void check_names(const Value* named, Diagnostics& diagnostics) {
  if (!named || !named->is_mapping()) return;
  for (const Value& entry : named->children)
    if (const std::string fault = name_fault(entry.key); !fault.empty())
      diagnostics.error(entry.key_location(), named->path(), "{}: '{}'", fault, excerpt(entry.key));
}

const Value* find_kind(const Value& mapping, const std::vector<std::string>& kinds, const std::string& what,
                       Diagnostics& diagnostics) {
  if (mapping.broken) return nullptr;
  const std::string of_what = what.empty() ? "" : " as the kind of " + what;
  const Value* found = nullptr;
  std::string near;
  for (const Value& child : mapping.children) {
    if (std::find(kinds.begin(), kinds.end(), child.key) == kinds.end()) {
      if (near.empty()) near = suggest(child.key, kinds);
      continue;
    }
    if (found) {
      diagnostics.error(child.key_location(), child.path(), "'{}' and '{}' exclude each other: write one{}",
                        found->key, child.key, of_what);
      return nullptr;
    }
    found = &child;
  }
  if (!found)
    diagnostics.error(mapping.location(), mapping.path(), "expected one of {}{}{}", list_words(kinds),
                      of_what, near);
  return found;
}

bool is_flat(const TypeInfo& kind) { return kind.find(kind.name) != nullptr; }

std::vector<std::string> alternatives_of(const TypeInfo& choice, const TypeCatalog& catalog) {
  if (choice.kind == TypeInfo::Kind::open) return catalog.names(choice.name);
  std::vector<std::string> names;
  for (const TypeFunction alternative : choice.alternatives) names.emplace_back(alternative().name);
  return names;
}

const TypeCatalog& Reader::no_types() {
  static const TypeCatalog none;
  return none;
}

bool Reader::read(const Value& value, const TypeInfo& type, void* out) const {
  using Kind = TypeInfo::Kind;
  switch (type.kind) {
    case Kind::number:
      return read_number(value, *static_cast<double*>(out), diagnostics_);
    case Kind::whole:
      return read_whole(value, *static_cast<int*>(out), diagnostics_);
    case Kind::boolean:
      return read_boolean(value, *static_cast<bool*>(out), diagnostics_);
    case Kind::text:
      return read_text(value, *static_cast<std::string*>(out), diagnostics_);
    case Kind::word:
      return read_word(value, type, out);
    case Kind::list:
      return read_list(value, type, out);
    case Kind::named:
      return read_named(value, type, out);
    case Kind::optional:
      type.resize(out, 0);
      if (value.kind == Value::Kind::null) return true;
      type.resize(out, 1);
      return read(value, type.item_type(), type.item(out, 0));
    case Kind::structure:
      return read_structure(value, type, out);
    case Kind::choice:
    case Kind::open:
      return read_choice(value, type, out);
    case Kind::special:
      return special_notation(type.name).read(value, out, *this);
  }
  return false;
}

bool Reader::read_word(const Value& value, const TypeInfo& type, void* out) const {
  const auto index = find_word(value, type.words, diagnostics_);
  if (index) type.set_word(out, static_cast<int>(*index));
  return index.has_value();
}

/// Of a fixed number of items, or of any: then one item alone is a list, too.
bool Reader::read_list(const Value& value, const TypeInfo& type, void* out) const {
  const TypeInfo& item_type = type.item_type();
  if (is_vector(type)) {
    Eigen::Vector3d axis;
    if (read_axis(value, axis)) {
      for (std::size_t i = 0; i < 3; ++i)
        *static_cast<double*>(type.item(out, i)) = axis[static_cast<int>(i)];
      return true;
    }
    if (!value.is_sequence() || value.children.size() != 3)
      return expected("a list of 3 numbers or an axis (x, y, z, -x, -y or -z)", value, diagnostics_);
  }
  if (type.count >= 0) {
    if (!value.is_sequence() || value.children.size() != static_cast<std::size_t>(type.count) || value.broken)
      return expected(formatted("a list of {}", type.count), value, diagnostics_);
  } else {
    type.resize(out, 0);
    if (value.broken || value.kind == Value::Kind::null) return expected("a list", value, diagnostics_);
    type.resize(out, value.is_sequence() ? value.children.size() : 1);
    if (!value.is_sequence()) return read(value, item_type, type.item(out, 0));
  }
  bool good = true;
  for (std::size_t i = 0; i < value.children.size(); ++i)
    good &= read(value.children[i], item_type, type.item(out, i));
  return good;
}

/// In the order of the file.
bool Reader::read_named(const Value& value, const TypeInfo& type, void* out) const {
  type.resize(out, 0);
  if (value.broken || !value.is_mapping()) return expected("a mapping", value, diagnostics_);
  type.resize(out, value.children.size());
  bool good = true;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    *type.key(out, i) = value.children[i].key;
    good &= read(value.children[i], type.item_type(), type.item(out, i));
  }
  return good;
}

std::pair<const TypeInfo*, void*> Reader::choose(const TypeInfo& type, void* out,
                                                 const std::string& name) const {
  if (type.kind == TypeInfo::Kind::open) {
    for (const TypeCatalog::Entry& entry : catalog_.of(type.name))
      if (name == entry.type->name) return {entry.type, entry.choose(out)};
  } else {
    for (std::size_t i = 0; i < type.alternatives.size(); ++i)
      if (name == type.alternatives[i]().name) return {&type.alternatives[i](), type.choose(out, i)};
  }
  return {nullptr, nullptr};
}

bool Reader::read_choice(const Value& value, const TypeInfo& type, void* out) const {
  const std::vector<std::string> kinds = alternatives_of(type, catalog_);
  const std::string what = type.kind == TypeInfo::Kind::open && *type.example ? type.name : "";
  if (value.is_scalar() && what.empty()) {
    const auto index = find_word(value, kinds, diagnostics_);
    if (!index) return false;
    Value alone = value;  // a name without settings: like a mapping without entries, at the same place
    alone.kind = Value::Kind::null;
    const auto [kind, settings] = choose(type, out, kinds[*index]);
    return read(alone, *kind, settings);
  }
  if (*type.alone && value.is_scalar()) {
    const auto [kind, settings] = choose(type, out, type.alone);
    return read_shorthand(value, *kind, settings);
  }
  if (!what.empty() && !value.is_mapping())
    return expected(std::string("a mapping such as ") + type.example, value, diagnostics_);
  const Value* found = find_kind(value, kinds, what, diagnostics_);
  if (!found) return false;
  const auto [kind, settings] = choose(type, out, found->key);
  if (is_flat(*kind)) return read_structure(value, *kind, settings);
  return check_keys(value, kinds, diagnostics_) && read(*found, *kind, settings);
}

const Value* Reader::read_kind(const Value& value, const FieldInfo& field, void* out, bool& good) const {
  const TypeInfo& type = field.type();
  const Value* kind = find_kind(value, alternatives_of(type, catalog_), field.doc.text, diagnostics_);
  if (!kind) return nullptr;
  const auto [chosen, settings] = choose(type, field.in(out), kind->key);
  good &= read(*kind, *chosen, settings);
  return kind;
}

bool Reader::read_shorthand(const Value& value, const TypeInfo& type, void* out) const {
  bool good = true;
  for (const FieldInfo& field : type.fields) {
    if (std::string_view(field.key) == type.shorthand)
      good = read(value, field.type(), field.in(out)) &&
             check_range(value, field.type(), field.in(out), field.doc);
    else if (field.doc.required)
      good = expected(formatted("a mapping that has '{}', too", field.key), value, diagnostics_);
  }
  return good && check_whole(value, type, out);
}

bool Reader::read_structure(const Value& value, const TypeInfo& type, void* out,
                            const std::vector<std::string>& also) const {
  if (value.broken) return false;
  std::vector<std::string> allowed = type.keys();
  if (!value.is_mapping() && *type.example)
    return expected(std::string("a mapping such as ") + type.example, value, diagnostics_);
  if (!value.is_mapping() && value.kind != Value::Kind::null) {
    if (*type.shorthand) return read_shorthand(value, type, out);
    return expected("a mapping with the keys " + list_words(allowed, "and"), value, diagnostics_);
  }
  bool good = true;
  for (const FieldInfo& field : type.fields) {
    if (!*field.key) {
      const Value* kind = read_kind(value, field, out, good);
      good &= kind != nullptr;
      const auto kinds = keys_besides(value, kind, alternatives_of(field.type(), catalog_));
      allowed.insert(allowed.end(), kinds.begin(), kinds.end());
    } else if (const Value* found = value.find(field.key)) {
      good &= read(*found, field.type(), field.in(out)) &&
              check_range(*found, field.type(), field.in(out), field.doc);
    } else if (field.doc.required) {
      report_missing(value, field.key, field.doc, diagnostics_);
      good = false;
    }
  }
  allowed.insert(allowed.end(), also.begin(), also.end());
  good &= check_keys(value, allowed, diagnostics_);
  return good && check_whole(value, type, out);
}

/// Of a number, or of all numbers of a list.
bool Reader::check_range(const Value& value, const TypeInfo& type, const void* field, const Doc& doc) const {
  using Kind = TypeInfo::Kind;
  if (type.kind == Kind::optional)
    return type.size(field) == 0 || check_range(value, type.item_type(), type.item_of(field, 0), doc);
  if (type.kind == Kind::list) {
    const Kind item = type.item_type().kind;
    if (item != Kind::number && item != Kind::whole) return true;
    const std::size_t count = type.size(field);
    const bool by_item = value.is_sequence() && value.children.size() == count;
    for (std::size_t i = 0; i < count; ++i)
      if (!check_range(by_item ? value.children[i] : value, type.item_type(), type.item_of(field, i), doc))
        return false;
    return true;
  }
  if (type.kind != Kind::number && type.kind != Kind::whole) return true;
  const double number =
      type.kind == Kind::number ? *static_cast<const double*>(field) : *static_cast<const int*>(field);
  const std::string fault = range_fault(doc, number);
  if (!fault.empty()) diagnostics_.error(value.location(), value.path(), "{}", fault);
  return fault.empty();
}

/// The value at "run.step", or the nearest one above it.
static const Value& nearest(const Value& root, std::string_view path) {
  const Value* at = &root;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Value* next = at->find(path.substr(0, dot));
    if (!next) break;
    at = next;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *at;
}

/// Complaints of a struct's own check() go to the field they name.
bool Reader::check_whole(const Value& value, const TypeInfo& type, const void* settings) const {
  bool good = true;
  const Complain complain = [&](const char* key, const std::string& message) {
    good = false;
    const Value& at = nearest(value, key);
    diagnostics_.error(at.location(), at.path(), "{}", message);
  };
  for (const TypeInfo::Check& check : type.checks)
    check.run(static_cast<const char*>(settings) + check.offset, complain);
  return good;
}

}  // namespace hooke
