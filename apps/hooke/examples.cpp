#include "hooke/base/format.h"

#include <algorithm>

#include "commands.h"
#include "example_models.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct ExamplesArguments {
  std::string name, to = ".";
};

ExitCode list(const std::string& program) {
  const Style style(stdout);
  const std::vector<ExampleModel> all = example_models();
  std::size_t longest = 0;
  for (const ExampleModel& example : all) longest = std::max(longest, example.name.size());
  const std::size_t room = std::max<std::size_t>(terminal_width(stdout), longest + 24) - longest - 4;
  std::vector<std::vector<std::string>> rows;
  for (const ExampleModel& example : all)
    rows.push_back({example.name, shortened(example.description, room)});
  print("{}\n{} examples NAME --to DIR   copies one\n", columns(rows, false, style), program);
  return ExitCode::ok;
}

ExitCode copy(const ExamplesArguments& arguments, const std::string& program) {
  const auto written = copy_example(find_example(arguments.name), arguments.to);
  for (const auto& path : written) print("wrote {}\n", path.string());
  print("next: {} run {}\n", program, shell_quoted(written.front().string()));
  return ExitCode::ok;
}

const char* const examples_text =
    "Examples:\n"
    "  hooke examples\n"
    "  hooke examples pendulum --to my_models\n"
    "\n"
    "The models are looked for next to the program; the environment variable HOOKE_MODELS names another "
    "folder.";

}  // namespace

void add_examples(CommandLine& line) {
  Command command = line.add("examples", "List the models that come with hooke, or copy one");
  auto arguments = std::make_shared<ExamplesArguments>();
  command.option({"name", "NAME", "Which one to copy (default: list all)"}, &arguments->name);
  command.option({"--to", "DIR", "Folder to copy it to (default: this one)"}, &arguments->to);
  command.footer(examples_text);
  command.action([arguments, &line] {
    return arguments->name.empty() ? list(line.program()) : copy(*arguments, line.program());
  });
}

}  // namespace hooke::program
