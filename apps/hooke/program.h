#pragma once
#include "hooke/catalog/catalog.h"
#include "hooke/command_line.h"

/// The program `hooke` as a function: somebody else's program has all its commands, beside its own, and knows types of
/// its own in model files.
///
///   int main(int argc, char** argv) {
///     hooke::program::Program program;
///     program.catalog.add<MyForce>();
///     program.commands.push_back(add_my_command);
///     return program.run(argc, argv);
///   }
namespace hooke::program {

struct Program {
  Catalog catalog = Catalog::built_in();
  /// Each declares one command, with its options and what it does.
  std::vector<void (*)(CommandLine&)> commands = built_in_commands();

  int run(int argc, char** argv) const;  ///< what main returns
  static std::vector<void (*)(CommandLine&)> built_in_commands();
};

}  // namespace hooke::program
