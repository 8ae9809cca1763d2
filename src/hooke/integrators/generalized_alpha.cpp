#include "hooke/integrators/generalized_alpha.h"

namespace hooke {

GeneralizedAlpha::GeneralizedAlpha(const Dae& dae, const GeneralizedAlphaSettings& settings)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      history_(dae, settings.parameters, settings.newton),
      slices_(history_.slices),
      rule_(settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton, dae)),
      projector_(dae, settings.newton) {
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&x_, &y_, &total_, &dq_, &dx_, &r_}) v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc(), settings.form == ConstraintForm::stabilised && dae.nc() > 0 ? 2 : 1);
}

StepReport GeneralizedAlpha::step(State& state, double h) {
  const Team::Step timed(settings_.newton.team.get());
  StepReport report;
  const State& from = history_.ready(state, h);
  // An older tangent leaves an error of one sign, and what is left of q is 1/h of that in v, in every step.
  constexpr double of_round_off = 0.1;
  predict(from, h);
  rule_.begin(of_round_off * round_off(from, dae_), from.mode);
  const char* failure = rule_.iterate(
      h, report, [&] { evaluate(); }, [&] { return refresh_tangent(h); }, [&] { return correct(from, h); },
      [&] { return history_.local_error(h); });
  if (failure) return rejected(report, failure, dae_, r_, g_);
  accept(state, h, report);
  return report;
}

void GeneralizedAlpha::predict(const State& state, double h) {
  history_.predict(state, h, trial_, x_);
  slices_.each([&](const Slice& s) {
    s.of_dofs(y_).setZero();
    s.of_dofs(total_) = s.of_dofs(x_);
  });
  if (dae_.carry(state.q, total_)) {
    dx_ = total_ - x_;
    history_.correct(h, dx_, trial_, x_);
  }
  dae_.plus(state.q, x_, trial_.q);
}

void GeneralizedAlpha::evaluate() {
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
}

/// Where the tangent is evaluated: inertia forces at rest have no derivatives but the masses.
const State& GeneralizedAlpha::tangent_state() {
  if (settings_.tangent == InertiaTangent::exact) return trial_;
  at_rest_ = trial_;
  at_rest_.v.setZero();
  at_rest_.a.setZero();
  return at_rest_;
}

bool GeneralizedAlpha::refresh_tangent(double h) {
  const Weights weights{(1 - p_.alpha_m) / (1 - p_.alpha_f), p_.gamma * h, p_.beta * h * h, &total_,
                        settings_.newton.geometric_stiffness};
  dae_.tangent(tangent_state(), weights, *workspace_, kkt_);
  regularise(kkt_, settings_.newton, weights.m, weights.k, dae_, slices_.team());
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
  const auto m = g_.size();
  const double scale = p_.beta * h * h;
  const bool stabilised = z_.cols() == 2;
  auto first = z_.col(0), last = z_.col(z_.cols() - 1);
  dae_.position_constraints(trial_, *workspace_, g_);
  if (stabilised) dae_.velocity_constraints(trial_, *workspace_, g_v_);
  slices_.each([&](const Slice& s) {
    if (stabilised) {
      s.of_dofs(last).setZero();
      s.of_rows(g_v_) *= p_.beta * h / p_.gamma;
      s.of_rows(last.tail(m)) = s.of_rows(g_v_) - s.of_rows(g_);
    }
    s.of_dofs(first) = -scale * s.of_dofs(r_);
    s.of_rows(first.tail(m)) = -s.of_rows(stabilised ? g_v_ : g_);
  });
  solver_->solve(z_);
  const double change = slices_.largest([&](const Slice& s) {
    const auto size = [&](const auto& dq) {
      return dq.cwiseQuotient(s.of_dofs(dae_.dof_scale())).template lpNorm<Eigen::Infinity>();
    };
    s.of_dofs(dq_) = s.of_dofs(first);
    const double largest = size(s.of_dofs(first));
    return stabilised ? std::max(largest, size(s.of_dofs(first) + s.of_dofs(last))) : largest;
  });
  const double pace = rule_.pace(change);
  if (pace != 1) z_ *= pace, dq_ *= pace;

  dae_.inverse_tangent(total_, dq_, dx_);
  slices_.each([&](const Slice& s) {
    history_.correct(h, dx_, trial_, x_, s);
    s.of_rows(trial_.lambda) += s.of_rows(first.tail(m)) / scale;
    if (stabilised) s.of_dofs(y_) += s.of_dofs(last);
    s.of_dofs(total_) = s.of_dofs(x_) + s.of_dofs(y_);
  });
  dae_.plus(state.q, total_, trial_.q);
  return change;
}

void GeneralizedAlpha::project() {
  projector_.velocities(trial_);
  if (settings_.projection == Projection::acceleration) projector_.accelerations(trial_);
}

/// With the factor the step has anyway, once: Malczyk et al. (2019), 3.3 and 3.4, where C takes the part of
/// M. With `acceleration` the second solves the equations of motion anew, so that multipliers gain by it too.
void GeneralizedAlpha::project_once() {
  const int n = dae_.nv(), m = dae_.nc();
  auto z = z_.leftCols<1>();
  dae_.update(trial_, *workspace_);
  dae_.velocity_constraints(trial_, *workspace_, g_v_);
  z << VectorX::Zero(n), -g_v_;
  solver_->solve(z);
  trial_.v += z.col(0).head(n);
  if (settings_.projection == Projection::velocity) return;
  const bool with_forces = settings_.projection == Projection::acceleration;
  const double mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  dae_.update(trial_, *workspace_);
  if (with_forces)
    dae_.residual(trial_, *workspace_, r_);
  else
    r_.setZero();
  dae_.acceleration_constraints(trial_, *workspace_, g_v_);
  z << -mass * r_, -g_v_;
  solver_->solve(z);
  trial_.a += z.col(0).head(n);
  if (with_forces) trial_.lambda += z.col(0).tail(m) / mass;
}

void GeneralizedAlpha::accept(State& state, double h, StepReport& report) {
  if (settings_.projection != Projection::none) {
    dx_ = trial_.a;
    const bool once = settings_.newton.fixed_iterations || settings_.projection == Projection::kinematic;
    once ? project_once() : project();
    // a follows v' as their relation couples them, or it would keep the error
    history_.a_new += (1 - p_.alpha_f) / (1 - p_.alpha_m) * (trial_.a - dx_);
  }
  dae_.accept(trial_, *workspace_);  // frames of the last iterate: near enough to tell one turn from the next
  report.error = history_.local_error(h);
  history_.accept(h, trial_, state);
  report.accepted = true;
}

}  // namespace hooke
