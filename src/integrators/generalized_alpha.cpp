#include "integrators/generalized_alpha.h"

namespace hooke {

GeneralizedAlpha::GeneralizedAlpha(const Dae& dae, const GeneralizedAlphaSettings& settings)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      history_(dae, settings.parameters, settings.newton),
      rule_(settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton.solver, dae.nv() + dae.nc(), settings.newton.team)),
      projector_(dae, settings.newton) {
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&x_, &y_, &total_, &dq_, &dx_, &r_}) v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_, &eps_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc(), settings.form == ConstraintForm::stabilised && dae.nc() > 0 ? 2 : 1);
}

StepReport GeneralizedAlpha::step(State& state, double h) {
  StepReport report;
  const State& from = history_.ready(state, h);
  predict(from, h);
  rule_.begin(round_off(from, dae_));
  const char* failure = rule_.iterate(
      h, report, [&] { evaluate(); }, [&] { return refresh_tangent(h); }, [&] { return correct(from, h); },
      [&] { return local_error(h); });
  if (failure) return rejected(report, failure, dae_, r_, g_);
  accept(state, h, report);
  return report;
}

double GeneralizedAlpha::local_error(double h) {
  history_.local_error(h, dx_);
  return size_of(dx_, dae_);
}

void GeneralizedAlpha::predict(const State& state, double h) {
  history_.predict(state, h, trial_, x_);
  total_ = x_;
  if (dae_.carry(state.q, total_)) {
    dx_ = total_ - x_;
    history_.correct(h, dx_, trial_, x_);
  }
  y_.setZero();
  dae_.plus(state.q, x_, trial_.q);
}

void GeneralizedAlpha::evaluate() {
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
}

bool GeneralizedAlpha::refresh_tangent(double h) {
  total_ = x_ + y_;
  const Weights weights{(1 - p_.alpha_m) / (1 - p_.alpha_f), p_.gamma * h, p_.beta * h * h, &total_,
                        settings_.newton.geometric_stiffness};
  dae_.tangent(trial_, weights, *workspace_, kkt_);
  if (const auto penalty = settings_.newton.penalty)
    kkt_.set_regularisation(eps_.setConstant(1 / (*penalty * p_.beta * h * h)));
  else
    kkt_.regularise(settings_.newton.regularisation * (1 - p_.alpha_f) / (1 - p_.alpha_m),
                    dae_.row_compliance());
  const bool usable = solver_->factorize(kkt_);
  rule_.renew_always(solver_->should_renew());
  return usable;
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
  double change = size_of(dq_, dae_);
  total_ = x_ + y_;
  dae_.inverse_tangent(total_, dq_, dx_);
  history_.correct(h, dx_, trial_, x_);
  trial_.lambda += z_.col(0).tail(m) / scale;
  if (z_.cols() == 2) {
    y_ += z_.col(1).head(n);
    dq_ += z_.col(1).head(n);
    change = std::max(change, size_of(dq_, dae_));
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
    history_.a_new += (1 - p_.alpha_f) / (1 - p_.alpha_m) * (trial_.a - dx_);
  }
  dae_.accept(trial_, *workspace_);  // frames of the last iterate: near enough to tell one turn from the next
  report.error = local_error(h);
  history_.accept(h, trial_, state);
  report.accepted = true;
}

}  // namespace hooke
