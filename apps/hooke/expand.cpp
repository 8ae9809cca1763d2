#include "commands.h"
#include "hooke/base/format.h"
#include "hooke/io/model/attached_files.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::program {

static const char* const expand_examples =
    "Examples:\n"
    "  hooke expand chain.yaml                     print it without parameters, loops and includes\n"
    "  hooke expand chain.yaml --set parameters.n=3 --out chain3.yaml";

void add_expand(CommandLine& line) {
  struct Arguments {
    std::string model, out;
    std::vector<std::string> set;
  };
  auto arguments = std::make_shared<Arguments>();
  Command command = line.add("expand", "Write a model with its parameters, loops and includes worked out");
  command.model_argument(arguments->model);
  command.set_option(arguments->set);
  command.option({"--out", "FILE", "File to write; otherwise it is printed"}, &arguments->out);
  command.footer(expand_examples);
  command.action([arguments, &line] {
    Problem problem = load(arguments->model, arguments->set, line.catalog());
    if (arguments->out.empty()) {
      problem.model = seen_from(problem.model, "");
      print("{}", write_model(problem));
    } else {
      save(problem, arguments->out);
    }
    return ExitCode::ok;
  });
}

}  // namespace hooke::program
