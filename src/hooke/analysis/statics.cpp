#include "hooke/analysis/statics.h"

#include <limits>

#include "hooke/base/format.h"

#include "hooke/integrators/projector.h"

namespace hooke {

namespace {

/// Newton's iteration for one step of the overdamped motion,  M x / tau^2 + r(q (+) x) = 0,  g = 0.
class Relaxation {
 public:
  Relaxation(const Dae& dae, const NewtonSettings& settings)
      : dae_(dae),
        settings_(settings),
        workspace_(dae.workspace()),
        solver_(make_solver(settings, dae, Purpose::general)),
        kkt_(dae.structure()),
        z_(dae.nv() + dae.nc()) {
    kkt_.accept_turned(solver_->wants_turned());
  }

  struct Step {
    bool good = false;
    double first = 0, all = 0;  ///< sizes of the first correction and of all together
    int iterations = 0;
  };

  /// Moves the state, or leaves it where it was when the step is too long for Newton's iteration.
  Step operator()(State& state, double tau2) {
    constexpr double longest = 0.5, enough = 0.1;  // of the mechanism's size or rad; of the first correction
    q_ = state.q;
    v_ = state.v;
    lambda_ = state.lambda;
    Step step;
    double last = 0;
    for (bool go_on = true; go_on && step.iterations < 10;) {
      if (!correct(state, tau2)) break;
      const double change = size(dq_);
      if (step.iterations++ == 0) step.first = change;
      if (step.iterations == 1 && curvature_ < 0 && change > settings_.tolerance) break;  // uphill
      const bool is_noise = change <= 1e3 * settings_.tolerance && step.iterations > 1 && change > 0.3 * last;
      step.good = change <= std::max(enough * step.first, settings_.tolerance) || is_noise;
      go_on = !step.good && change < longest && (step.iterations == 1 || change < 0.9 * last);
      last = change;
    }
    dae_.minus(state.q, q_, x_);
    const int states = dae_.first_order_states();
    state.v.tail(states) = v_.tail(states) + x_.tail(states);
    step.all = size(x_);
    state.a.setZero();
    if (step.good) return step;
    state.q = q_;
    state.v = v_;
    state.lambda = lambda_;
    return step;
  }

  double size(const VectorX& x) const { return x.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>(); }
  /// What is out of balance at the state.
  const VectorX& residual(const State& state) {
    dae_.update(state, *workspace_);
    dae_.residual(state, *workspace_, r_);
    return r_;
  }
  Workspace& workspace() { return *workspace_; }

 private:
  bool correct(State& state, double tau2) {
    dae_.minus(state.q, q_, x_);
    state.a = x_ / tau2;
    // What would be the integral of first-order states is how far they have come: they go to where they rest.
    const int states = dae_.first_order_states();
    state.v.tail(states) = v_.tail(states) + x_.tail(states);
    residual(state);
    dae_.position_constraints(state, *workspace_, g_);
    dae_.tangent(state, {.m = 1, .d = 0, .k = tau2, .increment = &x_, .states = tau2}, *workspace_, kkt_);
    kkt_.regularise(settings_.regularisation, dae_.row_compliance());
    if (!solver_->factorize(kkt_)) return false;
    z_ << -tau2 * r_, -g_;
    solver_->solve(z_);
    dq_ = z_.head(dae_.nv());
    curvature_ = z_.tail(dae_.nc()).dot(g_) - tau2 * dq_.dot(r_);
    trial_ = state.q;
    dae_.plus(trial_, dq_, state.q);
    state.lambda += z_.tail(dae_.nc()) / tau2;
    return dq_.allFinite();
  }

  const Dae& dae_;
  const NewtonSettings& settings_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<NewtonSolver> solver_;
  KktMatrix kkt_;
  /// dq^T (M + tau^2 K) dq: negative where a long step leads back to an equilibrium that is unstable
  double curvature_ = 0;
  VectorX z_, r_, g_, dq_, x_, q_, v_, trial_, lambda_;
};

}  // namespace

StaticResult find_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings,
                              const GoOn& go_on) {
  StaticResult result;
  Relaxation relax(dae, settings);
  state.v.head(dae.nv() - dae.first_order_states()).setZero();
  Projector(dae, settings).accelerations(state);
  const double first = std::max(relax.size(state.a), 1e-12);
  double tau2 = 0.1 / first, last = std::numeric_limits<double>::infinity();
  state.a.setZero();
  while (result.iterations < 1000 && !result.converged) {
    report(go_on, 0);
    const Relaxation::Step step = relax(state, tau2);
    result.iterations += std::max(step.iterations, 1);
    // What moves by x in the time tau is out of balance by x / tau^2.
    const double now = step.all / tau2;
    result.converged =
        step.good && step.all <= settings.tolerance && (now <= 1e-6 * first + 1e-12 || step.all <= 1e-14);
    // Rows are a little soft: round-off in the forces moves joints by tau^2 times as much, and a longer tau only makes it worse.
    const bool is_round_off = step.good && step.all <= 1e3 * settings.tolerance && step.all > 0.3 * last;
    last = step.all;
    tau2 *= !step.good ? 0.1 : is_round_off ? 0.01 : step.iterations <= 3 ? 10 : step.iterations <= 5 ? 3 : 1;
    tau2 = std::max(tau2, 1e-6 / first);
  }
  const VectorX& r = relax.residual(state);
  int dof = 0;
  result.residual = r.size() ? r.cwiseAbs().maxCoeff(&dof) : 0;
  dae.accept(state, relax.workspace());
  if (!result.converged)
    result.failure = formatted(
        "no static equilibrium found: {:.3g} N or N m is out of balance at {}. Is something free to "
        "fall or turn without a spring or joint that stops it?",
        result.residual, dae.dof_name(dof));
  return result;
}

namespace {

/// A little away from an equilibrium, and from there to the next one.
State pushed(const Dae& dae, const State& equilibrium, const NewtonSettings& settings, double push,
             StaticResult& result) {
  State state = equilibrium;
  VectorX x(dae.nv());
  for (int i = 0; i < dae.nv(); ++i) x[i] = push * std::sin(1 + 2.4 * i) * dae.dof_scale()[i];
  x.tail(dae.first_order_states()).setZero();
  dae.plus(equilibrium.q, x, state.q);
  Projector(dae, settings).positions(state);
  result = find_equilibrium(dae, state, settings);
  return state;
}

/// Of two positions, in dof units.
double distance(const Dae& dae, const State& a, const State& b, Eigen::Index& where) {
  VectorX x(dae.nv());
  dae.minus(a.q, b.q, x);
  return dae.nv() ? x.cwiseQuotient(dae.dof_scale()).cwiseAbs().maxCoeff(&where) : 0;
}

}  // namespace

std::string instability(const Dae& dae, const State& equilibrium, const NewtonSettings& settings) {
  constexpr double push = 1e-4;  // in dof units
  StaticResult result;
  Eigen::Index most = 0;
  const State state = pushed(dae, equilibrium, settings, push, result);
  return distance(dae, state, equilibrium, most) < 100 * push ? "" : dae.dof_name(static_cast<int>(most));
}

StaticResult find_stable_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings) {
  constexpr int tries = 10;
  constexpr double push = 1e-3;
  StaticResult result = find_equilibrium(dae, state, settings);
  for (int k = 0; k < tries && result.converged; ++k) {
    StaticResult next;
    Eigen::Index most = 0;
    const State there = pushed(dae, state, settings, push, next);
    if (!next.converged || distance(dae, there, state, most) < 100 * push) break;
    state = there;
    result.iterations += next.iterations;
  }
  return result;
}

}  // namespace hooke
