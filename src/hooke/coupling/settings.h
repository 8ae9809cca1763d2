#pragma once
#include <optional>

#include "hooke/coupling/force_displacement_settings.h"

namespace hooke {

enum class CouplingScheme { gauss_seidel, jacobi, multirate };
constexpr auto names(CouplingScheme) { return std::array{"gauss-seidel", "jacobi", "multirate"}; }

enum class Acceleration { none, aitken, iqn_ils };
constexpr auto names(Acceleration) { return std::array{"none", "aitken", "iqn-ils"}; }

enum class Response { inertia, step, whole };
constexpr auto names(Response) { return std::array{"inertia", "step", "whole"}; }

/// The `coupling:` key of a model file: how subsystems are iterated over a macro step.
struct CouplingSettings {
  static constexpr const char* shorthand = "scheme";
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
                  "gauss-seidel: one subsystem after the other, each with the newest values; jacobi: all "
                  "in parallel, on several threads if given; multirate: subsystems with steps of their own, "
                  "coupled by mean reactions and step responses"});
    field("acceleration", &CouplingSettings::acceleration,
          Doc{.text = "acceleration of the iteration: none, aitken (one relaxation factor), or iqn-ils "
                      "(quasi-Newton from past iterations; Anderson acceleration)"});
    field("response", &CouplingSettings::response,
          Doc{.text = "model of a neighbour's response to joint forces: inertia (its accelerations, from its "
                      "mass matrix), step (its whole linearised step; converges faster), or whole (every "
                      "subsystem evaluates the whole system: Zhou et al., as published, for comparison)"});
    field("relaxation", &CouplingSettings::relaxation,
          Doc{.text = "relaxation factor: of every iteration without acceleration, else of the first",
              .check = between(0.01, 1)});
    field("tolerance", &CouplingSettings::tolerance,
          Doc{.text = "largest error left when the iteration stops: of positions, and of velocities times "
                      "the macro step, relative to the size of the mechanism (rotations: rad)",
              .check = positive});
    field("iterations", &CouplingSettings::iterations,
          Doc{.text = "largest number of iterations; then the macro step is repeated with half its size",
              .check = at_least(1)});
    field("reuse", &CouplingSettings::reuse,
          Doc{.text = "iqn-ils: number of past macro steps whose iterations are reused",
              .check = non_negative});
    field("interpolation", &CouplingSettings::interpolation,
          Doc{.text = "degree of interpolation of exchanged values within a macro step, for subsystems with "
                      "several steps: 1 (first order), or 3 (keeps second order)",
              .check = between(1, 3)});
    field("force-displacement", &CouplingSettings::force_displacement,
          Doc{.text = "exchange reactions and motions once per macro step, without iteration"});
  }
  void check(const Complain& complain) const {
    if (interpolation == 2) complain("interpolation", "must be 1 or 3");
  }
};

}  // namespace hooke
