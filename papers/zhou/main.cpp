// paper_zhou DATA_FOLDER PAGE [SECTION...]: the numerical results of Zhou, Ren, Masarati (2022), made again.
// Writes docs/papers/zhou.md (PAGE) and the numbers of its figures; papers/zhou/run calls it. Exit status 1:
// a statement of the page does not hold.
#include "papers/zhou/cases.h"

namespace {

using hooke::validation::Report;

const hooke::validation::Section sections[] = {
    {"rigid", hooke::zhou::rigid},       {"flexible", hooke::zhou::flexible},
    {"ancf", hooke::zhou::ancf},         {"iterations", hooke::zhou::iterations},
    {"equality", hooke::zhou::equality}, {"speed", hooke::zhou::speed}};

std::string introduction(const Report& report) {
  return fmt::format(
      "# Relaxed coupling of subsystems (Zhou, Ren, Masarati 2022)\n\n"
      "P. Zhou, H. Ren, P. Masarati, \"A relaxed coupling method for algebraically constrained mechanical "
      "systems\", "
      "Multibody System Dynamics (2022), made again with Hooke's integrator `stabilised-ode` and its "
      "`subsystems:`; "
      "[theory](../theory/README.md) says how they work. This page is made by\n\n"
      "    papers/zhou/run\n\n"
      "and fails when a statement below does not hold. {}\n\n"
      "Read differently from the print: the spherical joint is at B and the universal joint at C, as in the "
      "problem "
      "statement (section 5.1 swaps them). The paper's Lie-group generalized-alpha integrates (35) alone; "
      "here the "
      "position correction of (37) is added, explicitly, so that positions do not drift.\n\n",
      report.verdict());
}

}  // namespace

int main(int argc, char** argv) { return hooke::validation::write_page(argc, argv, sections, introduction); }
