#include "hooke/base/format.h"

#include "commands.h"
#include "hooke/io/model/model_file.h"

namespace hooke::program {

static const char* const schema_examples =
    "Examples:\n"
    "  hooke schema > hooke.schema.json\n"
    "\n"
    "An editor that knows the YAML language server (VS Code, Neovim, Emacs, ...) then completes and checks a "
    "model\n"
    "that begins with\n"
    "  # yaml-language-server: $schema=hooke.schema.json";

void add_schema(CommandLine& line) {
  Command command = line.add("schema", "Print the JSON Schema of model files, for editors");
  command.footer(schema_examples);
  command.action([&line] {
    print("{}\n", model_schema(line.catalog()));
    return ExitCode::ok;
  });
}

}  // namespace hooke::program
