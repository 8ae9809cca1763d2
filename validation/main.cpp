// hooke_validate DATA_FOLDER PAGE [SECTION...]: compares Hooke with references and writes docs/validation.md
// (PAGE) and the numbers of its figures (DATA_FOLDER). tools/validate runs it. Exit status 1: a statement of
// the page does not hold.
#include <cstdio>
#include <fstream>
#include <functional>

#include "validation/cases.h"

namespace {

using hooke::validation::Report;

const std::pair<const char*, std::function<void(Report&)>> sections[] = {
    {"heavy_top", hooke::validation::heavy_top},
    {"andrews", hooke::validation::andrews},
    {"curves", hooke::validation::reference_curves},
    {"iftomm", hooke::validation::iftomm},
    {"conservation", hooke::validation::conservation},
    {"orders", hooke::validation::orders},
    {"flexible", hooke::validation::flexible},
    {"flexible_bodies", hooke::validation::flexible_bodies}};

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string introduction(const Report& report) {
  return fmt::format(
      "# Validation\n\n"
      "What Hooke computes, beside analytic solutions, published references and other codes. This page is "
      "made by\n\n"
      "    make validate\n\n"
      "which runs `validation/` and fails when a statement below does not hold. {}\n\n"
      "Hooke {} on one core of {}, {}. CPU times include what is put out; those below 0.3 s are the best of "
      "three runs. All runs "
      "use default settings but for what is said: generalized-alpha is the stabilised form (positions and "
      "velocities on the "
      "constraints), solver auto. A command under a heading repeats one row of the table below it. "
      "References: "
      "`tests/data/reference/README.md` and the model files.\n\n",
      report.failures()
          ? fmt::format("**{} of {} statements do not hold.**", report.failures(), report.expectations())
          : fmt::format("All {} statements hold.", report.expectations()),
      HOOKE_VERSION, processor(), "GCC " __VERSION__);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: hooke_validate DATA_FOLDER PAGE [SECTION...]\n", stderr);
    return 2;
  }
  Report report(argv[1]);
  for (const auto& [name, write] : sections) {
    bool wanted = argc == 3;
    for (int i = 3; i < argc; ++i) wanted = wanted || std::string(name) == argv[i];
    if (!wanted) continue;
    fmt::print(stderr, "{} ...\n", name);
    write(report);
  }
  std::string page = introduction(report) + report.body();
  while (page.ends_with("\n\n")) page.pop_back();
  std::ofstream(argv[2]) << page;
  fmt::print(stderr, "{} of {} statements hold\n", report.expectations() - report.failures(),
             report.expectations());
  return report.failures() ? 1 : 0;
}
