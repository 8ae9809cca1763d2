#include "hooke/base/format.h"

#include <filesystem>

#include "browser.h"
#include "commands.h"
#include "hooke/view/chart.h"
#include "hooke/view/markup.h"
#include "hooke/view/output_file.h"
#include "results_path.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct PlotArguments {
  std::string results, out, against, title, units;
  std::vector<std::string> names, with;
  double width = 760, height = 230;
};

/// The SVG as the browser prints it.
void print_chart(const std::string& svg, const std::string& out, const std::string& ending, double width) {
  const auto cut = svg.find("height=\"") + 8;
  const double height = std::stod(svg.substr(cut));
  const std::string page = formatted(
      "<!doctype html><meta charset=\"utf-8\">{}<style>@page {{ size: {}px {}px; margin: 0 }} "
      "body {{ margin: 0 }} svg {{ display: block }}</style>{}",
      policy_without_scripts, width, height, svg);
  if (ending == ".pdf")
    print_pdf(page, out);
  else
    print_png(page, out, static_cast<int>(width), static_cast<int>(height));
}

ExitCode run(const PlotArguments& arguments) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths{arguments.results};
  paths.insert(paths.end(), arguments.with.begin(), arguments.with.end());
  const std::vector<ViewedRun> runs = open_runs(paths);
  std::vector<LabelledResults> labelled;
  for (const ViewedRun& run : runs) labelled.push_back({run.label, run.results.get()});
  const std::string out =
      arguments.out.empty() ? fs::path(results_path(arguments.results)).replace_filename("plot.svg").string()
                            : arguments.out;
  const std::string ending = fs::path(out).extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw Error(ExitCode::usage, formatted("{}: a plot can be written as .svg, .png or .pdf", out));

  const Units units(arguments.units);
  ChartSettings settings{
      .title = arguments.title, .width = arguments.width, .panel_height = arguments.height};
  if (!arguments.against.empty()) {
    const Quantity& x = runs[0].results->find(arguments.against);
    settings.x_label = x.unit == "1" ? x.name : formatted("{} ({})", x.name, units.show(x.unit).unit);
  }
  const std::vector<Curve> curves = read_curves(labelled, arguments.names, arguments.against, units);
  const std::string svg = draw_chart(curves, settings);
  if (ending == ".svg")
    write_file(out, svg);
  else
    print_chart(svg, out, ending, settings.width);
  print("wrote {}: {}\n", out, count(static_cast<long>(curves.size()), "curve", "curves"));
  return ExitCode::ok;
}

const char* const plot_examples =
    "Examples:\n"
    "  hooke plot results/slider_crank body.slider.position.x joint.A.angle\n"
    "  hooke plot results/slider_crank energy --out energy.png\n"
    "  hooke plot results/alpha body.slider.position.x --with results/hht --out compare.svg\n"
    "  hooke plot results/pendulum joint.pivot.angle.rate --against joint.pivot.angle\n"
    "\n"
    "Quantities are named as for 'hooke export'. Each unit gets a panel of its own. PNG and PDF are made "
    "with\n"
    "chromium or chrome, which must be installed (or named in $HOOKE_BROWSER); SVG needs nothing.";

}  // namespace

void add_plot(CommandLine& line) {
  Command command = line.add("plot", "Draw curves of results (SVG, PNG, PDF)");
  auto arguments = std::make_shared<PlotArguments>();
  command.option({"results", "PATH", "Results file, or the folder it is in", true}, &arguments->results);
  command.option({"names", "NAME", "Quantities, their beginnings, or patterns", true}, &arguments->names);
  command.option(
      {"--out", "FILE", "File to write: .svg, .png or .pdf (default: plot.svg next to the results)"},
      &arguments->out);
  command.option({.name = "--with",
                  .type = "PATH",
                  .help = "Results of another run to compare with; may be repeated",
                  .may_repeat = true},
                 &arguments->with);
  command.option({"--against", "NAME", "Quantity along the x axis (default: time)"}, &arguments->against);
  command.option({"--title", "TEXT", "Words above it"}, &arguments->title);
  command.option({"--units", "UNITS", "Units to show numbers in, such as mm,deg,kN,MPa (default: SI)"},
                 &arguments->units);
  command.option(
      {.name = "--width", .type = "PIXELS", .help = "Width of the picture (760)", .range = {{100, 10000}}},
      &arguments->width);
  command.option(
      {.name = "--height", .type = "PIXELS", .help = "Height of each panel (230)", .range = {{100, 10000}}},
      &arguments->height);
  command.footer(plot_examples);
  command.action([arguments] { return run(*arguments); });
}

}  // namespace hooke::program
