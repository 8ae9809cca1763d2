#include "hooke/integrators/linearly_implicit.h"

#include "hooke/integrators/newton_rule.h"

namespace hooke {

LinearlyImplicit::LinearlyImplicit(const Dae& dae, const NewtonSettings& settings)
    : dae_(dae),
      settings_(settings),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings, dae)) {
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&x_, &dx_, &dq_, &r_}) v->setZero(dae.nv());
  g_.setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc());
}

StepReport LinearlyImplicit::step(State& state, double h) {
  const Team::Step timed(settings_.team.get());
  StepReport report;
  report.iterations = report.factorizations = 1;
  trial_ = state;
  trial_.t += h;
  trial_.a.setZero();
  x_ = h * state.v;
  dae_.plus(state.q, x_, trial_.q);
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
  dae_.position_constraints(trial_, *workspace_, g_);
  dae_.tangent(trial_, {1, h, h * h, &x_, settings_.geometric_stiffness}, *workspace_, kkt_);
  regularise(kkt_, settings_, 1, h * h, dae_);
  if (!solver_->factorize(kkt_)) return rejected(report, "the matrix of the step is singular", dae_, r_, g_);

  z_ << -h * h * r_, -g_;
  solver_->solve(z_);
  dq_ = z_.head(dae_.nv());
  if (!(size_of(dq_, dae_) <= NewtonRule::longest))
    return rejected(report, "the step leads far away", dae_, r_, g_);
  dae_.inverse_tangent(x_, dq_, dx_);
  x_ += dx_;
  dae_.plus(state.q, x_, trial_.q);
  trial_.v = x_ / h;
  trial_.a = dx_ / (h * h);
  trial_.lambda += z_.tail(dae_.nc()) / (h * h);
  dae_.accept(trial_, *workspace_);
  report.error = 0.5 * size_of(dx_, dae_);
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

}  // namespace hooke
