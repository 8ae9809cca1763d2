#pragma once
#include "coupling/linear_sides.h"
#include "simulation/force_displacement.h"

/// Which settings of a force-displacement coupling are stable: Schneider et al. (2017), section 4, on both
/// sides linearised where they are at the start, at rest.
namespace hooke {

/// Both sides of a model, one subsystem displaced, linearised at a state of the whole (its velocities are
/// taken as zero). Throws ModelError as make_sides does, Error when the analysis is not possible.
LinearSides linearise_sides(const ModelFile& file, const BuiltModel& whole, const State& state,
                            const std::string& displaced);

/// How the displaced side is advanced, as far as stability depends on it.
LinearPart::Advance advance_of(const ModelFile& file, const std::string& displaced);

/// What the analysis says about one setting.
struct CouplingVerdict {
  ForceDisplacementSettings settings;
  double zero = 0;            ///< spectral radius of the exchange: 1 or more, no macro step helps
  std::vector<double> radii;  ///< of a macro step, for each step asked for
  double largest_step = 0;    ///< below which all steps asked for are stable; 0: none
};

/// For every degree (of force and motion alike, and of constant force with linear motion), force evaluation
/// and exchange.
std::vector<CouplingVerdict> survey(const LinearSides& sides, const std::string& displaced,
                                    CouplingOrder order, LinearPart::Advance advance,
                                    const std::vector<double>& steps);

CouplingVerdict judge(const LinearSides& sides, const ForceDisplacementSettings& settings,
                      LinearPart::Advance advance, const std::vector<double>& steps);

/// A sentence about the setting a model asks for if the analysis finds it unstable; empty: it does not.
std::string stability_warning(const ModelFile& file, const BuiltModel& whole, const State& state);

}  // namespace hooke
