#include "hooke/io/results/export.h"

#include "hooke/base/format.h"

#include <filesystem>
#include <iostream>

#include "commands.h"
#include "hooke/view/gltf.h"
#include "hooke/view/vtk.h"
#include "results_path.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct ExportArguments {
  std::string results, csv, vtk, gltf;
  std::vector<std::string> names;
  bool is_list = false;
};

void list(const ResultsReader& results, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> rows{{"quantity", "unit", "meaning"}};
  for (const Quantity& quantity : names.empty() ? results.quantities() : results.select(names))
    rows.push_back({quantity.name, quantity.unit, quantity.entry->text});
  print("{}", columns(rows, true, Style(stdout)));
}

void check_ending(const std::string& path, const char* ending) {
  if (!path.ends_with(ending))
    throw Error(ExitCode::usage, formatted("{}: its name should end in {}", path, ending));
}

void export_pictures(const ResultsReader& results, const ExportArguments& arguments) {
  if (!arguments.names.empty())
    throw Error(ExitCode::usage, "names choose columns of a table; --vtk and --gltf write all bodies");
  if (!arguments.vtk.empty()) {
    check_ending(arguments.vtk, ".pvd");
    const std::size_t outputs = export_vtk(results, arguments.vtk);
    print("wrote {}: {}\n", arguments.vtk, count(static_cast<long>(outputs), "output", "outputs"));
  }
  if (!arguments.gltf.empty()) {
    check_ending(arguments.gltf, ".glb");
    export_gltf(results, arguments.gltf);
    print("wrote {}\n", arguments.gltf);
  }
}

ExitCode run(const ExportArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path path = results_path(arguments.results);
  check_results(path.string());
  const ResultsReader results(path.string());
  if (arguments.is_list) {
    list(results, arguments.names);
    return ExitCode::ok;
  }
  const std::string& status = results.about().status;
  if (status != "finished")
    print_warning(formatted("{}: the run is not finished but {}", path.string(), status));
  if (!arguments.vtk.empty() || !arguments.gltf.empty()) {
    export_pictures(results, arguments);
    if (arguments.csv.empty()) return ExitCode::ok;
  }
  if (arguments.csv == "-") {
    export_csv(results, arguments.names, std::cout);
    return ExitCode::ok;
  }
  const std::string csv =
      arguments.csv.empty() ? fs::path(path).replace_extension(".csv").string() : arguments.csv;
  const ExportedTable table = export_csv(results, arguments.names, csv);
  print("wrote {}: {}, {}\n", csv, count(static_cast<long>(table.rows), "row", "rows"),
        count(static_cast<long>(table.columns), "column", "columns"));
  return ExitCode::ok;
}

const char* const export_examples =
    "Examples:\n"
    "  hooke export results/slider_crank/results.h5 --list\n"
    "  hooke export results/slider_crank/results.h5\n"
    "  hooke export results/slider_crank/results.h5 --csv slider.csv body.slider joint.A.angle\n"
    "  hooke export results/slider_crank/results.h5 --csv - 'body.*.position.x' energy | head\n"
    "  hooke export results/slider_crank/results.h5 --csv steps.csv step\n"
    "  hooke export results/slider_crank/results.h5 --vtk crank.pvd      for ParaView\n"
    "  hooke export results/slider_crank/results.h5 --gltf crank.glb     for Blender and others\n"
    "\n"
    "A name may be that of a quantity, its beginning, or a pattern with * and ?. In Python:\n"
    "  pandas.read_csv(\"slider.csv\", comment=\"#\")";

}  // namespace

void add_export(CommandLine& line) {
  Command command = line.add("export", "Write results as a table (CSV), for ParaView or as glTF");
  auto arguments = std::make_shared<ExportArguments>();
  command.option({"results", "PATH", "Results file, or the folder it is in", true}, &arguments->results);
  command.option({"names", "NAME", "Quantities (default: all that are recorded per output)"},
                 &arguments->names);
  command.option({"--csv", "FILE", "File to write; - for the standard output (default: next to the results)"},
                 &arguments->csv);
  command.option(
      {"--vtk", "FILE.pvd", "Time series for ParaView to write, with a folder of that name beside it"},
      &arguments->vtk);
  command.option({"--gltf", "FILE.glb", "Animation to write as binary glTF"}, &arguments->gltf);
  command.flag("--list", arguments->is_list, "List the quantities instead");
  command.footer(export_examples);
  command.action([arguments] { return run(*arguments); });
}

}  // namespace hooke::program
