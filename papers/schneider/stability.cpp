// Zero-stability, stability maps and how far simulations agree with them: figures 4 to 9.
#include "papers/schneider/cases.h"

namespace hooke::schneider {
namespace {

/// Where `radius` passes 1 between a and b.
template <class Radius>
double threshold(Radius&& radius, double a, double b) {
  const bool side = radius(a) < 1;
  while (b / a - 1 > 1e-9) {
    const double middle = std::sqrt(a * b);
    ((radius(middle) < 1) == side ? a : b) = middle;
  }
  return std::sqrt(a * b);
}

TwoMasses with_ratio(double ratio, TwoMasses masses = {}) {
  masses.m_R = ratio * masses.m_F;
  return masses;
}

double zero_radius(double ratio, int degree, LinearCoupling::Outputs outputs) {
  LinearCoupling coupling = with_ratio(ratio).coupling(Forces::approximate, degree, degree);
  coupling.outputs = outputs;
  return zero_stability(coupling);
}

/// Spectral radii over mass ratio and macro step, as columns "ratio, h, radius".
void add_map(const std::string& name, const TwoMasses& masses, Forces forces, int degree, Report& report) {
  std::vector<std::vector<double>> columns(3);
  for (const double ratio : spread(0.1, 100, 49))
    for (const double h : spread(2e-3, 0.5, 49)) {
      columns[0].push_back(ratio);
      columns[1].push_back(h);
      columns[2].push_back(stability(with_ratio(ratio, masses).coupling(forces, degree, degree), h));
    }
  report.data(name, {"ratio", "h", "radius"}, columns);
}

}  // namespace

void zero_stability_section(Report& report) {
  report.heading("Zero-stability");
  report.text(
      "Spectral radius of the exchange alone, h going to zero (remark 4.1), with approximate forces (23). "
      "With exact "
      "ones there is no loop and it is zero. At a macro point both outputs may be evaluated side by side, "
      "with inputs "
      "extrapolated to it (49), as the paper has it; or one after the other, the force with the acceleration "
      "just "
      "found, which leaves one factor of the extrapolation instead of two.");
  using Outputs = LinearCoupling::Outputs;
  const double radii[] = {0.3162, 0.8518, 1.4108}, limits[] = {1, 3 + 2 * std::sqrt(3.0), 31.640};
  std::vector<std::vector<std::string>> rows;
  double off_radius = 0, off_limit = 0;
  for (int degree = 0; degree < 4; ++degree) {
    const double radius = zero_radius(10, degree, Outputs::side_by_side);
    const auto limit = [&](Outputs outputs) {
      return threshold([&](double ratio) { return zero_radius(ratio, degree, outputs); }, 0.01, 1e4);
    };
    const double side_by_side = limit(Outputs::side_by_side), in_turn = limit(Outputs::in_turn);
    if (degree < 3) {
      off_radius = std::max(off_radius, std::abs(radius - radii[degree]));
      off_limit = std::max(off_limit, std::abs(side_by_side / limits[degree] - 1));
    }
    rows.push_back(
        {degree_in_words(degree), fmt::format("{:.4f}", radius),
         degree < 3 ? fmt::format("{:.4f}", radii[degree]) : "", fmt::format("{:.5g}", side_by_side),
         degree < 3 ? fmt::format("{:.5g}", limits[degree]) : "",
         fmt::format("{:.4f}", zero_radius(10, degree, Outputs::in_turn)), fmt::format("{:.5g}", in_turn)});
  }
  report.table({"extrapolation", "radius at m_R/m_F = 10", "by (69)", "stable above m_R/m_F =", "by (69)",
                "in turn: radius at 10", "stable above"},
               rows);
  report.expect("radii at ratio 10 are off (69) by", off_radius, 5e-5);
  report.expect("thresholds are off (69) by, relatively", off_limit, 5e-5);
  std::vector<std::string> names{"ratio"};
  std::vector<std::vector<double>> columns{spread(0.1, 100, 200)};
  for (int degree = 0; degree < 3; ++degree) {
    names.emplace_back(degree_in_words(degree));
    columns.emplace_back();
    for (const double ratio : columns[0])
      columns.back().push_back(zero_radius(ratio, degree, Outputs::side_by_side));
  }
  report.data("schneider_zero", names, columns);
  report.figure("schneider_zero", "Zero-stability with approximate forces over the mass ratio (figure 6).");
}

void maps(Report& report) {
  report.heading("Stability maps");
  report.text("Where the spectral radius of a macro step (51) is below 1 (blank) or not (filled).");
  for (int degree = 0; degree < 3; ++degree)
    for (const Forces forces : {Forces::exact, Forces::approximate})
      add_map(fmt::format("schneider_map_{}_{}", in_words(forces), degree), {}, forces, degree, report);
  report.figure("schneider_map_exact", "Exact forces, mass ratio and macro step (figure 4).");
  report.figure("schneider_map_approximate", "Approximate forces (figure 5).");
  const auto vary = [&](const std::string& name, double TwoMasses::*parameter,
                        std::initializer_list<double> values) {
    for (const double value : values) {
      TwoMasses masses;
      masses.*parameter = value;
      add_map(fmt::format("schneider_map_{}_{:g}", name, value), masses, Forces::approximate, 1, report);
    }
  };
  vary("cR", &TwoMasses::c_R, {10, 100, 1000});
  vary("dR", &TwoMasses::d_R, {0, 1, 10});
  vary("cF", &TwoMasses::c_F, {5, 50, 500});
  vary("dF", &TwoMasses::d_F, {0.01, 0.1, 1});
  report.figure("schneider_map_multibody",
                "Linear extrapolation, approximate forces; stiffness c_R (N/m) and damping "
                "d_R (N s/m) of the multibody system vary (figure 7).");
  report.figure("schneider_map_structure", "The same for the structure, c_F and d_F (figure 8).");

  // Figure 9: the largest macro step up to which all smaller ones are stable.
  std::vector<std::vector<double>> columns(3);
  for (const double c : spread(5, 5000, 31))
    for (const double d : spread(0.01, 10, 31)) {
      TwoMasses masses;
      masses.c_F = c, masses.d_F = d;
      double largest = 0;
      for (const double h : spread(1e-4, 0.3, 60)) {
        if (stability(masses.coupling(Forces::approximate, 1, 1), h) >= 1) break;
        largest = h;
      }
      columns[0].push_back(c);
      columns[1].push_back(d);
      columns[2].push_back(largest);
    }
  report.data("schneider_steps", {"c", "d", "h"}, columns);
  report.figure("schneider_steps",
                "Largest stable macro step over stiffness and damping of the structure, linear "
                "extrapolation, mass ratio 10 (the border of figure 9).");
}

void prediction(Report& report) {
  report.heading("Prediction and simulation");
  report.text(
      "Mass ratio, macro step and degree over a grid, with both forces; each coupled model is simulated for "
      "5000 macro "
      "steps and called stable when the last 500 stay below the second 500.");
  int points = 0, differ = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Forces forces : {Forces::exact, Forces::approximate})
    for (int degree = 0; degree < 3; ++degree)
      for (const double ratio : spread(0.3, 80, 12))
        for (const double h : spread(4e-3, 0.4, 10)) {
          const TwoMasses masses = with_ratio(ratio);
          const LinearCoupling coupling = masses.coupling(forces, degree, degree);
          const double radius = stability(coupling, h);
          const MatrixX x = simulate(coupling, h, 5000, masses.start(), masses.start_inputs());
          const bool is_stable =
              x.rightCols(500).cwiseAbs().maxCoeff() < x.middleCols(500, 500).cwiseAbs().maxCoeff();
          ++points;
          if (is_stable == (radius < 1)) continue;
          ++differ;
          rows.push_back({in_words(forces), degree_in_words(degree), validation::short_number(ratio),
                          validation::short_number(1e3 * h), fmt::format("{:.6f}", radius),
                          is_stable ? "stable" : "unstable"});
        }
  report.text(fmt::format("{} points, {} disagreements{}", points, differ, differ ? ":" : "."));
  if (differ)
    report.table({"forces", "extrapolation", "m_R/m_F", "h, ms", "spectral radius", "simulation"}, rows);
  report.expect(fmt::format("points of the grid ({}) are at least 200", points), points >= 200);
  report.expect("disagreements, as a fraction of the points", double(differ) / points, 0.01);

  const TwoMasses masses;
  const double h = 0.01;
  const int steps = 100000;  // 1000 s
  const MatrixX x =
      simulate(masses.coupling(Forces::exact, 0, 1), h, steps, masses.start(), masses.start_inputs());
  double first = 0, last = 0;
  for (int k = 2; k < steps; ++k) {
    const double gap = std::abs(x(0, k + 1) - (2 * x(0, k) - x(0, k - 1)));
    (k < steps / 2 ? first : last) = std::max(k < steps / 2 ? first : last, gap);
  }
  report.text(fmt::format(
      "Drift: over 1000 s with h = 10 ms the two sides of the joint differ at the macro points by the "
      "error of the extrapolation, at most {} m in the first 500 s and {} m in the second.",
      validation::scientific(first), validation::scientific(last)));
  report.expect("gap of the second half, as a fraction of that of the first", last / first, 1);
}

}  // namespace hooke::schneider
