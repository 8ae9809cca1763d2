#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "commands.h"
#include "hooke/base/format.h"

// Studies are carried out by the Python package, since what they stand on is Python: SciPy, Dask, MPI, Slurm's scripts. The command
// line is read here, so that help and mistakes are those of the other commands, and handed over.
namespace hooke::program {
namespace {

struct StudyArguments {
  std::string file, out, where, address;
  std::optional<std::string> workers, port;
  std::vector<std::string> view;
  bool shows = false, does_not_open = false, is_quiet = false, has_no_progress = false;
};

/// Debian's own interpreter is tried where the one in $PATH does not have the package.
const char* const begin = R"python(
import os, sys
try:
    import hooke.study
except ImportError as error:
    usual = "/usr/bin/python3"
    if "HOOKE_PYTHON" not in os.environ and os.path.exists(usual) and os.path.realpath(usual) != os.path.realpath(sys.executable):
        os.execv(usual, [usual, *sys.orig_argv[1:]])
    sys.stderr.write(f"hooke: study: {sys.executable} does not have the Python package of Hooke ({error}): in the source tree "
                     "'make python', elsewhere install its wheel, or name an interpreter that has it in $HOOKE_PYTHON\n")
    sys.exit(6)
import runpy
sys.argv[0] = "hooke study"
runpy.run_module("hooke.study", run_name="__main__")
)python";

/// In a build tree the package lies beside the program.
void find_package() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path package = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "python";
  if (!fs::exists(package / "hooke/__init__.py", ignored)) return;
  const char* known = std::getenv("PYTHONPATH");
  setenv("PYTHONPATH", (package.string() + (known && *known ? formatted(":{}", known) : "")).c_str(), 1);
}

ExitCode run(const StudyArguments& given) {
  const char* chosen = std::getenv("HOOKE_PYTHON");
  std::vector<std::string> words{chosen && *chosen ? chosen : "python3", "-c", begin, given.file};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_flag = [&](const char* option, bool is_set) {
    if (is_set) words.emplace_back(option);
  };
  add("--out", given.out);
  add("--where", given.where);
  add("--workers", given.workers.value_or(""));
  add("--address", given.address);
  for (const std::string& number : given.view) add("--view", number);
  add("--port", given.port.value_or(""));
  add_flag("--show", given.shows);
  add_flag("--no-open", given.does_not_open);
  add_flag("--quiet", given.is_quiet);
  add_flag("--no-progress", given.has_no_progress);
  find_package();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw Error(ExitCode::file,
              formatted("study: cannot start '{}': install Python 3.10 or later, or name it in $HOOKE_PYTHON",
                        words[0]));
}

const char* const study_examples =
    "Examples:\n"
    "  hooke study cranks.yaml                     what is not done yet, on all cores of this machine\n"
    "  hooke study cranks.yaml --where dask --address tcp://10.0.0.1:8786\n"
    "  hooke study cranks.yaml --where mpi --workers 16\n"
    "  hooke study cranks.yaml --show              the page; a click on a run makes its animation\n"
    "  hooke study cranks.yaml --view 17           run 17 again: results/cranks/views/17.html\n"
    "\n"
    "What is done is kept in the folder: started again, a study goes on. docs/studies.md explains study "
    "files.\n"
    "It needs the Python package of Hooke; $HOOKE_PYTHON names the interpreter.";

}  // namespace

void add_study(CommandLine& line) {
  Command command = line.add("study", "Run a model many times: vary, sample, optimise, calibrate");
  auto arguments = std::make_shared<StudyArguments>();
  command.option({"file", "FILE", "Study file, or model file with a section study", true}, &arguments->file);
  command.option({"--out", "DIR", "Folder for the table, the journal and the page (default: results/NAME)"},
                 &arguments->out);
  command.option({"--where", "PLACE", "local, dask, mpi or slurm (default: what the file says, else local)"},
                 &arguments->where);
  command.option({.name = "--workers",
                  .type = "N",
                  .help = "Processes; 0: none of their own (default: one for each core)",
                  .is_number = true},
                 &arguments->workers);
  command.option({"--address", "ADDRESS", "Of a Dask scheduler (default: a cluster on this machine)"},
                 &arguments->address);
  command.option({.name = "--view",
                  .type = "RUN",
                  .help = "Do a run again and write its animation; may be repeated",
                  .may_repeat = true},
                 &arguments->view);
  command.flag("--show", arguments->shows, "Show the page in the browser, until Ctrl-C");
  command.flag("--no-open", arguments->does_not_open, "With --show: only print the address");
  command.option(
      {.name = "--port", .type = "NUMBER", .help = "With --show: port on 127.0.0.1", .is_number = true},
      &arguments->port);
  command.flag("-q,--quiet", arguments->is_quiet, "Print warnings and errors only");
  command.flag("--no-progress", arguments->has_no_progress, "Show no progress");
  command.footer(study_examples);
  command.action([arguments] { return run(*arguments); });
}

}  // namespace hooke::program
