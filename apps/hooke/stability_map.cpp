#include "stability_map.h"

#include "hooke/base/format.h"

#include <cmath>

#include "hooke/base/error.h"

namespace hooke::program {
namespace {

constexpr double width = 260, height = 220, left = 70, top = 40, gap = 20, bottom = 60;
constexpr double no_growth = 1 + 1e-9;

std::string text_at(double x, double y, const std::string& anchor, const std::string& text,
                    const std::string& more = "") {
  return formatted("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                   text);
}

/// Ends and middle of an axis, along which the cells are equally wide.
std::vector<std::pair<double, double>> ticks(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  return {{0.5 / n, values.front()},
          {(static_cast<double>(values.size() / 2) + 0.5) / n, values[values.size() / 2]},
          {1 - 0.5 / n, values.back()}};
}

std::string panel(const StabilityMap& map, const StabilityMap::Layer& layer, double x0, bool is_first) {
  const double cell_x = width / static_cast<double>(map.values.size()),
               cell_y = height / static_cast<double>(map.steps.size());
  std::string svg = text_at(x0 + width / 2, top - 10, "middle", layer.title);
  for (std::size_t i = 0; i < map.values.size(); ++i)
    for (std::size_t k = 0; k < map.steps.size(); ++k)
      if (!(layer.radii[i][k] < no_growth))
        svg += formatted(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#c44e52\"/>\n",
            x0 + cell_x * static_cast<double>(i), top + height - cell_y * static_cast<double>(k + 1),
            cell_x + 0.05, cell_y + 0.05);
  svg += formatted(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", x0, top,
      width, height);
  for (const auto& [at, value] : ticks(map.values))
    svg += text_at(x0 + width * at, top + height + 18, "middle", formatted("{:.3g}", value));
  if (is_first)
    for (const auto& [at, value] : ticks(map.steps))
      svg += text_at(x0 - 6, top + height * (1 - at) + 4, "end", formatted("{:.2g}", value));
  return svg;
}

}  // namespace

double StabilityMap::Layer::stable_up_to(std::size_t value, const std::vector<double>& steps) const {
  double largest = 0;
  if (!(zero[value] < 1)) return largest;
  for (std::size_t k = 0; k < steps.size() && radii[value][k] < no_growth; ++k) largest = steps[k];
  return largest;
}

void read_map_range(const std::string& text, StabilityMap& map) {
  const auto wrong = [&] {
    return Error(
        ExitCode::usage,
        formatted("--map {}: expected KEY=LOW:HIGH:COUNT, such as parameters.ratio=0.1:10:40", text));
  };
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) throw wrong();
  map.key = text.substr(0, equals);
  double low = 0, high = 0;
  int count = 0, used = 0;
  if (std::sscanf(text.c_str() + equals + 1, "%lf:%lf:%d%n", &low, &high, &count, &used) != 3 ||
      equals + 1 + static_cast<std::size_t>(used) != text.size() || !(high > low) || count < 2 ||
      count > 1000)
    throw wrong();
  for (int k = 0; k < count; ++k) {
    const double part = k / (count - 1.0);
    map.values.push_back(low > 0 ? low * std::pow(high / low, part) : low + (high - low) * part);
  }
}

std::string draw(const StabilityMap& map) {
  const auto panels = static_cast<double>(map.layers.size());
  const double all = left + panels * (width + gap), high = top + height + bottom;
  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      all, high, all, high);
  for (std::size_t k = 0; k < map.layers.size(); ++k)
    svg += panel(map, map.layers[k], left + static_cast<double>(k) * (width + gap), k == 0);
  svg += text_at(left + (all - left - gap) / 2, high - 14, "middle",
                 map.key + " (filled: unstable with this macro step)");
  svg += text_at(16, top + height / 2, "middle", "macro step, s",
                 formatted(" transform=\"rotate(-90 16 {:.1f})\"", top + height / 2));
  return svg + "</svg>\n";
}

}  // namespace hooke::program
