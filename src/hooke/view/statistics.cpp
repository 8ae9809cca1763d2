#include "hooke/view/statistics.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hooke/view/units.h"

namespace hooke {
namespace {

struct Span {
  double low = 0, high = 0, sum = 0;
};

/// In blocks: a long run has millions of steps.
Span range_of(const ResultsReader& results, const std::string& name) {
  constexpr std::size_t rows_at_once = 1 << 16;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Quantity& quantity = results.find(name);
  const std::size_t rows = results.rows(quantity);
  Span span{infinity, -infinity};
  for (std::size_t first = 0; first < rows; first += rows_at_once)
    for (const double value : results.read({quantity}, first, std::min(rows_at_once, rows - first))) {
      if (std::isnan(value)) continue;
      span = {std::min(span.low, value), std::max(span.high, value), span.sum + value};
    }
  return span.low <= span.high ? span : Span{};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> statistics(const ResultsReader& results) {
  const ResultsReader::About& about = results.about();
  const auto range = [&](const char* name) { return range_of(results, name); };
  std::vector<std::pair<std::string, std::string>> rows{{"method", about.integrator},
                                                        {"solver", about.solver}};
  const Span time = range("time");
  rows.emplace_back("simulated", formatted("{:.4g} s", time.high - time.low));
  rows.emplace_back("outputs", std::to_string(results.frames()));
  if (results.steps()) {
    const Span size = range("step.size"), iterations = range("step.iterations");
    const auto steps = static_cast<double>(results.steps());
    rows.emplace_back("steps", std::to_string(results.steps()));
    rows.emplace_back("step size", size.high - size.low < 1e-9 * size.high
                                       ? formatted("{:.4g} s", size.high)
                                       : formatted("{:.3g} to {:.3g} s", size.low, size.high));
    rows.emplace_back("rejected tries", formatted("{:.0f}", range("step.rejections").sum));
    if (iterations.sum > 0) {
      rows.emplace_back("Newton iterations", formatted("{:.3g} per step, at most {:.0f}",
                                                       iterations.sum / steps, iterations.high));
      rows.emplace_back("tangents factorized", formatted("{:.0f}", range("step.factorizations").sum));
    }
  }
  rows.emplace_back("largest violation", formatted("{:.3g} m or rad", range("constraints.position").high));
  rows.emplace_back("… of velocities", formatted("{:.3g} per s", range("constraints.velocity").high));
  rows.emplace_back("… of accelerations", formatted("{:.3g} per s²", range("constraints.acceleration").high));
  const Span total = range("energy.total"), kinetic = range("energy.kinetic");
  const double size = std::max({std::abs(total.low), std::abs(total.high), kinetic.high});
  rows.emplace_back("total energy", formatted("{:.7g} to {:.7g} J", without_round_off(total.low, size),
                                              without_round_off(total.high, size)));
  if (kinetic.high > 0)
    rows.emplace_back("… its range / largest kinetic",
                      formatted("{:.3g}", (total.high - total.low) / kinetic.high));
  if (!about.wall_time.empty()) rows.emplace_back("wall time", about.wall_time + " s");
  rows.emplace_back("made", formatted("{} by hooke {}", about.created, about.version));
  return rows;
}

}  // namespace hooke
