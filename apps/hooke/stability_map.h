#pragma once
#include <string>
#include <vector>

namespace hooke::program {

/// Spectral radii over a value of the model and the macro step, for several settings: figures 4 to 9, 17 and
/// 18 of Schneider et al. (2017).
struct StabilityMap {
  std::string key;                    ///< of the value that varies
  std::vector<double> values, steps;  ///< both rising
  struct Layer {
    std::string title;
    std::vector<double> zero;                ///< by value: of the exchange alone
    std::vector<std::vector<double>> radii;  ///< by value, by step

    /// The largest step below which all are stable; 0: none.
    double stable_up_to(std::size_t value, const std::vector<double>& steps) const;
  };
  std::vector<Layer> layers;
};

/// KEY=LOW:HIGH:COUNT as a key and values: spaced by a factor when both ends are positive. Throws Error
/// (usage).
void read_map_range(const std::string& text, StabilityMap& map);

/// An SVG picture: a panel for each setting, unstable cells filled.
std::string draw(const StabilityMap& map);

}  // namespace hooke::program
