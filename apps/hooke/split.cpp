#include "hooke/base/format.h"

#include "commands.h"
#include "example_models.h"
#include "hooke/simulation/simulation.h"
#include "hooke/simulation/subsystems.h"

namespace hooke::program {
namespace {

struct SplitArguments {
  const Catalog* catalog;
  std::string model;
  std::vector<std::string> set;
  int into = 2;
};

/// Everything but the subsystems is a comment: what is printed can be appended to the model file.
ExitCode split(const SplitArguments& arguments) {
  check_model_exists(arguments.model);
  const Simulation simulation(load(arguments.model, arguments.set, *arguments.catalog));
  const System& system = simulation.system();
  if (arguments.into > system.bodies())
    throw Error(ExitCode::usage, formatted("--into: the model has {} bodies only", system.bodies()));

  const auto parts = propose_split(system, arguments.into);
  std::vector<int> part_of(static_cast<std::size_t>(system.bodies()));
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const int body : parts[p]) part_of[static_cast<std::size_t>(body)] = static_cast<int>(p);
  std::string cuts;
  for (const int c : cut_constraints(system, part_of))
    cuts += (cuts.empty() ? "" : ", ") + system.constraint_name(c);
  print("# Cut at {}. To be run with the integrator stabilised-ode.\n", cuts.empty() ? "no joint" : cuts);
  print("subsystems:\n");
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::string names;
    for (const int body : parts[p]) names += (names.empty() ? "" : ", ") + system.body_name(body);
    print("  part{}: [{}]\n", p + 1, names);
  }
  return ExitCode::ok;
}

const char* const split_examples =
    "Examples:\n"
    "  hooke split chain.yaml --into 4\n"
    "  hooke split chain.yaml --into 4 >> chain.yaml && hooke run chain.yaml --integrator stabilised-ode";

}  // namespace

void add_split(CommandLine& line) {
  Command command = line.add("split", "Propose subsystems of about equal size, cut at few joints");
  auto arguments = std::make_shared<SplitArguments>();
  arguments->catalog = &line.catalog();
  command.model_argument(arguments->model);
  command.option({.name = "--into", .type = "N", .help = "How many (default: 2)", .range = {{1, 10000}}},
                 &arguments->into);
  command.set_option(arguments->set);
  command.footer(split_examples);
  command.action([arguments] { return split(*arguments); });
}

}  // namespace hooke::program
