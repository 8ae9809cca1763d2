#pragma once
#include <optional>

#include "hooke/base/fields.h"

namespace hooke {

/// Where the reaction of a coupling joint comes from: Schneider et al. (2017), (11), (22), (23).
enum class CouplingForces { exact, small, approximate };
constexpr auto names(CouplingForces) { return std::array{"exact", "small", "approximate"}; }

enum class CouplingOrder { jacobi, gauss_seidel };
constexpr auto names(CouplingOrder) { return std::array{"jacobi", "gauss-seidel"}; }

enum class CouplingExchange { side_by_side, in_turn };
constexpr auto names(CouplingExchange) { return std::array{"side-by-side", "in-turn"}; }

/// The `coupling.force-displacement:` key of a model file.
struct ForceDisplacementSettings {
  static constexpr const char* shorthand = "displaced";
  std::vector<std::string> displaced;
  int force_degree = 0, motion_degree = 1;
  CouplingForces forces = CouplingForces::exact;
  CouplingOrder order = CouplingOrder::jacobi;
  CouplingExchange exchange = CouplingExchange::side_by_side;
  std::optional<double> advised;
  int corrections = 0;

  static void describe(auto& field) {
    field("displaced", &ForceDisplacementSettings::displaced,
          Doc{.text = "displaced subsystem, or a list of them: it follows the motion of the others at the "
                      "joints; the others receive the reactions",
              .required = true});
    field("force_degree", &ForceDisplacementSettings::force_degree,
          Doc{.text = "degree of the polynomial, through past macro points, that extrapolates reactions over "
                      "a macro step",
              .check = between(0, 3)});
    field("motion_degree", &ForceDisplacementSettings::motion_degree,
          Doc{.text =
                  "degree of the polynomial that extrapolates positions; with 0 the result does not converge",
              .check = between(0, 3)});
    field("forces", &ForceDisplacementSettings::forces,
          Doc{.text = "how reactions are found: exact (from all masses), small (from the multibody side and "
                      "the nodes at the joint), or approximate (from the displaced side with an extrapolated "
                      "acceleration; stable only if that side is light)"});
    field("order", &ForceDisplacementSettings::order,
          Doc{.text = "jacobi: both sides in parallel, with extrapolated inputs; gauss-seidel: the displaced "
                      "side after the other, with interpolated motion"});
    field("exchange", &ForceDisplacementSettings::exchange,
          Doc{.text = "acceleration that approximate forces use at a macro point: extrapolated "
                      "(side-by-side), or just computed (in-turn)"});
    field("advised", &ForceDisplacementSettings::advised,
          Doc{.text = "interval at which the stability of the coupling is analysed where the mechanism is "
                      "then, as by `hooke stability`; until the next time a macro step is taken in as many "
                      "pieces (1, 2, 4, ... 1024) as make it stable",
              .unit = "s",
              .check = positive,
              .default_text = "never: `run.step` throughout"});
    field("corrections", &ForceDisplacementSettings::corrections,
          Doc{.text =
                  "largest number of times a macro step is repeated, with reactions and motions interpolated "
                  "to its end "
                  "and reactions there corrected by the interface Jacobian (iqn-ils). It lifts limits on the "
                  "ratio "
                  "of masses (tested from 0.001 to 10); each repetition costs as much as the step",
              .check = between(0, 50)});
  }
  void check(const Complain& complain) const {
    if (corrections > 0 && advised)
      complain("advised", "is about macro steps without corrections: leave out one of both");
  }
};

}  // namespace hooke
