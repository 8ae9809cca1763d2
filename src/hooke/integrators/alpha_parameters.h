#pragma once
#include <cmath>

namespace hooke {

/// The four numbers of a member of the alpha family (generalized_alpha.h, dae_alpha.h).
struct AlphaParameters {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;

  /// rho_inf in [0, 1]: Chung and Hulbert (1993)
  static AlphaParameters generalized_alpha(double rho) {
    AlphaParameters p;
    p.alpha_m = (2 * rho - 1) / (rho + 1);
    p.alpha_f = rho / (rho + 1);
    p.gamma = 0.5 - p.alpha_m + p.alpha_f;
    p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    return p;
  }
  /// alpha in [-1/3, 0]: Hilber, Hughes and Taylor (1977)
  static AlphaParameters hht(double alpha) {
    return {0, -alpha, 0.25 * (1 - alpha) * (1 - alpha), 0.5 - alpha};
  }
  static AlphaParameters newmark(double beta, double gamma) { return {0, 0, beta, gamma}; }
  static AlphaParameters trapezoidal() { return {}; }

  /// One step's error of x is this times h^3 v'' (Taylor).
  double error_constant() const { return std::abs(1.0 / 6 - beta - 0.5 * (alpha_m - alpha_f)); }
  /// Of a method of order 1, v is off by this times h v' all along, and x by as much times h in each step.
  double drift_constant() const {
    const double drift = std::abs(gamma - 0.5 + alpha_m - alpha_f);
    return drift > 1e-12 ? drift : 0;
  }
};

}  // namespace hooke
