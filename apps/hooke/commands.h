#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "hooke/base/error.h"

/// The sub-commands. Each `add_` declares its options; when the user calls it, `chosen` becomes what it does,
/// which is run after the command line is known to be right.
namespace hooke::program {

struct Chosen {
  std::function<ExitCode()> run;
  std::string name;  ///< the program as the user called it, for lines to copy
};

/// What every command that reads a model file has.
inline void add_model_argument(CLI::App& command, std::string& model) {
  command.add_option("model", model, "Model file (YAML or JSON)")->required()->type_name("FILE");
}
inline void add_set_option(CLI::App& command, std::vector<std::string>& set) {
  command
      .add_option("--set", set,
                  "Change a value of the model file, such as bodies.crank.rigid.mass=2; may be repeated")
      ->type_name("KEY.PATH=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_examples(CLI::App& app, Chosen& chosen);
void add_export(CLI::App& app, Chosen& chosen);
void add_schema(CLI::App& app, Chosen& chosen);
void add_expand(CLI::App& app, Chosen& chosen);
void add_plot(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_view(CLI::App& app, Chosen& chosen);
void add_split(CLI::App& app, Chosen& chosen);
void add_stability(CLI::App& app, Chosen& chosen);

}  // namespace hooke::program
