// The small system (22) with the masses of the coupling coordinates alone, and its derivatives (41): two linear
// subsystems with one coupling and one inner coordinate each, whose mass matrices are full.
#include <Eigen/Cholesky>

#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/io/model/linear_model_file.h"
#include "papers/schneider/cases.h"

namespace hooke::schneider {
namespace {

using Mat2 = Eigen::Matrix2d;

/// Coordinates (co, in); g = q_R^co - q_F^co. `s_R`, `s_F`: of the masses, beside the diagonal.
struct FullMasses {
  Mat2 M_R, M_F, K_R, K_F;
  double damping = 0.01;  // of the stiffness, s

  FullMasses(double ratio, double s_R, double s_F) {
    M_R << ratio, ratio * s_R, ratio * s_R, ratio;
    M_F << 1, s_F, s_F, 1;
    K_R << 200, -100, -100, 100;
    K_F << 100, -100, -100, 200;
  }

  /// Lambda by (22) as printed: from coordinates and velocities of both, their coupling ones being the same,
  /// and the inner accelerations.
  double force(const Vec2& q_R, const Vec2& v_R, const Vec2& q_F, const Vec2& v_F, double a_R_in,
               double a_F_in) const {
    const Vec2 f_R = -K_R * (q_R + damping * v_R), f_F = -K_F * (q_F + damping * v_F);
    Mat3 A;
    A << M_R(0, 0), 0, 1, 0, M_F(0, 0), -1, 1, -1, 0;
    const Vec3 b(f_R[0] - M_R(0, 1) * a_R_in, f_F[0] - M_F(0, 1) * a_F_in, 0);
    return Vec3(A.partialPivLu().solve(b))[2];
  }

  /// u = (Lambda; q, v, a of R, two each), y = (q, v, a of R; Lambda)
  LinearCoupling coupling(int degree) const {
    const Mat2 W = M_R.inverse();
    StateSpace R, F;
    R.A = MatrixX::Zero(4, 4);
    R.A.topRightCorner(2, 2).setIdentity();
    R.A.bottomRows(2) << -W * K_R, -damping * W * K_R;
    R.B = MatrixX::Zero(4, 1);
    R.B.bottomRows(2) = -W.col(0);
    R.C = MatrixX::Zero(6, 4);
    R.C.topRows(4).setIdentity();
    R.C.bottomRows(2) = R.A.bottomRows(2);
    R.D = MatrixX::Zero(6, 1);
    R.D.bottomRows(2) = -W.col(0);
    // inner coordinate of F by (40a), then Lambda; both linear, so by columns
    const auto inner = [&](const Vec2& x, const VectorX& u) {
      const Vec2 q(u[0], x[0]), v(u[2], x[1]);
      return (-K_F.row(1).dot(q + damping * v) - M_F(1, 0) * u[4]) / M_F(1, 1);
    };
    const auto output = [&](const Vec2& x, const VectorX& u) {
      return force(u.head<2>(), u.segment<2>(2), {u[0], x[0]}, {u[2], x[1]}, u[5], inner(x, u));
    };
    const VectorX none = VectorX::Zero(6);
    F.A = MatrixX::Zero(2, 2), F.B = MatrixX::Zero(2, 6), F.C = MatrixX::Zero(1, 2),
    F.D = MatrixX::Zero(1, 6);
    F.A(0, 1) = 1;
    for (int i = 0; i < 2; ++i)
      F.A(1, i) = inner(Vec2::Unit(i), none), F.C(0, i) = output(Vec2::Unit(i), none);
    for (int i = 0; i < 6; ++i)
      F.B(1, i) = inner(Vec2::Zero(), VectorX::Unit(6, i)),
             F.D(0, i) = output(Vec2::Zero(), VectorX::Unit(6, i));
    MatrixX L = MatrixX::Zero(7, 7);
    L(0, 6) = 1;
    for (int i = 0; i < 6; ++i) L(1 + i, i) = 1;
    return {{R, F}, L, {{degree}, {degree}, {degree}, {0, 1}, {0, 2}, {degree}, {degree}}};
  }

  /// The same two as a model file of Hooke's, with `forces: small`.
  LinearModel file(int degree) const {
    const auto text = [](const Mat2& m) {
      return fmt::format("[[{}, {}], [{}, {}]]", m(0, 0), m(0, 1), m(1, 0), m(1, 1));
    };
    const auto subsystem = [&](const Mat2& M, const Mat2& K) {
      return fmt::format("{{mass: {}, damping: {}, stiffness: {}, coupling: [[1, 0]]}}", text(M),
                         text(damping * K), text(K));
    };
    return *parse_linear_model(
        fmt::format(
            "hooke: 1\nlinear:\n  multibody: {}\n  structure: {}\n"
            "coupling: {{force-displacement: {{displaced: structure, forces: small, force_degree: {}, "
            "motion_degree: {}}}}}\n",
            subsystem(M_R, K_R), subsystem(M_F, K_F), degree, degree),
        "small.yaml", {});
  }

  /// The radius that (41a), with all masses of the multibody system, gives a force that is held constant: what it answers
  /// to the extrapolated acceleration, which answers to the force one macro step later, as in (69).
  double radius_by_41a() const {
    return std::sqrt(M_F(0, 1) / M_F(1, 1) * M_F(1, 0) / M_F(0, 0) / (M_R.inverse()(0, 0) + 1 / M_F(0, 0)) *
                     M_R.inverse()(0, 0));
  }
};

/// Whether a state grows to a thousand times its start in 600 macro steps of a microsecond.
bool is_lost(const LinearCoupling& coupling) {
  VectorX x = VectorX::Zero(6), u = VectorX::Zero(7);
  x[0] = x[1] = x[4] = u[1] = u[2] = 1;
  return !(simulate(coupling, 1e-6, 600, x, u).cwiseAbs().maxCoeff() < 1e3);
}

/// The same of the coupling that runs models.
bool is_lost(const LinearModel& model) {
  const LinearPair sides = model.pair({"structure"});
  LinearParticipant R("multibody", sides.forced, Vec4(1, 1, 0, 0)),
      F("structure", sides.displaced, Vec2(1, 0), {-1, 0, -1});
  ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}, [&] { return sides.joint_mass; }}},
                                     model.settings);
  coupling.begin(0);
  for (int k = 0; k < 600; ++k) {
    if (!coupling.step(1e-6).failure.empty()) return true;
    if (!(std::max(R.state().cwiseAbs().maxCoeff(), F.state().cwiseAbs().maxCoeff()) < 1e3)) return true;
  }
  return false;
}

}  // namespace

void small_system(Report& report) {
  report.heading("The small system (22), with masses beside the diagonal");
  report.text(
      "The two masses of section 5 have no masses that couple inner and coupling coordinates, and there (22) "
      "is "
      "as exact as (11). Here each side has an inner coordinate more and a full mass matrix, m [[1, s], [s, "
      "1]], "
      "m and s of either side as given; Lambda by (22) with M_R^co and extrapolated inner accelerations as "
      "printed, or with "
      "all masses of the multibody system, which is what `forces: small` does: a model file with both "
      "subsystems, read, linearised and run by the code that runs any. Spectral radius of the exchange "
      "(h going to zero):");
  double off = 0, largest_without = 0;
  int differ = 0, compared = 0;
  std::vector<std::vector<std::string>> rows;
  for (const double ratio : {0.5, 10.0})
    for (const double s_R : {0.0, 0.5, 0.9})
      for (const double s_F : {0.0, 0.5, 0.9}) {
        const FullMasses masses(ratio, s_R, s_F);
        std::vector<std::string> row{fmt::format("{:g}", ratio), fmt::format("{:g}", s_R),
                                     fmt::format("{:g}", s_F)};
        const auto add = [&](double radius, bool lost) {
          row.push_back(fmt::format("{:.3f}{}", radius, lost ? ", lost" : ""));
          if (s_R == 0 && s_F == 0) largest_without = std::max(largest_without, radius);
          if (std::abs(radius - 1) < 0.05) return;
          ++compared;
          differ += lost != (radius > 1);
        };
        for (int degree = 0; degree < 3; ++degree) {
          const LinearCoupling printed = masses.coupling(degree);
          add(zero_stability(printed), is_lost(printed));
        }
        for (int degree = 0; degree < 3; ++degree) {
          const LinearModel model = masses.file(degree);
          const double radius = zero_stability(couple(model.pair({"structure"}), model.settings));
          if (degree == 0) off = std::max(off, std::abs(radius - masses.radius_by_41a()));
          add(radius, is_lost(model));
        }
        rows.push_back(row);
      }
  report.table({"m_R/m_F", "s_R", "s_F", "(22), constant", "linear", "quadratic", "`small`, constant",
                "linear", "quadratic"},
               rows);
  report.expect("`forces: small`, constant extrapolation, has the radius of (41a): largest difference", off,
                1e-9);
  report.expect("without masses beside the diagonal the radius is zero, as the paper says: largest",
                largest_without, 1e-6);
  report.expect(
      fmt::format("{} co-simulations with h = 1 us are lost where the radius is above 1: exceptions",
                  compared),
      differ, 0);
  report.text(
      "(41a) and (41b) work against each other: where both sides have the same share of masses beside the "
      "diagonal, "
      "(22) as printed has no loop at all. `small` knows the inner accelerations of the multibody system and "
      "not "
      "those of the structure, so that only (41a) is left: better where that side has the masses beside the "
      "diagonal, worse where both have.");
}

}  // namespace hooke::schneider
