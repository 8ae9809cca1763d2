#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace hooke {

/// Exponents of the base units of FMI; Hooke's units have neither factor nor offset.
struct BaseUnits {
  static constexpr std::array names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  std::array<int, 8> exponents{};
};

/// Of a unit such as "m/s^2", "N m", "1"; nothing for one that is not made of known ones.
std::optional<BaseUnits> base_units(std::string_view unit);

/// What is measured in a unit, as a type that variables are declared with: "Angle" in rad. Empty: it has no name.
std::string_view quantity_in(std::string_view unit);

}  // namespace hooke
