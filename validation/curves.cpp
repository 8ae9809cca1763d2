#include <functional>

#include "validation/cases.h"

namespace hooke::validation {
namespace {

using test::ReferenceTable;

/// A quantity of a run beside a column of a reference.
struct Quantity {
  std::string name;
  std::function<double(const Trajectory&, std::size_t)> value;
  std::function<double(std::size_t)> reference;
};

double largest_error(const Trajectory& run, const Quantity& quantity, std::size_t rows) {
  if (run.size() < rows) return std::numeric_limits<double>::infinity();
  double error = 0;
  for (std::size_t i = 0; i < rows; ++i)
    error = std::max(error, std::abs(quantity.value(run, i) - quantity.reference(i)));
  return error;
}

struct Curve {
  std::string model, figure;
  double every;
  std::size_t rows;
  std::vector<Quantity> quantities;
};

/// The table of all methods, and the curves of the first quantity for the figure. Returns the errors of each
/// method.
std::vector<std::vector<double>> compare(Report& report, const Curve& curve,
                                         const std::vector<Method>& methods) {
  std::vector<std::string> header{"integrator", "setting"};
  for (const Quantity& quantity : curve.quantities) header.push_back(quantity.name);
  header.insert(header.end(), {"energy drift, J", "steps", "CPU time"});

  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<double>> errors;
  const Quantity& drawn = curve.quantities.front();
  std::vector<std::string> columns{"t", "reference"};
  std::vector<std::vector<double>> data(2);
  for (std::size_t i = 0; i < curve.rows; ++i) {
    data[0].push_back(static_cast<double>(i) * curve.every);
    data[1].push_back(drawn.reference(i));
  }
  for (const Method& method : methods) {
    const Run r = run(curve.model, method, {fmt::format("outputs.every={}", curve.every)});
    std::vector<std::string> row{method.name, method.setting};
    errors.emplace_back();
    for (const Quantity& quantity : curve.quantities) {
      errors.back().push_back(largest_error(r.trajectory, quantity, curve.rows));
      row.push_back(scientific(errors.back().back()));
    }
    row.insert(row.end(), {scientific(r.trajectory.summary().energy_drift), steps(r.trajectory.summary()),
                           seconds(r.cpu_time)});
    rows.push_back(row);
    columns.push_back(method.name + "; " + method.setting);
    data.emplace_back();
    for (std::size_t i = 0; i < std::min(curve.rows, r.trajectory.size()); ++i)
      data.back().push_back(std::abs(drawn.value(r.trajectory, i) - drawn.reference(i)));
  }
  report.table(header, rows);
  report.data(curve.figure, columns, data);
  return errors;
}

void slider_crank(Report& report) {
  report.subheading("Spatial slider crank");
  report.text(
      "Haug's mechanism with the numbers of Zhou et al. (2022): it turns once every half second or so for 5 "
      "s, 54 rad in all. The "
      "reference is a one-dimensional equation solved to 1e-13, confirmed by MBDyn to 1e-9 m and 4e-8 rad. "
      "Largest errors over 501 "
      "times.");
  report.command("hooke run models/slider_crank.yaml --step 5e-4");
  const ReferenceTable table("slider_crank_rigid.csv");
  const Curve curve{
      "slider_crank.yaml",
      "slider_crank",
      0.01,
      table.rows(),
      {{"slider x, m", [](const Trajectory& r, std::size_t i) { return r.position(i, "slider").x(); },
        [&](std::size_t i) { return table["slider_x"][i]; }},
       {"velocity, m/s", [](const Trajectory& r, std::size_t i) { return r.rate(i, "D"); },
        [&](std::size_t i) { return table["slider_vx"][i]; }},
       {"crank, rad", [](const Trajectory& r, std::size_t i) { return r.coordinate(i, "A"); },
        [&](std::size_t i) { return table["theta"][i]; }},
       {"crank, rad/s", [](const Trajectory& r, std::size_t i) { return r.rate(i, "A"); },
        [&](std::size_t i) { return table["theta_dot"][i]; }}}};
  const auto errors =
      compare(report, curve,
              {generalized_alpha(0.8, 2e-3), generalized_alpha(0.8, 1e-3), generalized_alpha(0.8, 5e-4),
               generalized_alpha(0.8, 2.5e-4), generalized_alpha_varying(0.8, 1e-7, 1e-3),
               fixed("trapezoidal", 1e-3), fixed("hht", 1e-3), fixed("dormand-prince", 5e-3),
               fixed("dormand-prince", 2.5e-3), dormand_prince(1e-9, 1e-3), dormand_prince(1e-12, 1e-3)});
  report.figure("slider_crank", "Slider crank: position of the slider and its errors");
  report.expect(
      "halving the step of generalized-alpha divides the error of the crank angle by four: deviation of the "
      "order",
      std::abs(std::log2(errors[2][2] / errors[3][2]) - 2), 0.1);
  report.expect("dormand-prince at 1e-12 is as near as the reference is known: slider x, m", errors[10][0],
                1e-9);
  report.expect("and its crank angle, rad", errors[10][2], 4e-8);
}

void double_pendulum(Report& report) {
  report.subheading("Spatial double pendulum");
  report.text(
      "Two bodies on spherical joints (Malczyk et al. 2018, 4.2), 10 s. Beside the places of both bodies, "
      "the force of the ground in "
      "the first joint is compared. The reference is an equation in unit vectors solved tightly, confirmed "
      "by MBDyn and Simbody.");
  report.command("hooke run models/double_pendulum.yaml --step 2.5e-3");
  const ReferenceTable table("double_pendulum.csv");
  const auto place = [&](const std::string& body, int axis, const std::string& column) {
    return Quantity{"", [=](const Trajectory& r, std::size_t i) { return r.position(i, body)[axis]; },
                    [&table, column](std::size_t i) { return table[column][i]; }};
  };
  // Distances, as one number for each body and the force.
  const auto distance = [&](const std::string& name, const std::string& columns, auto vector) {
    return Quantity{name,
                    [=, &table](const Trajectory& r, std::size_t i) {
                      return (vector(r, i) -
                              Vec3(table[columns + "x"][i], table[columns + "y"][i], table[columns + "z"][i]))
                          .norm();
                    },
                    [](std::size_t) { return 0.0; }};
  };
  Curve curve{"double_pendulum.yaml", "double_pendulum", 0.05, table.rows(), {place("B", 1, "cBy")}};
  curve.quantities.front().name = "height of B, m";
  curve.quantities.push_back(
      distance("A, m", "cA", [](const Trajectory& r, std::size_t i) { return r.position(i, "A"); }));
  curve.quantities.push_back(
      distance("B, m", "cB", [](const Trajectory& r, std::size_t i) { return r.position(i, "B"); }));
  curve.quantities.push_back(
      distance("force, N", "F1", [](const Trajectory& r, std::size_t i) { return r.force(i, "joint1"); }));
  const auto errors =
      compare(report, curve,
              {generalized_alpha(0.8, 1e-2), generalized_alpha(0.8, 5e-3), generalized_alpha(0.8, 2.5e-3),
               generalized_alpha(0.8, 1.25e-3), fixed("trapezoidal", 2.5e-3), fixed("dormand-prince", 5e-3),
               fixed("dormand-prince", 2.5e-3)});
  report.figure("double_pendulum", "Double pendulum: height of body B and its errors");
  report.expect(
      "halving the step of generalized-alpha divides the error of B by four: deviation of the order",
      std::abs(std::log2(errors[2][2] / errors[3][2]) - 2), 0.1);
  report.expect("and that of the joint force: deviation of the order",
                std::abs(std::log2(errors[2][3] / errors[3][3]) - 2), 0.15);
  report.expect("dormand-prince in steps of 2.5 ms: places, m", std::max(errors[6][1], errors[6][2]), 1e-9);
  report.expect("dormand-prince in steps of 2.5 ms: force, N", errors[6][3], 1e-7);
}

void four_bar(Report& report) {
  report.subheading("Over-constrained four-bar");
  report.text(
      "A parallelogram on four revolute joints in space (Malczyk et al. 2018, 4.3): three of its 20 "
      "equations are redundant, and all "
      "its links lie in one line each time it swings through its lowest position, where it could turn into a "
      "crossed four-bar. As long as "
      "it stays a parallelogram, its angle follows 3.5 theta'' = -2 g cos(theta). Largest errors over 30 s.");
  report.command("hooke run models/four_bar.yaml --step 5e-3");
  std::vector<double> times;
  for (int i = 0; i <= 600; ++i) times.push_back(0.05 * i);
  const auto exact = test::solve_pendulum([](double theta) { return -2 * 9.81 / 3.5 * std::cos(theta); },
                                          {M_PI / 4, 0}, times);
  const ReferenceTable table("fourbar.csv");
  double agreement = 0;
  for (std::size_t i = 0; i < table.rows(); ++i)
    agreement = std::max(agreement, std::abs(exact[i][0] - table["theta"][i]));
  const Curve curve{
      "four_bar.yaml",
      "four_bar",
      0.05,
      times.size(),
      {{"angle, rad", [](const Trajectory& r, std::size_t i) { return M_PI / 4 + r.coordinate(i, "joint1"); },
        [&](std::size_t i) { return exact[i][0]; }},
       {"rate, rad/s", [](const Trajectory& r, std::size_t i) { return r.rate(i, "joint1"); },
        [&](std::size_t i) { return exact[i][1]; }}}};
  const auto errors =
      compare(report, curve,
              {generalized_alpha(0.8, 1e-2), generalized_alpha(0.8, 5e-3), generalized_alpha(0.8, 2.5e-3),
               generalized_alpha(0.8, 1.25e-3), fixed("trapezoidal", 5e-3), fixed("hht", 5e-3),
               generalized_alpha_varying(0.8, 1e-6, 1e-3), dormand_prince(1e-9, 1e-3)});
  report.figure("four_bar", "Four-bar: angle and its errors");
  report.expect(
      "halving the step of generalized-alpha divides the error of the angle by four: deviation of the order",
      std::abs(std::log2(errors[2][0] / errors[3][0]) - 2), 0.1);
  report.expect("the equation solved here and the reference file (10 s) agree: rad", agreement, 1e-10);
}

}  // namespace

void reference_curves(Report& report) {
  report.heading("Curves of other codes");
  report.attempt({slider_crank, double_pendulum, four_bar});
}

}  // namespace hooke::validation
