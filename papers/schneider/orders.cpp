// Errors against the exact solution for macro steps over two decades: figures 10 to 13.
#include "papers/schneider/cases.h"

namespace hooke::schneider {
namespace {

constexpr double end = 2;  // s
const double steps[] = {0.02, 0.01, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4, 2e-4};

struct Variant {
  const char* name;
  const char* title;
  Forces forces;
  StateSpace::Advance advance;
};

LinearCoupling coupling_of(const Variant& variant, int of_force, int of_motion) {
  LinearCoupling coupling = TwoMasses{}.coupling(variant.forces, of_force, of_motion);
  coupling.systems[1].advance = variant.advance;
  return coupling;
}

/// Errors, a row for each pair of degrees; the order between 2.5 and 1.25 ms, and the last one.
void compare(const Variant& variant, Report& report, std::vector<std::array<double, 3>>& found) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> names{"h"};
  std::vector<std::vector<double>> columns{{std::begin(steps), std::end(steps)}};
  for (int of_force = 0; of_force < 3; ++of_force)
    for (int of_motion = 0; of_motion < 3; ++of_motion) {
      const LinearCoupling coupling = coupling_of(variant, of_force, of_motion);
      std::vector<double> errors;
      for (const double h : steps) errors.push_back(TwoMasses{}.error(coupling, h, end));
      const bool is_stable = errors.back() < 1;
      const double order = std::log2(errors[3] / errors[4]);
      const double last = std::log(errors[6] / errors[7]) / std::log(steps[6] / steps[7]);
      if (is_stable) {
        names.push_back(fmt::format("{} {}", of_force, of_motion));
        columns.push_back(errors);
        found.push_back({double(of_force), double(of_motion), order});
      }
      rows.push_back({degree_in_words(of_force), degree_in_words(of_motion),
                      is_stable ? validation::scientific(errors[0]) : "grows",
                      is_stable ? validation::scientific(errors[3]) : "grows",
                      is_stable ? validation::scientific(errors[7]) : "grows",
                      is_stable ? fmt::format("{:.2f}", order) : "",
                      is_stable ? fmt::format("{:.2f}", last) : ""});
    }
  report.table({"force", "motion", "error at h = 20 ms, m", "2.5 ms", "0.2 ms", "order about 2 ms",
                "order about 0.25 ms"},
               rows);
  report.data(fmt::format("schneider_{}", variant.name), names, columns);
  report.figure(fmt::format("schneider_{}", variant.name), variant.title);
}

double order_of(const std::vector<std::array<double, 3>>& found, int of_force, int of_motion) {
  for (const auto& [force, motion, order] : found)
    if (force == of_force && motion == of_motion) return order;
  return 0;
}

/// The first macro point at which the coupled solution is off by as much as it began with.
int steps_until_lost(const TwoMasses& masses, const LinearCoupling& coupling, double h) {
  const MatrixX x = simulate(coupling, h, 1000, masses.start(), masses.start_inputs());
  for (int k = 0; k <= 1000; ++k)
    if (!(x.col(k).cwiseAbs().maxCoeff() < 100)) return k;
  return 1000;
}

}  // namespace

void orders(Report& report) {
  report.heading("Convergence");
  report.text(
      "Largest error of the two positions at the macro points over 2 s (table 1's data, both masses let go "
      "at 1 m), "
      "against the exponential (58), for each degree with which force and motion are extrapolated. "
      "Velocities follow "
      "the derivative of the polynomial of the positions (remark 3.1): with constant positions that is zero, "
      "and no "
      "step makes it right. With degree s its error is of order s, which the small damping of the structure "
      "hides "
      "until h is small: the orders fall from s + 1 towards s. Inputs begin with degree 0, 1, ... as values "
      "come in.");
  std::vector<std::array<double, 3>> exact, approximate, implicit;
  report.subheading("Exact forces (figure 10)");
  compare(
      {"exact", "Exact forces: error against macro step, force and motion extrapolated with degrees r, s.",
       Forces::exact, StateSpace::Advance::exactly},
      report, exact);
  report.expect("order with a constant force and linear or quadratic motion: off 1 by",
                std::max(std::abs(order_of(exact, 0, 1) - 1), std::abs(order_of(exact, 0, 2) - 1)), 0.05);
  report.expect("order with a linear force and quadratic motion: off 2 by",
                std::abs(order_of(exact, 1, 2) - 2), 0.05);
  report.expect("order with both linear between 1 and 2, with both quadratic between 2 and 3",
                order_of(exact, 1, 1) > 1 && order_of(exact, 1, 1) < 2.05 && order_of(exact, 2, 2) > 2 &&
                    order_of(exact, 2, 2) < 3.05);
  report.subheading("Approximate forces (figures 11, 12)");
  compare({"approximate", "Approximate forces (23): error against macro step.", Forces::approximate,
           StateSpace::Advance::exactly},
          report, approximate);
  report.expect("order with a constant force and linear motion: off 1 by",
                std::abs(order_of(approximate, 0, 1) - 1), 0.05);
  std::vector<std::vector<std::string>> rows;
  std::vector<int> counts;
  const TwoMasses masses;
  for (const double h : {0.005, 0.01, 0.02}) {
    const int lost = steps_until_lost(masses, masses.coupling(Forces::approximate, 2, 2), h);
    rows.push_back({validation::short_number(1e3 * h), std::to_string(lost), "40 to 50"});
    counts.push_back(lost);
  }
  report.text(
      "Quadratic extrapolation of both is unstable at the mass ratio 10: steps until a state exceeds 100 "
      "times its start.");
  report.table({"h, ms", "steps", "paper (figure 11)"}, rows);
  report.text(
      "The paper gives neither its macro step nor what it calls unstable. A longer step is lost in fewer, "
      "since it adds to what the exchange alone does.");
  for (std::size_t i = 0; i < counts.size(); ++i)
    report.expect(fmt::format("{} ms: lost after 40 to 50 steps, as the paper says", rows[i][0]),
                  counts[i] >= 40 && counts[i] <= 50);
  report.subheading("One linearly implicit step of the structure per macro step (figure 13)");
  compare(
      {"implicit", "Exact forces, the structure advanced by one linearly implicit Euler step per macro step.",
       Forces::exact, StateSpace::Advance::linearly_implicit},
      report, implicit);
  double spread_of_errors = 0;
  for (const double h : {2.5e-3, 2e-4}) {
    const auto error = [&](int r, int s) {
      return TwoMasses{}.error(
          coupling_of({"", "", Forces::exact, StateSpace::Advance::linearly_implicit}, r, s), h, end);
    };
    spread_of_errors = std::max(spread_of_errors, std::abs(error(0, 1) / error(2, 2) - 1));
  }
  report.expect("constant force and linear motion lose against quadratic ones, as a fraction of the error",
                spread_of_errors, 0.1);
}

}  // namespace hooke::schneider
