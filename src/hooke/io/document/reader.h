#pragma once
// Typed reading of values. `read(value, target, diagnostics)` puts what stands in the document into the
// target and returns whether it could; what is wrong goes to `diagnostics`, in words for the person who wrote
// the file, and reading goes on, so that all mistakes are found in one run. A struct that describes its
// fields (base/fields.h) needs no reading code at all:
//
//   RigidSettings settings;
//   read(*document.root().find("rigid"), settings, diagnostics);
//
// Two conveniences for described structs: one with `static constexpr const char* shorthand = "radius"` may be
// written as that field alone ({circle: 0.01}), and a std::variant of structs that each have a
// `static constexpr const char* name` is written as a mapping with one of the names ({circle: {radius:
// 0.01}}), or as the name alone when it needs no settings.
//
// For a type of one's own, overload read() next to it, and schema() (schema.h) if it is to appear in the
// schema.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/base/fields.h"
#include "hooke/base/text.h"
#include "hooke/io/document/value.h"

namespace hooke {

bool read(const Value& value, double& out, Diagnostics& diagnostics);  // finite
bool read(const Value& value, int& out, Diagnostics& diagnostics);
bool read(const Value& value, bool& out, Diagnostics& diagnostics);
bool read(const Value& value, std::string& out, Diagnostics& diagnostics);

/// A list of 3 numbers, or an axis: x, y, z, -x, -y or -z.
bool read(const Value& value, Eigen::Vector3d& out, Diagnostics& diagnostics);

/// Complains "expected ..., got ..." about a value; returns false, as the readers do.
bool expected(const std::string& what, const Value& value, Diagnostics& diagnostics);

/// Complains about all keys that are not among those allowed.
bool check_keys(const Value& mapping, const std::vector<std::string>& allowed, Diagnostics& diagnostics);

/// The one entry of a mapping whose key is among `kinds`, such as the `revolute:` of a joint; null after a
/// complaint. `what` is for messages: "joint".
const Value* find_kind(const Value& mapping, const std::vector<std::string>& kinds, const std::string& what,
                       Diagnostics& diagnostics);

/// Complains unless `number`, read from `value`, is in the range.
bool check_range(const Value& value, double number, const Doc& doc, Diagnostics& diagnostics);

template <class T>
concept HasShorthand = Described<T> && requires {
  std::string(T::shorthand);
};

/// Declared before they are defined, since they call each other.
template <int N>
bool read(const Value& value, Eigen::Matrix<double, N, 1>& out, Diagnostics& diagnostics);
template <class T, size_t N>
bool read(const Value& value, std::array<T, N>& out, Diagnostics& diagnostics);
template <class T>
bool read(const Value& value, std::vector<T>& out, Diagnostics& diagnostics);
template <class T>
bool read(const Value& value, std::vector<std::pair<std::string, T>>& out, Diagnostics& diagnostics);
template <class T>
bool read(const Value& value, std::optional<T>& out, Diagnostics& diagnostics);
template <NamedEnum E>
bool read(const Value& value, E& out, Diagnostics& diagnostics);
template <class... Ts>
bool read(const Value& value, std::variant<Ts...>& out, Diagnostics& diagnostics);

/// A mapping with the keys that T describes; further keys that the caller reads itself are named in `also`.
template <Described T>
bool read(const Value& value, T& out, Diagnostics& diagnostics, const std::vector<std::string>& also = {});

// ---- how ----

template <class Container>
bool read_items(const Value& value, Container& out, Diagnostics& diagnostics) {
  bool good = true;
  for (size_t i = 0; i < value.children.size(); ++i) good &= read(value.children[i], out[i], diagnostics);
  return good;
}

inline bool has_items(const Value& value, size_t count, Diagnostics& diagnostics) {
  if (value.is_sequence() && value.children.size() == count && !value.broken) return true;
  return expected(formatted("a list of {}", count), value, diagnostics);
}

template <int N>
bool read(const Value& value, Eigen::Matrix<double, N, 1>& out, Diagnostics& diagnostics) {
  return has_items(value, N, diagnostics) && read_items(value, out, diagnostics);
}

template <class T, size_t N>
bool read(const Value& value, std::array<T, N>& out, Diagnostics& diagnostics) {
  return has_items(value, N, diagnostics) && read_items(value, out, diagnostics);
}

/// A list, or one item alone.
template <class T>
bool read(const Value& value, std::vector<T>& out, Diagnostics& diagnostics) {
  out.clear();
  if (value.broken || value.kind == Value::Kind::null) return expected("a list", value, diagnostics);
  if (!value.is_sequence()) return read(value, out.emplace_back(), diagnostics);
  out.resize(value.children.size());
  return read_items(value, out, diagnostics);
}

/// Named things, in the order of the file.
template <class T>
bool read(const Value& value, std::vector<std::pair<std::string, T>>& out, Diagnostics& diagnostics) {
  out.clear();
  if (value.broken || !value.is_mapping()) return expected("a mapping", value, diagnostics);
  bool good = true;
  for (const Value& child : value.children)
    good &= read(child, out.emplace_back(child.key, T{}).second, diagnostics);
  return good;
}

template <class T>
bool read(const Value& value, std::optional<T>& out, Diagnostics& diagnostics) {
  out.reset();
  return value.kind == Value::Kind::null || read(value, out.emplace(), diagnostics);
}

/// The index of the word among the words, or a complaint.
std::optional<size_t> read_word(const Value& value, const std::vector<std::string>& words,
                                Diagnostics& diagnostics);

template <NamedEnum E>
bool read(const Value& value, E& out, Diagnostics& diagnostics) {
  const auto index = read_word(value, words_of<E>(), diagnostics);
  if (index) out = static_cast<E>(*index);
  return index.has_value();
}

template <class... Ts>
bool read(const Value& value, std::variant<Ts...>& out, Diagnostics& diagnostics) {
  const std::vector<std::string> kinds{Ts::name...};
  Value alone;  // of a name without settings: like a mapping without entries, at the same place
  const Value* settings = &alone;
  std::string kind;
  if (value.is_scalar()) {
    const auto index = read_word(value, kinds, diagnostics);
    if (!index) return false;
    kind = kinds[*index];
    alone = value;
    alone.kind = Value::Kind::null;
  } else {
    settings = find_kind(value, kinds, "", diagnostics);
    if (!settings || !check_keys(value, kinds, diagnostics)) return false;
    kind = settings->key;
  }
  return ((kind == Ts::name && read(*settings, out.template emplace<Ts>(), diagnostics)) || ...);
}

template <class T>
bool check_range(const Value& value, const T& field, const Doc& doc, Diagnostics& diagnostics) {
  if constexpr (requires {
                  *field;
                  field.has_value();
                }) {
    return !field || check_range(value, *field, doc, diagnostics);
  } else if constexpr (requires {
                         static_cast<double>(field[0]);
                         field.size();
                       }) {
    bool good = true;
    const auto count = static_cast<size_t>(field.size());
    const bool by_item = value.is_sequence() && value.children.size() == count;
    for (size_t i = 0; i < count && good; ++i)
      good =
          check_range(by_item ? value.children[i] : value, static_cast<double>(field[i]), doc, diagnostics);
    return good;
  } else {
    return true;
  }
}
inline bool check_range(const Value& value, int number, const Doc& doc, Diagnostics& diagnostics) {
  return check_range(value, static_cast<double>(number), doc, diagnostics);
}
inline bool check_range(const Value&, const std::string&, const Doc&, Diagnostics&) { return true; }

/// Complaints of T's own check() go to the field they name.
template <Described T>
bool check_whole(const Value& value, const T& settings, Diagnostics& diagnostics) {
  bool good = true;
  if constexpr (ChecksItself<T>) {
    settings.check([&](const char* key, const std::string& message) {
      good = false;
      const Value* field = value.find(key);
      const Value& at = field ? *field : value;
      diagnostics.error(at.location(), at.path(), "{}", message);
    });
  }
  return good;
}

/// T written as its shorthand field alone.
template <HasShorthand T>
bool read_shorthand(const Value& value, T& out, Diagnostics& diagnostics) {
  bool good = true;
  auto visitor = [&](const char* key, auto member, const Doc& doc) {
    if (std::string(key) == T::shorthand)
      good = read(value, out.*member, diagnostics) && check_range(value, out.*member, doc, diagnostics);
    else if (doc.required)
      good = expected(formatted("a mapping that has '{}', too", key), value, diagnostics);
  };
  T::describe(visitor);
  return good && check_whole(value, out, diagnostics);
}

void report_missing(const Value& mapping, const char* key, const Doc& doc, Diagnostics& diagnostics);

template <Described T>
bool read(const Value& value, T& out, Diagnostics& diagnostics, const std::vector<std::string>& also) {
  if (value.broken) return false;
  auto allowed = keys_of<T>();
  if (!value.is_mapping() && value.kind != Value::Kind::null) {
    if constexpr (HasShorthand<T>) return read_shorthand(value, out, diagnostics);
    return expected("a mapping with the keys " + list_words(allowed, "and"), value, diagnostics);
  }
  bool good = true;
  auto visitor = [&](const char* key, auto member, const Doc& doc) {
    if (const Value* field = value.find(key)) {
      good &= read(*field, out.*member, diagnostics) && check_range(*field, out.*member, doc, diagnostics);
    } else if (doc.required) {
      report_missing(value, key, doc, diagnostics);
      good = false;
    }
  };
  T::describe(visitor);
  allowed.insert(allowed.end(), also.begin(), also.end());
  good &= check_keys(value, allowed, diagnostics);
  return good && check_whole(value, out, diagnostics);
}

}  // namespace hooke
