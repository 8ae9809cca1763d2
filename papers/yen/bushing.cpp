// Section 4.2: the nonlinear bushing, Table 1 and Figs. 4, 5.
#include <Eigen/Eigenvalues>
#include <array>
#include <complex>
#include <numbers>

#include "papers/yen/amplification.h"
#include "papers/yen/cases.h"

namespace hooke::yen {

namespace {

constexpr double eps = 1e-5, end = 40 * std::numbers::pi * 1e-5, tolerance = 1e-7;
const std::vector<double> radii{0, 0.5, 0.75};
const std::vector<int> counts{200, 500, 1200};

// Table 1: [steps][rho] of the CM iteration and of the index-2 form, and the N of the largest step T/N.
constexpr double paper_cm[3][3] = {{0.10, 0.35, 0.76}, {0.24, 0.40, 0.81}, {0.30, 0.51, 0.89}};
constexpr double paper_index2[3][3] = {{0.15, 0.56, 0.90}, {0.30, 0.65, 0.93}, {0.41, 0.76, 0.96}};
constexpr int paper_steps_cm[3] = {40, 70, 80}, paper_steps_index2[3] = {100, 150, 175};

/// What linear theory leaves of the energy: the two modes about the equilibrium (y, theta), each damped by
/// the spectral radius of its frequency. The start, y = 0.6, is not small, so this is only a guide.
double linear_energy(double rho, int steps) {
  const double h = end / steps;
  Eigen::Matrix2d K;
  K << 1, -0.5, -0.5, 0.35;  // times 1/eps^2, unit mass
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes(K);
  const Vec2 start = modes.eigenvectors().transpose() * Vec2(0.6, 0);
  double kept = 0, all = 0;
  for (int i = 0; i < 2; ++i) {
    const double stiffness = modes.eigenvalues()[i], energy = stiffness * start[i] * start[i];
    const double radius =
        principal_radius(AlphaParameters::generalized_alpha(rho), h * std::sqrt(stiffness) / eps);
    kept += energy * std::pow(radius, 2 * steps);
    all += energy;
  }
  return kept / all;
}

/// Cycles in the whole time of the strongest oscillation: the largest Fourier coefficient.
int cycles(const std::vector<double>& x) {
  int strongest = 0;
  double largest = 0;
  for (int k = 1; k < 60; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += std::polar(x[i],
                        -2 * std::numbers::pi * k * static_cast<double>(i) / static_cast<double>(x.size()));
    if (std::abs(sum) > largest) strongest = k, largest = std::abs(sum);
  }
  return strongest;
}

/// The readings of (3.3) and (4.2) that the paper's text allows; see `by_hand`.
struct Reading {
  const char* name;
  enum Force { of_velocities, of_positions, of_accelerations } multiplier = of_velocities;
  bool remembers = true;
};

/// (3.3) with (4.2) written out for this problem alone, x = cos psi, y = sin psi, solved to the end: what is
/// left of the energy. Which multiplier phi = f - G^T lambda contains is not said: that of (3.3b), mu, as in
/// Hooke; that of (3.3a), nu; or the one of the accelerations (2.2). Without memory, a_n = phi_n.
double by_hand(const Reading& reading, double rho, int steps) {
  const AlphaParameters p = AlphaParameters::generalized_alpha(rho);
  const double T = end / eps, h = T / steps;  // in units of eps, where the stiffness is 1
  const double beta = p.beta / (1 - p.alpha_m), gamma = p.gamma / (1 - p.alpha_m);
  const auto stretch = [](const Vec3& q) {
    return Vec2(0.5 - q[0] + 0.5 * std::cos(q[2]), -q[1] + 0.5 * std::sin(q[2]));
  };
  const auto force = [&](const Vec3& q) {
    const Vec2 f = stretch(q);
    return Vec3(f[0], f[1] + eps * eps, -0.1 * q[2] - 0.5 * (std::cos(q[2]) * f[1] - std::sin(q[2]) * f[0]));
  };
  const auto energy = [&](const Vec3& q, const Vec3& v) {
    return 0.5 * v.squaredNorm() + 0.5 * stretch(q).squaredNorm() + q[2] * q[2] / 20 - eps * eps * q[1];
  };
  const auto on_circle = [](const Vec2& z) { return Vec3(std::cos(z[0]), std::sin(z[0]), z[1]); };
  const auto normal = [](const Vec3& q) { return Vec3(q[0], q[1], 0); };
  Vec2 z(std::atan2(0.6, 0.8), 0);
  Vec3 q = on_circle(z), v = zero3;
  const auto accelerated = [&](const Vec3& at, const Vec3& with) -> Vec3 {
    return force(at) - normal(at) * (normal(at).dot(force(at)) + with.head<2>().squaredNorm());
  };
  Vec3 phi = accelerated(q, v), a = phi;
  const double before = energy(q, v);
  for (int k = 0; k < steps; ++k) {
    const Vec3 q_hat = q + h * v + h * h * ((0.5 - beta) * a + beta * p.alpha_f * phi),
               v_hat = v + h * ((1 - gamma) * a + gamma * p.alpha_f * phi);
    const double b = beta * (1 - p.alpha_f) * h * h, g = gamma * (1 - p.alpha_f) * h;
    const auto left = [&](const Vec2& at) -> Vec3 {
      const Vec3 Q = on_circle(at);
      return Q - q_hat - b * force(Q);
    };
    const auto along = [&](const Vec2& at) {
      const Vec3 r = left(at);
      return Vec2(-std::sin(at[0]) * r[0] + std::cos(at[0]) * r[1], r[2]);
    };
    for (int i = 0; i < 50; ++i) {  // Newton's method with differences
      Eigen::Matrix2d J;
      for (int j : {0, 1})
        J.col(j) = (along(z + 1e-7 * Vec2::Unit(j)) - along(z - 1e-7 * Vec2::Unit(j))) / 2e-7;
      const Vec2 dz = -J.inverse() * along(z);
      z += dz;
      if (dz.norm() < 1e-11) break;
    }
    q = on_circle(z);
    const Vec3 n = normal(q), moved = v_hat + g * force(q);
    v = moved - n * n.dot(moved);
    Vec3 next = accelerated(q, v);
    if (reading.multiplier == Reading::of_velocities) next = force(q) - n * n.dot(moved) / g;
    if (reading.multiplier == Reading::of_positions) next = force(q) + n * n.dot(left(z)) / b;
    a = reading.remembers ? Vec3(((1 - p.alpha_f) * next + p.alpha_f * phi - p.alpha_m * a) / (1 - p.alpha_m))
                          : next;
    phi = next;
  }
  return energy(q, v) / before;
}

std::string as_part(int n) { return n == 1 ? "T/1 (any)" : fmt::format("T/{}", n); }

/// Square roots of what is left of the energy under each reading, beside the paper's two numbers.
void readings(Report& report) {
  std::vector<std::vector<std::string>> rows;
  const Reading all[] = {{"phi with mu"},
                         {"phi with nu", Reading::of_positions},
                         {"phi with lambda of (2.2)", Reading::of_accelerations},
                         {"a_n = phi_n", Reading::of_velocities, false}};
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = 0; j < radii.size(); ++j) {
      std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{
          fmt::format("{}", counts[i]), fmt::format("{:g}", radii[j]), fmt::format("{:.2f}", paper_cm[i][j]),
          fmt::format("{:.2f}", paper_index2[i][j])});
      for (const Reading& reading : all)
        row.push_back(fmt::format("{:.2f}", std::sqrt(by_hand(reading, radii[j], counts[i]))));
    }
  report.text("Square roots of the energies, by what the paper leaves open:");
  report.table(
      {"steps", "rho", "paper, CM", "paper, index 2", all[0].name, all[1].name, all[2].name, all[3].name},
      rows);
}

void energies(Report& report, const Bushing& problem) {
  std::vector<std::vector<std::string>> rows;
  double apart = 0, hand_apart = 0, factor = 1;
  std::vector<std::string> names;
  std::vector<std::vector<double>> curves;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = 0; j < radii.size(); ++j) {
      const double rho = radii[j];
      std::array<double, 3> kept{};
      for (const DaeAlphaIteration form : {newton, split, modified}) {
        const Run result = run(problem, problem.initial_state(), settings(rho, form, common_rule(tolerance)),
                               end, counts[i]);
        if (!result.finished) throw std::runtime_error("bushing: a step failed");
        kept[static_cast<int>(form)] = result.energy.back() / result.energy.front();
        if (form == split || (form == modified && counts[i] != 500)) continue;
        const std::string key = fmt::format("{} {} {:g}", form == newton ? "index2" : "cm", counts[i], rho);
        names.insert(names.end(), {"t " + key, "theta " + key});
        curves.insert(curves.end(), {thinned(result.times()), thinned(result.coordinate(2))});
      }
      for (int form : {1, 2}) apart = std::max(apart, std::abs(kept[form] - kept[0]));
      hand_apart = std::max(hand_apart, std::abs(by_hand({"mu"}, rho, counts[i]) - kept[2]));
      for (const double paper : {paper_cm[i][j], paper_index2[i][j]})
        factor = std::max({factor, kept[0] / paper, paper / kept[0]});
      rows.push_back({fmt::format("{}", counts[i]), fmt::format("{:g}", rho),
                      fmt::format("{:.2f}", paper_cm[i][j]), fmt::format("{:.2f}", paper_index2[i][j]),
                      fmt::format("{:.3f}", kept[2]), fmt::format("{:.3f}", kept[1]),
                      fmt::format("{:.3f}", kept[0]), fmt::format("{:.3f}", std::sqrt(kept[0])),
                      fmt::format("{:.3f}", linear_energy(rho, counts[i]))});
    }
  report.text("Energy at the end over energy at the start (Table 1):");
  report.table({"steps", "rho", "paper, CM", "paper, index 2", "CM", "CS", "index 2", "its square root",
                "linear theory"},
               rows);
  report.expect("Table 1 is the paper's: largest factor between an energy and the paper's", factor, 1.1);
  report.expect("all forms keep the same energy: largest difference", apart, 3e-3);
  report.expect("(3.3) written out for this problem alone keeps that energy, too: largest difference",
                hand_apart, 1e-3);
  readings(report);
  report.data("yen_bushing", names, curves);
  report.figure("yen_bushing", "The angle theta with 500 steps (the paper's Figs. 4 and 5)");
  const auto kept = [&](double allowed) {
    const Run result =
        run(problem, problem.initial_state(), settings(0, modified, common_rule(allowed)), end, 500);
    return result.energy.back() / result.energy.front();
  };
  report.expect("CM, 500 steps, rho = 0: a tolerance of 0.1 keeps the energy of one of 1e-7: difference",
                std::abs(kept(0.1) - kept(tolerance)), 3e-3);
  report.text(
      "The forms agree, as solutions of the same equations must, and they follow linear theory (two modes "
      "about the "
      "equilibrium, each damped by the spectral radius of its frequency): 1200 steps are 53 for a cycle of "
      "the fast "
      "mode, where even rho = 0 keeps most of the energy over 22 cycles. The paper's numbers fall far less "
      "with the "
      "number of steps than those of any method of second order, keep more at 200 steps and less at 1200, "
      "and differ "
      "between the forms. The paper speaks of the energy norm, which is a square root: that lies between its "
      "two columns at 200 steps, and at 500 with rho = 0, but not with less damping. No reading of what it "
      "leaves open does better: the multiplier in phi changes little; a scheme that forgets a_n, of first "
      "order, has the slow fall with the number of steps, but leaves too little at 200 steps. Neither the "
      "printed torque (with which the energy is not conserved at all: it doubles in this time) nor a loose "
      "tolerance leads to them, and for rho = 0 the signs of (4.2) do not matter since alpha_f = 0. We "
      "cannot "
      "say what they measure.");
}

void largest_steps(Report& report, const Bushing& problem) {
  std::vector<std::vector<std::string>> rows;
  const auto on_this_side = [](const State& s) { return s.q[0] > 0; };
  double common_gain = 1e9, thrifty_gain = 1e9;
  for (std::size_t j = 0; j < radii.size(); ++j) {
    const double rho = radii[j];
    std::vector<std::string> row{fmt::format("{:g}", rho), fmt::format("T/{}", paper_steps_cm[j]),
                                 fmt::format("T/{}", paper_steps_index2[j])};
    for (const Rule& rule : {common_rule(tolerance), thrifty_rule(tolerance)}) {
      std::array<int, 3> n{};
      for (const DaeAlphaIteration form : {modified, split, newton}) {
        n[static_cast<int>(form)] = fewest_steps<DaeAlpha>(problem, problem.initial_state(),
                                                           settings(rho, form, rule), end, 400, on_this_side);
        row.push_back(as_part(n[static_cast<int>(form)]));
      }
      double& gain = rule.test_multipliers ? thrifty_gain : common_gain;
      gain = std::min(gain, static_cast<double>(n[0]) / n[2]);
    }
    for (const DaeAlphaIteration form : {modified, newton})
      row.push_back(as_part(fewest_steps<DaeAlpha>(problem, problem.initial_state(),
                                                   settings(rho, form, common_rule(tolerance)), end, 400,
                                                   on_this_side, true)));
    row.push_back(as_part(fewest_steps<GeneralizedAlpha>(
        problem, problem.initial_state(),
        GeneralizedAlphaSettings{AlphaParameters::generalized_alpha(rho), ConstraintForm::stabilised,
                                 Projection::none, common_rule(tolerance).newton},
        end, 400, on_this_side)));
    rows.push_back(row);
  }
  report.text(
      "Largest step without a failed Newton iteration (last row of Table 1), of T/400, T/399, ... T/1. A "
      "solution with x < 0, on the far side of the circle, counts as a failure:");
  report.table(
      {"rho", "paper, CM", "paper, index 2", "CM, common", "CS, common", "index 2, common", "CM, thrifty",
       "CS, thrifty", "index 2, thrifty", "CM, own start", "index 2, own start", "generalized-alpha"},
      rows);
  report.expect(
      fmt::format("under the common rule CM takes steps at least twice as large as index 2, for every rho: "
                  "least gain {:.2f}, at least 2",
                  common_gain),
      common_gain >= 2);
  report.expect(fmt::format("under the thrifty rule as well: least gain {:.2f}, at least 2", thrifty_gain),
                thrifty_gain >= 2);
  report.text(
      "Every run starts with the paper's a_0 = phi_0, however far that carries in a step. Hooke's own start "
      "leaves out of a_0 what the step does not resolve (the columns *own start*). An iteration that is not "
      "done after its last is accepted only where it is off by a millionth at most: the paper does not say "
      "what it accepts, and steps whose equations are not solved may be larger. What matters besides is the "
      "first guess. `generalized-alpha` in its "
      "stabilised form solves nearly the same equations but always starts from an extrapolated position, as "
      "one does when steps resolve the motion; its largest step is in the last column.");
}

}  // namespace

void bushing(Report& report) {
  report.heading("4.2 Nonlinear bushing");
  report.text(
      "eps = 1e-5, T = 40 pi 1e-5 s, start at (0.8, 0.6, 0) at rest, Newton tolerance 1e-7 of the "
      "coordinates as they "
      "are.");
  const Bushing problem(eps);
  const Run fine = run(problem, problem.initial_state(), settings(1, newton, common_rule(1e-12)), end, 20000);
  const int slow = cycles(fine.coordinate(2)), fast = cycles(fine.coordinate(1));
  report.expect(fmt::format("20000 steps, rho = 1: theta makes {} cycles, about 6", slow),
                slow >= 5 && slow <= 7);
  report.expect(fmt::format("and y makes {}, about 20", fast), fast >= 18 && fast <= 24);
  report.expect("and the energy is kept: relative change",
                std::abs(fine.energy.back() / fine.energy.front() - 1), 1e-5);
  energies(report, problem);
  largest_steps(report, problem);
}

}  // namespace hooke::yen
