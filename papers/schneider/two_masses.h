#pragma once
#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "hooke/coupling/linear_coupling.h"

namespace hooke {

/// How the constraint force is found: from the whole system (11), which here is the same as from the small
/// one (22), or from the equation of motion that is skipped (23).
enum class Forces { exact, approximate };

/// The two masses of section 5, the first made of two that are coupled: a multibody system (R) that a force
/// drives and a structure (F) whose end moves as prescribed.
struct TwoMasses {
  double m_R = 5, m_F = 0.5, m_in = 0.5;           // kg; table 1
  double c_R = 100, d_R = 1, c_F = 50, d_F = 0.1;  // N/m, N s/m

  /// u = (Lambda; q, v, a), y = (q, v, a; Lambda)
  LinearCoupling coupling(Forces forces, int degree_of_force, int degree_of_motion) const {
    StateSpace R, F;
    R.A = (MatrixX(2, 2) << 0, 1, -c_R / m_R, -d_R / m_R).finished();  // (64)
    R.B = (MatrixX(2, 1) << 0, -1 / m_R).finished();
    R.C = (MatrixX(3, 2) << 1, 0, 0, 1, -c_R / m_R, -d_R / m_R).finished();  // (66)
    R.D = (MatrixX(3, 1) << 0, 0, -1 / m_R).finished();
    F.A = (MatrixX(2, 2) << 0, 1, -2 * c_F / m_in, -2 * d_F / m_in).finished();  // (65)
    F.B = (MatrixX(2, 3) << 0, 0, 0, c_F / m_in, d_F / m_in, 0).finished();
    if (forces == Forces::exact) {  // (67), with the signs that follow from (11)
      const double m = m_F + m_R;
      F.C = (MatrixX(1, 2) << -m_R * c_F / m, -m_R * d_F / m).finished();
      F.D = (MatrixX(1, 3) << (m_R * c_F - m_F * c_R) / m, (m_R * d_F - m_F * d_R) / m, 0).finished();
    } else {  // (68)
      F.C = (MatrixX(1, 2) << -c_F, -d_F).finished();
      F.D = (MatrixX(1, 3) << c_F, d_F, m_F).finished();
    }
    MatrixX L = MatrixX::Zero(4, 4);
    L(0, 3) = L(1, 0) = L(2, 1) = L(3, 2) = 1;
    return {{R, F}, L, {{degree_of_force}, {degree_of_motion}, {0, 1}, {degree_of_motion}}};
  }

  static VectorX start() { return Vec4(1, 0, 1, 0); }
  /// Consistent with the start: from the whole system.
  VectorX start_inputs() const {
    const Vec4 x = start();
    const double a = whole().row(2) * Vec4(x[0], x[2], x[1], x[3]);
    return Vec4(-m_R * a - c_R * x[0] - d_R * x[1], x[0], x[1], a);
  }

  /// The uncoupled system (57): q_1, q_2, v_1, v_2.
  MatrixX whole() const {
    const double m = m_R + m_F;
    MatrixX A(4, 4);
    A << 0, 0, 1, 0, 0, 0, 0, 1, -(c_R + c_F) / m, c_F / m, -(d_R + d_F) / m, d_F / m, c_F / m_in,
        -2 * c_F / m_in, d_F / m_in, -2 * d_F / m_in;
    return A;
  }

  /// Largest error of the two positions at the macro points up to `end`, against (58).
  double error(const LinearCoupling& coupling, double h, double end) const {
    const int steps = static_cast<int>(std::lround(end / h));
    const MatrixX x = simulate(coupling, h, steps, start(), start_inputs());
    const MatrixX E = MatrixX(h * whole()).exp();
    VectorX exact = Vec4(x(0, 0), x(2, 0), x(1, 0), x(3, 0));
    double worst = 0;
    for (int k = 1; k <= steps; ++k) {
      exact = (E * exact).eval();
      worst = std::max({worst, std::abs(x(0, k) - exact[0]), std::abs(x(2, k) - exact[1])});
    }
    return worst;
  }
};

}  // namespace hooke
