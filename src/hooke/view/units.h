#pragma once
#include <array>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

/// Units to show numbers in. Results are in SI units; a reader may like others: `mm,deg,kN,MPa`.
namespace hooke {

struct UnitChoice {
  const char* name;
  const char* instead_of;
  double factor;  ///< how many of it make one of the other
};

/// All there are to choose from, for page, plots and reports.
inline constexpr std::array unit_choices{
    UnitChoice{"mm", "m", 1e3},
    UnitChoice{"cm", "m", 1e2},
    UnitChoice{"deg", "rad", 180 / std::numbers::pi},
    UnitChoice{"rpm", "rad/s", 30 / std::numbers::pi},
    UnitChoice{"kN", "N", 1e-3},
    UnitChoice{"MN", "N", 1e-6},
    UnitChoice{"kPa", "Pa", 1e-3},
    UnitChoice{"MPa", "Pa", 1e-6},
    UnitChoice{"GPa", "Pa", 1e-9},
    UnitChoice{"mJ", "J", 1e3},
    UnitChoice{"kJ", "J", 1e-3},
    UnitChoice{"g", "kg", 1e3},
    UnitChoice{"t", "kg", 1e-3},
};

class Units {
 public:
  struct Shown {
    double factor = 1;
    std::string unit;
  };

  Units() = default;
  /// Of words with commas between. Throws Error (ExitCode::usage) for a word that is no choice, and for two
  /// that are one for the same unit.
  explicit Units(std::string_view words);

  /// How a number with this unit is shown: m/s^2 as mm/s^2, N m as N mm. One that is of several kinds ("m or
  /// rad") stays as it is.
  Shown show(std::string_view unit) const;

 private:
  const UnitChoice* instead_of(std::string_view unit) const;

  std::vector<const UnitChoice*> chosen_;
};

/// What is left of a number beside others of a size: 0 where it is their round-off.
inline double without_round_off(double value, double size) {
  constexpr double round_off = 1e-13;
  return value < round_off * size && value > -round_off * size ? 0 : value;
}

}  // namespace hooke
