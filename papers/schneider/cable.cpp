// The cable of section 6 in a multibody system: figures 16 to 18, real time and the cost of the forces.
#include <cmath>

#include "hooke/analysis/statics.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/simulation.h"
#include "papers/schneider/cases.h"

namespace hooke::schneider {
namespace {

const std::string model = std::string(HOOKE_ROOT) + "/models/coupled/cable.yaml";
const std::string path = "coupling.force-displacement.";

std::vector<std::string> degrees(int force, int motion) {
  return {fmt::format("{}force_degree={}", path, force), fmt::format("{}motion_degree={}", path, motion)};
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> step(double h) { return {fmt::format("run.step={}", h)}; }
std::vector<std::string> ratio(double value) { return {fmt::format("parameters.ratio={}", value)}; }

/// Places of the three rigid bodies at times 0.1 s apart.
struct Places {
  std::vector<Vec3> points;
  Summary summary;
};

Places run(const std::vector<std::string>& overrides) {
  Simulation simulation(
      load(model, overrides + std::vector<std::string>{"run.end=0.6", "outputs.every=0.1"}));
  Places places;
  RunOptions options;
  options.on_output = [&](const State& state, const SystemWorkspace&) {
    for (int b = 0; b < 3; ++b) places.points.push_back(simulation.system().motion(b, state).pose.p);
  };
  places.summary = simulation.run(options);
  return places;
}

double apart(const Places& a, const Places& b) {
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.points.size(), b.points.size()); ++k)
    worst = std::max(worst, (a.points[k] - b.points[k]).norm());
  return worst;
}

/// The model, built and at its start.
struct Started {
  explicit Started(const std::vector<std::string>& overrides)
      : file(load(model, overrides)),
        whole(build(file.model)),
        state(assemble_start(file.model, whole, newton_settings(file.run), 0).state) {}
  Problem file;
  BuiltModel whole;
  State state;
};

/// Linearised at the equilibrium, as in the paper, or at the start.
LinearSides sides(const std::vector<std::string>& overrides, bool at_rest = true) {
  Started it(overrides);
  if (at_rest) {
    const StaticResult found = find_equilibrium(*it.whole.system, it.state, newton_settings(it.file.run));
    if (!found.converged) throw std::runtime_error("the cable finds no rest: " + found.failure);
  }
  return linearise_sides(it.file, it.whole, it.state, {"cable"});
}

ForceDisplacementSettings settings(int degree, CouplingForces forces = CouplingForces::approximate) {
  return {{"cable"}, degree, degree, forces};
}

double zero_radius(double mass_ratio, int degree, bool at_rest) {
  return zero_stability(couple(sides(ratio(mass_ratio), at_rest), settings(degree)));
}

/// The mass ratio at which the exchange alone stops growing.
double threshold(int degree, bool at_rest) {
  double low = 0.02, high = 50;
  while (high / low > 1.0005) {
    const double middle = std::sqrt(low * high);
    (zero_radius(middle, degree, at_rest) < 1 ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

/// Whether the nonlinear co-simulation survives 3000 macro steps of h.
bool survives(double mass_ratio, int degree, double h) {
  const Started it(ratio(mass_ratio) + degrees(degree, degree) +
                   std::vector<std::string>{"subsystems.manipulator.tolerance=null"});
  const auto coupled = make_force_displacement(it.file, it.whole);
  State state = it.state;
  for (int k = 0; k < 3000; ++k)
    if (!coupled->step(state, h).accepted || !(state.v.cwiseAbs().maxCoeff() < 1e3)) return false;
  return true;
}

void convergence(Report& report) {
  report.subheading("Convergence (figure 16)");
  const Places reference = run({"subsystems=null", "run.step=2.5e-5"});
  const double steps[] = {8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4};
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<double>> columns(2);
  double last = 0;
  for (const double h : steps) {
    const double error = apart(run(step(h)), reference);
    rows.push_back(
        {validation::short_number(1e3 * h), validation::scientific(error),
         columns[1].empty() ? "" : fmt::format("{:.2f}", last = std::log2(columns[1].back() / error))});
    columns[0].push_back(h), columns[1].push_back(error);
  }
  report.text(
      "Largest distance of the three rigid bodies from where the monolithic run has them (generalized-alpha, "
      "0.025 ms), 0.1 s apart up to 0.6 s. Constant force, linear motion, approximate forces; the "
      "manipulator "
      "by "
      "Dormand-Prince with error control, the cable by one linearly implicit step per macro step.");
  report.command("hooke run models/coupled/cable.yaml --step H");
  report.table({"h, ms", "error, m", "order"}, rows);
  report.data("schneider_cable", {"h", "error"}, columns);
  report.figure("schneider_cable",
                "Cable: error of the multibody system's positions against the macro step.");
  report.expect("last order is off 1 by", std::abs(last - 1), 0.15);
}

/// Where the bodies and the nodes of the cable are, 0.2 s apart.
std::vector<std::vector<Vec3>> shapes(const std::vector<std::string>& overrides) {
  Simulation simulation(
      load(model, overrides + std::vector<std::string>{"run.end=0.8", "outputs.every=0.2"}));
  std::vector<std::vector<Vec3>> found;
  RunOptions options;
  options.on_output = [&](const State& state, const SystemWorkspace&) {
    const System& system = simulation.system();
    std::vector<Vec3>& line = found.emplace_back();
    for (int b = 0; b < 3; ++b) line.push_back(system.motion(b, state).pose.p);
    for (const FramePose& node : system.nodes(3, state)) line.push_back(node.p);
  };
  simulation.run(options);
  return found;
}

void snapshot(Report& report) {
  report.subheading("Snapshots (figure 15)");
  const auto coupled = shapes(step(1e-3)), whole = shapes({"subsystems=null", "run.step=2.5e-4"});
  std::vector<std::vector<double>> columns(4);
  double apart = 0;
  for (std::size_t k = 0; k < coupled.size(); ++k)
    for (std::size_t i = 0; i < coupled[k].size(); ++i) {
      columns[0].push_back(0.2 * static_cast<double>(k));
      for (int d = 0; d < 3; ++d) columns[1 + d].push_back(coupled[k][i][d]);
      apart = std::max(apart, (coupled[k][i] - whole[k][i]).norm());
    }
  report.data("schneider_snapshot", {"t", "x", "y", "z"}, columns);
  report.figure(
      "schneider_snapshot",
      "Carriage, arm, hand and the nodes of the cable, from the side and from above, co-simulated with "
      "h = 1 ms.");
  report.expect("bodies and cable are off where the whole has them by (m)", apart, 0.01);
}

void thresholds(Report& report) {
  report.subheading("Zero-stability and thresholds (figure 17)");
  report.text(
      "Spectral radius of the exchange with approximate forces (23), both sides linearised at the "
      "equilibrium, "
      "over the "
      "mass of the multibody system divided by that of the cable. Each threshold is then looked for in the "
      "nonlinear "
      "co-simulation: 3000 macro steps of 0.02 ms a tenth above and a tenth below it.");
  std::vector<std::vector<double>> columns(4);
  for (const double r : spread(0.05, 20, 25)) {
    columns[0].push_back(r);
    const LinearSides linear = sides(ratio(r));
    for (int degree = 0; degree < 3; ++degree)
      columns[1 + degree].push_back(zero_stability(couple(linear, settings(degree))));
  }
  report.data("schneider_cable_zero", {"ratio", "constant", "linear", "quadratic"}, columns);
  std::vector<std::vector<std::string>> rows;
  bool agree = true;
  double quadratic = 0;
  for (int degree = 0; degree < 3; ++degree) {
    const double limit = quadratic = threshold(degree, true);
    const bool above = survives(1.1 * limit, degree, 2e-5), below = survives(0.9 * limit, degree, 2e-5);
    agree = agree && above && !below;
    rows.push_back({degree_in_words(degree), validation::short_number(limit), above ? "stable" : "grows",
                    below ? "stable" : "grows", validation::short_number(threshold(degree, false))});
  }
  report.table({"extrapolation", "stable above a mass ratio of", "simulated 10 % above", "10 % below",
                "linearised at the start"},
               rows);
  report.figure("schneider_cable_zero", "Cable: zero-stability over the total mass ratio.");
  report.expect("simulations agree with the thresholds", agree);
  report.expect("quadratic extrapolation is lost near the mass ratio 4: off by", std::abs(quadratic - 4), 1);
}

void region(Report& report) {
  report.subheading("Finite macro steps (figure 18)");
  std::array<std::vector<std::vector<double>>, 3> columns;
  columns.fill(std::vector<std::vector<double>>(3));
  for (const double r : spread(0.1, 20, 33)) {
    const LinearSides linear = sides(ratio(r));
    for (int degree = 0; degree < 3; ++degree) {
      const LinearCoupling coupling = couple(linear, settings(degree));
      for (const double h : spread(2e-4, 0.02, 13)) {
        columns[degree][0].push_back(r), columns[degree][1].push_back(h);
        columns[degree][2].push_back(stability(coupling, h));
      }
    }
  }
  report.command(
      "hooke stability models/coupled/cable.yaml --map parameters.ratio=0.1:20:33 --steps 2e-4 0.02 --draw "
      "map.svg");
  for (int degree = 0; degree < 3; ++degree)
    report.data(fmt::format("schneider_cable_map_{}", degree), {"ratio", "h", "radius"}, columns[degree]);
  report.figure(
      "schneider_cable_map",
      "Cable: unstable regions (filled) over total mass ratio and macro step, approximate forces, linearised "
      "at the equilibrium and advanced exactly.");
  report.text(
      "The paper says that steps may be chosen larger than this suggests. At its mass ratio of 7: the "
      "largest "
      "step of a series, 1.2 times longer each time, up to which the linearised systems are stable, and up "
      "to "
      "which the co-simulation survives 3000 macro steps, its cable by one linearly implicit step in each.");
  std::vector<std::vector<std::string>> rows;
  bool larger = true;
  const LinearSides linear = sides(ratio(7));
  for (int degree = 0; degree < 3; ++degree) {
    const LinearCoupling coupling = couple(linear, settings(degree));
    const auto up_to = [](const auto& is_stable) {
      double last = 0;
      for (double h = 1e-4; h < 0.05 && is_stable(h); h *= 1.2) last = h;
      return last;
    };
    const double predicted = up_to([&](double h) { return stability(coupling, h) < 1; }),
                 simulated = up_to([&](double h) { return survives(7, degree, h); });
    larger = larger && simulated > predicted;
    rows.push_back({degree_in_words(degree), validation::short_number(1e3 * predicted),
                    validation::short_number(1e3 * simulated)});
  }
  report.table({"extrapolation", "linearised, ms", "co-simulation, ms"}, rows);
  report.expect("steps larger than the linearised systems allow are stable, as the paper says", larger);
}

/// Seconds of a macro step, the least of fifteen runs.
struct Cost {
  double forced = 1, displaced = 1, exchange = 1;
  double all() const { return forced + displaced + exchange; }
};

Cost cost(const std::vector<std::string>& overrides) {
  constexpr int steps = 40;
  const Started it(overrides);
  Cost least;
  for (int run = 0; run < 15; ++run) {
    State state = it.state;
    const auto coupled = make_force_displacement(it.file, it.whole);
    for (int k = 0; k < steps; ++k) coupled->step(state, it.file.run.step);
    least.forced = std::min(least.forced, coupled->forced_seconds() / steps);
    least.displaced = std::min(least.displaced, coupled->displaced_seconds() / steps);
    least.exchange = std::min(least.exchange, coupled->coupling().exchange_seconds() / steps);
  }
  return least;
}

void costs(Report& report) {
  report.subheading("Real time, and what the forces cost");
  report.text(
      "Macro steps a second on one thread, ten elements, approximate forces, and how many times faster than "
      "reality that is.");
  std::vector<std::vector<std::string>> rows;
  for (const double h : {5e-4, 1e-3, 2e-3, 4e-3}) {
    const double seconds = cost(step(h)).all();
    rows.push_back({validation::short_number(1e3 * h), fmt::format("{:.0f}", 1 / seconds),
                    fmt::format("{:.1f}", h / seconds)});
  }
  report.table({"h, ms", "macro steps a second", "times real time"}, rows);

  report.text(
      "Microseconds in a macro step of 1 ms as the cable is refined: the manipulator, the cable's step, and "
      "the "
      "exchange with exact (11), small (22) and approximate (23) forces. Exact forces ask both sides six "
      "times "
      "more, with the factors they have; small ones only the manipulator.");
  rows.clear();
  double factor = 0;
  for (const int elements : {10, 20, 40, 80}) {
    std::vector<std::string> row{std::to_string(elements)};
    Cost last;
    double exact = 0;
    for (const char* forces : {"exact", "small", "approximate"}) {
      last =
          cost({fmt::format("parameters.elements={}", elements), fmt::format("{}forces={}", path, forces)});
      if (row.size() == 1) exact = last.exchange;
      row.push_back(fmt::format("{:.0f}", 1e6 * last.exchange));
    }
    factor = exact / last.exchange;
    row.insert(row.begin() + 1,
               {fmt::format("{:.0f}", 1e6 * last.forced), fmt::format("{:.0f}", 1e6 * last.displaced)});
    rows.push_back(row);
  }
  report.table({"elements", "manipulator", "cable", "(11)", "(22)", "(23)"}, rows);
  report.expect("80 elements: cost of exact forces, in units of approximate ones", factor, 10);
}

void drift(Report& report) {
  report.subheading("No drift");
  const Started it(step(4e-3));
  const System& system = *it.whole.system;
  const auto coupled = make_force_displacement(it.file, it.whole);
  auto workspace = system.workspace();
  State state = it.state;
  VectorX g;
  double open[2] = {0, 0}, gap = 0;
  constexpr int steps = 250000;
  for (int k = 0; k < steps && coupled->step(state, 4e-3).accepted; ++k) {
    system.update(state, *workspace);
    system.position_constraints(state, *workspace, g);
    open[2 * k / steps] = std::max(open[2 * k / steps], g.cwiseAbs().maxCoeff());
    if (2 * k < steps) gap = coupled->coupling().gap();
  }
  report.text(fmt::format(
      "1000 s with h = 4 ms, {:.0f} s reached. Extrapolation leaves the clamp open by at most {:.1e} m at "
      "the end of a "
      "macro step ({:.1e} m in the first half of the time), and it is closed there: at the macro points all "
      "constraints are met to {:.1e} (m or rad) in the first half and {:.1e} in the second.",
      state.t, coupled->coupling().gap(), gap, open[0], open[1]));
  report.expect("the end is reached", state.t > 999);
  report.expect("largest violation at macro points", std::max(open[0], open[1]), 1e-10);
}

}  // namespace

void cable(Report& report) {
  report.heading("A cable in a multibody system");
  report.text(
      "Section 6: a rubber cable (1 m, radius 5 mm, 1100 kg/m3, 5 MPa, Poisson's ratio 0.5; ten two-node "
      "Cosserat "
      "elements, damping 2 ms) clamped to a wall and to the third body of a multibody system with three "
      "joints. The "
      "paper only sketches that system: here a carriage slides along x on a spring (100 N/m), the arm (0.2 "
      "m) turns "
      "about y and the hand (0.1 m) about z, against 5 and 1 N m/rad; the three masses are equal and "
      "together 7 "
      "times that of the cable. models/coupled/cable.yaml has it all.");
  snapshot(report);
  convergence(report);
  thresholds(report);
  region(report);
  drift(report);
  costs(report);
}

}  // namespace hooke::schneider
