#pragma once
#include "hooke/simulation/simulation.h"

namespace hooke {

/// Many instances of one model at once on a device (gpu/mechanism_batch.h, gpu/solid_batch.h): each from its own state, over
/// so many periods of `steps` steps of `run.step`.
struct DeviceRollout {
  int periods = 1, steps = 1;
  /// Every state there is, the start of instance 0 first, its periods, then those of the next instance. Accelerations and
  /// multipliers are those of the start.
  std::function<void(int instance, int period, const State&)> on_output;
  /// After its last output.
  std::function<void(int instance, const std::string& why)> on_failure;
  bool plain = false;  ///< by the plain C++ of the device

  /// Empty; or why the device does not do this, and nothing was done.
  std::string run(const Simulation& simulation, std::span<const State> starts) const {
    const Simulation* const all[] = {&simulation};
    return run(all, starts);
  }
  /// Each instance of its own model, which differs from the first one in numbers alone: masses, lengths, stiffness, places. One for
  /// all: as above.
  std::string run(std::span<const Simulation* const> models, std::span<const State> starts) const;
};

}  // namespace hooke
