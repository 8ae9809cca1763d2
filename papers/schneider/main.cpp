// paper_schneider DATA_FOLDER PAGE [SECTION...]: the results of Schneider, Burger, Arnold, Simeon
// (2017), made again. Writes docs/papers/schneider.md (PAGE) and the numbers of its figures;
// papers/schneider/run calls it. Exit status 1: a statement of the page does not hold.
#include "papers/schneider/cases.h"

namespace {

using hooke::validation::Report;

const hooke::validation::Section sections[] = {{"orders", hooke::schneider::orders},
                                               {"participants", hooke::schneider::participants},
                                               {"zero_stability", hooke::schneider::zero_stability_section},
                                               {"maps", hooke::schneider::maps},
                                               {"prediction", hooke::schneider::prediction},
                                               {"small_system", hooke::schneider::small_system},
                                               {"cable", hooke::schneider::cable}};

std::string introduction(const Report& report) {
  return fmt::format(
      "# Force-displacement co-simulation (Schneider, Burger, Arnold, Simeon 2017)\n\n"
      "F. Schneider, M. Burger, M. Arnold, B. Simeon, \"A new approach for force-displacement co-simulation "
      "using "
      "kinematic coupling constraints\", ZAMM 97 (2017): the two-mass model of section 5, made again with "
      "`src/hooke/coupling/linear_coupling.h`. This page is made by\n\n"
      "    papers/schneider/run\n\n"
      "and fails when a statement below does not hold. {}\n\n"
      "One of the masses is made of two, m_R of a multibody system and m_F of a flexible structure, that a "
      "kinematic constraint holds together. The multibody system is driven by the constraint force, the "
      "structure "
      "by the motion of its end; both advance side by side over a macro step h with inputs extrapolated from "
      "the "
      "macro points before. The force is the exact one, from (11) or (22), or the approximate one of (23), "
      "which "
      "needs an acceleration and so closes a loop. (67) is read with the signs that follow from (11).\n\n"
      "The cable of section 6 follows at the end, as a Hooke model that is co-simulated.\n\n",
      report.verdict());
}

}  // namespace

int main(int argc, char** argv) { return hooke::validation::write_page(argc, argv, sections, introduction); }
