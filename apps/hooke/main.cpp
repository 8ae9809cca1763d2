// The program: a command line around the facade in src/simulation.
#include "hooke/base/format.h"

#include <cstdlib>
#include <exception>

#include "hooke/base/text.h"
#include "commands.h"
#include "terminal.h"

namespace hooke::program {
namespace {

const char* const examples =
    "Examples:\n"
    "  hooke examples slider_crank --to .     copy a model\n"
    "  hooke check slider_crank.yaml          see what it consists of\n"
    "  hooke run slider_crank.yaml            simulate it\n"
    "  hooke export results/slider_crank      results as a table\n"
    "\n"
    "'hooke COMMAND --help' tells more, with examples.";

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// A first word that is no command, before CLI11 wonders about it.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  const std::vector<std::string> known = commands_of(app);
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  if (word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json"))
    throw Error(ExitCode::usage, formatted("no command given; did you mean 'hooke run {}'?", word));
  throw Error(ExitCode::usage, formatted("no command '{}'{}; there are {}", word, suggest(word, known),
                                           list_words(known, "and")));
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  const std::string name = chosen.empty() ? "hooke" : "hooke " + command.get_name();
  std::string text = error.what();
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error);
      extras && !command.remaining().empty()) {
    const std::string word = command.remaining().front();
    const std::string option = word.substr(0, word.find('='));
    text = word.starts_with("-")
               ? formatted("no option '{}'{}", option, suggest(option, options_of(command)))
               : formatted("'{}' is one argument too many", word);
  }
  return formatted("{}; see '{} --help'", text, name);
}

ExitCode run(int argc, char** argv) {
  CLI::App app("Hooke " HOOKE_VERSION ": dynamics of rigid and flexible multibody systems", "hooke");
  app.set_version_flag("--version", "hooke " HOOKE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer(examples);
  Chosen chosen{.name = argc > 0 ? shell_quoted(argv[0]) : "hooke"};
  for (auto* add :
       {add_run, add_check, add_split, add_stability, add_examples, add_view, add_plot, add_report, add_export, add_schema, add_expand})
    add(app, chosen);

  if (argc < 2) {
    print(stderr, "{}", app.help());
    return ExitCode::usage;
  }
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted);
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, explain(app, error));
  }
  return chosen.run();
}

/// Every exception ends in one of the exit codes of base/error.h and a line that says why.
ExitCode run_safely(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    print_error(error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(
        formatted("{} (this is a mistake in hooke; please report it with the model)", error.what()));
  }
  return ExitCode::internal;
}

}  // namespace
}  // namespace hooke::program

int main(int argc, char** argv) {
  const auto code = static_cast<int>(hooke::program::run_safely(argc, argv));
  std::fflush(nullptr);
  // After a write that failed, HDF5 may crash when it tidies up at the end of the program.
  if (code == static_cast<int>(hooke::ExitCode::file)) std::_Exit(code);
  return code;
}
