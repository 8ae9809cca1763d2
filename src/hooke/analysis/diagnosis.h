#pragma once
#include <optional>

#include "hooke/base/error.h"
#include "hooke/system/system.h"

/// What was the matter when a step failed or a run went astray. Nothing here costs a step anything: it is looked for
/// afterwards.
namespace hooke {

/// The drive or force whose formula or code is not finite at the state, or where its velocities and accelerations lead
/// within a step of `h`: the first one met. The diagnostic has no place in a file yet.
std::optional<Diagnostic> find_not_finite(const System& system, const State& state, double h);

/// In words, when a motion has left all bounds since `start`; empty: it has not.
std::string gone_astray(const System& system, const State& start, const State& state);

}  // namespace hooke
