#include "progress_bar.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>

#include "terminal.h"

namespace hooke::program {

static double fraction(const Progress& progress, double start) {
  const double span = progress.end - start;
  return span > 0 ? std::clamp((progress.t - start) / span, 0.0, 1.0) : 1.0;
}

std::string clock(double seconds) {
  if (!(seconds < 360'000)) return "-:--";
  const long whole = std::lround(std::ceil(seconds)), hours = whole / 3600;
  if (hours > 0) return formatted("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
  return formatted("{}:{:02}", whole / 60, whole % 60);
}

std::string describe(const Progress& progress, double start, double wall) {
  const double done = fraction(progress, start);
  const double left = done > 0 ? wall * (1 - done) / done : INFINITY;
  if (progress.h == 0) return formatted("{} left", clock(left));  // no integration
  const double factor = wall > 0 ? (progress.t - start) / wall : 0;
  return formatted("t = {:.4g} s  {:.3g} x real time  {} left", progress.t, factor, clock(left));
}

void ProgressBar::update(const Progress& progress, double start) {
  constexpr double interval = 0.1;
  if (!is_shown_ || since_drawn_.seconds() < interval) return;
  since_drawn_.restart();

  const std::string text = describe(progress, start, since_start_.seconds());
  const int room = terminal_width(stderr) - static_cast<int>(text.size()) - 10;
  const int width = std::clamp(room, 0, 40), filled = static_cast<int>(width * fraction(progress, start));
  std::string bar(static_cast<std::size_t>(filled), '=');
  bar.resize(static_cast<std::size_t>(width), ' ');
  const int percent = static_cast<int>(100 * fraction(progress, start));
  print(stderr, "\r\033[K{:3}% {}{}", percent, width > 4 ? "[" + bar + "] " : "", text);
  std::fflush(stderr);
  is_drawn_ = true;
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  print(stderr, "\r\033[K");
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace hooke::program
