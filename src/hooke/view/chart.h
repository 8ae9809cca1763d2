#pragma once
#include <string>
#include <vector>

#include "hooke/io/results/results_reader.h"

/// Curves as an SVG picture, without any library of others.
namespace hooke {

struct Curve {
  std::string name, unit;
  std::vector<double> x, y;
  int colour = 0;  ///< number in the list of colours
  int dash = 0;    ///< 0: a whole line
};

struct ChartSettings {
  std::string title, x_label = "time (s)";
  double width = 760, panel_height = 230;
};

/// Curves of one unit share a panel; panels stand one below the other over a common x axis.
std::string draw_chart(const std::vector<Curve>& curves, const ChartSettings& settings);

/// Curves of quantities over time, or over another quantity with equally many rows. Of several runs, each has
/// its colour and each quantity its dash. Throws Error (ExitCode::usage) for names that mean nothing.
struct LabelledResults {
  std::string label;
  const ResultsReader* results;
};
std::vector<Curve> read_curves(const std::vector<LabelledResults>& runs,
                               const std::vector<std::string>& names, const std::string& against = "");

/// The colour of a body or curve, as #rrggbb: the same as in the page.
std::string colour(int number);

}  // namespace hooke
