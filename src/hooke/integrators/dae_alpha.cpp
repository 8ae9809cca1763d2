#include "hooke/integrators/dae_alpha.h"

#include "hooke/base/format.h"

#include <limits>

namespace hooke {

DaeAlpha::DaeAlpha(const Dae& dae, const DaeAlphaSettings& settings)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      history_(dae, settings.parameters, settings.newton),
      rule_(settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      mass_(dae.structure()),
      solver_(make_solver(settings.newton, dae)),
      mass_solver_(make_solver(settings.newton, dae)),
      split_(dae.structure(), dae.dof_scale(), dae.row_compliance()),
      eps_(settings.newton.regularisation * dae.row_compliance()) {
  kkt_.accept_turned(solver_->wants_turned());
  mass_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&x_, &x_hat_, &v_hat_, &w_, &r_, &dq_, &dx_}) v->setZero(dae.nv());
  for (VectorX* v : {&nu_, &zeta_, &g_, &s_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc());
}

std::string_view DaeAlpha::name() const {
  constexpr std::string_view names[] = {"dae-alpha", "dae-alpha-cs", "dae-alpha-cm"};
  return names[static_cast<int>(settings_.iteration)];
}

StepReport DaeAlpha::step(State& state, double h) {
  const Team::Step timed(settings_.newton.team.get());
  StepReport report;
  const State& from = history_.ready(state, h);
  begin(from, h);
  const bool extrapolates = guess(from, h);
  const char* failure = iterate(from, h, report);
  if (failure && extrapolates && !settings_.newton.fixed_iterations) {
    x_.setZero();
    failure = iterate(from, h, report);
  }
  if (failure) return rejected(report, failure, dae_, r_, g_);
  accept(state, h, report);
  return report;
}

void DaeAlpha::begin(const State& state, double h) {
  const double ratio = 1 / (1 - p_.alpha_m), scale = (1 - p_.alpha_f) * ratio;
  b_ = h * h * p_.beta * scale;
  e_ = h * p_.gamma * scale;
  c_ = b_ / e_;
  history_.load(state, h);
  phi_old_ = state.a;
  const VectorX &a = history_.a_old, &phi = phi_old_;
  x_hat_ = h * state.v + h * h * ((0.5 - p_.beta * ratio) * a + p_.beta * p_.alpha_f * ratio * phi);
  v_hat_ = state.v + h * ((1 - p_.gamma * ratio) * a + p_.gamma * p_.alpha_f * ratio * phi);
}

/// The first x: extrapolated from a_n and its rate (true), or zero, the position the step began with (false).
/// Over an oscillation that the step does not resolve, extrapolation leads to no solution or to one far away.
/// So x is zero where the accelerations would carry the mechanism over a good part of itself, and when the
/// iteration is repeated after it failed.
bool DaeAlpha::guess(const State& state, double h) {
  dx_ = 0.5 * h * h * history_.a_old + p_.beta * h * h * h * history_.jerk_old;
  const bool extrapolates = size(dx_) <= 0.1;
  x_.setZero();
  if (extrapolates) x_ = h * state.v + dx_;
  return extrapolates;
}

/// Newton's iteration from x; says why it fails, if it does.
const char* DaeAlpha::iterate(const State& from, double h, StepReport& report) {
  w_.setZero();
  zeta_.setZero();
  nu_ = b_ * from.lambda;
  moved_ = std::numeric_limits<double>::infinity();
  trial_ = from;
  trial_.t += h;
  dae_.plus(from.q, x_, trial_.q);
  trial_.v = v_hat_ + (x_ - x_hat_) / c_;
  rule_.begin(round_off(from, dae_), from.mode);
  return rule_.iterate(
      h, report, [&] { project_velocity(), evaluate(); }, [&] { return refresh_tangent(); },
      [&] { return correct(from); }, [&] { return local_error(h); });
}

/// v such that G v + g_t = 0, w orthogonal to the constraints in the metric of M. The factor is renewed as
/// long as its age can be seen in the result.
void DaeAlpha::project_velocity() {
  const int n = dae_.nv(), m = dae_.nc();
  dae_.update(trial_, *workspace_);
  if (m == 0) return;
  const bool renew = !(moved_ * c_ * size(w_) <= 0.01 * rule_.target());
  if (renew) {
    trial_.v -= w_;
    w_.setZero();
    zeta_.setZero();
    dae_.tangent(trial_, {.m = 1}, *workspace_, mass_);
    mass_.set_regularisation(eps_);
    if (!mass_solver_->factorize(mass_)) return;  // the Newton matrix is then singular as well, and says so
    moved_ = 0;
    dae_.update(trial_, *workspace_);
  }
  for (int pass = 0; pass < 3; ++pass) {  // twice or more because of eps and the age of the factor
    dae_.velocity_constraints(trial_, *workspace_, g_);
    z_.head(n).setZero();
    z_.tail(m) = -g_;
    mass_solver_->solve(z_);
    dq_ = z_.head(n);
    w_ += dq_;
    trial_.v += dq_;
    zeta_ += z_.tail(m);
    if (c_ * size(dq_) <= 0.01 * rule_.target()) break;
    dae_.update(trial_, *workspace_);
  }
}

/// r_ = M a + G^T lambda - f with a = (x - x^)/b and lambda = nu/b; P times it, without lambda, where the
/// multipliers are split off. P must be that of the current q: with an older one the iteration would converge
/// to another solution, while C and G may be as old as in any modified Newton iteration.
void DaeAlpha::evaluate() {
  trial_.a = (x_ - x_hat_) / b_;
  if (settings_.iteration == DaeAlphaIteration::newton) {
    trial_.lambda = nu_ / b_;
    dae_.residual(trial_, *workspace_, r_);
  } else {
    split_off(s_);
  }
}

/// r_ = P r, and s with Y^T (r + G^T s) = 0.
void DaeAlpha::split_off(VectorX& s) {
  trial_.lambda.setZero();
  dae_.residual(trial_, *workspace_, r_);
  if (dae_.nc() == 0) return;
  dae_.tangent(trial_, {.m = 1}, *workspace_, mass_);  // for G
  split_.factorize(mass_);
  split_.split(r_, s);
}

bool DaeAlpha::refresh_tangent() {
  if (settings_.iteration == DaeAlphaIteration::split) {
    trial_.lambda = s_;
    dae_.residual(trial_, *workspace_, r_);
  }
  dae_.tangent(trial_, {1, e_, b_, &x_, settings_.newton.geometric_stiffness}, *workspace_, kkt_);
  regularise(kkt_, settings_.newton, 1, b_, dae_, history_.slices.team());
  const bool usable = solver_->factorize(kkt_);
  rule_.renew_always(solver_->should_renew());
  return usable;
}

/// One Newton correction of the trial state; returns its size in dof units.
double DaeAlpha::correct(const State& state) {
  const int n = dae_.nv(), m = dae_.nc();
  dae_.position_constraints(trial_, *workspace_, g_);
  z_.head(n) = -b_ * r_;
  z_.tail(m) = -g_;
  solver_->solve(z_);
  dq_ = z_.head(n);
  double change = size(dq_);
  const double pace = rule_.pace(change);
  z_ *= pace;
  dq_ *= pace;
  dae_.inverse_tangent(x_, dq_, dx_);
  x_ += dx_;
  trial_.v += dx_ / c_;
  dae_.plus(state.q, x_, trial_.q);
  nu_ += z_.tail(m);  // where multipliers are split off nobody reads it
  moved_ += pace * change;
  if (settings_.test_multipliers && m > 0)
    change = std::max(change, z_.tail(m).lpNorm<Eigen::Infinity>() / pace);
  return change;
}

/// a_{n+1} from phi_{n+1} = (v - v^)/e and the relation of the two.
void DaeAlpha::update_acceleration() {
  trial_.a = (trial_.v - v_hat_) / e_;
  history_.a_new =
      ((1 - p_.alpha_f) * trial_.a + p_.alpha_f * phi_old_ - p_.alpha_m * history_.a_old) / (1 - p_.alpha_m);
}

double DaeAlpha::local_error(double h) {
  update_acceleration();
  return history_.local_error(h);
}

void DaeAlpha::accept(State& state, double h, StepReport& report) {
  project_velocity();
  report.error = local_error(h);
  dae_.update(trial_, *workspace_);
  recover_multipliers();
  dae_.accept(trial_, *workspace_);
  history_.accept(h, trial_, state);
  report.accepted = true;
}

/// mu/e, by its definition or from the dependent rows of the velocity equation.
void DaeAlpha::recover_multipliers() {
  if (settings_.iteration == DaeAlphaIteration::newton) {
    trial_.lambda = (nu_ / c_ + zeta_) / e_;
  } else {
    split_off(s_);
    trial_.lambda = s_;
  }
}

std::string DaeAlpha::note() const {
  if (split_.choices() == 0) return {};
  std::string text;
  const int dropped = dae_.nc() - split_.rank();
  if (dropped > 0)
    text = formatted("coordinate split: {} redundant row{} left out", dropped, dropped == 1 ? "" : "s");
  if (split_.choices() > 1)
    text += formatted("{}dependent coordinates chosen anew {} times",
                      text.empty() ? "coordinate split: " : ", ", split_.choices() - 1);
  return text;
}

}  // namespace hooke
