#include "integrators/stabilised_ode.h"

namespace hooke {

StabilisedAlpha::StabilisedAlpha(const Dae& dae, const StabilisedAlphaSettings& settings, SystemPart part)
    : dae_(dae),
      settings_(settings),
      p_(settings.parameters),
      part_(std::move(part)),
      history_(dae, settings.parameters, settings.newton),
      rule_(settings.newton),
      projector_(dae, settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton.solver, dae.nv() + dae.nc(), settings.newton.team)) {
  if (!part_.own.empty()) find_others();
  for (VectorX* v : {&x_, &y_, &total_, &dq_, &dx_, &r_}) v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_, &penalty_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc());
}

void StabilisedAlpha::find_others() {
  others_ = KktMatrix(dae_.structure());
  const KktStructure& structure = dae_.structure();
  const std::vector<int>& offsets = kkt_.matrix.offsets();
  const auto add = [&](int row, int column) {
    if (!part_.own[offsets[column]]) others_columns_.push_back(kkt_.C(row, column));
  };
  for (int block = 0; block < static_cast<int>(structure.dof_sizes.size()); ++block) add(block, block);
  for (const auto* pairs : {&structure.couplings, &structure.weak_couplings})
    for (const auto& [i, j] : *pairs)
      if (i != j) add(i, j), add(j, i);
}

StepReport StabilisedAlpha::step(State& state, double h) {
  StepReport report;
  beta_ = settings_.beta.value_or(1 / h);
  const State& from = history_.ready(state, h);
  predict(from, h);
  // v follows from x, of which a small step shows far more digits than q has.
  rule_.begin(1e-3 * round_off(from, dae_));
  for (;;) {
    evaluate();
    if (rule_.wants_tangent(h) && !refresh_tangent(h, report))
      return rejected(report, "the Newton matrix is singular", dae_, r_, g_v_);
    const double change = correct(from, h);
    ++report.iterations;
    const auto verdict = rule_.judge(change, local_error(h));
    if (verdict == NewtonRule::Verdict::converged) break;
    if (verdict != NewtonRule::Verdict::go_on) return rejected(report, in_words(verdict), dae_, r_, g_v_);
  }
  accept(state, h, report);
  return report;
}

/// y from the state the step begins with, and x extrapolated.
void StabilisedAlpha::predict(const State& from, double h) {
  projector_.drift(from, std::min(beta_, 1 / h), y_);
  y_ *= h;
  keep_own(y_);

  history_.load(from, h);
  const VectorX& a_old = history_.a_old;
  const VectorX& a_new = history_.a_new = a_old + h * history_.jerk_old;
  trial_ = from;
  trial_.t += h;
  x_ = h * from.v + h * h * ((0.5 - p_.beta) * a_old + p_.beta * a_new);
  keep_own(x_);
  trial_.v = from.v + h * ((1 - p_.gamma) * a_old + p_.gamma * a_new);
  trial_.a = ((1 - p_.alpha_m) * a_new + p_.alpha_m * a_old - p_.alpha_f * from.a) / (1 - p_.alpha_f);
  if (part_.set_others) part_.set_others(from, trial_.t, y_, trial_.v);
  total_ = x_ + y_;
  dae_.plus(from.q, total_, trial_.q);
}

/// What the trial state leaves of the equation of motion and of (34).
void StabilisedAlpha::evaluate() {
  dae_.update(trial_, *workspace_);
  dae_.residual(trial_, *workspace_, r_);
  dae_.acceleration_constraints(trial_, *workspace_, g_);
  dae_.velocity_constraints(trial_, *workspace_, g_v_);
  g_ += beta_ * g_v_;
}

bool StabilisedAlpha::refresh_tangent(double h, StepReport& report) {
  const double mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  total_ = x_ + y_;
  dae_.tangent(trial_, {mass, p_.gamma * h, p_.beta * h * h, &total_, settings_.newton.geometric_stiffness},
               *workspace_, kkt_);
  if (!part_.own.empty()) {
    dae_.tangent(trial_, {.m = mass + beta_ * p_.gamma * h}, *workspace_, others_);
    for (const BlockHandle& block : others_columns_) kkt_.matrix.block(block) = others_.matrix.block(block);
  }
  if (const auto penalty = settings_.newton.penalty)
    kkt_.set_regularisation(penalty_.setConstant(1 / (*penalty * p_.beta * h * h)));
  else
    kkt_.regularise(settings_.newton.regularisation / mass, dae_.row_compliance());
  ++report.factorizations;
  const bool usable = solver_->factorize(kkt_);
  rule_.renewed(h, usable);
  return usable;
}

/// One Newton correction of the trial state; returns its size in dof units.
double StabilisedAlpha::correct(const State& from, double h) {
  const double scale = p_.beta * h * h, mass = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  const double kappa = (mass + beta_ * p_.gamma * h) / scale;
  z_ << -scale * r_, -g_ / kappa;
  solver_->solve(z_);
  dq_ = z_.head(dae_.nv());
  for (std::size_t i = 0; i < part_.own.size(); ++i)
    if (!part_.own[i]) trial_.a[static_cast<int>(i)] += kappa * dq_[static_cast<int>(i)];
  keep_own(dq_);
  total_ = x_ + y_;
  dae_.inverse_tangent(total_, dq_, dx_);
  x_ += dx_;
  history_.a_new += dx_ / scale;
  trial_.v += (p_.gamma / (p_.beta * h)) * dx_;
  trial_.a += (mass / scale) * dx_;
  trial_.lambda += z_.tail(dae_.nc()) / scale;
  total_ = x_ + y_;
  dae_.plus(from.q, total_, trial_.q);
  return size_of(dq_, dae_);
}

double StabilisedAlpha::local_error(double h) {
  history_.local_error(h, dx_);
  keep_own(dx_);
  return size_of(dx_, dae_);
}

void StabilisedAlpha::accept(State& state, double h, StepReport& report) {
  dae_.accept(trial_, *workspace_);  // frames of the last iterate: near enough to tell one turn from the next
  report.error = local_error(h);
  history_.store(trial_, h);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
}

void StabilisedAlpha::keep_own(VectorX& x) const {
  for (std::size_t i = 0; i < part_.own.size(); ++i)
    if (!part_.own[i]) x[static_cast<int>(i)] = 0;
}

}  // namespace hooke
