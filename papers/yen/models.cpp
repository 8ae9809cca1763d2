// The same integrators on Hooke's models.
#include "papers/yen/cases.h"
#include "support/trajectory.h"

namespace hooke::yen {

namespace {

struct Case {
  const char* model;
  double end, step;
};
const Case cases[] = {{"pendulum", 2, 2e-3},
                      {"double_pendulum", 1, 2e-3},
                      {"slider_crank", 1, 2e-3},
                      {"four_bar", 1, 2e-3},
                      {"chain", 0.5, 2e-3},
                      {"gear_pair", 0.5, 1e-3},
                      {"mass_spring", 1, 5e-3},
                      {"benchmarks/heavy_top", 0.2, 2e-4},
                      {"benchmarks/a03_andrews", 0.01, 2e-5},
                      {"benchmarks/a04_bricard", 1, 2e-3}};

test::Trajectory run(const Case& c, const std::string& integrator, double step) {
  return {std::string(c.model) + ".yaml",
          {"run.integrator=" + integrator, fmt::format("run.step={:g}", step),
           fmt::format("run.end={:g}", c.end), fmt::format("outputs.every={:g}", c.end)}};
}

}  // namespace

void models(Report& report) {
  report.heading("Hooke's models");
  report.text(
      "Error of q at the end, in units of the mechanism's size or rad, against Dormand-Prince with a "
      "tolerance of 1e-12; "
      "in brackets the order from this step and half of it. All with rho = 0.8.");
  std::vector<std::vector<std::string>> rows;
  double apart = 0, worst_order = 0;
  for (const Case& c : cases) {
    test::Trajectory exact(
        std::string(c.model) + ".yaml",
        {"run.integrator=dormand-prince", "run.tolerance=1e-12", fmt::format("run.step={:g}", c.step),
         fmt::format("run.end={:g}", c.end), fmt::format("outputs.every={:g}", c.end)});
    std::vector<std::string> row{c.model, fmt::format("{:g} s", c.end), fmt::format("{:g} s", c.step)};
    double reference = 0;
    for (const char* integrator : {"generalized-alpha", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm"}) {
      std::array<double, 2> errors{};
      for (int i : {0, 1}) {
        const test::Trajectory t = run(c, integrator, c.step / (1 + i));
        VectorX x;
        t.system().minus(t.state(t.last()).q, exact.state(exact.last()).q, x);
        errors[i] = x.cwiseQuotient(t.system().dof_scale()).lpNorm<Eigen::Infinity>();
      }
      const double order = std::log2(errors[0] / errors[1]);
      row.push_back(fmt::format("{:.2e} ({:.2f})", errors[0], order));
      if (reference == 0) reference = errors[0];
      apart = std::max(apart, std::abs(std::log2(errors[0] / reference)));
      worst_order = std::max(worst_order, std::abs(order - 2));
    }
    rows.push_back(row);
  }
  report.table({"model", "end", "step", "generalized-alpha", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm"},
               rows);
  report.expect("every model is integrated at order 2 by every form: largest deviation", worst_order, 0.2);
  report.expect("with the errors of generalized-alpha: largest ratio, as a power of 2", apart, 0.2);
}

}  // namespace hooke::yen
