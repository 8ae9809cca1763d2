#pragma once
#include <optional>

#include "base/error.h"
#include "coupling/linear_sides.h"

/// Two linear subsystems in a file, for the analysis of their coupling:
///
///   hooke: 1
///   title: Two masses, one of them in two parts
///   linear:
///     multibody: {mass: [[5]], damping: [[1]], stiffness: [[100]], coupling: [[1]]}
///     structure: {mass: [[0.5, 0], [0, 0.5]], damping: [[0.1, -0.1], [-0.1, 0.2]],
///                 stiffness: [[50, -50], [-50, 100]], coupling: [[1, 0]]}
///   coupling: {force-displacement: {displaced: structure}}
///   run: {step: 0.01}
///
/// M z'' + D z' + K z = forces on each; where they are coupled, coupling z of both are the same.
namespace hooke {

struct LinearSubsystem {
  std::string name;
  MatrixX mass, damping, stiffness, coupling;
};

struct LinearModel {
  std::string title;
  std::vector<LinearSubsystem> subsystems;  ///< two
  ForceDisplacementSettings settings;
  double step = 1e-3;

  /// With one of the subsystems displaced.
  LinearSides sides(const std::string& displaced) const;
};

/// Nothing when the file has no `linear:`, which a model has not. Throws ModelError and Error as load does.
std::optional<LinearModel> read_linear_model(const std::string& path,
                                             const std::vector<std::string>& overrides);

}  // namespace hooke
