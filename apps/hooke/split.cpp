#include "hooke/simulation/split.h"

#include <thread>

#include "commands.h"
#include "example_models.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/simulation/simulation.h"
#include "hooke/simulation/subsystems.h"

namespace hooke::program {
namespace {

struct SplitArguments {
  const Catalog* catalog;
  std::string model;
  std::vector<std::string> set, fine;
  int into = 2;
  double step = 0, seconds = 1;
};

/// Groups of bodies as subsystems `part1`, `part2`, or `part` if there is one only.
void add_subsystems(Problem& to, const System& system, const char* name,
                    const std::vector<std::vector<int>>& groups, std::optional<double> step = {}) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    SubsystemSettings subsystem;
    for (const int body : groups[k]) subsystem.bodies.push_back(system.body_name(body));
    subsystem.step = step;
    to.subsystems.emplace_back(groups.size() == 1 ? name : formatted("{}{}", name, k + 1),
                               std::move(subsystem));
  }
}

/// Of about the same size, each with the step of the whole.
Problem split_by_size(const Problem& whole, const System& system, int count) {
  if (count > system.bodies())
    throw Error(ExitCode::usage, formatted("--into: the model has {} bodies only", system.bodies()));
  Problem result = whole;
  add_subsystems(result, system, "part", propose_split(system, count));
  result.coupling.scheme = CouplingScheme::jacobi;
  result.run.integrator = StabilisedOdeChoice{};
  return result;
}

/// Some bodies with a shorter step than the others.
Problem split_by_step(const Problem& whole, const Simulation& simulation, const SplitArguments& arguments) {
  const System& system = simulation.system();
  if (!(arguments.step > 0) || arguments.step > 0.5 * whole.run.step)
    throw Error(
        ExitCode::usage,
        formatted("--step: with --fine, give those bodies a step that is a fraction of run.step, {:g} s",
                  whole.run.step));
  std::vector<char> is_fine(static_cast<std::size_t>(system.bodies()), 0);
  for (const std::string& word : arguments.fine) {
    const std::vector<int> meant = bodies_called(word, simulation.built());
    if (meant.empty())
      throw Error(ExitCode::usage,
                  formatted("--fine: no body named '{}'{}", word, suggest(word, simulation.built().bodies)));
    for (const int body : meant) is_fine[body] = 1;
  }
  std::vector<int> fine, coarse;
  for (int body = 0; body < system.bodies(); ++body) (is_fine[body] ? fine : coarse).push_back(body);
  if (coarse.empty()) throw Error(ExitCode::usage, "--fine: there are no other bodies");
  Problem result = whole;
  add_subsystems(result, system, "coarse", connected_groups(system, coarse));
  add_subsystems(result, system, "fine", connected_groups(system, fine), arguments.step);
  result.coupling.scheme = CouplingScheme::multirate;
  return result;
}

std::string shown(const Pace& pace) {
  return pace.failure.empty() ? formatted("{:.3g} s", pace.seconds) : "fails";
}

/// Both are run for a while, with one thread and with all cores. Comments of the model file that is proposed. Returns
/// whether splitting pays on any of these, or that is not known.
bool try_both(const Problem& whole, const Problem& split, double seconds) {
  std::vector<int> threads{1};
  if (const int cores = static_cast<int>(std::thread::hardware_concurrency()); cores > 1)
    threads.push_back(cores);
  print("# Tried for {:g} s each. Real time for a second of motion:\n", seconds);
  std::vector<std::string> failures;
  bool pays = false;
  for (const int count : threads) {
    const auto pace = [&](Problem problem) {
      problem.run.threads = count;
      Pace result = pace_of(std::move(problem), seconds);
      if (!result.failure.empty()) failures.push_back(result.failure);
      return result;
    };
    const Pace one = pace(whole), parts = pace(split);
    std::string verdict;
    if (one.failure.empty() && parts.failure.empty()) {
      const double gain = one.seconds / parts.seconds;
      pays = pays || gain > 1;
      verdict = gain > 1 ? formatted(": the split is {:.1f} times as fast", gain)
                         : formatted(": the whole is {:.1f} times as fast", 1 / gain);
    }
    print("#   {} thread{}: whole {}, split {}{}\n", count, count > 1 ? "s" : "", shown(one), shown(parts),
          verdict);
  }
  if (!failures.empty()) print("# {}\n", failures.front().substr(0, failures.front().find('\n')));
  return pays || !failures.empty();
}

/// What to do where it does not.
std::string advice(bool has_steps) {
  return has_steps
             ? "the whole is at least as fast with that step: split only where --fine bodies need a far "
               "shorter step, or leave them whole"
             : "the whole is at least as fast: leave it whole. Splitting pays where a small part needs far "
               "shorter steps than the rest: name it by --fine BODY --step S";
}

/// Everything but the keys is a comment: what is printed can be appended to the model file.
ExitCode split(const SplitArguments& arguments) {
  check_model_exists(arguments.model);
  if (arguments.fine.empty() && arguments.step != 0)
    throw Error(ExitCode::usage, "--step is that of the bodies named by --fine: name some");
  Problem whole = load(arguments.model, arguments.set, *arguments.catalog);
  whole.subsystems = {};
  whole.coupling = {};
  const Simulation simulation(whole);
  const System& system = simulation.system();
  const bool has_steps = !arguments.fine.empty();
  const Problem proposed =
      has_steps ? split_by_step(whole, simulation, arguments) : split_by_size(whole, system, arguments.into);
  if (has_steps) whole.run.step = arguments.step;

  std::vector<int> part_of(static_cast<std::size_t>(system.bodies()));
  int number = 0;
  for (const auto& [name, subsystem] : proposed.subsystems) {
    for (const std::string& body : subsystem.bodies)
      part_of[bodies_called(body, simulation.built()).front()] = number;
    ++number;
  }
  std::vector<std::string> cuts;
  for (const int c : cut_constraints(system, part_of)) cuts.push_back(system.constraint_name(c));
  print("# Cut at {}.{}\n", cuts.empty() ? "no joint" : join(cuts, ", "),
        has_steps ? "" : " To be run with the integrator stabilised-ode.");
  if (arguments.seconds > 0 && !try_both(whole, proposed, arguments.seconds)) {
    print("# Do not split it so: {}.\n", advice(has_steps));
    print_warning(advice(has_steps));
  }
  print("subsystems:\n");
  for (const auto& [name, subsystem] : proposed.subsystems)
    if (subsystem.step)
      print("  {}: {{bodies: [{}], step: {:g}}}\n", name, join(subsystem.bodies, ", "), *subsystem.step);
    else
      print("  {}: [{}]\n", name, join(subsystem.bodies, ", "));
  print("coupling: {}\n", has_steps ? "multirate" : "jacobi");
  return ExitCode::ok;
}

const char* const split_examples =
    "Examples:\n"
    "  hooke split chain.yaml --into 4\n"
    "  hooke split chain.yaml --into 4 >> chain.yaml && hooke run chain.yaml --integrator stabilised-ode\n"
    "  hooke split crane.yaml --fine winch --fine drum --step 1e-5     those with short steps, the rest with "
    "run.step";

}  // namespace

void add_split(CommandLine& line) {
  Command command = line.add("split", "Propose subsystems, and try what splitting saves");
  auto arguments = std::make_shared<SplitArguments>();
  arguments->catalog = &line.catalog();
  command.model_argument(arguments->model);
  command.option({.name = "--into",
                  .type = "N",
                  .help = "So many of about equal size, cut at few joints (default: 2)",
                  .range = {{1, 10000}}},
                 &arguments->into);
  command.option({.name = "--fine",
                  .type = "BODY",
                  .help = "Instead: a body with a shorter step than the rest; may be repeated",
                  .may_repeat = true},
                 &arguments->fine);
  command.option({.name = "--step", .type = "S", .help = "With --fine: that step, s"}, &arguments->step);
  command.option({.name = "--seconds",
                  .type = "S",
                  .help = "How long whole and split are tried, each (default: 1; 0: not at all)",
                  .range = {{0, 1e6}}},
                 &arguments->seconds);
  command.set_option(arguments->set);
  command.footer(split_examples);
  command.action([arguments] { return split(*arguments); });
}

}  // namespace hooke::program
