// Spectral radius and low-frequency damping of the integrators, measured, beside linear theory.
#include "papers/yen/amplification.h"
#include "papers/yen/cases.h"

namespace hooke::yen {

namespace {

/// Column by column from steps of the integrator: (q, h v, h^2 a) of q'' = -q, phi as the equation has it.
Eigen::Matrix3d measured(const AlphaParameters& parameters, double h) {
  const Oscillator oscillator(1);
  DaeAlpha integrator(oscillator, {.parameters = parameters});
  Eigen::Matrix3d A;
  for (int j = 0; j < 3; ++j) {
    const Vec3 unit = Vec3::Unit(j);
    State s = oscillator.at(VectorX::Constant(1, unit[0]));
    s.v[0] = unit[1] / h;
    s.a[0] = -s.q[0];
    s.history = Vec3(unit[2] / (h * h), 0, h);
    if (!integrator.step(s, h).accepted) throw std::runtime_error("a step of the oscillator failed");
    A.col(j) << s.q[0], h * s.v[0], h * h * s.history[0];
  }
  return A;
}

}  // namespace

void dissipation(Report& report) {
  report.heading("Dissipation");
  report.text(
      "The amplification matrix of q'' = -w^2 q, made column by column from steps of the integrator. At h w "
      "= 1e6 its "
      "eigenvalues are those of infinity but for (h w)^(-2/3) (three coincide). Damping ratio: -ln(spectral "
      "radius)/(h w) at h w = 0.1; of order 3, to first order.");
  std::vector<std::vector<std::string>> rows;
  double at_infinity = 0, worst_order = 0, everywhere = 0;
  const auto add = [&](const std::string& name, const AlphaParameters& p, double asked) {
    const double radius = spectral_radius(measured(p, 1e6));
    const auto damping = [&](double h) { return -std::log(spectral_radius(measured(p, h))) / h; };
    const double low = damping(0.1), theory = -std::log(principal_radius(p, 0.1)) / 0.1;
    at_infinity = std::max(at_infinity, std::abs(radius - asked));
    if (asked < 1) worst_order = std::max(worst_order, std::abs(std::log2(low / damping(0.05)) - 3));
    rows.push_back({name, fmt::format("{:.4f}", asked), fmt::format("{:.4f}", radius),
                    fmt::format("{:.3e}", low), fmt::format("{:.3e}", theory)});
  };
  for (const double rho : {0.0, 0.25, 0.5, 0.75, 1.0})
    add(fmt::format("rho = {:g}", rho), AlphaParameters::generalized_alpha(rho), rho);
  for (const double alpha : {-0.3, -0.2, -0.1, 0.0})
    add(fmt::format("alpha = {:g}", alpha), AlphaParameters::hht(alpha), (1 + alpha) / (1 - alpha));
  report.table({"member", "asked for at infinity", "measured", "damping ratio at h w = 0.1", "theory"}, rows);

  std::vector<double> hw;
  for (int i = 0; i <= 120; ++i) hw.push_back(std::pow(10, -2 + 5.0 * i / 120));
  std::vector<std::string> names{"hw"};
  std::vector<std::vector<double>> columns{hw};
  for (const double rho : {0.0, 0.5, 0.75, 1.0}) {
    const AlphaParameters p = AlphaParameters::generalized_alpha(rho);
    std::vector<double> ours, theory;
    for (const double h : hw) {
      const Eigen::Matrix3d a = measured(p, h), b = amplification(p, h);
      everywhere = std::max(everywhere, (a - b).norm() / b.norm());
      ours.push_back(spectral_radius(a));
      theory.push_back(spectral_radius(b));
    }
    names.insert(names.end(), {fmt::format("rho {:g}", rho), fmt::format("theory {:g}", rho)});
    columns.insert(columns.end(), {ours, theory});
  }
  report.data("yen_radius", names, columns);
  report.figure("yen_radius", "Spectral radius, measured (points) and by linear theory (lines)");
  report.expect("the spectral radius at infinity is the one asked for: largest difference", at_infinity,
                1e-3);
  report.expect("the amplification matrix is that of linear theory for all h w: largest relative difference",
                everywhere, 1e-9);
  report.expect("low frequencies are damped with order 3: largest deviation", worst_order, 0.05);
  report.text(
      "The proof of theorem 3.1 lists (1 - alpha)/(1 + alpha) for the radius of HHT, which exceeds 1 for "
      "alpha < 0; it is "
      "(1 + alpha)/(1 - alpha).");
}

}  // namespace hooke::yen
