#include "commands.h"
#include "hooke/base/format.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::program {

static const char* const examples =
    "Examples:\n"
    "  hooke expand chain.yaml                     print it without parameters, loops and includes\n"
    "  hooke expand chain.yaml --set parameters.n=3 --out chain3.yaml";

void add_expand(CLI::App& app, Chosen& chosen) {
  struct Arguments {
    std::string model, out;
    std::vector<std::string> set;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("expand", "Write a model with its parameters, loops and includes worked out");
  add_model_argument(*command, arguments->model);
  add_set_option(*command, arguments->set);
  command->add_option("--out", arguments->out, "File to write; otherwise it is printed")->type_name("FILE");
  command->footer(examples);
  command->callback([&chosen, arguments] {
    chosen.run = [arguments] {
      const Problem problem = load(arguments->model, arguments->set);
      if (arguments->out.empty())
        print("{}", write_model(problem));
      else
        save(problem, arguments->out);
      return ExitCode::ok;
    };
  });
}

}  // namespace hooke::program
