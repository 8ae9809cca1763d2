// What the paper sets beside its method: the projected underlying ODE (2.5), and P from a QR factorisation
// (Remark 3.2). Both are written here in dense matrices, without Hooke's integrators.
#include <Eigen/QR>
#include <numbers>

#include "papers/yen/cases.h"
#include "support/convergence.h"

namespace hooke::yen {

namespace {

constexpr double end = 40 * std::numbers::pi * 1e-5;

/// M, G, f and what G a must be, of a problem at a state.
struct Equations {
  MatrixX M, G, K;
  VectorX f, gamma;

  Equations(const PlainDae& dae, State at) {
    const auto workspace = dae.workspace();
    at.a.setZero(dae.nv());
    at.lambda.setZero(dae.nc());
    MatrixX D = MatrixX::Zero(dae.nv(), dae.nv());
    M = K = D;
    G.setZero(dae.nc(), dae.nv());
    dae.derivatives(at, M, D, K, G);
    dae.residual(at, *workspace, f);
    f = -f;
    dae.acceleration_constraints(at, *workspace, gamma);
    gamma = -gamma;
  }
  /// [M G^T; G 0] (x, multipliers) = (upper, lower)
  static VectorX solve(const MatrixX& M, const MatrixX& G, const VectorX& upper, const VectorX& lower) {
    const auto n = M.rows(), m = G.rows();
    MatrixX A = MatrixX::Zero(n + m, n + m);
    A << M, G.transpose(), G, MatrixX::Zero(m, m);
    VectorX b(n + m);
    b << upper, lower;
    return A.partialPivLu().solve(b);
  }
};

/// (2.5): the alpha-method (4.1) on q'' = phi(q, v), (2.2), and after each step the projections (2.5b) to (2.5e)
/// along M^-1 G^T of the unprojected position.
class ProjectedOde final : public Integrator {
 public:
  ProjectedOde(const PlainDae& dae, const AlphaParameters& parameters) : dae_(dae), p_(parameters) {}
  std::string_view name() const override { return "projected ODE"; }
  int order() const override { return 2; }

  StepReport step(State& state, double h) override {
    StepReport report;
    if (a_.size() == 0) a_ = phi_ = accelerated(state);
    const double scale = p_.beta * h * h;
    State trial = state;
    trial.t += h;
    VectorX x = scale * a_, phi;  // what the new acceleration adds to q
    const auto left = [&](const VectorX& of) -> VectorX {
      trial.q = state.q + h * state.v + h * h * (0.5 - p_.beta) * a_ + of;
      trial.v = state.v + h * ((1 - p_.gamma) * a_ + p_.gamma / scale * of);
      phi = accelerated(trial);
      return (1 - p_.alpha_m) * of + scale * (p_.alpha_m * a_ - (1 - p_.alpha_f) * phi - p_.alpha_f * phi_);
    };
    for (double change = 1; change > 1e-10; ++report.iterations) {
      if (report.iterations == 15 || !(change < 1e3)) return report;
      MatrixX J(x.size(), x.size());
      for (int i = 0; i < x.size(); ++i) {
        const VectorX d = 1e-7 * VectorX::Unit(x.size(), i);
        J.col(i) = (left(x + d) - left(x - d)) / 2e-7;
      }
      const VectorX dx = -J.partialPivLu().solve(left(x));
      x += dx;
      change = dx.norm();
    }
    left(x);
    if (!project(trial)) return report;
    a_ = x / scale;
    phi_ = phi;
    state = trial;
    report.accepted = true;
    return report;
  }

 private:
  VectorX accelerated(State& at) const {
    const Equations e(dae_, at);
    const VectorX z = Equations::solve(e.M, e.G, e.f, e.gamma);
    at.a = z.head(dae_.nv()), at.lambda = z.tail(dae_.nc());
    return at.a;
  }
  bool project(State& s) const {
    const Equations e(dae_, s);
    const auto workspace = dae_.workspace();
    VectorX g;
    for (int i = 0; i < 50; ++i) {
      dae_.position_constraints(s, *workspace, g);
      if (g.norm() < 1e-13) break;
      s.q += Equations::solve(e.M, e.G, VectorX::Zero(dae_.nv()), -g).head(dae_.nv());
    }
    if (!(g.norm() < 1e-9)) return false;
    // G of (2.5d) is that of the projected position, the direction that of the unprojected one.
    const MatrixX G = Equations(dae_, s).G, along = e.M.partialPivLu().solve(e.G.transpose());
    dae_.velocity_constraints(s, *workspace, g);
    s.v -= along * (G * along).partialPivLu().solve(g);
    accelerated(s);
    return true;
  }

  const PlainDae& dae_;
  AlphaParameters p_;
  VectorX a_, phi_;
};

/// (3.7) with the largest entry as dependent coordinate, for one constraint.
MatrixX split_of(const MatrixX& G) {
  Eigen::Index y = 0;
  G.row(0).cwiseAbs().maxCoeff(&y);
  MatrixX P = MatrixX::Zero(G.cols() - 1, G.cols());
  for (Eigen::Index i = 0, row = 0; i < G.cols(); ++i)
    if (i != y) P(row, i) = 1, P(row++, y) = -G(0, i) / G(0, y);
  return P;
}
/// (3.10), (3.11): the last columns of the orthogonal factor of G^T.
MatrixX orthogonal_of(const MatrixX& G) {
  const MatrixX Q = Eigen::ColPivHouseholderQR<MatrixX>(G.transpose()).householderQ();
  return Q.rightCols(G.cols() - G.rows()).transpose();
}

struct Kept {
  double energy = 0;
  long iterations = 0;
};

/// The bushing by (3.6) and CM with a P of one's own; M = 1 and f depends on q alone.
Kept by_projection(const Bushing& problem, double rho, int steps, MatrixX (*P_of)(const MatrixX&)) {
  const AlphaParameters p = AlphaParameters::generalized_alpha(rho);
  const double h = end / steps, beta = p.beta / (1 - p.alpha_m), gamma = p.gamma / (1 - p.alpha_m);
  const double b = beta * (1 - p.alpha_f) * h * h, c = gamma * (1 - p.alpha_f) * h;
  const auto workspace = problem.workspace();
  State s = problem.initial_state();
  const double before = problem.energy(s, *workspace).total();
  const Equations first(problem, s);
  VectorX a = Equations::solve(first.M, first.G, first.f, first.gamma).head(3), phi = a, g;
  Kept kept;
  for (int k = 0; k < steps; ++k) {
    const VectorX q_hat = s.q + h * s.v + h * h * ((0.5 - beta) * a + beta * p.alpha_f * phi),
                  v_hat = s.v + h * ((1 - gamma) * a + gamma * p.alpha_f * phi);
    for (double change = 1; change > 1e-9; ++kept.iterations) {
      if (kept.iterations > 100L * steps) throw std::runtime_error("bushing by projection: no convergence");
      const Equations e(problem, s);
      const MatrixX P = P_of(e.G);
      problem.position_constraints(s, *workspace, g);
      MatrixX A(3, 3);
      VectorX r(3);
      A << P * (e.M + b * e.K), e.G;
      r << P * (s.q - q_hat - b * e.f), g;
      const VectorX dq = -A.partialPivLu().solve(r);
      s.q += dq;
      change = dq.norm();
    }
    const Equations e(problem, s);
    const VectorX moved = v_hat + c * e.f, z = Equations::solve(e.M, e.G, moved, VectorX::Zero(1));
    s.v = z.head(3);
    const VectorX next = e.f - e.G.transpose() * z.tail(1) / c;
    a = ((1 - p.alpha_f) * next + p.alpha_f * phi - p.alpha_m * a) / (1 - p.alpha_m);
    phi = next;
  }
  kept.energy = problem.energy(s, *workspace).total() / before;
  return kept;
}

}  // namespace

void variants(Report& report) {
  const Bushing problem(1e-5);
  const auto on_this_side = [](const State& s) { return s.q[0] > 0; };
  report.heading("The projected ODE (2.5), and P by QR (Remark 3.2)");
  report.text(
      "Both in dense matrices of their own (`papers/yen/variants.cpp`), on the bushing of 4.2. *(2.5)* is "
      "the "
      "alpha-method on the underlying ODE (2.2), projected after each step; its Newton matrix is made by "
      "differences. *CM, split* and *CM, QR* are (3.6) without the derivative of P. Energy at the end over "
      "energy at the start; largest step as in Table 1, at most 15 iterations:");
  std::vector<std::vector<std::string>> rows;
  double qr_apart = 0, hooke_apart = 0, ode_apart = 0;
  bool larger_steps = true;
  for (const double rho : {0.0, 0.5, 0.75})
    for (const int steps : {200, 500, 1200}) {
      const AlphaParameters p = AlphaParameters::generalized_alpha(rho);
      const Kept lu = by_projection(problem, rho, steps, split_of),
                 qr = by_projection(problem, rho, steps, orthogonal_of);
      ProjectedOde integrator(problem, p);
      const Run ode = run(problem, problem.initial_state(), integrator, end, steps),
                hooke = run(problem, problem.initial_state(), settings(rho, modified, common_rule(1e-9)), end,
                            steps);
      const double kept = hooke.energy.back() / hooke.energy.front();
      const double of_ode = ode.finished ? ode.energy.back() / ode.energy.front() : NAN;
      qr_apart = std::max(qr_apart, std::abs(qr.energy - lu.energy));
      hooke_apart = std::max(hooke_apart, std::abs(qr.energy - kept));
      if (steps == 1200) ode_apart = std::max(ode_apart, std::abs(of_ode - kept));
      std::string largest;
      if (steps == 200) {
        int fewest = 1;
        for (int n = 400; n >= 1; --n) {
          ProjectedOde one(problem, p);
          const Run result = run(problem, problem.initial_state(), one, end, n);
          if (result.finished && std::all_of(result.states.begin(), result.states.end(), on_this_side))
            continue;
          fewest = n + 1;
          break;
        }
        const int cm =
            fewest_steps<DaeAlpha>(problem, problem.initial_state(),
                                   settings(rho, modified, common_rule(1e-7)), end, 400, on_this_side);
        larger_steps = larger_steps && cm < fewest;
        largest = fmt::format("T/{} (CM: T/{})", fewest, cm);
      }
      rows.push_back({fmt::format("{:g}", rho), fmt::format("{}", steps), fmt::format("{:.3f}", kept),
                      fmt::format("{:.3f} ({})", lu.energy, lu.iterations),
                      fmt::format("{:.3f} ({})", qr.energy, qr.iterations), fmt::format("{:.3f}", of_ode),
                      largest});
    }
  report.table({"rho", "steps", "`dae-alpha-cm`", "CM, split (iterations)", "CM, QR (iterations)", "(2.5)",
                "largest step of (2.5)"},
               rows);
  report.expect("`dae-alpha-cm` keeps the energy of CM by QR: largest difference", hooke_apart, 1e-3);
  report.expect("(2.5) with 1200 steps keeps the energy of CM: largest difference", ode_apart, 0.05);
  report.expect("CM takes larger steps than (2.5), for every rho", larger_steps);
  report.text(fmt::format(
      "Any P with P G^T = 0 is a regular matrix times any other, which drops out of an iteration without its "
      "derivative: QR changes nothing but the cost. (Energies by QR and by splitting differ by {:.1e}.)",
      qr_apart));

  const ShakenPendulum pendulum;
  const auto make = [&]() -> std::unique_ptr<Integrator> {
    return std::make_unique<ProjectedOde>(pendulum, AlphaParameters::generalized_alpha(0.5));
  };
  const test::Orders o = test::measure_orders(pendulum, pendulum.at_angle(0, 1.2, 0.3), 2, make,
                                              test::uniform_grid, 400, 2, 4, [&](const test::Grid& times) {
                                                std::vector<State> exact;
                                                for (double t : times)
                                                  exact.push_back(pendulum.exact(t, 1.2, 0.3));
                                                return exact;
                                              });
  report.expect(
      fmt::format(
          "(2.5) on the pendulum with a shaken pivot, rho = 0.5: orders {:.2f} (q), {:.2f} (v), off 2", o.q,
          o.v),
      std::max(std::abs(o.q - 2), std::abs(o.v - 2)), 0.1);
}

}  // namespace hooke::yen
