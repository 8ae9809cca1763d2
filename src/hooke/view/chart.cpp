#include "hooke/view/chart.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hooke/base/error.h"
#include "hooke/view/markup.h"

namespace hooke {
namespace {

constexpr const char* font =
    "Inter, 'Segoe UI', system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
constexpr double left = 64, right = 18, top = 14, bottom = 40, gap = 26, key_line = 17;
constexpr double letter = 6.6;  // width of one, on average

/// As much of a name as there is room for.
std::string fitting(std::string_view name, double room) {
  return clipped(name, static_cast<std::size_t>(std::max(room / letter, 4.0)));
}

/// Numbers from low to high that are easy to read: 1, 2 or 5 times a power of ten apart.
struct Scale {
  double low = 0, high = 1, step = 0.2;

  static Scale around(double low, double high, double wanted, double room) {
    if (!(low <= high)) low = 0, high = 1;
    double half = 0.5 * (high - low);
    const double size = std::max(std::abs(low), std::abs(high)), middle = 0.5 * (low + high);
    if (half <= 1e-9 * size) half = size > 0 ? 0.1 * size : 1;  // a constant is a line in the middle
    Scale axis{middle - room * half, middle + room * half};
    const double raw = (axis.high - axis.low) / wanted, power = std::pow(10, std::floor(std::log10(raw)));
    axis.step = 10 * power;
    for (const double k : {5.0, 2.0, 1.0})
      if (k * power >= raw) axis.step = k * power;
    return axis;
  }
  template <class F>
  void for_ticks(F&& f) const {
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) f(k * step);
  }
  /// With as many digits as tell neighbours apart.
  std::string label(double value) const {
    if (std::abs(value) < 1e-9 * step) return "0";
    const double size = std::max(std::abs(low), std::abs(high));
    if (size >= 1e5 || size < 1e-3) {
      const int digits =
          std::max(0, static_cast<int>(std::floor(std::log10(size) - std::log10(step) + 1e-9)));
      return formatted("{:.{}e}", value, digits);
    }
    return formatted("{:.{}f}", value, std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))));
  }
};

struct Panel {
  std::string unit;
  std::vector<const Curve*> curves;
  double y = 0, height = 0;  ///< of its frame
  Scale axis;
};

std::string text(double x, double y, std::string_view words, const char* more = "") {
  return formatted("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escape_xml(words));
}

/// Of many points in one column of pixels, the lowest and highest tell the same.
std::string path_of(const Curve& curve, const Scale& x_axis, const Panel& panel, double width) {
  std::string path;
  bool is_drawing = false;
  const auto to = [&](double px, double py) {
    path += formatted("{}{:.2f} {:.2f}", is_drawing ? 'L' : 'M', px, py);
    is_drawing = true;
  };
  const auto px = [&](double x) { return left + (x - x_axis.low) / (x_axis.high - x_axis.low) * width; };
  const auto py = [&](double y) {
    return panel.y + panel.height * (1 - (y - panel.axis.low) / (panel.axis.high - panel.axis.low));
  };
  const std::size_t count = std::min(curve.x.size(), curve.y.size());
  const bool is_sorted = std::is_sorted(curve.x.begin(), curve.x.end());
  constexpr double column = 0.5;
  for (std::size_t k = 0; k < count;) {
    if (!std::isfinite(curve.y[k]) || !std::isfinite(curve.x[k])) {
      is_drawing = false;
      ++k;
      continue;
    }
    std::size_t end = k + 1;
    if (is_sorted)
      while (end < count && std::isfinite(curve.y[end]) && px(curve.x[end]) - px(curve.x[k]) < column) ++end;
    if (end - k < 5) {
      to(px(curve.x[k]), py(curve.y[k]));
      ++k;
      continue;
    }
    const auto begin = curve.y.begin() + static_cast<std::ptrdiff_t>(k);
    const auto [low, high] = std::minmax_element(begin, curve.y.begin() + static_cast<std::ptrdiff_t>(end));
    to(px(curve.x[k]), py(curve.y[k]));
    to(px(curve.x[k]), py(*low));
    to(px(curve.x[k]), py(*high));
    to(px(curve.x[end - 1]), py(curve.y[end - 1]));
    k = end;
  }
  return path;
}

std::string draw_curves(const Panel& panel, const Scale& x_axis, double width) {
  static constexpr std::array dashes{"", "7 4", "2 3", "9 3 2 3"};
  std::string svg;
  for (const Curve* curve : panel.curves)
    svg += formatted(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"{}/>\n",
        path_of(*curve, x_axis, panel, width), colour(curve->colour),
        curve->dash ? formatted(" stroke-dasharray=\"{}\"", dashes[static_cast<std::size_t>(curve->dash) % 4])
                    : "");
  return svg;
}

std::string draw_frame(const Panel& panel, const Scale& x_axis, double width, bool is_last,
                       const std::string& x_label) {
  std::string svg;
  const double low = panel.y + panel.height;
  const auto line = [&](double x1, double y1, double x2, double y2) {
    svg += formatted("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#e3e1dc\"/>\n", x1, y1, x2, y2);
  };
  panel.axis.for_ticks([&](double y) {
    const double at = low - (y - panel.axis.low) / (panel.axis.high - panel.axis.low) * panel.height;
    line(left, at, left + width, at);
    svg += text(left - 7, at + 3.8, panel.axis.label(y), "text-anchor=\"end\" fill=\"#656d76\"");
  });
  x_axis.for_ticks([&](double x) {
    const double at = left + (x - x_axis.low) / (x_axis.high - x_axis.low) * width;
    line(at, panel.y, at, low);
    if (is_last) svg += text(at, low + 16, x_axis.label(x), "text-anchor=\"middle\" fill=\"#656d76\"");
  });
  svg += formatted("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"#98a1ab\"/>\n", left,
                   panel.y, low, left + width);
  if (is_last)
    svg +=
        text(left + width / 2, low + 33, fitting(x_label, width), "text-anchor=\"middle\" fill=\"#656d76\"");
  if (panel.unit != "1" && !panel.unit.empty())
    svg += formatted(
        "<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
        "fill=\"#656d76\">{}</text>\n",
        panel.y + panel.height / 2, escape_xml(fitting(panel.unit, panel.height)));
  return svg;
}

/// Names with a piece of their line, from left to right and in as many lines as that takes.
std::string draw_keys(const Panel& panel, double y, double width, int* lines) {
  static constexpr std::array dashes{"", "4 2", "2 2", "5 2 1 2"};
  std::string svg;
  double x = left;
  *lines = 1;
  for (const Curve* curve : panel.curves) {
    const std::string name = fitting(curve->name, width - 30);
    const double room = 30 + letter * static_cast<double>(count_characters(name));
    if (x > left && x + room > left + width) {
      x = left;
      ++*lines;
    }
    const double at = y + key_line * (*lines - 1);
    svg += formatted(
        "<path d=\"M{:.1f} {:.1f}h14\" stroke=\"{}\" stroke-width=\"2.5\" stroke-dasharray=\"{}\"/>\n", x,
        at - 4, colour(curve->colour), dashes[static_cast<std::size_t>(curve->dash) % 4]);
    svg += text(x + 19, at, name, "fill=\"#1f2328\"");
    x += room;
  }
  return svg;
}

double largest_of(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values)
    if (std::isfinite(value)) size = std::max(size, std::abs(value));
  return size;
}

/// In blocks: a long run has millions of rows.
std::vector<double> read_column(const ResultsReader& results, const Quantity& quantity) {
  constexpr std::size_t rows_at_once = 1 << 12;
  std::vector<double> values;
  double size = 0;
  for (std::size_t first = 0; first < results.rows(quantity); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, results.rows(quantity) - first);
    const std::vector<double> block = results.read_rows(quantity.entry->path, first, count);
    const std::size_t width = block.size() / count;
    if (quantity.column >= width)
      throw Error(ExitCode::file,
                  formatted("the results are damaged: {} has too few columns", quantity.entry->path));
    for (std::size_t row = 0; row < count; ++row) values.push_back(block[row * width + quantity.column]);
    if (quantity.entry->of != Items::signal) size = std::max(size, largest_of(block));
  }
  if (quantity.entry->of == Items::signal) size = largest_of(values);  // others may be anything
  for (double& value : values) value = without_round_off(value, size);
  return values;
}

}  // namespace

std::string colour_at(double part) {
  static constexpr std::array<std::array<double, 3>, 6> stops{{{0x44, 0x01, 0x54},
                                                               {0x41, 0x44, 0x87},
                                                               {0x2a, 0x78, 0x8e},
                                                               {0x22, 0xa8, 0x84},
                                                               {0x7a, 0xd1, 0x51},
                                                               {0xfd, 0xe7, 0x25}}};
  const double place = std::clamp(part, 0.0, 1.0) * (stops.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  std::string text = "#";
  for (std::size_t c = 0; c < 3; ++c)
    text += formatted("{:02x}",
                      std::lround(std::lerp(stops[k][c], stops[k + 1][c], place - static_cast<double>(k))));
  return text;
}

std::string colour(int number) {
  static constexpr std::array colours{"#3f6fa8", "#e08a2c", "#4b9a55", "#c9504f", "#8d6bb0",
                                      "#3fa3a0", "#c9a227", "#8a6b58", "#d1799b", "#6f7780"};
  return colours[static_cast<std::size_t>(number) % colours.size()];
}

std::string draw_chart(const std::vector<Curve>& curves, const ChartSettings& settings) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Panel> panels;
  double x_low = infinity, x_high = -infinity;
  for (const Curve& curve : curves) {
    auto panel =
        std::find_if(panels.begin(), panels.end(), [&](const Panel& one) { return one.unit == curve.unit; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), Panel{.unit = curve.unit});
    panel->curves.push_back(&curve);
    for (const double x : curve.x)
      if (std::isfinite(x)) x_low = std::min(x_low, x), x_high = std::max(x_high, x);
  }
  Scale x_axis = Scale::around(x_low, x_high, 8, 1);
  const double width = settings.width - left - right;
  std::string body;
  double y = top;
  if (!settings.title.empty()) {
    body += text(left, y + 10, fitting(settings.title, width),
                 "font-weight=\"600\" font-size=\"13\" fill=\"#1f2328\"");
    y += 24;
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    Panel& panel = panels[p];
    double low = infinity, high = -infinity;
    for (const Curve* curve : panel.curves)
      for (const double value : curve->y)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    panel.axis = Scale::around(low, high, 5, 1.08);
    int lines = 0;
    body += draw_keys(panel, y + 10, width, &lines);
    panel.y = y + key_line * lines + 4;
    panel.height = settings.panel_height - key_line;
    body += draw_frame(panel, x_axis, width, p + 1 == panels.size(), settings.x_label);
    body += draw_curves(panel, x_axis, width);
    y = panel.y + panel.height + gap;
  }
  const double height = y - gap + bottom;
  return formatted(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 "
             "{:.0f} {:.0f}\" "
             "font-family=\"{}\" font-size=\"11.5\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"#ffffff\"/>\n",
             settings.width, height, settings.width, height, font) +
         body + "</svg>\n";
}

std::vector<Curve> read_curves(const std::vector<LabelledResults>& runs,
                               const std::vector<std::string>& names, const std::string& against,
                               const Units& units) {
  std::vector<Curve> curves;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ResultsReader& results = *runs[r].results;
    const std::vector<Quantity> wanted = results.select(names);
    for (std::size_t q = 0; q < wanted.size(); ++q) {
      const Quantity& quantity = wanted[q];
      const Quantity& x = results.find(!against.empty()         ? against
                                       : quantity.is_per_step() ? step_time_entry.quantity
                                                                : time_entry.quantity);
      if (x.is_per_step() != quantity.is_per_step())
        throw Error(ExitCode::usage,
                    formatted("'{}' cannot be drawn against '{}': one is per output, the other per step",
                              quantity.name, x.name));
      const bool has_many = runs.size() > 1;
      const Units::Shown shown = units.show(quantity.unit);
      const auto in_panel = std::count_if(curves.begin(), curves.end(),
                                          [&](const Curve& curve) { return curve.unit == shown.unit; });
      const auto read = [&](const Quantity& one) {
        std::vector<double> values = read_column(results, one);
        for (double& value : values) value *= units.show(one.unit).factor;
        return values;
      };
      curves.push_back({has_many ? quantity.name + " · " + runs[r].label : quantity.name, shown.unit, read(x),
                        read(quantity),
                        static_cast<int>(has_many ? static_cast<std::ptrdiff_t>(r) : in_panel),
                        static_cast<int>(has_many ? q : 0)});
    }
  }
  return curves;
}

}  // namespace hooke
