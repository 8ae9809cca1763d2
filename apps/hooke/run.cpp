#include "hooke/base/format.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "commands.h"
#include "example_models.h"
#include "hooke/fmi/cosimulation.h"
#include "hooke/io/document/document.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/results/results_reader.h"
#include "hooke/io/results/run_needs.h"
#include "hooke/simulation/checkpoint.h"
#include "hooke/simulation/linear_run.h"
#include "live_view.h"
#include "overrides.h"
#include "progress_bar.h"
#include "results_path.h"
#include "stop_signal.h"
#include "summary.h"

namespace hooke::program {
namespace {

struct RunArguments {
  const Catalog* catalog;
  std::string model, out, continued;
  RunChanges changes;
  bool allows_code = false;
  bool is_quiet = false, has_no_progress = false, is_live = false, has_no_open = false;
};

/// "parameters.length=0.5", one of the model's own if it has any.
std::string example_override(const RunArguments& arguments) {
  Diagnostics diagnostics;
  const Document document = load_document(arguments.model, arguments.changes.set, diagnostics);
  const Value* parameters = document.root().find("parameters");
  if (!parameters || parameters->children.empty()) {
    const bool has_bodies = !document.root().find("linear") && !document.root().find("participants");
    return has_bodies ? "gravity=[0,0,-1.62]" : "run.step=1e-3";
  }
  const Value& first = parameters->children.front();
  return formatted("parameters.{}={}", first.key, first.text);
}

/// Results can be run again: they hold the problem as it was run.
bool are_results(const std::string& path) {
  return std::filesystem::path(path).extension() == ".h5" || std::filesystem::is_directory(path);
}

void print_next(const RunArguments& arguments, const Summary& summary, const std::string& program,
                const Style& style) {
  const std::string model = shell_quoted(arguments.model);
  std::vector<std::vector<std::string>> lines;
  if (!summary.results.empty()) {
    const std::string results = shell_quoted(summary.results);
    if (summary.bodies > 0) lines.push_back({formatted("{} view {}", program, results), "see it move"});
    lines.push_back({formatted("{} export {} --list", program, results), "what was computed"});
    lines.push_back({formatted("{} export {}", program, results), "all of it as a table (CSV)"});
  }
  if (!arguments.model.empty() && !are_results(arguments.model))
    lines.push_back(
        {formatted("{} run {} --set {}", program, model, shell_quoted(example_override(arguments))),
         "change a parameter"});
  lines.push_back({formatted("{} run --help", program), "choose a method, step or tolerance"});
  print("\nnext:\n{}", columns(lines, false, style));
}

/// What a file asks to be run.
struct Job {
  std::string title;
  double start = 0;
  std::vector<std::string> warnings;
  std::function<Summary(const RunOptions&)> run;
  std::function<std::vector<std::string>(const std::string& results)> needs = {};  ///< where they are large
};

Job job_of(std::shared_ptr<Simulation> simulation) {
  return {simulation->problem().model.title, simulation->problem().run.start, simulation->start().warnings,
          [=](const RunOptions& options) { return simulation->run(options); },
          [=](const std::string& results) {
            const Problem& problem = simulation->problem();
            return large_needs(problem, needs_of(problem, simulation->built()), results);
          }};
}

Job job_of(const LinearModel& model) {
  Job job{model.title, 0, {}, [=](const RunOptions& options) { return hooke::run(model, options); }};
  if (const std::string warning = stability_warning(model); !warning.empty()) job.warnings.push_back(warning);
  return job;
}

/// A run that stopped; only how far it goes, on how many threads, can be said anew.
Job continued_job(const RunArguments& arguments) {
  const RunChanges& changes = arguments.changes;
  RunChanges others = changes;
  others.end.reset(), others.threads.reset();
  if (!overrides(others).empty())
    throw Error(ExitCode::usage,
                "a run goes on with the model and the method it began with: beside --continue "
                "only --end and --threads can be given");
  const std::string results = results_path(arguments.continued);
  if (auto linear = continued_linear_model(results)) {
    if (changes.end) linear->end = std::stod(*changes.end);
    return job_of(*linear);
  }
  Problem problem = continued(results, *arguments.catalog);
  problem.model.allows_code = arguments.allows_code;
  if (changes.end) problem.run.end = std::stod(*changes.end);
  if (changes.threads) problem.run.threads = std::stoi(*changes.threads);
  return job_of(std::make_shared<Simulation>(std::move(problem)));
}

Job job_again(const RunArguments& arguments) {
  const std::string path = results_path(arguments.model);
  check_results(path);
  const ResultsReader results(path);
  const std::string settings = results.settings();
  if (settings.empty())
    throw Error(ExitCode::usage,
                formatted("{} does not hold all settings of its run, so it cannot be run again", path));
  const std::string file = results.model_file().empty() ? path : results.model_file();
  const std::vector<std::string> changes = overrides(arguments.changes);
  Diagnostics diagnostics;
  Problem problem = parse_model(settings, file, changes, diagnostics, *arguments.catalog);
  diagnostics.throw_if_errors();
  problem.text = settings;
  problem.file = file;
  problem.overrides = changes;
  problem.model.allows_code = arguments.allows_code;
  return job_of(std::make_shared<Simulation>(std::move(problem)));
}

/// Linear subsystems, participants, or a model.
Job job_of(const RunArguments& arguments) {
  if (!arguments.continued.empty()) return continued_job(arguments);
  if (are_results(arguments.model)) return job_again(arguments);
  check_model_exists(arguments.model);
  const std::vector<std::string> changes = overrides(arguments.changes);
  if (const auto linear = read_linear_model(arguments.model, changes)) return job_of(*linear);
  if (const auto coupled = read_cosimulation(arguments.model, changes))
    return {coupled->title, coupled->run.start, {}, [=](const RunOptions& options) {
              return hooke::run(*coupled, options);
            }};
  Problem problem = load(arguments.model, changes, *arguments.catalog);
  problem.model.allows_code = arguments.allows_code;
  return job_of(std::make_shared<Simulation>(std::move(problem)));
}

ExitCode run(const RunArguments& arguments, const std::string& program) {
  namespace fs = std::filesystem;
  if (arguments.model.empty() == arguments.continued.empty())
    throw Error(ExitCode::usage, "give either a model file to run, or --continue and the results of a run");
  const Job job = job_of(arguments);
  for (const std::string& warning : job.warnings) print_warning(warning);

  const fs::path folder = arguments.out.empty() ? fs::path("results") / fs::path(arguments.model).stem()
                                                : fs::path(arguments.out);
  const std::string results =
      arguments.continued.empty() ? (folder / "results.h5").string() : results_path(arguments.continued);
  if (job.needs)
    for (const std::string& text : job.needs(results)) print_warning(text);
  LiveView live;
  ProgressBar bar(is_terminal(stderr) && !arguments.is_quiet && !arguments.has_no_progress);
  listen_for_stop();
  const Summary summary = job.run({.results = results,
                                   .is_continued = !arguments.continued.empty(),
                                   .progress =
                                       [&](const Progress& progress) {
                                         if (arguments.is_live) live.show(results, !arguments.has_no_open);
                                         bar.update(progress, job.start);
                                       },
                                   .cancelled = is_stop_asked});
  bar.clear();

  if (!arguments.is_quiet) {
    const Style style(stdout);
    print("{}", describe(summary, job.title.empty() ? arguments.model : job.title, style));
    if (summary.status == RunStatus::finished) print_next(arguments, summary, program, style);
    std::fflush(stdout);
  }
  for (std::size_t k = job.warnings.size(); k < summary.warnings.size(); ++k)
    print_warning(summary.warnings[k]);
  if (arguments.is_live && !is_stop_asked()) {
    live.show(results, !arguments.has_no_open);  // a run without steps
    print("\nThe page stays until Ctrl-C.\n");
    std::fflush(stdout);
    while (!is_stop_asked()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (summary.status == RunStatus::failed) print_error(summary.failure);
  return summary.code;
}

const char* const run_examples =
    "Examples:\n"
    "  hooke run models/slider_crank.yaml\n"
    "  hooke run chain.yaml --set parameters.n=128 --end 2 --out results/chain128\n"
    "  hooke run pendulum.yaml --integrator generalized-alpha:rho=0.5,form=index3 --step 1e-4\n"
    "  hooke run pendulum.yaml --integrator dormand-prince --tolerance 1e-8\n"
    "  hooke run chain.yaml --set parameters.n=1024 --solver dca --threads 2\n"
    "  hooke run four_bar.yaml --integrator trapezoidal:form=index3,projection=acceleration --realtime 3\n"
    "  hooke run linkage.yaml --analysis statics\n"
    "  hooke run chain.yaml --live\n"
    "  hooke run --continue results/chain --end 10\n"
    "  hooke run results/chain --step 1e-4 --out results/finer\n"
    "\n"
    "Ctrl-C stops after the current step and keeps the results; --continue goes on from there. A second one "
    "ends\nthe program at once.\n"
    "Exit status: 0 finished, 2 wrong command line, 3 wrong model, 4 model cannot be assembled, 5 a step "
    "failed,\n"
    "6 a file cannot be read or written, 7 the motion is not to be trusted, 130 stopped by Ctrl-C, 1 a "
    "mistake in hooke itself.";

}  // namespace

void add_run(CommandLine& line) {
  Command command = line.add("run", "Simulate a model and write the results");
  auto arguments = std::make_shared<RunArguments>();
  arguments->catalog = &line.catalog();
  RunChanges& changes = arguments->changes;
  command.option(
      {.name = "model", .type = "FILE", .help = "Model file (YAML or JSON), or results, to be run again"},
      &arguments->model);
  command.option(
      {"--continue", "RESULTS",
       "Go on with a run that was stopped or killed, or further with one that ended (--end); RESULTS "
       "is its folder"},
      &arguments->continued);
  command.option({"--out", "DIR", "Folder for results.h5 (default: results/ and the model's name)"},
                 &arguments->out);
  command.set_option(changes.set);
  command.option({"--integrator", "NAME", "Time integrator, with settings if wanted: NAME[:key=value,...]"},
                 &changes.integrator);
  command.option({"--solver", "NAME", "Newton solver"}, &changes.solver);
  command.option({.name = "--step", .type = "H", .help = "Step (s)", .is_number = true}, &changes.step);
  command.option({.name = "--end", .type = "T", .help = "End time (s)", .is_number = true}, &changes.end);
  command.option({.name = "--tolerance",
                  .type = "X",
                  .help = "Local error per step: makes the step vary",
                  .is_number = true},
                 &changes.tolerance);
  command.option({"--analysis", "NAME", "dynamics, kinematics, inverse-dynamics, statics or modes"},
                 &changes.analysis);
  command.option(
      {.name = "--threads",
       .type = "N",
       .help = "Threads for the evaluation and the solvers dca and schur, 0: one per core; results do "
               "not depend on it",
       .is_number = true},
      &changes.threads);
  command.option({.name = "--realtime",
                  .type = "N",
                  .help = "Exactly N Newton iterations in every step, and a report of late steps",
                  .is_number = true},
                 &changes.realtime);
  command.option({"--device", "NAME", "cpu, gpu (solids in components on a graphics card) or auto"},
                 &changes.device);
  command.flag("-q,--quiet", arguments->is_quiet, "Print warnings and errors only");
  command.flag("--no-progress", arguments->has_no_progress, "No progress bar");
  command.flag("--allow-code", arguments->allows_code,
               "Let the model load the libraries it names (plugin): code that you trust");
  command.flag("--live", arguments->is_live, "Show the run in the browser while it goes on");
  command.flag("--no-open", arguments->has_no_open, "With --live: only print the address");
  command.footer(run_examples);
  command.action([arguments, &line] { return run(*arguments, line.program()); });
}

}  // namespace hooke::program
