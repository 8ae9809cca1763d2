// The program `hooke` with a command of one's own, as docs/library.md shows it.
#include <hooke/program.h>

#include <cstdio>

void add_greet(hooke::program::CommandLine& line) {
  line.add("greet", "Say hello").action([] {
    std::puts("hello");
    return hooke::ExitCode::ok;
  });
}

int main(int argc, char** argv) {
  hooke::program::Program program;
  program.commands.push_back(add_greet);
  return program.run(argc, argv);
}
