// Zero-stability, stability maps and how far simulations agree with them: figures 4 to 9.
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/io/model/linear_model_file.h"
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

/// The largest root of (69), mu^(2r + 2) + (sum of alpha_i mu^(r - i))^2 m_F/m_R, by its companion matrix.
double radius_by_69(double ratio, int degree) {
  VectorX extrapolated = VectorX::Ones(1);  // alpha: the polynomial through r + 1 values, one step further
  for (int r = 1; r <= degree; ++r) {
    VectorX next = VectorX::Zero(r + 1);
    for (int i = 0; i < r; ++i) next[i] += extrapolated[i], next[i + 1] -= extrapolated[i];
    next[0] += 1;
    extrapolated = next;
  }
  VectorX square = VectorX::Zero(2 * degree + 1);
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; j <= degree; ++j) square[i + j] += extrapolated[i] * extrapolated[j];
  const int n = 2 * degree + 2;
  MatrixX companion = MatrixX::Zero(n, n);
  companion.row(0).tail(n - 1) = -square.transpose() / ratio;
  companion.diagonal(-1).setOnes();
  return spectral_radius(companion);
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
  std::vector<std::vector<std::string>> rows;
  double off_radius = 0, off_limit = 0;
  for (int degree = 0; degree < 4; ++degree) {
    const double radius = zero_radius(10, degree, Outputs::side_by_side);
    const auto limit = [&](Outputs outputs) {
      return threshold([&](double ratio) { return zero_radius(ratio, degree, outputs); }, 0.01, 1e4);
    };
    const double side_by_side = limit(Outputs::side_by_side), in_turn = limit(Outputs::in_turn);
    const double root = radius_by_69(10, degree),
                 root_is_1 = threshold([&](double ratio) { return radius_by_69(ratio, degree); }, 0.01, 1e4);
    off_radius = std::max(off_radius, std::abs(radius - root));
    off_limit = std::max(off_limit, std::abs(side_by_side / root_is_1 - 1));
    rows.push_back({degree_in_words(degree), fmt::format("{:.4f}", radius), fmt::format("{:.4f}", root),
                    fmt::format("{:.5g}", side_by_side), fmt::format("{:.5g}", root_is_1),
                    fmt::format("{:.4f}", zero_radius(10, degree, Outputs::in_turn)),
                    fmt::format("{:.5g}", in_turn)});
  }
  report.table({"extrapolation", "radius at m_R/m_F = 10", "by (69)", "stable above m_R/m_F =", "by (69)",
                "in turn: radius at 10", "stable above"},
               rows);
  report.expect("radii at ratio 10 are off (69) by", off_radius, 1e-6);
  report.expect("thresholds are off (69) by, relatively", off_limit, 1e-6);
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

namespace {

/// The two masses as participants of the scheme that runs models, too.
struct Pair {
  LinearParticipant R, F;
  ForceDisplacementCoupling coupling;

  Pair(const StateSpace& forced, const VectorX& start_R, const StateSpace& displaced, const VectorX& start_F,
       const ForceDisplacementSettings& settings)
      : R("multibody", forced, start_R),
        F("structure", displaced, start_F, {-1, 0, -1}),
        coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}}}, settings) {
    coupling.begin(0);
  }
  double size() const { return std::max(R.state().cwiseAbs().maxCoeff(), F.state().cwiseAbs().maxCoeff()); }
};

LinearModel two_masses_file(const TwoMasses& masses, Forces forces, int force_degree, int motion_degree) {
  const std::string path = "coupling.force-displacement.";
  return *read_linear_model(
      HOOKE_ROOT "/models/coupled/two_masses.yaml",
      {fmt::format("linear.multibody.mass=[[{}]]", masses.m_R),
       fmt::format("linear.multibody.damping=[[{}]]", masses.d_R),
       fmt::format("linear.structure.damping=[[{0}, -{0}], [-{0}, {1}]]", masses.d_F, 2 * masses.d_F),
       path + "forces=" + in_words(forces), fmt::format("{}force_degree={}", path, force_degree),
       fmt::format("{}motion_degree={}", path, motion_degree)});
}

/// Whether the motion dies out: 5000 macro steps, the last 500 below the second 500.
bool dies_out(const LinearPair& systems, const ForceDisplacementSettings& settings, double h) {
  Pair pair(systems.forced, Vec2(1, 0), systems.displaced, Vec2(1, 0), settings);
  double second = 0, last = 0;
  for (int k = 0; k < 5000; ++k) {
    pair.coupling.step(h);
    const double size = pair.size();
    if (!(size < 1e12)) return false;
    if (k >= 500 && k < 1000) second = std::max(second, size);
    if (k >= 4500) last = std::max(last, size);
  }
  return last < second;
}

/// A force of 10 N at 3 rad/s on the multibody system, as two more states of it.
StateSpace driven(const StateSpace& forced, double mass) {
  constexpr double force = 10, omega = 3;
  StateSpace R = forced;
  R.A = MatrixX::Zero(4, 4);
  R.A.topLeftCorner(2, 2) = forced.A;
  R.A(1, 2) = force / mass;
  R.A(2, 3) = omega, R.A(3, 2) = -omega;
  R.B = MatrixX::Zero(4, forced.B.cols());
  R.B.topRows(2) = forced.B;
  R.C = MatrixX::Zero(3, 4);
  R.C.leftCols(2) = forced.C;
  R.C(2, 2) = force / mass;
  return R;
}

/// By how much the end of the structure, which follows extrapolated motion, misses the multibody system at
/// the end of a macro step: the largest from 100 to 500 s and from 500 to 1000 s of a driven motion.
struct Gaps {
  double early = 0, late = 0;
};
Gaps gaps(const TwoMasses& masses, double h) {
  const LinearModel model = two_masses_file(masses, Forces::exact, 1, 2);
  const LinearPair systems = model.pair({"structure"});
  Pair pair(driven(systems.forced, masses.m_R), Vec4(0, 0, 0, 1), systems.displaced, Vec2(0, 0),
            model.settings);
  Vec3 past = zero3;
  Gaps result;
  for (int k = 1; k <= std::lround(1000 / h); ++k) {
    pair.coupling.step(h);
    const double x = pair.coupling.motions()[0], gap = std::abs(x - Vec3(3, -3, 1).dot(past));
    past = Vec3(x, past[0], past[1]);
    if (k * h < 100) continue;
    (k * h < 500 ? result.early : result.late) = std::max(k * h < 500 ? result.early : result.late, gap);
  }
  return result;
}

}  // namespace

void prediction(Report& report) {
  report.heading("Prediction and simulation");
  report.text(
      "Mass ratio, macro step and degree over a grid, with both forces. The prediction is that of `hooke "
      "stability`. The simulation is the coupling that also runs models (`ForceDisplacementCoupling` with "
      "the "
      "participants of models/coupled/two_masses.yaml), for 5000 macro steps; it is called stable when the "
      "last 500 stay below the second 500.");
  int points = 0, differ = 0, differ_from_51 = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Forces forces : {Forces::exact, Forces::approximate})
    for (int degree = 0; degree < 3; ++degree)
      for (const double ratio : spread(0.3, 80, 12))
        for (const double h : spread(4e-3, 0.4, 10)) {
          const TwoMasses masses = with_ratio(ratio);
          const LinearModel model = two_masses_file(masses, forces, degree, degree);
          const LinearPair systems = model.pair({"structure"});
          const double radius = stability(couple(systems, model.settings), h);
          const bool is_stable = dies_out(systems, model.settings, h);
          ++points;
          differ_from_51 += is_stable != (stability(masses.coupling(forces, degree, degree), h) < 1);
          if (is_stable == (radius < 1)) continue;
          ++differ;
          rows.push_back({in_words(forces), degree_in_words(degree), validation::short_number(ratio),
                          validation::short_number(1e3 * h), fmt::format("{:.6f}", radius),
                          is_stable ? "stable" : "unstable"});
        }
  report.text(fmt::format("{} points, {} disagreements{}", points, differ, differ ? ":" : "."));
  if (differ)
    report.table({"forces", "extrapolation", "m_R/m_F", "h, ms", "spectral radius", "simulation"}, rows);
  report.expect("disagreements, as a fraction of the points", double(differ) / points, 0.01);
  report.text(fmt::format(
      "The maps above are of the paper's matrix (51), where both outputs at a macro point are evaluated with "
      "all inputs extrapolated to it. Hooke uses positions and velocities there as they are and extrapolates "
      "the acceleration alone; thresholds for small steps are the same, but at {} of the {} points, with "
      "long "
      "steps, one is stable and the other is not.",
      differ_from_51, points));

  report.text(
      "Drift: a force of 10 N at 3 rad/s keeps the pair in motion for 1000 s, h = 2.5 ms, exact forces, "
      "degrees 1 and 2; table 1's data, and the same without any damper. How far the structure's end, which "
      "follows extrapolated motion, is from the multibody system at the end of a macro step, before both are "
      "brought together:");
  std::vector<std::vector<std::string>> drifts;
  double growth = 0;
  for (const double damping : {1.0, 0.0}) {
    TwoMasses masses;
    masses.d_R *= damping, masses.d_F *= damping;
    const Gaps found = gaps(masses, 2.5e-3);
    growth = std::max(growth, found.late / found.early);
    drifts.push_back({damping > 0 ? "as in table 1" : "none", validation::scientific(found.early),
                      validation::scientific(found.late)});
  }
  report.table({"dampers", "largest gap, 100 to 500 s, m", "500 to 1000 s, m"}, drifts);
  report.expect("the gap does not grow: largest ratio of the two", growth, 1.01);
}

}  // namespace hooke::schneider
