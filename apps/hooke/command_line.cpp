#include "command_line.h"

#include <CLI/CLI.hpp>

#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "terminal.h"

namespace hooke::program {
namespace {

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
    text = word.starts_with("-") ? formatted("no option '{}'{}", option, suggest(option, options_of(command)))
                                 : formatted("'{}' is one argument too many", word);
  }
  return formatted("{}; see '{} --help'", text, name);
}

}  // namespace

void Command::option(const Option& text, Target target) {
  CLI::Option* option =
      std::visit([&](auto* value) { return app_.add_option(text.name, *value, text.help); }, target);
  option->type_name(text.type)->required(text.is_required);
  if (text.may_repeat) option->allow_extra_args(false);
  if (text.count != 1) option->expected(text.count);
  // Without their descriptions, which the help would show beside the type.
  if (text.is_number) option->check(CLI::Validator(CLI::Number).description(""));
  if (text.range) option->check(CLI::Range((*text.range)[0], (*text.range)[1]).description(""));
}

void Command::flag(const char* name, bool& target, const char* help) { app_.add_flag(name, target, help); }
void Command::hidden_option(const char* name, int& target) { app_.add_option(name, target)->group(""); }

void Command::model_argument(std::string& model) {
  option({.name = "model", .type = "FILE", .help = "Model file (YAML or JSON)", .is_required = true}, &model);
}

void Command::set_option(std::vector<std::string>& set) {
  option({.name = "--set",
          .type = "KEY.PATH=VALUE",
          .help = "Change a value of the model file, such as bodies.crank.rigid.mass=2; may be repeated",
          .may_repeat = true},
         &set);
}

void Command::footer(const char* text) { app_.footer(text); }

void Command::action(std::function<ExitCode()> run) {
  app_.callback([run = std::move(run), &chosen = line_.chosen_] { chosen = run; });
}

CommandLine::CommandLine(int argc, char** argv, const char* footer, const Catalog& catalog)
    : argc_(argc),
      argv_(argv),
      catalog_(catalog),
      program_(argc > 0 ? shell_quoted(argv[0]) : "hooke"),
      app_(std::make_unique<CLI::App>(
          "Hooke " HOOKE_VERSION ": dynamics of rigid and flexible multibody systems", "hooke")) {
  app_->set_version_flag("--version", "hooke " HOOKE_VERSION);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(32);
  app_->footer(footer);
}
CommandLine::~CommandLine() = default;

Command CommandLine::add(const char* name, const char* description) {
  return {*app_->add_subcommand(name, description), *this};
}

ExitCode CommandLine::run() {
  if (argc_ < 2) {
    print(stderr, "{}", app_->help());
    return ExitCode::usage;
  }
  check_command(*app_, argc_, argv_);
  try {
    app_->parse(argc_, argv_);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app_->exit(wanted);
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, explain(*app_, error));
  }
  return chosen_();
}

}  // namespace hooke::program
