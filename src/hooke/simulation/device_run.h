#pragma once
#include "hooke/gpu/device_stepper.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

/// What the integrator of a run is, if it is one that devices have: of the alpha family.
std::optional<GeneralizedAlphaSettings> alpha_settings(const RunSettings& run);

/// Steps of a run on the device that it asks for; null: on the processor, and a note says why if it was asked for.
std::unique_ptr<gpu::DeviceStepper> make_device_stepper(const Simulation& simulation, State& state,
                                                        Watch* watch, gpu::DeviceStepper::MakeIntegrator make,
                                                        std::vector<std::string>& notes);

}  // namespace hooke
