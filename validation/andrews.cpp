#include "validation/cases.h"

namespace hooke::validation {
namespace {

/// Of the IVP test set at t = 0.03 s; the joints whose angles they are.
const std::pair<const char*, double> angles[] = {{"O", 15.81077119629904},   {"P", -15.75637105984298},
                                                 {"B", 0.04082224013073101}, {"G", -0.5347301163226948},
                                                 {"A5", 0.5244099658805304}, {"H", 0.5347301163226948},
                                                 {"A7", 1.048080741042263}};
/// tests/data/reference/andrews.py
const double second_angles[] = {15.810771195153835, -15.756371058412022, 0.040822240119625,
                                -0.534730116342119, 0.524409965879947,   0.53473011634211,
                                1.048080741041942};
const char* const names[] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
const double beta_rate = 1139.920302151208, Theta_rate = -1424.379294994111;
const double lambda1 = 199.1753333731910, lambda2 = -29.75531228015052;

struct Errors {
  double angle = 0, rate = 0, lambda = 0;
};

Errors errors_of(const Trajectory& run) {
  Errors e;
  const std::size_t end = run.last();
  for (const auto& [joint, value] : angles)
    e.angle = std::max(e.angle, std::abs(run.coordinate(end, joint) - value));
  e.rate = std::max(std::abs(run.rate(end, "O") - beta_rate), std::abs(run.rate(end, "P") - Theta_rate));
  // The test set joins the ends of K3, K4 and K6 to that of K2, the model those of K2, K4 and K6 to that of
  // K3. Either way (lambda1, lambda2) is the force on K3 in the point where all meet.
  const Vec3 force = -run.force(end, "E2") - run.force(end, "E4") - run.force(end, "E6");
  e.lambda = std::max(std::abs(force.x() - lambda1), std::abs(force.y() - lambda2));
  return e;
}

}  // namespace

void andrews(Report& report) {
  report.heading("Andrews' squeezing mechanism (IFToMM A03)");
  report.text(
      "Seven bodies and three loops in the plane, in a motion of 0.03 s: problem `andrews` of the test set "
      "for initial value "
      "problem solvers, whose reference has 16 digits. The model is three-dimensional and has 42 coordinates "
      "where the test set has "
      "the seven angles; the tolerance is one of the local error of a step, in units of the mechanism's size "
      "and rad. *Angles*: largest "
      "error of the seven at 0.03 s. *Rates*: of beta' and Theta', whose values are 1140 and -1424 rad/s. "
      "*lambda*: of the force on "
      "body K3 in the common point of the loops, lambda1 = 199 and lambda2 = -30 N.");
  report.command(
      "hooke run models/benchmarks/a03_andrews.yaml --integrator dormand-prince --tolerance 1e-12");

  std::vector<Method> methods[3];
  for (double h : {4e-5, 2e-5, 1e-5, 5e-6, 2.5e-6}) methods[0].push_back(generalized_alpha(0.8, h));
  for (double t : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8})
    methods[1].push_back(generalized_alpha_varying(0.8, t, 1e-5));
  for (double t : {1e-6, 1e-8, 1e-10, 1e-12}) methods[2].push_back(dormand_prince(t, 1e-5));

  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<double>> curves;
  std::vector<std::string> curve_names;
  Errors best;
  double last_order = 0;
  std::vector<double> values;
  for (const auto& family : methods) {
    std::vector<double> times, errors;
    for (const Method& method : family) {
      const Run r = run("benchmarks/a03_andrews.yaml", method, {"outputs.every=0.03"});
      const Errors e = errors_of(r.trajectory);
      const bool is_fixed = &family == &methods[0];
      rows.push_back({method.name, method.setting, scientific(e.angle),
                      is_fixed && !errors.empty() ? order_of(errors.back(), e.angle) : "", scientific(e.rate),
                      scientific(e.lambda), steps(r.trajectory.summary()), seconds(r.cpu_time)});
      if (is_fixed && !errors.empty()) last_order = std::log2(errors.back() / e.angle);
      errors.push_back(e.angle);
      times.push_back(r.cpu_time);
      best = e;
      values.clear();
      for (const auto& [joint, value] : angles)
        values.push_back(r.trajectory.coordinate(r.trajectory.last(), joint));
    }
    curve_names.insert(curve_names.end(), {"time " + std::to_string(curves.size() / 2),
                                           "error " + std::to_string(curves.size() / 2)});
    curves.push_back(times);
    curves.push_back(errors);
  }
  report.table(
      {"integrator", "setting", "angles, rad", "order", "rates, rad/s", "lambda, N", "steps", "CPU time"},
      rows);
  report.data("andrews", curve_names, curves);
  report.figure("andrews", "Andrews' mechanism: error over CPU time");

  report.text(
      "The seven angles of the last run (dormand-prince, tolerance 1e-12), beside the test set and a second "
      "solution made for this page: the "
      "equations in the seven angles, as the test set has them, integrated by SciPy's DOP853 at 1e-13 "
      "(`tests/data/reference/andrews.py`). Hooke and "
      "that one agree, so that the last digits of the published reference seem not to be right.");
  std::vector<std::vector<std::string>> angle_rows;
  double second_error = 0;
  for (std::size_t i = 0; i < 7; ++i)
    angle_rows.push_back({names[i], angles[i].first, fmt::format("{:.13f}", angles[i].second),
                          fmt::format("{:.13f}", second_angles[i]), fmt::format("{:.13f}", values[i]),
                          scientific(std::abs(values[i] - angles[i].second)),
                          scientific(std::abs(values[i] - second_angles[i]))});
  report.table({"angle", "joint", "test set", "DOP853", "Hooke", "error to the test set", "to DOP853"},
               angle_rows);
  for (std::size_t i = 0; i < 7; ++i)
    second_error = std::max(second_error, std::abs(values[i] - second_angles[i]));
  report.expect("dormand-prince at 1e-12: largest error of the seven angles against the test set, rad",
                best.angle, 1e-8);
  report.expect("and against DOP853", second_error, 1e-10);
  report.expect("against the test set, rates, relative", best.rate / std::abs(Theta_rate), 1e-8);
  report.expect("against the test set, multipliers, relative", best.lambda / lambda1, 1e-7);
  report.expect(
      "generalized-alpha with fixed step converges with order 2: deviation of the last order measured",
      std::abs(last_order - 2), 0.1);
}

}  // namespace hooke::validation
