// paper_kan DATA_FOLDER PAGE [SECTION...]: the examples of Kan et al., made again. Writes docs/papers/kan.md
// (PAGE) and the numbers of its figures; papers/kan/run calls it. Exit status 1: a statement of the page does
// not hold.
#include <cstdio>
#include <fstream>

#include "papers/kan/cases.h"

namespace {

using hooke::validation::Report;

const std::pair<const char*, void (*)(Report&)> sections[] = {{"cuboid", hooke::kan::cuboid},
                                                              {"table", hooke::kan::table},
                                                              {"top", hooke::kan::top},
                                                              {"cantilever", hooke::kan::cantilever},
                                                              {"slider_crank", hooke::kan::slider_crank}};

std::string introduction(const Report& report) {
  return fmt::format(
      "# Component-level co-rotational solids (Kan et al.)\n\n"
      "Z. Kan, M. Chen, H. Peng, Y. Guo, X. Song, \"A component-level co-rotational 3D continuum finite "
      "element framework "
      "for efficient flexible multibody analysis\", made again with Hooke's `solid` bodies and the solver "
      "`schur`; "
      "[theory](../theory/README.md) says how they work. This page is made by\n\n"
      "    papers/kan/run\n\n"
      "and fails when a statement below does not hold. {}\n\n"
      "*Full CR* gives every element a frame of its own (best fit to its nodes) and forces from the strain "
      "energy, (10), with "
      "the exact tangent. *Component* is Hooke's default: one frame for the body, the best fit to its nodes "
      "by mass, and "
      "consistent forces. *As the paper* is the frame along three corners, (4), and the simplified force "
      "(11). All use the "
      "plain hex8 element of full integration and consistent mass, as the paper does.\n\n"
      "Newton's iteration stops when the error left in the positions is below 1e-10 of the body's size and a "
      "thousandth of the "
      "predictor's error; the paper's stops at a residual of 5e-3 N.\n\n",
      report.failures()
          ? fmt::format("**{} of {} statements do not hold.**", report.failures(), report.expectations())
          : fmt::format("All {} statements hold.", report.expectations()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: paper_kan DATA_FOLDER PAGE [SECTION...]\n", stderr);
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
