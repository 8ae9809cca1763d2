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

}  // namespace hooke
