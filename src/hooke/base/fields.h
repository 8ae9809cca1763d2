#pragma once
// A settings struct describes its fields once; base/type_info.h makes a table of that description, by which files
// are read and written, and the JSON Schema and the tables in the documentation are made:
//
//   struct RigidSettings {
//     double mass = 0;
//     Shape shape = Shape::box;
//
//     template <class Visitor>
//     static void describe(Visitor& field) {
//       field("mass", &RigidSettings::mass,
//             Doc{.text = "total mass", .unit = "kg", .required = true, .check = positive});
//       field("shape", &RigidSettings::shape, Doc{.text = "how it is drawn"});
//     }
//   };
//
// A field may be a number, bool, string, vector, list, optional, enumeration, another described struct, or a
// std::variant of described structs that each have a `name`. The value a default-made struct has is the
// default. `field.flat(&Settings::place)` takes over the fields of a member as if they were its own, and a
// variant whose key is "" has its `name` as the key: {rigid: {...}, at: ...}. An enumeration lists its words, in the order of its values 0, 1, ..., next to itself:
//
//   enum class Shape { box, ball };
//   constexpr auto names(Shape) { return std::array{"box", "ball"}; }
//
// What one field alone cannot tell (an inertia that breaks the triangle inequality) goes into a member
//
//   void check(const Complain& complain) const { if (...) complain("inertia", "the largest must ..."); }
//
// and what is allowed but seldom meant (a damping that is negative) into
//
//   void doubt(const Complain& warn) const { if (...) warn("damping", "is negative: it feeds energy in"); }
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "hooke/base/limits.h"

namespace hooke {

/// The numbers a field may hold. For a vector or list it holds for every component.
struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool without_low = false, without_high = false;  // whether the ends themselves are excluded

  constexpr bool holds(double x) const {
    return (without_low ? x - low >= smallest_positive : x >= low) && (without_high ? x < high : x <= high);
  }
  constexpr bool has_low() const { return low > -std::numeric_limits<double>::infinity(); }
  constexpr bool has_high() const { return high < std::numeric_limits<double>::infinity(); }
};

inline constexpr Range any_number{};
inline constexpr Range positive{.low = 0, .without_low = true};
inline constexpr Range non_negative{.low = 0};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }

/// "positive", "at least 1", "between 0 and 1": completes the sentence "must be ...". Empty for any number.
std::string to_string(const Range& range);

struct Doc {
  const char* text = "";
  const char* unit = "";
  bool required = false;
  Range check = any_number;
  const char* default_text = "";  // where the value of a default-made struct does not tell ("the step")
};

/// What is said of a number that the field may not hold: "must be positive, got -1 kg"; nothing where it may.
std::string range_fault(const Doc& doc, double number);

/// How a struct's own check reports: the key of the field at fault (empty: the struct as a whole), and what would be
/// right.
using Complain = std::function<void(const char* key, const std::string& message)>;

/// Any visitor, for asking whether a type can be described.
struct AnyVisitor {
  template <class Member>
  void operator()(const char*, Member, const Doc&) {}
  template <class Member>
  void flat(Member) {}
};

template <class T>
concept Described = requires(AnyVisitor& visitor) {
  T::describe(visitor);
};

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  names(value);
};

template <class T>
concept ChecksItself = requires(const T& settings, const Complain& complain) {
  settings.check(complain);
};

template <class T>
concept DoubtsItself = requires(const T& settings, const Complain& warn) {
  settings.doubt(warn);
};

template <NamedEnum E>
std::vector<std::string> words_of() {
  const auto words = names(E{});
  return {words.begin(), words.end()};
}

template <NamedEnum E>
std::string to_word(E value) {
  return names(value).at(static_cast<size_t>(value));
}

}  // namespace hooke
