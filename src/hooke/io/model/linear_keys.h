#pragma once
#include "hooke/base/type_info.h"

namespace hooke {

enum class LinearAdvance { exactly, linearly_implicit };
constexpr auto names(LinearAdvance) { return std::array{"exactly", "linearly-implicit"}; }

/// One of the `linear:` subsystems of a file (io/model/linear_model_file.h).
struct LinearSubsystemKeys {
  using Rows = std::vector<std::vector<double>>;
  Rows mass, damping, stiffness, coupling, A, B, C, D;
  std::vector<double> position, velocity, state;
  LinearAdvance advance = LinearAdvance::exactly;
  static void describe(auto& field) {
    field("mass", &LinearSubsystemKeys::mass, Doc{.text = "matrix by rows; or give A, B, C, D"});
    field("damping", &LinearSubsystemKeys::damping, Doc{.text = "likewise", .default_text = "0"});
    field("stiffness", &LinearSubsystemKeys::stiffness, Doc{.text = "likewise", .default_text = "0"});
    field("coupling", &LinearSubsystemKeys::coupling,
          Doc{.text = "matrix that gives the coupled motions from the coordinates, by rows"});
    field("position", &LinearSubsystemKeys::position,
          Doc{.text = "initial coordinates", .default_text = "0"});
    field("velocity", &LinearSubsystemKeys::velocity, Doc{.text = "likewise", .default_text = "0"});
    field("A", &LinearSubsystemKeys::A, Doc{.text = "of x' = A x + B u, y = C x + D u, by rows"});
    field("B", &LinearSubsystemKeys::B,
          Doc{.text =
                  "u: forces on it, or, displaced, coupled positions, then velocities, then accelerations"});
    field("C", &LinearSubsystemKeys::C, Doc{.text = "y: the inputs u of the other subsystem"});
    field("D", &LinearSubsystemKeys::D, Doc{.text = "likewise", .default_text = "0"});
    field("state", &LinearSubsystemKeys::state, Doc{.text = "initial x", .default_text = "0"});
    field("advance", &LinearSubsystemKeys::advance,
          Doc{.text = "how a macro step is advanced: exactly, or linearly-implicit (one step)"});
  }
};

}  // namespace hooke
