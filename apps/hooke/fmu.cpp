#include "commands.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/fmi/fmu_link.h"
#include "terminal.h"

namespace hooke::program {
namespace {

const char* const fmu_examples =
    "Examples:\n"
    "  hooke fmu motor.fmu                    what it is, its variables, a trial step\n"
    "  hooke fmu motor.fmu --no-step          without running anything of it\n"
    "  hooke fmu motor.fmu --all              all variables";

struct FmuArguments {
  std::string file;
  bool shows_all = false, has_no_step = false, runs_here = false;
  double step = 0;
};

std::string yes(bool value) { return value ? "yes" : "no"; }

void show(const FmuFile& fmu, const FmuArguments& arguments, const Style& style) {
  const FmuDescription& d = fmu.description;
  print("{}\n\n", style.bold(d.name));
  std::vector<std::string> kinds;
  if (d.co_simulation) kinds.emplace_back("co-simulation");
  if (d.model_exchange) kinds.emplace_back("model exchange");
  std::vector<std::vector<std::string>> facts{
      {"FMI", d.version_text + ", " + join(kinds, " and ")},
      {"made by", d.generator.empty() ? "(it does not say)" : d.generator},
      {"libraries", join(fmu.platforms(), ", ")},
      {"states can be saved", yes(d.saves_states) + (d.serialises_states ? ", and as bytes" : "")},
      {"any communication step", yes(d.varies_step)},
      {"directional derivatives", yes(d.has_derivatives)},
      {"continuous states, event indicators", formatted("{}, {}", d.states, d.indicators)}};
  if (d.start || d.stop || d.step)
    facts.push_back(
        {"default experiment", formatted("{:.6g} s to {:.6g} s, step {:.6g} s", d.start.value_or(0),
                                         d.stop.value_or(0), d.step.value_or(0))});
  print("{}\n", columns(facts, false, style));

  constexpr std::size_t shown = 40;
  std::vector<std::vector<std::string>> rows{
      {"variable", "causality", "variability", "unit", "start", "depends on"}};
  std::size_t left_out = 0;
  for (const auto& v : d.variables) {
    const bool matters = v.causality == "input" || v.causality == "output" || v.causality == "parameter";
    if (!arguments.shows_all && (!matters || rows.size() > shown)) {
      ++left_out;
      continue;
    }
    rows.push_back({v.name + (v.is_array ? formatted("[{}]", v.width) : ""), v.causality, v.variability,
                    v.unit, v.start,
                    v.causality != "output"                           ? ""
                    : v.dependencies == std::vector<std::string>{"*"} ? "all"
                                                                      : join(v.dependencies, ", ")});
  }
  print("{}", columns(rows, true, style));
  if (left_out > 0)
    print("  and {} (--all shows them)\n", count(static_cast<long>(left_out), "other", "others"));
  std::vector<std::vector<std::string>> terminals{{"terminal", "kind", "members"}};
  for (const FmuDescription::Terminal& each : d.terminals) {
    if (!arguments.shows_all && terminals.size() > shown) break;
    std::vector<std::string> members;
    for (const auto& [name, variable] : each.members) members.push_back(name);
    terminals.push_back({each.name, each.kind, join(members, ", ")});
  }
  if (terminals.size() > 1) print("\n{}", columns(terminals, true, style));
  print("\n");
}

/// From the start, in a process of its own, as a co-simulation would; of model exchange alone, by Hooke's integrator.
void try_step(const FmuFile& fmu, const FmuArguments& arguments, const Style& style) {
  const FmuDescription& d = fmu.description;
  const auto link = open_fmu(fmu, arguments.runs_here ? FmuHome::here : FmuHome::process, "trial");
  const bool can_go_back = d.co_simulation ? d.saves_states : d.exchange_saves_states;
  const double start = d.start.value_or(0);
  double h = arguments.step;
  if (!(h > 0)) h = d.step.value_or(d.stop ? (*d.stop - start) / 1000 : 1e-3);
  if (!(h > 0)) h = 1e-3;
  link->begin(start, {}, {});
  const auto outputs = fmu.numbers("output");
  std::vector<FmuNumber> which;
  for (const auto& [name, number] : outputs) which.push_back(number);
  std::vector<double> before(which.size()), after(which.size()), again(which.size());
  link->get(which, before);
  if (can_go_back) link->save();
  const FmuLink::Step step = link->step(start, h);
  if (!step.is_complete && !step.has_ended)
    throw Error(ExitCode::step_failed, formatted("{}: a trial step of {:.6g} s got only to t = {:.6g} s: {}",
                                                 fmu.path, h, step.t, step.text));
  link->get(which, after);
  std::vector<std::vector<std::string>> rows{{"output", "at the start", formatted("after {:.6g} s", h)}};
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < which.size() && (i < shown || arguments.shows_all); ++i)
    rows.push_back({outputs[i].first, formatted("{:.9g}", before[i]), formatted("{:.9g}", after[i])});
  if (!which.empty()) print("{}\n", columns(rows, true, style));
  if (can_go_back && step.is_complete) {
    link->restore();
    if (!link->step(start, h).is_complete)
      throw Error(ExitCode::step_failed, fmu.path + ": a step that was taken back fails");
    link->get(which, again);
    if (again != after)
      print_warning("a step that was taken back and repeated ends elsewhere: its states are not whole");
  }
}

}  // namespace

void add_fmu(CommandLine& line) {
  auto arguments = std::make_shared<FmuArguments>();
  Command command = line.add("fmu", "Show what is in an FMU, and check it");
  command.option({.name = "FILE", .type = "FILE", .help = "Archive", .is_required = true}, &arguments->file);
  command.flag("--all", arguments->shows_all, "Show all variables");
  command.flag("--no-step", arguments->has_no_step, "Run nothing of it");
  command.flag("--here", arguments->runs_here, "Run it in this process, to look at it with a debugger");
  command.option({"--step", "SECONDS", "Length of the trial step"}, &arguments->step);
  command.footer(fmu_examples);
  command.action([arguments] {
    const FmuFile fmu(arguments->file);
    const Style style(stdout);
    show(fmu, *arguments, style);
    std::fflush(stdout);
    for (const std::string& warning : fmu.description.warnings) print_warning(warning);
    if (!arguments->has_no_step) try_step(fmu, *arguments, style);
    print("{}\n", style.green("No fault was found."));
    return ExitCode::ok;
  });
}

}  // namespace hooke::program
