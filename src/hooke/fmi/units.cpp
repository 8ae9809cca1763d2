#include "hooke/fmi/units.h"

#include <cctype>
#include <utility>

namespace hooke {
namespace {

using Exponents = std::array<int, 8>;

constexpr std::pair<std::string_view, Exponents> unit_table[]{
    {"1", {}},
    {"kg", {1}},
    {"m", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"N", {1, 1, -2}},
    {"Nm", {1, 2, -2}},
    {"J", {1, 2, -2}},
    {"W", {1, 2, -3}},
    {"Pa", {1, -1, -2}},
    {"Hz", {0, 0, -1}},
    {"V", {1, 2, -3, -1}},
    {"C", {0, 0, 1, 1}},
};

constexpr std::pair<std::string_view, std::string_view> quantity_table[]{
    {"m", "Length"},
    {"rad", "Angle"},
    {"m/s", "Velocity"},
    {"rad/s", "AngularVelocity"},
    {"m/s^2", "Acceleration"},
    {"rad/s^2", "AngularAcceleration"},
    {"N", "Force"},
    {"N m", "Torque"},
    {"J", "Energy"},
    {"s", "Time"},
};

}  // namespace

std::string_view quantity_in(std::string_view unit) {
  for (const auto& [name, quantity] : quantity_table)
    if (name == unit) return quantity;
  return {};
}

std::optional<BaseUnits> base_units(std::string_view unit) {
  BaseUnits result;
  int side = 1;
  for (std::size_t at = 0; at < unit.size();) {
    if (unit[at] == ' ' || unit[at] == '*') {
      ++at;
      continue;
    }
    if (unit[at] == '/') {
      side = -1;
      ++at;
      continue;
    }
    const std::size_t end = std::min(unit.find_first_of(" */^", at), unit.size());
    const std::string_view word = unit.substr(at, end - at);
    int power = 1;
    at = end;
    if (at < unit.size() && unit[at] == '^') {
      const bool is_negative = at + 1 < unit.size() && unit[at + 1] == '-';
      at += is_negative ? 2 : 1;
      if (at >= unit.size() || std::isdigit(static_cast<unsigned char>(unit[at])) == 0) return {};
      power = (unit[at] - '0') * (is_negative ? -1 : 1);
      ++at;
    }
    const Exponents* found = nullptr;
    for (const auto& [name, exponents] : unit_table)
      if (name == word) found = &exponents;
    if (!found) return {};
    for (std::size_t k = 0; k < found->size(); ++k) result.exponents[k] += side * power * (*found)[k];
  }
  return result;
}

}  // namespace hooke
