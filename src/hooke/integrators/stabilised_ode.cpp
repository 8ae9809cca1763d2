#include "hooke/integrators/stabilised_ode.h"

namespace hooke {

StabilisedAlpha::StabilisedAlpha(const Dae& dae, const StabilisedAlphaSettings& settings, OwnDofs own)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      own_(std::move(own)),
      history_(dae, settings.parameters, settings.newton),
      rule_(settings.newton),
      projector_(dae, settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton, dae)) {
  if (own_.others_are_bodies)
    masses_ = KktMatrix(dae.structure());
  else
    kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&x_, &y_, &total_, &dq_, &dx_, &r_}) v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc());
}

StepReport StabilisedAlpha::step(State& state, double h) {
  const Team::Step timed(settings_.newton.team.get());
  StepReport report;
  beta_ = settings_.beta.value_or(1 / h);
  const State& from = history_.ready(state, h);
  predict(from, h);
  // v follows from x, of which a small step shows far more digits than q has.
  rule_.begin(1e-3 * round_off(from, dae_), from.mode, again_);
  again_ = false;
  const char* failure = rule_.iterate(
      h, report, [&] { evaluate(); }, [&] { return refresh_tangent(h); }, [&] { return correct(from, h); },
      [&] { return local_error(h); });
  if (failure) return rejected(report, failure, dae_, r_, g_v_);
  accept(state, h, report);
  return report;
}

/// y from the state the step begins with, and x extrapolated.
const State& StabilisedAlpha::predict(const State& from, double h) {
  history_.predict(from, h, trial_, x_, again_);
  trial_.q = from.q;
  if (again_) trial_.lambda = last_lambda_;
  keep_own(x_);
  if (own_.place) {
    own_.place(from, y_, trial_);
  } else {
    projector_.drift(from, std::min(beta_, 1 / h), y_);
    y_ *= h;
  }
  total_ = x_ + y_;
  dae_.plus(from.q, total_, trial_.q);
  return trial_;
}

/// What the trial state leaves of the equation of motion and of (34).
void StabilisedAlpha::evaluate() {
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
  dae_.acceleration_constraints(trial_, *workspace_, g_);
  dae_.velocity_constraints(trial_, *workspace_, g_v_);
  g_ += beta_ * g_v_;
}

bool StabilisedAlpha::refresh_tangent(double h) {
  const double mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  total_ = x_ + y_;
  dae_.tangent(trial_, {mass, p_.gamma * h, p_.beta * h * h, &total_, settings_.newton.geometric_stiffness},
               *workspace_, kkt_);
  if (own_.others_are_bodies) keep_masses_of_others(mass + beta_ * p_.gamma * h);
  regularise(kkt_, settings_.newton, mass, p_.beta * h * h, dae_, history_.slices.team());
  const bool usable = solver_->factorize(kkt_);
  rule_.renew_always(solver_->should_renew());
  return usable;
}

/// Others stand where they were put, so that a change of theirs is one of v', with the weight b kappa.
void StabilisedAlpha::keep_masses_of_others(double weight) {
  const KktStructure& structure = dae_.structure();
  dae_.tangent(trial_, {.m = weight}, *workspace_, masses_);
  std::vector<char> is_other;
  for (std::size_t block = 0, dof = 0; block < structure.dof_sizes.size(); ++block) {
    is_other.push_back(!own_.own[dof]);
    dof += static_cast<std::size_t>(structure.dof_sizes[block]);
  }
  const auto keep = [&](int row, int column) {
    if (is_other[static_cast<std::size_t>(column)])
      kkt_.matrix.block(kkt_.C(row, column)) = masses_.matrix.block(masses_.C(row, column));
  };
  for (int block = 0; block < static_cast<int>(is_other.size()); ++block) keep(block, block);
  for (const auto* pairs : {&structure.couplings, &structure.weak_couplings})
    for (const auto& [a, b] : *pairs) keep(a, b), keep(b, a);
}

/// One Newton correction of the trial state; returns its size in dof units.
double StabilisedAlpha::correct(const State& from, double h) {
  const double scale = p_.beta * h * h, mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  const double kappa = (mass + beta_ * p_.gamma * h) / scale;
  z_ << -scale * r_, -g_ / kappa;
  solver_->solve(z_);
  dq_ = z_.head(dae_.nv());
  const double size = size_of(dq_, dae_);  // of the others' accelerations, too: these must settle as well
  const double pace = rule_.pace(size);
  if (pace != 1) z_ *= pace, dq_ *= pace;
  if (!own_.others_move) {
    for (std::size_t i = 0; i < own_.own.size(); ++i)
      if (!own_.own[i]) trial_.a[static_cast<int>(i)] += kappa * dq_[static_cast<int>(i)];
    keep_own(dq_);
  }
  total_ = x_ + y_;
  dae_.inverse_tangent(total_, dq_, dx_);
  history_.correct(h, dx_, trial_, x_);
  trial_.lambda += z_.tail(dae_.nc()) / scale;
  total_ = x_ + y_;
  dae_.plus(from.q, total_, trial_.q);
  return size;
}

double StabilisedAlpha::local_error(double h) {
  history_.local_error(h, dx_);
  keep_own(dx_);
  return size_of(dx_, dae_);
}

void StabilisedAlpha::accept(State& state, double h, StepReport& report) {
  dae_.accept(trial_, *workspace_);  // frames of the last iterate: near enough to tell one turn from the next
  report.error = local_error(h);
  last_lambda_ = trial_.lambda;
  history_.accept(h, trial_, state);
  report.accepted = true;
}

void StabilisedAlpha::keep_own(VectorX& x) const {
  for (std::size_t i = 0; i < own_.own.size(); ++i)
    if (!own_.own[i]) x[static_cast<int>(i)] = 0;
}

}  // namespace hooke
