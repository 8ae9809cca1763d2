#pragma once
#include "hooke/integrators/integrator.h"

namespace hooke {

/// Of each row's compliance, what regularises it beside M, which is never as badly scaled as a stiff tangent: where nothing
/// is redundant far less will do, and one more solve removes its effect.
inline double mass_regularisation(const NewtonSettings& settings) {
  return (settings.regularisation <= 1e-8 ? 1e-4 : 1.0) * settings.regularisation;
}

}  // namespace hooke
