#pragma once
#include "command_line.h"

/// The sub-commands: each `add_` declares one, with its options and what it does.
namespace hooke::program {

void add_run(CommandLine& line);
void add_check(CommandLine& line);
void add_examples(CommandLine& line);
void add_export(CommandLine& line);
void add_export_fmu(CommandLine& line);
void add_fmu(CommandLine& line);
void add_schema(CommandLine& line);
void add_expand(CommandLine& line);
void add_plot(CommandLine& line);
void add_report(CommandLine& line);
void add_view(CommandLine& line);
void add_split(CommandLine& line);
void add_stability(CommandLine& line);
void add_study(CommandLine& line);

}  // namespace hooke::program
