#pragma once
#include <optional>

#include "hooke/base/error.h"
#include "hooke/coupling/linear_sides.h"

/// Two linear subsystems in a file, to be analysed or run:
///
///   hooke: 1
///   title: Two masses, one of them in two parts
///   linear:
///     multibody: {mass: [[5]], damping: [[1]], stiffness: [[100]], coupling: [[1]], position: [1]}
///     structure: {mass: [[0.5, 0], [0, 0.5]], damping: [[0.1, -0.1], [-0.1, 0.2]],
///                 stiffness: [[50, -50], [-50, 100]], coupling: [[1, 0]], position: [1, 1]}
///   coupling: {force-displacement: {displaced: structure}}
///   run: {step: 0.01, end: 2}
///
/// M z'' + D z' + K z = forces on each; where they are coupled, coupling z of both are the same. Or as
/// x' = A x + B u, y = C x + D u, which fixes what the subsystem is: forced, from the forces on it to coupled
/// positions, velocities and accelerations; displaced, from these to the forces on the other.
namespace hooke {

struct LinearSubsystem {
  std::string name;
  MatrixX mass, damping, stiffness, coupling;
  VectorX position, velocity;        ///< at the start
  std::optional<StateSpace> system;  ///< instead
  VectorX state;                     ///< its, at the start
  StateSpace::Advance advance = StateSpace::Advance::exactly;
};

struct LinearModel {
  std::string title, text;
  std::vector<LinearSubsystem> subsystems;  ///< two
  ForceDisplacementSettings settings;
  double step = 1e-3, end = 1;
  double every = 0.01;     ///< between outputs
  double checkpoint = 60;  ///< s of wall-clock time between checkpoints; 0: none
  std::string file;        ///< and what was changed in its text:
  std::vector<std::string> overrides;

  const LinearSubsystem& displaced(const std::vector<std::string>& names) const;
  const LinearSubsystem& forced(const std::vector<std::string>& names) const;
  /// With one of the subsystems displaced. Throws Error when it cannot be.
  LinearPair pair(const std::vector<std::string>& names) const;
};

/// As sides of the coupling.
ForcedSideMatrices forced_matrices(const LinearSubsystem& subsystem);
DisplacedSideMatrices displaced_matrices(const LinearSubsystem& subsystem);

/// Nothing when the file has no `linear:`, which a model has not. Throws ModelError and Error as load does.
std::optional<LinearModel> read_linear_model(const std::string& path,
                                             const std::vector<std::string>& overrides);
/// The same for a text; `path` is what messages call it.
std::optional<LinearModel> parse_linear_model(const std::string& text, const std::string& path,
                                              const std::vector<std::string>& overrides);

}  // namespace hooke
