// paper_yen DATA_FOLDER PAGE [SECTION...]: the numerical results of Yen, Petzold, Raha (1998), made again.
// Writes docs/papers/yen.md (PAGE) and the numbers of its figures; papers/yen/run calls it. Exit status 1: a
// statement of the page does not hold.
#include "papers/yen/cases.h"

namespace {

using hooke::validation::Report;

const hooke::validation::Section sections[] = {{"spring_pendulum", hooke::yen::spring_pendulum},
                                               {"bushing", hooke::yen::bushing},
                                               {"slider_crank", hooke::yen::slider_crank},
                                               {"variants", hooke::yen::variants},
                                               {"orders", hooke::yen::orders},
                                               {"dissipation", hooke::yen::dissipation},
                                               {"models", hooke::yen::models}};

std::string introduction(const Report& report) {
  return fmt::format(
      "# The DAE alpha-method (Yen, Petzold, Raha 1998)\n\n"
      "J. Yen, L. Petzold, S. Raha, \"A time integration algorithm for flexible mechanism dynamics: the DAE "
      "alpha-method\", Comput. Methods Appl. Mech. Engrg. 158 (1998) 341-355, made again with Hooke's "
      "integrators "
      "`dae-alpha` (stabilised index 2, (3.3)), `dae-alpha-cs` (coordinate split, (3.6), CS) and "
      "`dae-alpha-cm` (its "
      "modified iteration, CM); [theory](../theory/README.md) says how they work. This page is made by\n\n"
      "    papers/yen/run\n\n"
      "and fails when a statement below does not hold. {}\n\n"
      "Three things in the print are read differently here. In (4.2a, b) both phi_n terms carry plus, as "
      "(4.1) has "
      "it. The torque (4.4c) has the sign of the potential. P of section 4.2 is [[-y/x, 1, 0], [0, 0, 1]]; "
      "here P is "
      "found by pivoting in any case.\n\n"
      "**What is compared.** Solved to convergence, (3.3) and (3.6) have the same solution: the forms differ "
      "in how "
      "they get there. So the rule under which they iterate is part of every number. Two are used, the same "
      "for all "
      "forms:\n\n"
      "- *common*, that of all of Hooke's integrators (`src/hooke/integrators/newton_rule.h`): the largest "
      "increment of q "
      "is tested, with the measured rate; a tangent is renewed whenever an iteration leaves more than 0.3 of "
      "the "
      "error; at most 15 iterations;\n"
      "- *thrifty*, as codes of the paper's time: one tangent a step, at most 10 iterations, and the "
      "multipliers nu "
      "are in the test of the index-2 form.\n\n"
      "The first guess is the same for all: extrapolated, or the last position when the accelerations would "
      "carry "
      "the mechanism over a tenth of itself in one step. A largest step is the largest for which that run "
      "and "
      "all with smaller steps of the list end without one failed Newton iteration.\n\n",
      report.verdict());
}

}  // namespace

int main(int argc, char** argv) { return hooke::validation::write_page(argc, argv, sections, introduction); }
