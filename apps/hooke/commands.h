#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/error.h"

/// The sub-commands. Each `add_` declares its options; when the user calls it, `chosen` becomes what it does,
/// which is run after the command line is known to be right.
namespace hooke::program {

struct Chosen {
  std::function<ExitCode()> run;
  std::string name;  ///< the program as the user called it, for lines to copy
};

void add_run(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_examples(CLI::App& app, Chosen& chosen);
void add_export(CLI::App& app, Chosen& chosen);
void add_schema(CLI::App& app, Chosen& chosen);
void add_plot(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_view(CLI::App& app, Chosen& chosen);
void add_split(CLI::App& app, Chosen& chosen);
void add_stability(CLI::App& app, Chosen& chosen);

}  // namespace hooke::program
