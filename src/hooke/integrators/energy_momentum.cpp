#include "hooke/integrators/energy_momentum.h"

#include <Eigen/Eigenvalues>
#include <random>

namespace hooke {

EnergyMomentum::EnergyMomentum(const Dae& dae, const EnergyMomentumSettings& settings)
    : dae_(dae),
      settings_(settings),
      p_(settings.rho < 1 ? AlphaParameters::generalized_alpha(settings.rho)
                          : AlphaParameters::trapezoidal()),
      mass_weight_((1 - p_.alpha_m) / (1 - p_.alpha_f)),
      history_(dae, p_, settings.newton),
      rule_(settings.newton),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings.newton, dae)),
      projector_(dae, settings.newton) {
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v :
       {&x_, &y_, &total_, &c_, &dc_, &Mdc_, &d_, &Md_, &u_, &Mu_, &shift_, &K_shift_, &dq_, &dx_, &r_})
    v->setZero(dae.nv());
  for (VectorX* v : {&g_, &g_v_}) v->setZero(dae.nc());
  z_.setZero(dae.nv() + dae.nc(), dae.nc() > 0 ? 2 : 1);
}

StepReport EnergyMomentum::step(State& state, double h) {
  const Team::Step timed(settings_.newton.team.get());
  constexpr double large = 0.1;  // a correction of so much of the velocity
  StepReport report;
  const State& from = ready(state, h);
  keeps_energy_ = true;
  const char* failure = iterate(from, h, report, true);
  // The mean power is a poor measure of the work of a load that has just begun to move something.
  const bool is_powered = before_.power != 0 || after_.power != 0;
  if (is_powered && (failure || std::abs(mu_) > large)) {
    keeps_energy_ = false;
    failure = iterate(from, h, report, true);
  } else if (failure && !settings_.newton.fixed_iterations) {
    failure = iterate(from, h, report, false);
  }
  if (failure) return rejected(report, failure, dae_, r_, g_);
  accept(state, h, report);
  return report;
}

/// Newton's iteration; says why it fails, if it does. Over an oscillation that the step does not resolve,
/// extrapolated accelerations lead astray, and a constant velocity is the better start.
const char* EnergyMomentum::iterate(const State& from, double h, StepReport& report, bool extrapolates) {
  const int most = report.iterations + settings_.newton.max_iterations;
  predict(from, h, extrapolates);
  for (bool again = false;; again = true) {
    rule_.begin(round_off(from, dae_), from.mode, again);
    const char* failure = rule_.iterate(
        h, report, [&] { evaluate(iteration_ == 0); }, [&] { return refresh_tangent(h); },
        [&] { return correct(from, h); }, [&] { return history_.local_error(h); });
    if (failure) return failure;
    if (settle(h) || settings_.newton.fixed_iterations) return nullptr;
    if (report.iterations >= most) return "the balance of energy is not met";
  }
}

// --- what is balanced

/// A constraint may let a motion pass at one position by chance, so it is tried at others, too; where none is found
/// nearby, nothing is taken to be free.
void EnergyMomentum::find_free_motions(const State& start) {
  constexpr double nothing = 1e-14;  // square of a relative velocity
  knows_free_ = true;
  free_.resize(6, 0);
  if (!dae_.rigid_motions(start.q, T_)) return;
  Vec6 unit = Vec6::Ones();
  unit.tail<3>().setConstant(1 / dae_.dof_scale().maxCoeff());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-0.05, 0.05);
  Mat6 resistance = Mat6::Zero();
  double usual = 0;  // of some motion
  constexpr int wanted = 3, most = 12;
  int found_positions = 0;
  for (int sample = 0; sample < most && found_positions < wanted && dae_.nc() > 0; ++sample) {
    State at = start;
    if (sample > 0) {
      for (int i = 0; i < dae_.nv(); ++i) dx_[i] = number(random) * dae_.dof_scale()[i];
      dae_.plus(start.q, dx_, at.q);
      if (!projector_.positions(at).converged) continue;
      dae_.rigid_motions(at.q, T_);
    }
    ++found_positions;
    const auto rows_at = [&](const VectorX& v) {
      at.v = v;
      dae_.update(at, *workspace_);
      dae_.velocity_constraints(at, *workspace_, g_);
      return g_;
    };
    const VectorX rest = rows_at(VectorX::Zero(dae_.nv()));
    MatrixX rows(dae_.nc(), 6);
    for (int k = 0; k < 6; ++k) rows.col(k) = rows_at(unit[k] * T_.col(k)) - rest;
    resistance += rows.transpose() * rows;
    for (int i = 0; i < dae_.nv(); ++i) dx_[i] = number(random) * dae_.dof_scale()[i];
    usual += (rows_at(dx_ / dae_.dof_scale().maxCoeff()) - rest).squaredNorm();
  }
  if (dae_.nc() > 0 && found_positions < wanted) return;
  const Eigen::SelfAdjointEigenSolver<Mat6> found(resistance);
  int count = 0;
  while (count < 6 && found.eigenvalues()[count] <= nothing * usual) ++count;
  free_ = unit.asDiagonal() * found.eigenvectors().leftCols(count);
}

/// What is kept does not change in the middle of a run.
void EnergyMomentum::archive(Archive& a) {
  int count = static_cast<int>(free_.cols());
  a(knows_free_, count);
  if (a.reads()) free_.resize(6, count);
  for (double& entry : free_.reshaped()) a(entry);
}

/// The state with a history, which ends with the account.
const State& EnergyMomentum::ready(const State& state, double h) {
  if (!knows_free_) find_free_motions(state);
  const State* from = &state;
  if (const int n = 2 * dae_.nv() + 1; !state.has_history() || state.history.size() != n + Account::size) {
    begin_ = state;
    begin_.forget_history();
    const State& started = history_.ready(begin_, h);
    begin_.history.resize(n + Account::size);
    begin_.history.head(n) = started.history;
    projector_.accelerations(begin_);  // so that it has its memory
    measure(begin_, after_, true);
    begin_.history.tail<Account::size>() << after_.energy, after_.power, after_.scale, after_.momentum,
        after_.force;
    from = &begin_;
  }
  const auto account = from->history.tail<Account::size>();
  before_ = {account[0], account[1], account[2], account.segment<6>(3), account.segment<6>(9)};
  return *from;
}

/// Leaves the residual in r_. The force is -T^T r of bodies at rest, without multipliers, which do nothing to
/// free motions; what acts on frames is that of the state's velocity.
void EnergyMomentum::measure(const State& state, Account& account, bool with_force) {
  constexpr double round_off = 4e-15;
  dae_.update(state, *workspace_);
  if (const auto n = free_.cols(); n > 0) {
    dae_.rigid_motions(state.q, T_);
    U_.noalias() = T_ * free_;
    dae_.times_mass(state, *workspace_, state.v, Mu_);
    account.momentum.head(n).noalias() = U_.transpose() * Mu_;
    if (with_force) {
      rest_ = state;
      for (VectorX* v : {&rest_.v, &rest_.a, &rest_.lambda}) v->setZero();
      dae_.residual(rest_, *workspace_, r_);
      account.force.head(n).noalias() = -U_.transpose() * r_;
    }
  }
  dae_.residual(state, *workspace_, r_);
  const Energy energy = dae_.energy(state, *workspace_);
  account.energy = energy.total();
  account.power = dae_.power(state, *workspace_).net();
  account.scale = energy.kinetic;
  account.noise = round_off * (energy.kinetic + std::abs(energy.potential));
}

/// Of the free motions, and which combinations of them no force acts on at either end of the step. The
/// others are left to the equations of motion: with the momentum of a top prescribed about all three axes,
/// nothing would be left to keep its energy by.
void EnergyMomentum::find_inertia(double h) {
  constexpr double noise = 1e-10;  // an impulse of so much of the momentum is round-off
  const int n = static_cast<int>(free_.cols());
  MU_.resize(dae_.nv(), n);
  for (int k = 0; k < n; ++k) {
    u_ = U_.col(k);
    dae_.times_mass(trial_, *workspace_, u_, Mu_);
    MU_.col(k) = Mu_;
  }
  Small inertia(n, n);
  inertia.noalias() = U_.transpose() * MU_;
  const Eigen::LDLT<Small> factor(inertia);
  Small acting(n, 2);
  int count = 0;
  for (const Vec6* force : {&before_.force, &after_.force}) {
    SmallVector w = force->head(n);
    for (int k = 0; k < count; ++k) w -= acting.col(k) * acting.col(k).dot(w);
    if (count < n && h * std::sqrt(w.dot(factor.solve(w))) > noise * std::sqrt(2 * after_.scale))
      acting.col(count++) = w.normalized();
  }
  kept_ = Small::Identity(n, n);
  if (count > 0) {
    const Small Q = Small(acting.leftCols(count)).householderQr().householderQ() * kept_;
    kept_ = Q.rightCols(n - count);
  }
  inertia_.compute(Small(kept_.transpose() * inertia * kept_));
}

/// Finds what the balances lack at the trial state: nothing, that is, a hundredth of the tolerance?
bool EnergyMomentum::is_balanced(double h) {
  const double tolerance = 1e-2 * settings_.newton.tolerance;
  lacks_ = keeps_energy_ ? expected_energy(h) - after_.energy : 0;
  const bool too_little = settings_.rho == 1 && lacks_ > 0;
  bool balanced =
      !(too_little || lacks_ < 0) || std::abs(lacks_) <= std::max(after_.noise, tolerance * after_.scale);
  if (free_.cols() == 0) return balanced;
  lacking_ = kept_.transpose() * (expected_momentum(h) - after_.momentum).head(free_.cols());
  return balanced && lacking_.dot(inertia_.solve(lacking_)) <= tolerance * tolerance * 2 * after_.scale;
}

/// Takes the kept rigid motions out of d and M d; returns how much of each there was.
EnergyMomentum::SmallVector EnergyMomentum::take_out_rigid() {
  SmallVector momentum(free_.cols());
  momentum.noalias() = MU_.transpose() * d_;
  const SmallVector rigid = kept_ * inertia_.solve(kept_.transpose() * momentum);
  d_.noalias() -= U_ * rigid;
  Md_.noalias() -= MU_ * rigid;
  return rigid;
}

// --- the step

void EnergyMomentum::predict(const State& state, double h, bool extrapolates) {
  history_.load(state, h);
  if (!extrapolates) history_.a_new = (1 - 1 / p_.gamma) * history_.a_old;
  history_.predict(state, h, trial_, x_, !extrapolates);
  total_ = x_;
  if (dae_.carry(state.q, total_)) {
    dx_ = total_ - x_;
    history_.correct(h, dx_, trial_, x_);
    total_ = x_;
  }
  y_.setZero();
  c_.setZero();
  iteration_ = 0;
  mu_ = dmu_ = shift_work_ = 0;
  has_shift_ = false;
  corrects_energy_ = keeps_energy_ && settings_.rho == 1;  // below 1 only where there is too much
  dae_.plus(state.q, total_, trial_.q);
}

void EnergyMomentum::evaluate(bool with_force) {
  measure(trial_, after_, with_force);
  after_.scale = std::max(after_.scale, before_.scale);
}

bool EnergyMomentum::refresh_tangent(double h) {
  const Weights weights{mass_weight_, p_.gamma * h, p_.beta * h * h, &total_,
                        settings_.newton.geometric_stiffness};
  dae_.tangent(trial_, weights, *workspace_, kkt_);
  regularise(kkt_, settings_.newton, mass_weight_, p_.beta * h * h, dae_, history_.slices.team());
  const bool usable = solver_->factorize(kkt_);
  rule_.renew_always(solver_->should_renew());
  return usable;
}

/// Moves c and b by what the balances lack. The work and the impulse of what is left of r will be gone after
/// this iteration. Beside free motions d may be small, and the first iteration, from a predicted state, would
/// ask too much of it.
void EnergyMomentum::balance(const State& state, double h) {
  constexpr double nothing = 1e-12;  // of the energy: no motion to correct
  constexpr double slow = 0.02;      // left of the lack by an iteration: the slope is off
  constexpr double large = 0.1;      // of the velocity: the predicted state is far away
  const double velocity_per_a = p_.gamma * h / mass_weight_;
  const bool has_free = free_.cols() > 0;
  if (has_free && iteration_ == 0) find_inertia(h);
  is_balanced(h);
  d_ = 0.5 * (state.v + trial_.v);
  d_.tail(dae_.first_order_states()).setZero();
  dae_.times_mass(trial_, *workspace_, d_, Md_);
  double missing = lacks_ + velocity_per_a * d_.dot(r_);
  dc_.setZero();
  Mdc_.setZero();
  if (has_free) {
    SmallVector impulse(free_.cols());
    impulse.noalias() = U_.transpose() * r_;
    const SmallVector s = kept_ * inertia_.solve(lacking_ + velocity_per_a * (kept_.transpose() * impulse));
    dc_.noalias() = U_ * s;
    Mdc_.noalias() = MU_ * s;
    missing -= d_.dot(Mdc_);
    const SmallVector rigid = take_out_rigid();
    if (!has_shift_ && iteration_ > 0) find_shift(state, h, rigid);
  }
  double work = d_.dot(Md_) + shift_work_;
  const bool can = corrects_energy_ && work > nothing * after_.scale && (!has_free || iteration_ > 0);
  if (can && dmu_ != 0 && iteration_ > 2 && std::abs(missing) > slow * std::abs(missing_)) {
    const double seen = (missing_ - missing) / dmu_;
    if (seen > 0.1 * work && seen < 10 * work) work = seen;
  }
  missing_ = missing;
  dmu_ = can ? missing / work : 0;
  if (iteration_ == 0 && std::abs(dmu_) > large) dmu_ = 0;
  if (settings_.rho < 1) dmu_ = std::min(0.0, mu_ + dmu_) - mu_;
  mu_ += dmu_;
  dc_ += dmu_ * d_;
  Mdc_ += dmu_ * Md_;
  c_ += dc_;
  trial_.a -= dc_ / velocity_per_a;
  r_ -= Mdc_ / velocity_per_a;
  if (has_shift_) {
    y_ -= dmu_ * shift_;
    r_ -= dmu_ / (p_.beta * h * h) * K_shift_;
  }
  ++iteration_;
}

/// A share of what balance() moved, where the increment that belongs to it is not taken whole.
void EnergyMomentum::take_back(double share, double h) {
  mu_ -= share * dmu_;
  c_ -= share * dc_;
  trial_.a += share * mass_weight_ / (p_.gamma * h) * dc_;
  if (has_shift_) y_ += share * dmu_ * shift_;
  dmu_ *= 1 - share;
}

/// The direction of b with G b = 0, its work, and beta h^2 K times it, which is (C - m M) b.
void EnergyMomentum::find_shift(const State& state, double h, const SmallVector& rigid) {
  const int n = dae_.nv();
  dae_.rigid_motions(state.q, T_);
  SmallVector twist(6);
  twist.noalias() = free_ * rigid;
  u_ = trial_.v - state.v;
  u_.noalias() -= U_ * rigid;
  u_.noalias() += T_ * twist;
  u_ /= h;
  dae_.times_mass(trial_, *workspace_, u_, Mu_);
  z_.setZero();
  z_.col(0).head(n) = h * h * Mu_;
  solver_->solve(z_);
  shift_ = z_.col(0).head(n);
  shift_work_ = std::max(0.0, shift_.dot(Mu_));
  K_shift_ = h * h * Mu_;
  dae_.times_mass(trial_, *workspace_, shift_, Mu_);
  K_shift_ -= mass_weight_ * Mu_;
  has_shift_ = shift_work_ > 0;
}

/// As in generalized_alpha.cpp: the first right-hand side removes r and the velocity constraint, the second
/// moves q alone.
double EnergyMomentum::correct(const State& state, double h) {
  const int n = dae_.nv(), m = dae_.nc();
  const double scale = p_.beta * h * h;
  balance(state, h);
  auto first = z_.col(0), last = z_.col(z_.cols() - 1);
  dae_.position_constraints(trial_, *workspace_, g_);
  if (m > 0) {
    dae_.velocity_constraints(trial_, *workspace_, g_v_);
    g_v_ *= p_.beta * h / p_.gamma;
    first.tail(m) = -g_v_;
    last.head(n).setZero();
    last.tail(m) = g_v_ - g_;
  }
  first.head(n) = -scale * r_;
  solver_->solve(z_);
  dq_ = first.head(n);
  if (m > 0) dq_ += last.head(n);
  const double change = size_of(dq_, dae_), pace = rule_.pace(change);
  if (pace != 1) z_ *= pace, take_back(1 - pace, h);
  dq_ = first.head(n);
  dae_.inverse_tangent(total_, dq_, dx_);
  history_.correct(h, dx_, trial_, x_);
  if (m > 0) {
    trial_.lambda += first.tail(m) / scale;
    y_ += last.head(n);
  }
  total_ = x_ + y_;
  dae_.plus(state.q, total_, trial_.q);
  return change;
}

/// Newton's iteration has converged. What the balances lack now is so little that the velocity alone can give
/// it, along itself and U. False: it cannot, and the iteration must go on.
bool EnergyMomentum::settle(double h) {
  constexpr double little = 1e-5;  // of the velocity; of the energy, the square is left
  evaluate(true);
  if (free_.cols() > 0) find_inertia(h);
  if (is_balanced(h)) return true;
  d_ = trial_.v;
  d_.tail(dae_.first_order_states()).setZero();
  dae_.times_mass(trial_, *workspace_, d_, Md_);
  dc_.setZero();
  if (free_.cols() > 0) {
    const SmallVector s = kept_ * inertia_.solve(lacking_);
    dc_.noalias() = U_ * s;
    const double gain = Md_.dot(dc_);
    lacks_ -= gain;
    after_.energy += gain;
    take_out_rigid();
  }
  if (settings_.rho < 1) lacks_ = std::min(lacks_, 0.0);
  const double work = d_.dot(Md_);
  if (std::abs(lacks_) <= little * work) {
    dc_ += lacks_ / work * d_;
    after_.energy += lacks_;
  } else if (std::abs(lacks_) > std::max(after_.noise, settings_.newton.tolerance * after_.scale)) {
    corrects_energy_ = keeps_energy_;
    return false;
  }
  trial_.v += dc_;
  return true;
}

/// Normal to the constraints, the trapezoidal rule passes errors of a on with alternating sign, undamped. They
/// do nothing to the motion, but grow over many steps; then a and lambda are computed anew.
void EnergyMomentum::refresh_acceleration() {
  constexpr double too_much = 1e-3;
  if (dae_.nc() == 0) return;
  dae_.acceleration_constraints(trial_, *workspace_, g_v_);
  const double size = trial_.a.lpNorm<Eigen::Infinity>();
  if (g_v_.lpNorm<Eigen::Infinity>() <= too_much * size) return;
  dx_ = trial_.a;
  projector_.accelerations(trial_);
  history_.a_new += (trial_.a - dx_) / mass_weight_;
}

void EnergyMomentum::accept(State& state, double h, StepReport& report) {
  report.error = history_.local_error(h);
  history_.a_new -= c_ / (p_.gamma * h);
  refresh_acceleration();
  dae_.accept(trial_, *workspace_);
  double energy = keeps_energy_ ? expected_energy(h) : after_.energy;
  if (settings_.rho < 1) energy = std::min(energy, after_.energy);
  if (const auto n = free_.cols(); n > 0) {
    const SmallVector off = (expected_momentum(h) - after_.momentum).head(n);
    after_.momentum.head(n) += kept_ * (kept_.transpose() * off);
  }
  trial_.history.tail<Account::size>() << energy, after_.power, after_.scale, after_.momentum, after_.force;
  history_.accept(h, trial_, state);
  report.accepted = true;
}

}  // namespace hooke
