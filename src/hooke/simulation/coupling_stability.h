#pragma once
#include "hooke/coupling/linear_sides.h"
#include "hooke/simulation/force_displacement.h"

/// Which settings of a force-displacement coupling are stable: Schneider et al. (2017), section 4, on both
/// sides linearised where they are at the start, at rest.
namespace hooke {

/// Both sides of a model, some subsystems displaced, linearised at a state of the whole (its velocities are
/// taken as zero). Throws ModelError as make_force_displacement does, Error when the analysis is not
/// possible.
LinearSides linearise_sides(const ModelFile& file, const BuiltModel& whole, const State& state,
                            const std::vector<std::string>& displaced);

/// How the displaced side is advanced, as far as stability depends on it.
StateSpace::Advance advance_of(const ModelFile& file, const std::vector<std::string>& displaced);

/// What the analysis says about one setting.
struct CouplingVerdict {
  ForceDisplacementSettings settings;
  double zero = 0;            ///< spectral radius of the exchange: 1 or more, no macro step helps
  std::vector<double> radii;  ///< of a macro step, for each step asked for
  double largest_step = 0;    ///< below which all steps asked for are stable; 0: none
};

CouplingVerdict judge(const LinearPair& pair, const ForceDisplacementSettings& settings,
                      const std::vector<double>& steps);
/// The same of sides; throws Error when the side cannot be displaced.
CouplingVerdict judge(const LinearSides& sides, const ForceDisplacementSettings& settings,
                      StateSpace::Advance advance, const std::vector<double>& steps);
LinearPair checked_pair(const LinearSides& sides, const std::vector<std::string>& displaced,
                        StateSpace::Advance advance);

/// For every degree (of force and motion alike, and of constant force with linear motion), force evaluation
/// and exchange.
std::vector<CouplingVerdict> survey(const LinearPair& pair, const std::vector<std::string>& displaced,
                                    CouplingOrder order, const std::vector<double>& steps);

/// A sentence about a setting, judged with one step, that is found unstable; empty: it is not.
std::string sentence_about(const CouplingVerdict& verdict, double step);
/// A sentence about the setting a model asks for if the analysis finds it unstable; empty: it does not.
std::string stability_warning(const ModelFile& file, const BuiltModel& whole, const State& state);

}  // namespace hooke
