#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "commands.h"
#include "hooke/base/format.h"
#include "hooke/base/limits.h"
#include "program.h"
#include "terminal.h"

namespace hooke::program {
namespace {

const char* const main_examples =
    "Examples:\n"
    "  hooke examples slider_crank --to .     copy a model\n"
    "  hooke check slider_crank.yaml          see what it consists of\n"
    "  hooke run slider_crank.yaml            simulate it\n"
    "  hooke export results/slider_crank      results as a table\n"
    "\n"
    "'hooke COMMAND --help' tells more, with examples.";

ExitCode run(const Program& program, int argc, char** argv) {
  check_limits();
  CommandLine line(argc, argv, main_examples, program.catalog);
  for (auto* add : program.commands) add(line);
  return line.run();
}

/// Every exception ends in one of the exit codes of base/error.h and a line that says why.
ExitCode run_safely(const Program& program, int argc, char** argv) {
  try {
    return run(program, argc, argv);
  } catch (const Error& error) {
    print_error(error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    // of folders and files, or of memory for their names
    print_error(error.what());
    return ExitCode::file;
  } catch (const std::exception& error) {
    print_error(formatted("{} (this is a mistake in hooke; please report it with the model)", error.what()));
  }
  return ExitCode::internal;
}

/// Where a standard stream is closed, the next file opened would take its place, and messages would go into
/// it. Here something takes it that fails as the closed stream would.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// What was printed may not have arrived: the disk is full, nobody reads the pipe.
ExitCode check_output(ExitCode code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  print_error("cannot write to the standard output");
  return code == ExitCode::ok ? ExitCode::file : code;
}

}  // namespace

std::vector<void (*)(CommandLine&)> Program::built_in_commands() {
  return {add_run,    add_check,  add_split,      add_stability, add_examples, add_view,   add_plot,
          add_report, add_export, add_export_fmu, add_fmu,       add_schema,   add_expand, add_study};
}

int Program::run(int argc, char** argv) const {
  occupy_standard_streams();
  const auto code = static_cast<int>(check_output(run_safely(*this, argc, argv)));
  std::fflush(nullptr);
  // After a write that failed, HDF5 may crash when it tidies up at the end of the program.
  if (code == static_cast<int>(ExitCode::file)) std::_Exit(code);
  return code;
}

}  // namespace hooke::program
