// Case 1: the rigid slider crank in two parts.
#include "papers/zhou/cases.h"
#include "support/reference.h"

namespace hooke::zhou {

namespace {

struct Errors {
  double x = 0, v = 0, angle = 0, rate = 0, energy = 0;
};

Errors errors(const test::Trajectory& run, const test::ReferenceTable& table) {
  Errors e;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto row = static_cast<std::size_t>(std::lround(run.time(i) / 0.01));
    e.x = std::max(e.x, std::abs(run.position(i, "slider").x() - table["slider_x"][row]));
    e.v = std::max(e.v, std::abs(run.rate(i, "D") - table["slider_vx"][row]));
    e.angle = std::max(e.angle, std::abs(run.coordinate(i, "A") - table["theta"][row]));
    e.rate = std::max(e.rate, std::abs(run.rate(i, "A") - table["theta_dot"][row]));
    e.energy = std::max(e.energy, std::abs(run.energy(i) - table["energy"][row]));
  }
  return e;
}

}  // namespace

void rigid(Report& report) {
  report.heading("Case 1: rigid slider crank");
  report.text(
      "Subsystem 1 is crank and rod, subsystem 2 the slider; beta = 1/h, rho = 0.8, gauss-seidel with "
      "iqn-ils, 5 s. The "
      "reference is `tests/data/reference/slider_crank_rigid.csv` (an ODE in the crank angle at 1e-13). "
      "The iteration goes on to round-off, so that the error is that of the discretisation. Largest errors, "
      "and the order of the energy from one row to the next (the paper's Fig. 7); in the last column the "
      "error of the crank angle at 5 s, with its sign, over h^2:");
  const test::ReferenceTable table("slider_crank_rigid.csv");
  std::vector<std::vector<std::string>> rows;
  double last = 0, worst_order = 2, finest = 0, last_angle = 1e9, worst_fall = 0;
  std::map<double, double> over_h2;  // the crank's error at the end
  for (const double step : {1e-3, 5e-4, 2.5e-4, 5e-5}) {
    const test::Trajectory run("slider_crank.yaml",
                               case_1 + ode(step, 5, 0.01) + Overrides{"coupling.tolerance=1e-16"});
    const Errors e = errors(run, table);
    std::string order;
    if (last > 0) {
      const double measured = std::log(last / e.energy) / std::log(step > 1e-4 ? 2.0 : 5.0);
      order = fmt::format("{:.2f}", measured);
      if (std::abs(measured - 2) > std::abs(worst_order - 2)) worst_order = measured;
    }
    last = e.energy;
    finest = e.x;
    worst_fall = std::max(worst_fall, e.angle / std::exchange(last_angle, e.angle));
    over_h2[step] = (run.coordinate(run.size() - 1, "A") - table["theta"].back()) / (step * step);
    rows.push_back({fmt::format("{:g}", step), fmt::format("{:g}", 1 / step), scientific(e.x),
                    scientific(e.v), scientific(e.angle), scientific(e.rate), scientific(e.energy), order,
                    scientific(run.summary().position_violation),
                    scientific(run.summary().velocity_violation), fmt::format("{:.0f}", over_h2[step])});
    if (step > 6e-5) continue;
    std::vector<std::vector<double>> columns(6);
    for (std::size_t i = 0; i < run.size(); ++i) {
      const double values[] = {run.time(i),      run.position(i, "slider").x(),
                               run.rate(i, "D"), run.coordinate(i, "A"),
                               run.rate(i, "A"), run.energy(i)};
      for (std::size_t k = 0; k < 6; ++k) columns[k].push_back(values[k]);
    }
    for (const char* name : {"t", "slider_x", "slider_vx", "theta", "theta_dot", "energy"})
      columns.push_back(table[name]);
    report.data("zhou_rigid",
                {"t", "x", "vx", "theta", "rate", "energy", "reference t", "reference x", "reference vx",
                 "reference theta", "reference rate", "reference energy"},
                columns);
  }
  report.table({"h, s", "beta, 1/s", "slider x, m", "slider v, m/s", "crank angle, rad", "rate, rad/s",
                "energy, J", "order", "g, m or rad", "G v, per s", "crank at 5 s, rad/s^2"},
               rows);
  const double third = (over_h2[5e-4] - over_h2[2.5e-4]) / 2.5e-4, second = over_h2[2.5e-4] - 2.5e-4 * third;
  report.text(fmt::format(
      "The order is shown for the energy because slider and crank do not show it at the longer steps: there "
      "terms of second and third order cancel. Over h^2 the crank's error at 5 s is {:.0f} + {:.3g} h from "
      "the second and third row, which is nothing at h = {:.2g} s. So the error is largest at a step "
      "between, and with the longest step it is an accident.",
      second, third, -second / third));
  report.figure("zhou_rigid",
                "Case 1, h = 5e-5 s: coupled (thin) on the reference (thick); the paper's Figs. 4, 5, 6");
  report.expect("h = 5e-5 s, beta = 20000, the paper's: slider within, m", finest, 1e-6);
  report.expect("the order is 2: largest deviation", std::abs(worst_order - 2), 0.2);
  report.expect("the two terms foretell the crank's error at 5 s with h = 5e-5 s: off by, of it",
                std::abs((second + 5e-5 * third) / over_h2[5e-5] - 1), 0.1);
  report.expect("Fig. 7: the crank's error falls with every shorter step: largest ratio of one to the last",
                worst_fall, 1);
}

}  // namespace hooke::zhou
