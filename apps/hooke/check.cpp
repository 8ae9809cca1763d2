#include "hooke/base/format.h"

#include <algorithm>
#include <fstream>

#include "commands.h"
#include "example_models.h"
#include "hooke/base/text.h"
#include "hooke/fmi/cosimulation.h"
#include "hooke/simulation/linear_run.h"
#include "hooke/simulation/simulation.h"
#include "hooke/solvers/compliant_rows.h"
#include "hooke/solvers/joint_tree.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct CheckArguments {
  const Catalog* catalog;
  std::string model;
  std::vector<std::string> set;
  bool shows_all = false, shows_tree = false;
  std::string drawing;
};

using Rows = std::vector<std::vector<std::string>>;

std::string numbers(const Vec3& v) { return formatted("{:g}, {:g}, {:g}", v.x(), v.y(), v.z()); }

/// Long tables are cut, since who has a thousand bodies looks for something else.
std::string table(Rows rows, bool shows_all, const Style& style) {
  constexpr std::size_t most = 25;
  const std::size_t items = rows.size() - 1;
  if (items == 0) return "";
  if (shows_all || items <= most) return columns(rows, true, style) + '\n';
  rows.resize(most);
  return columns(rows, true, style) + formatted("  ... and {} more (--all shows them)\n\n", items - most + 1);
}

std::string bodies(const Simulation& simulation, bool shows_all, const Style& style) {
  Rows rows{{"body", "type", "mass (kg)", "position at the start (m)"}};
  const System& system = simulation.system();
  for (int b = 0; b < system.bodies(); ++b) {
    const auto& [name, body] = simulation.built().model->bodies[static_cast<std::size_t>(b)];
    rows.push_back({name, body.formulation.name(), formatted("{:g}", system.mass_properties(b).mass),
                    numbers(system.motion(b, simulation.start().state).pose.p)});
  }
  return table(rows, shows_all, style);
}

std::string joints(const Simulation& simulation, bool shows_all, const Style& style) {
  Rows rows{{"joint", "type", "between", "constraints"}};
  const System& system = simulation.system();
  const auto body_of = [&](int frame) -> std::string {
    const int body = system.frame_map().frames[static_cast<std::size_t>(frame)].body;
    return body < 0 ? "ground" : system.body_name(body);
  };
  for (const BuiltJoint& joint : simulation.built().joints)
    rows.push_back({joint.name, joint.type, body_of(joint.frames[0]) + ", " + body_of(joint.frames[1]),
                    std::to_string(system.rows_of(joint.constraint).second)});
  return table(rows, shows_all, style);
}

std::string forces(const Simulation& simulation, bool shows_all, const Style& style) {
  Rows rows{{"force", "type"}};
  for (const BuiltForce& force : simulation.built().forces) rows.push_back({force.name, force.type});
  return table(rows, shows_all, style);
}

std::string surfaces_of(const std::vector<std::string>& names) {
  return names.size() > 4 ? formatted("{} surfaces", names.size()) : join(names, ", ");
}

std::string contacts(const Simulation& simulation, bool shows_all, const Style& style) {
  Rows rows{{"contact", "law", "surfaces"}};
  for (const auto& [name, contact] : simulation.built().model->contacts) {
    const auto& between = contact.between_surfaces;
    rows.push_back({name, to_word(contact.law),
                    between ? surfaces_of((*between)[0]) + " with " + surfaces_of((*between)[1])
                            : "among " + surfaces_of(contact.among)});
  }
  return table(rows, shows_all, style);
}

std::string signals(const Simulation& simulation, bool shows_all, const Style& style) {
  Rows rows{{"signal", "unit"}};
  for (const BuiltSignal& signal : simulation.built().signals) rows.push_back({signal.name, signal.unit});
  return table(rows, shows_all, style);
}

std::string totals(const Simulation& simulation, const Style& style) {
  const System& system = simulation.system();
  const Start& start = simulation.start();
  const auto workspace = system.workspace();
  system.update(start.state, *workspace);
  const Energy energy = system.energy(start.state, *workspace);
  const ConstraintRank& rank = start.rank;
  std::string freedom = formatted("{} = {} coordinates - {} independent constraints",
                                  rank.degrees_of_freedom(), rank.dofs, rank.rank);
  if (rank.rows > rank.rank) freedom += formatted(" ({} more are redundant)", rank.rows - rank.rank);
  return columns({{"degrees of freedom", freedom},
                  {"gravity", numbers(system.gravity()) + " m/s^2"},
                  {"energy at the start",
                   formatted("kinetic {:.6g} J, potential {:.6g} J", energy.kinetic, energy.potential)}},
                 false, style);
}

/// The order in which solver dca joins the bodies.
void show_tree(const Simulation& simulation, const CheckArguments& arguments, const Style& style) {
  const System& system = simulation.system();
  const KktStructure& structure = system.structure();
  const JointTree tree(with_compliant_rows(structure));
  std::vector<std::string> names;
  for (int c = 0; c < system.constraints(); ++c) names.push_back(system.constraint_name(c));
  const auto body = [&](int block) -> const std::string& {
    const auto& first = structure.body_blocks;
    return system.body_name(
        static_cast<int>(std::upper_bound(first.begin(), first.end(), block) - first.begin()) - 1);
  };
  for (const auto& [a, b] : structure.springs) names.push_back(formatted("{} ~ {}", body(a), body(b)));
  if (arguments.shows_tree)
    print(
        "\n{} ({} leaves, {} levels; each joint is eliminated after those below it; a ~ b: forces between a "
        "and b)\n{}",
        style.bold("tree of joints"), tree.leaves.size(), tree.depth, tree.print(names));
  if (arguments.drawing.empty()) return;
  std::ofstream file(arguments.drawing);
  file << tree.draw(names);
  if (!file.flush()) throw Error(ExitCode::file, formatted("cannot write {}", arguments.drawing));
  print("{} written\n", arguments.drawing);
}

/// Of a file with linear subsystems.
void check_linear(const LinearModel& model, const std::string& title, const Style& style) {
  print("{}\n\n", style.bold(title));
  Rows rows{{"subsystem", "given by", "coordinates"}};
  for (const LinearSubsystem& each : model.subsystems)
    rows.push_back({each.name, each.system ? "A, B, C, D" : "mass, damping, stiffness",
                    std::to_string(each.system ? each.system->A.rows() : each.mass.rows())});
  print("{}", columns(rows, true, style));
  std::fflush(stdout);
  if (const std::string warning = stability_warning(model); !warning.empty()) print_warning(warning);
}

ExitCode check(const CheckArguments& arguments, const std::string& program) {
  check_model_exists(arguments.model);
  if (const auto linear = read_linear_model(arguments.model, arguments.set)) {
    const Style style(stdout);
    check_linear(*linear, linear->title.empty() ? arguments.model : linear->title, style);
    print("\n{} {} run {}\n", style.green("The model can be run:"), program, shell_quoted(arguments.model));
    return ExitCode::ok;
  }
  if (const auto coupled = read_cosimulation(arguments.model, arguments.set)) {
    const Style style(stdout);
    print("{}\n\n{}", style.bold(coupled->title.empty() ? arguments.model : coupled->title),
          columns(describe_participants(*coupled), true, style));
    print("\n{} {} run {}\n", style.green("It can be run:"), program, shell_quoted(arguments.model));
    return ExitCode::ok;
  }
  const Simulation simulation(load(arguments.model, arguments.set, *arguments.catalog));
  const Style style(stdout);
  const std::string& title = simulation.problem().model.title;
  print("{}\n\n", style.bold(title.empty() ? arguments.model : title));
  print("{}", bodies(simulation, arguments.shows_all, style));
  print("{}", joints(simulation, arguments.shows_all, style));
  print("{}", forces(simulation, arguments.shows_all, style));
  print("{}", contacts(simulation, arguments.shows_all, style));
  print("{}", signals(simulation, arguments.shows_all, style));
  print("{}", totals(simulation, style));
  for (const std::string& note : simulation.start().notes) print("  note: {}\n", note);
  if (arguments.shows_tree || !arguments.drawing.empty()) show_tree(simulation, arguments, style);
  std::fflush(stdout);
  for (const std::string& warning : simulation.start().warnings) print_warning(warning);
  print("\n{} {} run {}\n", style.green("The model can be run:"), program, shell_quoted(arguments.model));
  return ExitCode::ok;
}

const char* const check_examples =
    "Examples:\n"
    "  hooke check models/four_bar.yaml\n"
    "  hooke check chain.yaml --set parameters.n=8\n"
    "  hooke check chain.yaml --tree --draw-tree tree.svg\n"
    "\n"
    "Exit status: 0 the model can be run, 3 it is wrong, 4 it cannot be assembled, 6 a file cannot be read.";

}  // namespace

void add_check(CommandLine& line) {
  Command command = line.add("check", "Read and assemble a model, and say what it consists of");
  auto arguments = std::make_shared<CheckArguments>();
  arguments->catalog = &line.catalog();
  command.model_argument(arguments->model);
  command.set_option(arguments->set);
  command.flag("--all", arguments->shows_all, "Show long tables to their end");
  command.flag("--tree", arguments->shows_tree, "Show the order in which solver dca joins the bodies");
  command.option({"--draw-tree", "FILE.svg", "Draw it"}, &arguments->drawing);
  command.footer(check_examples);
  command.action([arguments, &line] { return check(*arguments, line.program()); });
}

}  // namespace hooke::program
