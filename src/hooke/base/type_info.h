#pragma once
// What a described type looks like, as a table made once at run time: its fields, their types, where they are, and
// how lists and choices are filled. Whoever reads or writes settings (files, schema, tables in docs/, Python, FMUs)
// goes through this table and is an ordinary function, no template; so a type of a user's program is as good as one
// of Hooke's.
//
//   const TypeInfo& type = type_of<RigidSettings>();
//   for (const FieldInfo& field : type.fields) ... field.key, field.doc, field.type(), field.in(&settings)
#include <Eigen/Core>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hooke/base/fields.h"
#include "hooke/base/named.h"

namespace hooke {

struct TypeInfo;
using TypeFunction = const TypeInfo& (*)();

struct FieldInfo {
  const char* key;  ///< empty: that of the kind chosen stands in its place
  Doc doc;
  TypeFunction type;
  std::size_t offset;

  void* in(void* object) const { return static_cast<char*>(object) + offset; }
  const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
};

struct TypeInfo {
  enum class Kind {
    number,     ///< double
    whole,      ///< int
    boolean,    ///< bool
    text,       ///< std::string
    word,       ///< an enumeration
    list,       ///< of a fixed number of items, or of any
    named,      ///< things by name
    optional,   ///< something or nothing
    structure,  ///< fields
    choice,     ///< one of several structures, known here
    open,       ///< one of several structures, known to a catalog (base/any.h)
    special,    ///< with a notation of its own, which readers and writers know by `name`
  };
  struct Check {
    std::size_t offset;
    void (*run)(const void* object, const Complain& complain);
  };

  Kind kind;
  const char* example = "";  ///< of an entry, for messages: {rigid: {...}, at: [...]}
  /// of a structure that can be chosen, a special type, or the group of an open choice
  const char* name = "";

  // structure
  const char* definition = "";  ///< what a schema calls it
  const char* shorthand = "";   ///< the field that may stand alone
  std::vector<FieldInfo> fields;
  std::vector<Check> checks, doubts;
  struct Unwritable {
    std::size_t offset;
    std::string (*what)(const void* object);  ///< in words what no file can hold; empty: nothing
  };
  std::vector<Unwritable> unwritable;
  std::shared_ptr<const void> defaults;

  // word
  std::vector<std::string> words;
  int (*get_word)(const void*) = nullptr;
  void (*set_word)(void*, int) = nullptr;

  // list, named, optional
  TypeFunction item_type = nullptr;
  int count = -1;  ///< of a list: fixed, or -1
  std::size_t (*size)(const void*) = nullptr;
  void (*resize)(void*, std::size_t) = nullptr;
  void* (*item)(void*, std::size_t) = nullptr;
  std::string* (*key)(void*, std::size_t) = nullptr;

  // choice, open
  const char* alone = "";  ///< the kind that a value which is no mapping means
  std::vector<TypeFunction> alternatives;
  const TypeInfo* (*chosen)(const void*) = nullptr;  ///< null: nothing yet
  void* (*chosen_value)(void*) = nullptr;
  void* (*choose)(void*,
                  std::size_t) = nullptr;  ///< of a choice: makes it this alternative, with its defaults

  const void* item_of(const void* object, std::size_t i) const { return item(const_cast<void*>(object), i); }
  const std::string& key_of(const void* object, std::size_t i) const {
    return *key(const_cast<void*>(object), i);
  }
  const void* chosen_of(const void* object) const { return chosen_value(const_cast<void*>(object)); }
  std::vector<std::string> keys() const;
  const FieldInfo* find(std::string_view key) const;
};

/// A type with a notation of its own says its name by specialising this: readers and writers know it by that.
template <class T>
inline constexpr const char* special_name = nullptr;

template <class T>
const TypeInfo& type_of();

// ---- how the table is made ----

template <class T>
class FieldCollector {
 public:
  explicit FieldCollector(TypeInfo& info, const T& defaults) : info_(info), defaults_(defaults) {}

  template <class Member>
  void operator()(const char* key, Member member, const Doc& doc) {
    using Field = std::remove_cvref_t<decltype(defaults_.*member)>;
    info_.fields.push_back({key, doc, &type_of<Field>, offset(member)});
  }
  /// The fields of a member, as if they were its own.
  template <class Member>
  void flat(Member member) {
    using Field = std::remove_cvref_t<decltype(defaults_.*member)>;
    const TypeInfo& inner = type_of<Field>();
    for (FieldInfo field : inner.fields) {
      field.offset += offset(member);
      info_.fields.push_back(field);
    }
    for (TypeInfo::Check check : inner.checks)
      info_.checks.push_back({check.offset + offset(member), check.run});
    for (TypeInfo::Check doubt : inner.doubts)
      info_.doubts.push_back({doubt.offset + offset(member), doubt.run});
    for (TypeInfo::Unwritable u : inner.unwritable)
      info_.unwritable.push_back({u.offset + offset(member), u.what});
  }

 private:
  std::size_t offset(auto member) const {
    return reinterpret_cast<const char*>(&(defaults_.*member)) - reinterpret_cast<const char*>(&defaults_);
  }
  TypeInfo& info_;
  const T& defaults_;
};

namespace type_info_detail {

template <class T>
T& as(void* object) {
  return *static_cast<T*>(object);
}
template <class T>
const T& as(const void* object) {
  return *static_cast<const T*>(object);
}

template <class T>
struct Traits;  // lists, optionals and variants, below

template <class T>
concept HasTraits = requires {
  Traits<T>::make();
};

template <class List>
TypeInfo list_info(TypeFunction item_type, int count) {
  TypeInfo info{.kind = TypeInfo::Kind::list};
  info.item_type = item_type;
  info.count = count;
  info.size = [](const void* list) { return static_cast<std::size_t>(as<List>(list).size()); };
  info.item = [](void* list, std::size_t i) -> void* { return &as<List>(list)[i]; };
  return info;
}

template <int N>
struct Traits<Eigen::Matrix<double, N, 1>> {
  static TypeInfo make() { return list_info<Eigen::Matrix<double, N, 1>>(&type_of<double>, N); }
};
template <class T, std::size_t N>
struct Traits<std::array<T, N>> {
  static TypeInfo make() { return list_info<std::array<T, N>>(&type_of<T>, N); }
};
template <class T>
struct Traits<std::vector<T>> {
  static TypeInfo make() {
    TypeInfo info = list_info<std::vector<T>>(&type_of<T>, -1);
    info.resize = [](void* list, std::size_t n) { as<std::vector<T>>(list).assign(n, T{}); };
    return info;
  }
};
template <class List, class T>
struct NamedTraits {
  static TypeInfo make() {
    TypeInfo info{.kind = TypeInfo::Kind::named};
    info.item_type = &type_of<T>;
    info.size = [](const void* list) { return as<List>(list).size(); };
    info.resize = [](void* list, std::size_t n) { as<List>(list).assign(n, {std::string(), T{}}); };
    info.item = [](void* list, std::size_t i) -> void* { return &as<List>(list).begin()[i].second; };
    info.key = [](void* list, std::size_t i) { return &as<List>(list).begin()[i].first; };
    return info;
  }
};
template <class T>
struct Traits<Named<T>> : NamedTraits<Named<T>, T> {};
template <class T>
struct Traits<std::vector<std::pair<std::string, T>>>
    : NamedTraits<std::vector<std::pair<std::string, T>>, T> {};
template <class T>
struct Traits<std::optional<T>> {
  static TypeInfo make() {
    TypeInfo info{.kind = TypeInfo::Kind::optional};
    info.item_type = &type_of<T>;
    info.size = [](const void* value) { return std::size_t{as<std::optional<T>>(value).has_value()}; };
    info.resize = [](void* value, std::size_t n) {
      as<std::optional<T>>(value).reset();
      if (n) as<std::optional<T>>(value).emplace();
    };
    info.item = [](void* value, std::size_t) -> void* { return &*as<std::optional<T>>(value); };
    return info;
  }
};
template <class... Ts>
struct Traits<std::variant<Ts...>> {
  using Variant = std::variant<Ts...>;
  static TypeInfo make() {
    TypeInfo info{.kind = TypeInfo::Kind::choice};
    info.alternatives = {&type_of<Ts>...};
    info.chosen = [](const void* value) {
      return std::visit([]<class T>(const T&) { return &type_of<T>(); }, as<Variant>(value));
    };
    info.chosen_value = [](void* value) {
      return std::visit([](auto& inner) -> void* { return &inner; }, as<Variant>(value));
    };
    info.choose = [](void* value, std::size_t i) {
      static constexpr void* (*emplace[])(Variant&){
          [](Variant& v) -> void* { return &v.template emplace<Ts>(); }...};
      return emplace[i](as<Variant>(value));
    };
    return info;
  }
};

template <class E>
TypeInfo word_info() {
  TypeInfo info{.kind = TypeInfo::Kind::word};
  info.words = words_of<E>();
  info.get_word = [](const void* value) { return static_cast<int>(as<E>(value)); };
  info.set_word = [](void* value, int i) { as<E>(value) = static_cast<E>(i); };
  return info;
}

template <class T>
TypeInfo structure_info() {
  TypeInfo info{.kind = TypeInfo::Kind::structure};
  if constexpr (requires {
                  { &T::name } -> std::same_as<const char* const*>;
                })
    info.name = info.definition = T::name;
  if constexpr (requires { T::example; }) info.example = T::example;
  if constexpr (requires { T::definition; }) info.definition = T::definition;
  if constexpr (requires { T::shorthand; }) info.shorthand = T::shorthand;
  const auto defaults = std::make_shared<const T>();
  info.defaults = defaults;
  FieldCollector<T> collector(info, *defaults);
  T::describe(collector);
  if constexpr (ChecksItself<T>)
    info.checks.push_back(
        {0, [](const void* object, const Complain& complain) { as<T>(object).check(complain); }});
  if constexpr (DoubtsItself<T>)
    info.doubts.push_back({0, [](const void* object, const Complain& warn) { as<T>(object).doubt(warn); }});
  if constexpr (requires(const T& settings) { settings.not_writable(); })
    info.unwritable.push_back({0, [](const void* object) { return as<T>(object).not_writable(); }});
  return info;
}

template <class T>
TypeInfo make_info() {
  using Kind = TypeInfo::Kind;
  if constexpr (special_name<T> != nullptr)
    return {.kind = Kind::special, .name = special_name<T>};
  else if constexpr (std::is_same_v<T, double>)
    return {.kind = Kind::number};
  else if constexpr (std::is_same_v<T, int>)
    return {.kind = Kind::whole};
  else if constexpr (std::is_same_v<T, bool>)
    return {.kind = Kind::boolean};
  else if constexpr (std::is_same_v<T, std::string>)
    return {.kind = Kind::text};
  else if constexpr (NamedEnum<T>)
    return word_info<T>();
  else if constexpr (requires { T::open_info(); })
    return T::open_info();
  else if constexpr (HasTraits<T>)
    return Traits<T>::make();
  else {
    static_assert(Described<T>, "a field of this type cannot be described");
    return structure_info<T>();
  }
}

}  // namespace type_info_detail

template <class T>
const TypeInfo& type_of() {
  static const TypeInfo info = type_info_detail::make_info<T>();
  return info;
}

}  // namespace hooke
