#include "hooke/integrators/newton_rule.h"

#include "hooke/base/format.h"

namespace hooke {

void regularise(KktMatrix& kkt, const NewtonSettings& settings, double mass, double stiffness, const Dae& dae,
                Team* team) {
  constexpr double softest = 1e-2;  // an iteration leaves this share of a row's violation
  kkt.regularise((settings.penalty ? softest : settings.regularisation) / mass, dae.row_compliance(), team);
  if (settings.penalty) kkt.limit_regularisation(1 / (*settings.penalty * stiffness));
}

StepReport rejected(StepReport report, const char* why, const Dae& dae, const VectorX& r, const VectorX& g) {
  int dof = 0, row = 0;
  const double largest_r = r.allFinite() && r.size() ? r.cwiseAbs().maxCoeff(&dof) : 0.0;
  const double largest_g = g.allFinite() && g.size() ? g.cwiseAbs().maxCoeff(&row) : 0.0;
  report.failure = formatted("{} after {} iterations; largest residual {:.3g} at {}", why, report.iterations,
                             largest_r, dae.dof_name(dof));
  if (dae.nc() > 0)
    report.failure += formatted(", largest constraint error {:.3g} at {}", largest_g, dae.row_name(row));
  return report;
}

}  // namespace hooke
