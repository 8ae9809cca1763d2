#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hooke/base/error.h"

namespace CLI {
class App;
}

namespace hooke {
class Catalog;
}

/// The command line, of sub-commands with options. CLI11 reads it, and command_line.cpp alone knows that:
/// every source that sees CLI11 takes ten seconds more to compile.
namespace hooke::program {

/// Where the value of an option goes.
using Target = std::variant<std::string*, std::optional<std::string>*, std::vector<std::string>*,
                            std::vector<double>*, int*, double*>;

struct Option {
  const char* name;  ///< "--step"; without dashes: an argument known by its place
  const char* type;  ///< what stands for the value in the help
  const char* help;
  bool is_required = false;
  bool may_repeat = false;  ///< --set a --set b
  bool is_number = false;   ///< of one that is kept as text
  int count = 1;            ///< how many values
  std::optional<std::array<double, 2>> range;
};

class CommandLine;

class Command {
 public:
  Command(CLI::App& app, CommandLine& line) : app_(app), line_(line) {}

  void option(const Option& option, Target target);
  void flag(const char* name, bool& target, const char* help);
  void hidden_option(const char* name, int& target);  ///< for the program itself
  /// What every command that reads a model file has.
  void model_argument(std::string& model);
  void set_option(std::vector<std::string>& set);
  void footer(const char* text);
  /// What the command does, once the command line is known to be right.
  void action(std::function<ExitCode()> run);

 private:
  CLI::App& app_;
  CommandLine& line_;
};

class CommandLine {
 public:
  CommandLine(int argc, char** argv, const char* footer, const Catalog& catalog);
  ~CommandLine();
  Command add(const char* name, const char* description);
  const std::string& program() const { return program_; }  ///< as the user called it, for lines to copy
  const Catalog& catalog() const { return catalog_; }      ///< what model files may name
  ExitCode run();

 private:
  friend class Command;
  int argc_;
  char** argv_;
  const Catalog& catalog_;
  std::string program_;
  std::unique_ptr<CLI::App> app_;
  std::function<ExitCode()> chosen_;
};

}  // namespace hooke::program
