#include "integrators/generalized_alpha.h"

#include <fmt/format.h>

#include <cmath>

namespace hooke {

namespace {
/// What Newton's iteration may leave of the predictor's error. An error e of q is gamma/(beta h) e in v, in
/// every step anew, so what is tolerable falls with h like the predictor's error, h^4: a tolerance of q alone
/// makes small steps worse than large ones.
constexpr double predictor_share = 1e-3;
}  // namespace

AlphaParameters AlphaParameters::generalized_alpha(double rho) {
  // Chung and Hulbert (1993)
  AlphaParameters p;
  p.alpha_m = (2 * rho - 1) / (rho + 1);
  p.alpha_f = rho / (rho + 1);
  p.gamma = 0.5 - p.alpha_m + p.alpha_f;
  p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
  return p;
}

AlphaParameters AlphaParameters::hht(double alpha) {
  // Hilber, Hughes, Taylor (1977)
  return {0, -alpha, 0.25 * (1 - alpha) * (1 - alpha), 0.5 - alpha};
}

GeneralizedAlpha::GeneralizedAlpha(const Dae& dae, const GeneralizedAlphaSettings& settings)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton.solver, dae.nv() + dae.nc(), settings.newton.team)),
      projector_(dae, settings.newton) {
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&a_old_, &jerk_old_, &a_new_, &x_, &y_, &total_, &dq_, &dx_, &r_}) v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_, &eps_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc(), settings.form == ConstraintForm::stabilised && dae.nc() > 0 ? 2 : 1);
}

double GeneralizedAlpha::size(const VectorX& dq) const {
  return dq.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>();
}

/// Increments below this, in dof units, are round-off: a mechanism far from the origin knows its position
/// less well.
double GeneralizedAlpha::round_off(const State& state) const {
  return 1e-15 * std::max(1.0, state.q.lpNorm<Eigen::Infinity>() / dae_.dof_scale().minCoeff());
}

/// Of x in one step: (1/6 - beta - (alpha_m - alpha_f)/2) h^3 v'' (Taylor), v'' from the change of a.
double GeneralizedAlpha::local_error(double h) {
  const double constant = std::abs(1.0 / 6 - p_.beta - 0.5 * (p_.alpha_m - p_.alpha_f));
  dx_ = a_new_ - a_old_;
  return constant * h * h * size(dx_);
}

StepReport GeneralizedAlpha::step(State& state, double h) {
  StepReport report;
  const bool is_first = state.history.size() == 0;
  if (is_first) start(state, h);
  const State& from = is_first ? begin_ : state;
  predict(from, h);
  if (settings_.newton.fixed_iterations) return fixed_step(from, state, h);

  const NewtonSettings& newton = settings_.newton;
  const double noise = round_off(from);
  bool fresh = false;
  double first = 0, last = 0;
  for (int iteration = 0;; ++iteration) {
    if (iteration == newton.max_iterations) return rejected(report, "Newton's iteration did not converge");
    dae_.update(trial_, *workspace_);
    dae_.residual(trial_, *workspace_, r_);
    // A tangent of the same step is renewed, too: a slender rod that the predictor has stretched needs
    // Newton's full iteration.
    const bool slow = newton.renew_rate == 0 ||
                      (rate_known_ && rate_ > (iteration == 0 ? newton.reuse_rate : newton.renew_rate));
    if (!factored_ || slow || std::abs(h / factored_h_ - 1) > 0.1) {
      if (!refresh_tangent(h, report)) return rejected(report, "the Newton matrix is singular");
      fresh = true;
    }
    const double change = correct(from, h);
    ++report.iterations;
    if (!(change < 1e3))
      return rejected(report, "Newton's iteration diverges");  // also when it is not a number

    if (iteration == 0) {
      first = change;
      rate_ = std::pow(
          rate_, 0.8);  // a tangent gets older, and its rate is not measured where one iteration suffices
    } else if (change > noise) {
      rate_ = rate_known_ ? std::max(0.3 * rate_, change / last) : change / last;
      rate_known_ = true;
      rate_carries_over_ = !fresh;  // in the step it is of, a tangent is far better than in the next
    }
    const bool can_tell = rate_known_ && (iteration > 0 || rate_carries_over_);
    const double left = can_tell ? std::min(1.0, rate_ / std::max(1 - rate_, 0.1)) : 1.0;
    if (change * left <= std::max(noise, std::min(newton.tolerance, predictor_share * first))) break;
    if (iteration > 0 && change > 0.5 * last && change <= 100 * noise)
      break;  // as near as the arithmetic allows
    // Next to a singular position some multipliers are hardly determined and settle slowly whatever the step;
    // a smaller one only magnifies their noise. What is left must then be small beside the error of the
    // method.
    const bool stagnates = fresh && iteration > 5 && rate_ > 0.9;
    const bool is_last = fresh && iteration + 1 == newton.max_iterations;
    if ((stagnates || is_last) && change <= std::max(newton.tolerance, 0.1 * local_error(h))) break;
    if (stagnates) return rejected(report, "Newton's iteration stagnates");
    last = change;
  }
  accept(state, h, report);
  return report;
}

/// Does what it can in a known time: the same work in every step.
StepReport GeneralizedAlpha::fixed_step(const State& from, State& state, double h) {
  StepReport report;
  double change = 0;
  for (int iteration = 0; iteration < *settings_.newton.fixed_iterations; ++iteration) {
    dae_.update(trial_, *workspace_);
    dae_.residual(trial_, *workspace_, r_);
    if (iteration == 0 && !refresh_tangent(h, report))
      return rejected(report, "the Newton matrix is singular");
    change = correct(from, h);
    ++report.iterations;
  }
  if (!(change < 1e3)) return rejected(report, "Newton's iteration diverges");
  accept(state, h, report);
  return report;
}

/// a_0 = v'(t_0 + (alpha_m - alpha_f) h) + O(h^2), with the rate of v' from a small explicit step.
void GeneralizedAlpha::start(const State& given, double h) {
  State& state = begin_ = given;
  projector_.accelerations(state);
  const double shift = p_.alpha_m - p_.alpha_f, ahead = 0.1 * h;
  jerk_old_.setZero();
  if (shift != 0) {
    probe_ = state;
    probe_.t += ahead;
    dx_ = ahead * state.v + 0.5 * ahead * ahead * state.a;
    dae_.plus(state.q, dx_, probe_.q);
    probe_.v += ahead * state.a;
    projector_.accelerations(probe_);
    jerk_old_ = (probe_.a - state.a) / ahead;
    // A stiff mode that starts out of balance changes v' faster than the step can follow: nothing to
    // extrapolate.
    const double size = state.a.cwiseQuotient(dae_.dof_scale()).norm();
    const double growth = h * jerk_old_.cwiseQuotient(dae_.dof_scale()).norm();
    if (growth > size) jerk_old_ *= size / growth;
  }
  state.history.resize(2 * dae_.nv() + 1);
  state.history << state.a + shift * h * jerk_old_, jerk_old_, h;
}

void GeneralizedAlpha::predict(const State& state, double h) {
  const int n = dae_.nv();
  const double h_old = state.history[2 * n];
  jerk_old_ = state.history.segment(n, n);
  a_old_ = state.history.head(n) + (p_.alpha_m - p_.alpha_f) * (h - h_old) * jerk_old_;
  a_new_ = a_old_ + h * jerk_old_;

  trial_ = state;
  trial_.t += h;
  x_ = h * state.v + h * h * ((0.5 - p_.beta) * a_old_ + p_.beta * a_new_);
  y_.setZero();
  trial_.v = state.v + h * ((1 - p_.gamma) * a_old_ + p_.gamma * a_new_);
  trial_.a = ((1 - p_.alpha_m) * a_new_ + p_.alpha_m * a_old_ - p_.alpha_f * state.a) / (1 - p_.alpha_f);
  dae_.plus(state.q, x_, trial_.q);
}

bool GeneralizedAlpha::refresh_tangent(double h, StepReport& report) {
  total_ = x_ + y_;
  const Weights weights{(1 - p_.alpha_m) / (1 - p_.alpha_f), p_.gamma * h, p_.beta * h * h, &total_,
                        settings_.newton.geometric_stiffness};
  dae_.tangent(trial_, weights, *workspace_, kkt_);
  if (const auto penalty = settings_.newton.penalty)
    kkt_.set_regularisation(eps_.setConstant(1 / (*penalty * p_.beta * h * h)));
  else
    kkt_.regularise(settings_.newton.regularisation * (1 - p_.alpha_f) / (1 - p_.alpha_m),
                    dae_.row_compliance());
  factored_h_ = h;
  rate_known_ = rate_carries_over_ = false;
  ++report.factorizations;
  return factored_ = solver_->factorize(kkt_);
}

/// One Newton correction of the trial state; returns its size in dof units.
///
/// Index 3 removes g along with r. The stabilised form has two right-hand sides for the same matrix: the
/// first removes r and the velocity constraint and moves q, v, a and lambda; the second removes what is left
/// of g along C^-1 G^T and moves q alone.
double GeneralizedAlpha::correct(const State& state, double h) {
  const int n = dae_.nv(), m = dae_.nc();
  const double scale = p_.beta * h * h;
  dae_.position_constraints(trial_, *workspace_, g_);
  z_.col(0).head(n) = -scale * r_;
  if (z_.cols() == 1) {
    z_.col(0).tail(m) = -g_;
  } else {
    dae_.velocity_constraints(trial_, *workspace_, g_v_);
    g_v_ *= p_.beta * h / p_.gamma;
    z_.col(0).tail(m) = -g_v_;
    z_.col(1).head(n).setZero();
    z_.col(1).tail(m) = g_v_ - g_;
  }
  solver_->solve(z_);

  dq_ = z_.col(0).head(n);
  double change = size(dq_);
  total_ = x_ + y_;
  dae_.inverse_tangent(total_, dq_, dx_);
  x_ += dx_;
  a_new_ += dx_ / scale;
  trial_.v += (p_.gamma / (p_.beta * h)) * dx_;
  trial_.a += ((1 - p_.alpha_m) / (1 - p_.alpha_f) / scale) * dx_;
  trial_.lambda += z_.col(0).tail(m) / scale;
  if (z_.cols() == 2) {
    y_ += z_.col(1).head(n);
    dq_ += z_.col(1).head(n);
    change = std::max(change, size(dq_));
  }
  total_ = x_ + y_;
  dae_.plus(state.q, total_, trial_.q);
  return change;
}

void GeneralizedAlpha::project() {
  projector_.velocities(trial_);
  if (settings_.projection == Projection::acceleration) projector_.accelerations(trial_);
}

/// With the factor the step has anyway, once: Malczyk et al. (2019), 3.3 and 3.4, where C takes the part of
/// M. The second solves the equations of motion anew, so that multipliers gain by it too.
void GeneralizedAlpha::project_once() {
  const int n = dae_.nv(), m = dae_.nc();
  auto z = z_.leftCols<1>();
  dae_.update(trial_, *workspace_);
  dae_.velocity_constraints(trial_, *workspace_, g_v_);
  z << VectorX::Zero(n), -g_v_;
  solver_->solve(z);
  trial_.v += z.col(0).head(n);
  if (settings_.projection != Projection::acceleration) return;
  const double mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
  dae_.acceleration_constraints(trial_, *workspace_, g_v_);
  z << -mass * r_, -g_v_;
  solver_->solve(z);
  trial_.a += z.col(0).head(n);
  trial_.lambda += z.col(0).tail(m) / mass;
}

void GeneralizedAlpha::accept(State& state, double h, StepReport& report) {
  if (settings_.projection != Projection::none) {
    dx_ = trial_.a;
    settings_.newton.fixed_iterations ? project_once() : project();
    // a follows v' as their relation couples them, or it would keep the error
    a_new_ += (1 - p_.alpha_f) / (1 - p_.alpha_m) * (trial_.a - dx_);
  }
  dae_.accept(trial_, *workspace_);  // frames of the last iterate: near enough to tell one turn from the next
  const int n = dae_.nv();
  report.error = local_error(h);
  r_ = a_new_ - a_old_;
  trial_.history.head(n) = a_new_;
  trial_.history.segment(n, n) = r_ / h;
  trial_.history[2 * n] = h;
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
}

StepReport GeneralizedAlpha::rejected(StepReport report, std::string why) const {
  int dof = 0, row = 0;
  const double r = r_.allFinite() && r_.size() ? r_.cwiseAbs().maxCoeff(&dof) : 0.0;
  const double g = g_.allFinite() && g_.size() ? g_.cwiseAbs().maxCoeff(&row) : 0.0;
  report.failure = fmt::format("{} after {} iterations; largest residual {:.3g} at {}", why,
                               report.iterations, r, dae_.dof_name(dof));
  if (dae_.nc() > 0)
    report.failure += fmt::format(", largest constraint error {:.3g} at {}", g, dae_.row_name(row));
  return report;
}

}  // namespace hooke
