#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "commands.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/fmi/export.h"
#include "hooke/fmi/zip_file.h"
#include "hooke/view/still.h"
#include "results_path.h"
#include "terminal.h"

namespace hooke::program {
namespace {

namespace fs = std::filesystem;

const char* const export_fmu_examples =
    "Examples:\n"
    "  hooke export-fmu servo.yaml                          servo.fmu: FMI 2.0, co-simulation\n"
    "  hooke export-fmu servo.yaml --fmi 3 --kind both\n"
    "  hooke export-fmu slider_crank.yaml --outputs 'body.slider.*,joint.A.angle'\n"
    "  hooke export-fmu slider_crank.yaml --fmi 3 --terminal joint.D --terminal frame.crank\n"
    "\n"
    "Inputs are blocks {parameter: 0} under 'control'; outputs have the names that results have.";

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');)
    if (!trim(word).empty()) words.emplace_back(trim(word));
  return words;
}

/// Beside the program, or where it is installed.
std::string fmu_library() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path installed = (program / HOOKE_INSTALLED_FMU).lexically_normal();
  return (fs::exists(installed) ? installed : program / "hooke_fmu.so").string();
}

/// A picture of the start, and the page of the run.
std::vector<std::pair<std::string, std::string>> documents_of(const std::string& run) {
  const std::vector<ViewedRun> runs = open_runs({run});
  const TemporaryFolder folder;
  const std::string page = (folder.path() / "run.html").string();
  export_page(runs, page);
  std::ifstream file(page, std::ios::binary);
  const ResultsReader& results = *runs.front().results;
  return {{"model.svg", draw_still(results, make_scene(results), {})},
          {"run.html", {std::istreambuf_iterator<char>(file), {}}}};
}

FmuKind kind_of(const std::string& word) {
  if (word == "cs") return FmuKind::co_simulation;
  if (word == "me") return FmuKind::model_exchange;
  if (word == "both") return FmuKind::both;
  throw Error(ExitCode::usage, formatted("--kind is cs, me or both, not '{}'", word));
}

}  // namespace

void add_export_fmu(CommandLine& line) {
  struct Arguments {
    std::string model, out, outputs, run, kind = "cs";
    std::optional<std::string> inputs;
    int version = 2;
    bool has_sources = false;
    std::vector<std::string> set, terminals;
  };
  auto arguments = std::make_shared<Arguments>();
  Command command = line.add("export-fmu", "Write a model as an FMU, for other simulation programs");
  command.model_argument(arguments->model);
  command.set_option(arguments->set);
  command.option({"--out", "FILE", "Archive to write; otherwise MODEL.fmu"}, &arguments->out);
  command.option({.name = "--fmi",
                  .type = "VERSION",
                  .help = "Version of the standard: 2 or 3",
                  .range = std::array{2.0, 3.0}},
                 &arguments->version);
  command.option({"--kind", "KIND", "cs: co-simulation, me: model exchange, both"}, &arguments->kind);
  command.option({"--inputs", "NAMES",
                  "Blocks {parameter: 0} that are inputs, with commas between; otherwise all. "
                  "The others are tunable parameters"},
                 &arguments->inputs);
  command.option({"--outputs", "NAMES",
                  "Quantities, with commas between, * for any; otherwise signals and joint "
                  "coordinates"},
                 &arguments->outputs);
  command.option(
      {.name = "--terminal",
       .type = "PLACE",
       .help = "joint.NAME or frame.BODY, where another program acts: inputs for force and torque, "
               "outputs of the motion; or NAME=MEMBER:VARIABLE,... of variables there are",
       .may_repeat = true},
      &arguments->terminals);
  command.flag("--sources", arguments->has_sources,
               "Pack the sources of the library along, for other machines; they need C++20 and Eigen");
  command.option({"--run", "RESULTS", "A run of the model, whose page and picture go into the documentation"},
                 &arguments->run);
  command.footer(export_fmu_examples);
  command.action([arguments] {
    ExportSettings settings{.version = arguments->version,
                            .kind = kind_of(arguments->kind),
                            .overrides = arguments->set,
                            .outputs = words_of(arguments->outputs),
                            .terminals = arguments->terminals,
                            .library = fmu_library()};
    if (arguments->inputs) settings.inputs = words_of(*arguments->inputs);
    if (arguments->has_sources)
      settings.sources = fs::path(settings.library).replace_filename("hooke_fmu_sources.zip").string();
    if (!arguments->run.empty()) settings.documents = documents_of(arguments->run);
    std::string out = arguments->out;
    if (out.empty()) out = fs::path(arguments->model).stem().string() + ".fmu";
    const ExportSummary made = export_fmu(arguments->model, out, settings);
    print("{}: FMI {}.0, {:.2f} MB\n", out, settings.version, static_cast<double>(made.bytes) * 1e-6);
    for (const std::string& warning : made.warnings) print_warning(warning);
    for (const FmuVariable& v : made.variables)
      if (v.role != FmuRole::derivative && v.role != FmuRole::indicator)
        print("  {:11} {}{}{}\n", to_word(v.role), v.name,
              v.components.empty() ? ""
              : v.columns > 0      ? formatted("[{}, {}]", v.width() / v.columns, v.columns)
                                   : formatted("[{}]", v.width()),
              v.unit.empty() || v.unit == "1" ? "" : formatted(" ({})", v.unit));
    return ExitCode::ok;
  });
}

}  // namespace hooke::program
