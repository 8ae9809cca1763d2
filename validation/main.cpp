// hooke_validate DATA_FOLDER PAGE [SECTION...]: compares Hooke with references and writes docs/validation.md
// (PAGE) and the numbers of its figures (DATA_FOLDER). tools/validate runs it. Exit status 1: a statement of
// the page does not hold.
#include <fstream>

#include "validation/cases.h"

namespace {

using hooke::validation::Report;

const hooke::validation::Section sections[] = {{"heavy_top", hooke::validation::heavy_top},
                                               {"andrews", hooke::validation::andrews},
                                               {"curves", hooke::validation::reference_curves},
                                               {"iftomm", hooke::validation::iftomm},
                                               {"conservation", hooke::validation::conservation},
                                               {"orders", hooke::validation::orders},
                                               {"flexible", hooke::validation::flexible},
                                               {"flexible_bodies", hooke::validation::flexible_bodies},
                                               {"spinning", hooke::validation::spinning},
                                               {"one_table", hooke::validation::one_table},
                                               {"contact", hooke::validation::contact}};

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string compiler() {
#ifdef __clang__
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return "GCC " __VERSION__;
#endif
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
      report.verdict(), HOOKE_VERSION, processor(), compiler());
}

}  // namespace

int main(int argc, char** argv) { return hooke::validation::write_page(argc, argv, sections, introduction); }
