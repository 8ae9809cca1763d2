#include "hooke/view/report.h"

#include "hooke/base/format.h"

#include <filesystem>

#include "browser.h"
#include "commands.h"
#include "hooke/view/output_file.h"
#include "results_path.h"

namespace hooke::program {
namespace {

struct ReportArguments {
  std::string results, out, units;
  std::vector<std::string> names;
};

ExitCode run(const ReportArguments& arguments) {
  namespace fs = std::filesystem;
  const std::vector<ViewedRun> runs = open_runs({arguments.results});
  const std::string out =
      arguments.out.empty()
          ? fs::path(results_path(arguments.results)).replace_filename("report.html").string()
          : arguments.out;
  const std::string ending = fs::path(out).extension().string();
  if (ending != ".html" && ending != ".pdf")
    throw Error(ExitCode::usage, formatted("{}: a report can be written as .html or .pdf", out));
  const std::string html =
      make_report(*runs[0].results, runs[0].label, arguments.names, Units(arguments.units));
  if (ending == ".html")
    write_file(out, html);
  else
    print_pdf(html, out);
  print("wrote {}\n", out);
  return ExitCode::ok;
}

const char* const report_examples =
    "Examples:\n"
    "  hooke report results/slider_crank                      report.html next to the results\n"
    "  hooke report results/slider_crank --out crank.pdf\n"
    "  hooke report results/slider_crank body.slider joint.A  these curves instead of the usual ones\n"
    "\n"
    "PDF is made with chromium or chrome, which must be installed (or named in $HOOKE_BROWSER).";

}  // namespace

void add_report(CommandLine& line) {
  Command command = line.add("report", "Write a report about a run (HTML, PDF)");
  auto arguments = std::make_shared<ReportArguments>();
  command.option({"results", "PATH", "Results file, or the folder it is in", true}, &arguments->results);
  command.option({"names", "NAME", "Quantities to draw (default: coordinates and positions that change)"},
                 &arguments->names);
  command.option({"--out", "FILE", "File to write: .html or .pdf (default: report.html next to the results)"},
                 &arguments->out);
  command.option({"--units", "UNITS", "Units to show numbers in, such as mm,deg,kN,MPa (default: SI)"},
                 &arguments->units);
  command.footer(report_examples);
  command.action([arguments] { return run(*arguments); });
}

}  // namespace hooke::program
