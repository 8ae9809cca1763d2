#include "hooke/integrators/newton_rule.h"

#include "hooke/base/format.h"

namespace hooke {

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
