#pragma once
#include <optional>

#include "hooke/coupling/force_displacement_settings.h"

namespace hooke {

enum class CouplingScheme { gauss_seidel, jacobi };
constexpr auto names(CouplingScheme) { return std::array{"gauss-seidel", "jacobi"}; }

enum class Acceleration { none, aitken, iqn_ils };
constexpr auto names(Acceleration) { return std::array{"none", "aitken", "iqn-ils"}; }

enum class Response { inertia, step };
constexpr auto names(Response) { return std::array{"inertia", "step"}; }

/// The `coupling:` part of a model file: how subsystems are iterated over a macro step.
struct CouplingSettings {
  CouplingScheme scheme = CouplingScheme::gauss_seidel;
  Acceleration acceleration = Acceleration::iqn_ils;
  Response response = Response::step;
  double relaxation = 1;
  double tolerance = 1e-10;
  int iterations = 50;
  int reuse = 8;
  int interpolation = 3;
  std::optional<ForceDisplacementSettings> force_displacement;

  static void describe(auto& field) {
    field("scheme", &CouplingSettings::scheme,
          Doc{.text =
                  "gauss-seidel: one subsystem after the other, each with the newest values; jacobi: all at "
                  "once, on several threads if there are"});
    field("acceleration", &CouplingSettings::acceleration,
          Doc{.text =
                  "of the iteration: none, aitken (one factor for all values), or iqn-ils (quasi-Newton from "
                  "the iterations seen, also called Anderson's)"});
    field("response", &CouplingSettings::response,
          Doc{.text = "how a subsystem takes the others to answer to the forces in the joints between them: "
                      "inertia (their accelerations by their masses, as in the paper), or step (their whole "
                      "motion in the step, linearised)"});
    field(
        "relaxation", &CouplingSettings::relaxation,
        Doc{.text = "part of a change that is made: always without acceleration, else in the first iteration",
            .check = between(0.01, 1)});
    field("tolerance", &CouplingSettings::tolerance,
          Doc{.text = "error left at which the iteration ends: of positions, and of velocities times the "
                      "macro step, as a "
                      "fraction of the mechanism's size (and in rad); largest entry",
              .check = positive});
    field("iterations", &CouplingSettings::iterations,
          Doc{.text = "iterations before a macro step is tried again with half its size",
              .check = at_least(1)});
    field("reuse", &CouplingSettings::reuse,
          Doc{.text = "iqn-ils: macro steps whose iterations are still used", .check = non_negative});
    field("interpolation", &CouplingSettings::interpolation,
          Doc{.text = "of exchanged values within a macro step, where a subsystem takes several steps: "
                      "degree 1, of "
                      "first order, or 3, which keeps the order of the whole",
              .check = between(1, 3)});
    field(
        "force-displacement", &CouplingSettings::force_displacement,
        Doc{.text = "instead of iterating: subsystems exchange reactions and motions at macro points, once"});
  }
  void check(const Complain& complain) const {
    if (interpolation == 2) complain("interpolation", "must be 1 or 3");
  }
};

}  // namespace hooke
