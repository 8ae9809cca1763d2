// The same integrators on Hooke's models.
#include "papers/yen/cases.h"
#include "support/trajectory.h"

namespace hooke::yen {

namespace {

struct Case {
  const char* model;
  double end, step;
  /// Rods are too stiff for an explicit reference: generalized-alpha with a sixteenth of the step then.
  bool is_flexible = false;
  /// Steel that starts undeformed under load vibrates in all its modes, the highest far above any step.
  bool is_resolved = true;
};
const Case cases[] = {{"pendulum", 2, 2e-3},
                      {"double_pendulum", 1, 2e-3},
                      {"slider_crank", 1, 2e-3},
                      {"four_bar", 1, 2e-3},
                      {"chain", 0.5, 2e-3},
                      {"gear_pair", 0.5, 1e-3},
                      {"mass_spring", 1, 5e-3},
                      {"benchmarks/a01_pendulum", 1, 2e-3},
                      {"benchmarks/a02_n_four_bar", 0.4, 2e-3},
                      {"benchmarks/heavy_top", 0.2, 2e-4},
                      {"benchmarks/a03_andrews", 0.01, 2e-5},
                      {"benchmarks/a04_bricard", 1, 2e-3},
                      {"benchmarks/a05_flyball_governor", 0.5, 5e-4},
                      {"flexible/flying_spaghetti", 4, 0.01, true},
                      {"flexible/cable", 0.2, 5e-4, true},
                      {"flexible/slider_crank", 0.02, 1e-5, true, false}};

test::Trajectory run(const Case& c, const std::string& integrator, double step,
                     std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(),
                   {"run.integrator=" + integrator, fmt::format("run.step={:g}", step),
                    fmt::format("run.end={:g}", c.end), fmt::format("outputs.every={:g}", c.end)});
  return {std::string(c.model) + ".yaml", overrides};
}

test::Trajectory reference(const Case& c) {
  return c.is_flexible ? run(c, "generalized-alpha", c.step / 16)
                       : run(c, "dormand-prince", c.step, {"run.tolerance=1e-12"});
}

double apart_at_end(const test::Trajectory& a, const test::Trajectory& b) {
  VectorX x;
  a.system().minus(a.state(a.last()).q, b.state(b.last()).q, x);
  return size_of(x, a.system());
}

}  // namespace

void models(Report& report) {
  report.heading("Hooke's models");
  report.text(
      "Error of q at the end, in units of the mechanism's size or rad, against Dormand-Prince with a "
      "tolerance of 1e-12 (for flexible rods, generalized-alpha with a sixteenth of the step); in brackets "
      "the order from this step and half of it. All with rho = 0.8. The "
      "steel rod of flexible/slider_crank starts undeformed and vibrates in all its modes, which no such "
      "step resolves: "
      "there only the agreement counts.");
  std::vector<std::vector<std::string>> rows;
  double apart = 0, worst_order = 0;
  for (const Case& c : cases) {
    const test::Trajectory exact = reference(c);
    std::vector<std::string> row{c.model, fmt::format("{:g} s", c.end), fmt::format("{:g} s", c.step)};
    double first = 0;
    for (const char* integrator : {"generalized-alpha", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm"}) {
      std::array<double, 2> errors{};
      for (int i : {0, 1}) errors[i] = apart_at_end(run(c, integrator, c.step / (1 + i)), exact);
      const double order = std::log2(errors[0] / errors[1]);
      row.push_back(fmt::format("{:.2e} ({:.2f})", errors[0], order));
      if (first == 0) first = errors[0];
      apart = std::max(apart, std::abs(std::log2(errors[0] / first)));
      if (c.is_resolved) worst_order = std::max(worst_order, std::abs(order - 2));
    }
    rows.push_back(row);
  }
  report.table({"model", "end", "step", "generalized-alpha", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm"},
               rows);
  report.expect("every other model is integrated at order 2 by every form: largest deviation", worst_order,
                0.2);
  report.expect("with the errors of generalized-alpha: largest ratio, as a power of 2", apart, 0.2);

  const Case driven{"crank_rocker_driven", 1, 2e-3};
  const test::Trajectory exact = reference(driven);
  double off = 0;
  for (const char* integrator : {"dae-alpha", "dae-alpha-cs", "dae-alpha-cm"})
    off = std::max(off, apart_at_end(run(driven, integrator, driven.step), exact));
  report.expect("crank_rocker_driven, which leaves nothing free: error of every form", off, 1e-10);
}

}  // namespace hooke::yen
