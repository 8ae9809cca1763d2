#pragma once
#include <string>
#include <vector>

#include "hooke/io/results/results_reader.h"
#include "hooke/view/units.h"

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
/// its colour and each quantity its dash. Numbers that are round-off beside others of their data set are 0.
/// Throws Error (ExitCode::usage) for names that mean nothing.
struct LabelledResults {
  std::string label;
  const ResultsReader* results;
};
std::vector<Curve> read_curves(const std::vector<LabelledResults>& runs,
                               const std::vector<std::string>& names, const std::string& against = "",
                               const Units& units = {});

/// The colour of a body or curve, as #rrggbb: the same as in the page.
std::string colour(int number);
/// The colour of a number from 0 to 1, dark blue to yellow: the same as in the page.
std::string colour_at(double part);

}  // namespace hooke
