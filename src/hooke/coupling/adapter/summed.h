#pragma once
#include "hooke/coupling/relaxation.h"
#include "hooke/integrators/integrator.h"

namespace hooke {

/// What the subsystems did in a macro step together, and why it failed if it did.
inline StepReport summed(const Relaxation::Report& coupled) {
  StepReport report;
  for (const Participant::Report& each : coupled.last) {
    report.iterations += each.iterations;
    report.factorizations += each.factorizations;
    report.error = std::max(report.error, each.error);
  }
  if (!coupled.converged) report.failure = coupled.failure;
  return report;
}

}  // namespace hooke
