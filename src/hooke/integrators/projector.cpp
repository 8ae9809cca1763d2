#include "hooke/integrators/projector.h"

#include "hooke/integrators/mass_regularisation.h"

namespace hooke {
namespace {

/// Next to a singular position every solve leaves the same share of what was there, that of the regularisation; the
/// sum of the series is the last term by 1/(1 - ratio).
class Series {
 public:
  /// The factor for a step of this size, which leaves it as it is while no steady ratio shows.
  double stretch(double change) {
    const double ratio = last_ > 0 ? change / last_ : 0;
    const bool is_steady = std::abs(ratio - ratio_) <= 0.15 * ratio_ && ratio > 0.3 && ratio < 0.99;
    ratio_ = is_steady ? 0 : ratio;
    last_ = change;
    return is_steady ? 1 / (1 - ratio) : 1;
  }

 private:
  double last_ = 0, ratio_ = 0;
};

}  // namespace

Projector::Projector(const Dae& dae, const NewtonSettings& settings, Purpose purpose)
    : dae_(dae),
      settings_(settings),
      workspace_(dae.workspace()),
      kkt_(dae.structure()),
      solver_(make_solver(settings, dae, purpose)),
      r_(dae.nv()),
      s_(dae.nc()),
      g_(dae.nc()),
      z_(dae.nv() + dae.nc()),
      dz_(dae.nv()),
      eps_(mass_regularisation(settings) * dae.row_compliance()),
      q_(dae.nq()) {}

void Projector::update(const State& state) {
  if (updated_.is_known && updated_.t == state.t && updated_.mode == state.mode && updated_.q == state.q &&
      updated_.v == state.v)
    return;
  dae_.update(state, *workspace_);
  updated_.is_known = true;
  updated_.t = state.t;
  updated_.mode = state.mode;
  updated_.q = state.q;
  updated_.v = state.v;
}

/// M and G at the state's configuration, for which the workspace is up to date; with `held`, the rows and
/// columns of held dofs are those of the identity. With a step h, damping and stiffness are in it, too; those of inertia
/// forces without accelerations, which may be of vibrations.
bool Projector::factorize(const State& state, bool held, double h) {
  held = held && !held_.empty();
  if (state.mode == factored_mode_ && held == factored_held_ && h == factored_h_ &&
      factored_q_.size() == state.q.size() && factored_q_ == state.q)
    return true;
  kkt_.accept_turned(solver_->wants_turned() && !held);
  if (h > 0) {
    still_ = state;
    still_.a.setZero();
  }
  dae_.tangent(h > 0 ? still_ : state, {.m = 1, .d = 0.5 * h, .k = 0.25 * h * h}, *workspace_, kkt_);
  kkt_.set_regularisation(eps_);
  if (held) kkt_.matrix.isolate(held_);
  factored_q_ = state.q;
  factored_mode_ = state.mode;
  factored_held_ = held;
  factored_h_ = h;
  if (solver_->factorize(kkt_)) return true;
  factored_q_.resize(0);
  return false;
}

/// Solves for z with the residuals r_ and s_; returns the largest entry of dz in dof units.
double Projector::solve_rows() {
  z_.head(dae_.nv()) = -r_;
  z_.tail(dae_.nc()) = -s_;
  solver_->solve(z_);
  dz_ = z_.head(dae_.nv());
  return dz_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>();
}

Projector::Result Projector::positions(State& state) {
  constexpr double most_violation = 1e-7;
  constexpr double near = 1e-3;  // in dof units: as far as the factor of another position may serve
  Result result;
  r_.setZero();
  double last = std::numeric_limits<double>::infinity();
  bool may_reuse = factored_q_.size() > 0 && factored_mode_ == state.mode &&
                   factored_held_ == !held_.empty() && factored_h_ == 0;
  Series series;
  for (int iteration = 0; iteration < 50; ++iteration) {
    update(state);
    dae_.position_constraints(state, *workspace_, s_);
    result.violation = dae_.nc() ? s_.lpNorm<Eigen::Infinity>() : 0.0;
    if (result.converged) {  // or as near as it gets, which is not there
      result.converged = result.violation <= most_violation * std::max(1.0, dae_.dof_scale().maxCoeff());
      return result;
    }
    if (!may_reuse && !factorize(state, true)) return result;
    double change = solve_rows();
    if (may_reuse && !(change <= std::min(near, 0.1 * last))) {
      may_reuse = false;
      if (!factorize(state, true)) return result;
      change = solve_rows();
    }
    // A long way is gone in pieces: half a radian or half the mechanism at a time.
    const double part = std::min(series.stretch(change), 0.5 / std::max(change, 1e-300));
    dz_ *= part;
    q_ = state.q;
    dae_.plus(q_, dz_, state.q);
    result.change += part * change;
    if (!(change < 1e10)) return result;
    // The next change would be smaller by about as much as this one was.
    const double next = std::isfinite(last) ? change * std::min(1.0, change / last) : change;
    result.converged =
        next <= 1e-2 * settings_.tolerance || (change <= settings_.tolerance && change > 0.5 * last);
    may_reuse = change <= near;
    last = change;
  }
  return result;
}

Projector::Result Projector::velocities(State& state, const VectorX* rates) {
  Result result;
  update(state);
  if (!factorize(state, true)) return result;
  r_.setZero();
  dae_.velocity_constraints(state, *workspace_, s_);
  if (rates) s_ -= *rates;
  impulse_.setZero(dae_.nc());
  double before = std::numeric_limits<double>::infinity();
  Series series;
  for (int iteration = 0; iteration < 40; ++iteration) {
    result.violation = dae_.nc() ? s_.lpNorm<Eigen::Infinity>() : 0.0;
    const double scale = 1 + (state.v.size() ? state.v.cwiseAbs().maxCoeff() : 0.0);
    result.converged = result.violation <= 1e-14 * scale;
    if (result.converged) return result;
    // Round-off, or a contradiction that no velocity resolves.
    if (result.violation > 0.99 * before ||
        (result.violation > 0.5 * before && result.violation <= 1e-8 * scale)) {
      result.converged = result.violation <= 1e-8 * scale;
      return result;
    }
    before = result.violation;
    const double change = solve_rows(), stretch = series.stretch(change);
    result.change += stretch * change;
    state.v += stretch * dz_;
    impulse_ += stretch * z_.tail(dae_.nc());
    s_ = (1 - stretch) * s_ + stretch * eps_.cwiseProduct(z_.tail(dae_.nc()));
  }
  return result;
}

bool Projector::respond(const State& state, const VectorX& r, VectorX& u, double h) {
  update(state);
  if (!factorize(state, false, h)) return false;
  u.setZero(dae_.nv());
  r_ = -r;
  s_.setZero(dae_.nc());
  for (int pass = 0; pass < 10; ++pass) {  // what the regularisation leaves of G u
    solve_rows();
    u += dz_;
    r_.setZero();
    s_ = eps_.cwiseProduct(z_.tail(dae_.nc()));
    if (dae_.nc() == 0 || s_.lpNorm<Eigen::Infinity>() <= 1e-14 * (1e-300 + u.lpNorm<Eigen::Infinity>()))
      break;
  }
  return u.allFinite();
}

/// With the factor of a position nearby, as long as every pass leaves at most a tenth of s: G is the present
/// one all the same, and of M it takes little to tell one small velocity from another.
bool Projector::drift(const State& state, double beta, VectorX& u) {
  constexpr double enough = 1e-6, slow = 0.1;
  u.setZero(dae_.nv());
  if (dae_.nc() == 0) return true;
  update(state);
  dae_.velocity_constraints(state, *workspace_, missing_);
  dae_.position_constraints(state, *workspace_, g_);
  missing_ += beta * g_;
  const double size = missing_.lpNorm<Eigen::Infinity>();
  if (size == 0) return true;
  for (auto part : {&State::q, &State::v, &State::memory}) along_.*part = state.*part;
  along_.mode = state.mode;
  along_.t = state.t;
  along_.a.setZero(dae_.nv());
  dae_.acceleration_constraints(along_, *workspace_, g_);  // G u is what u adds to these
  const double unit = size / (1 + g_.lpNorm<Eigen::Infinity>());
  r_.setZero();
  bool is_fresh =
      factored_q_.size() == 0 || factored_held_ || factored_h_ != 0 || factored_mode_ != state.mode;
  if (is_fresh && !factorize(state, false)) return false;
  s_ = missing_;
  for (double before = size;;) {
    solve_rows();
    u += dz_;
    along_.a = u / unit;
    dae_.acceleration_constraints(along_, *workspace_, s_);
    s_ = missing_ + unit * (s_ - g_);
    const double left = s_.lpNorm<Eigen::Infinity>();
    if (left <= enough * size || (is_fresh && left > slow * before)) return u.allFinite();
    if (!(left <= slow * before)) {
      if (!factorize(state, false)) return false;
      is_fresh = true;
      u.setZero();
      s_ = missing_;
      before = size;
    } else {
      before = left;
    }
  }
}

Projector::Result Projector::accelerations(State& state, double beta) {
  const auto solve = [&] {
    Result result;
    state.a.setZero();
    state.lambda.setZero();
    dae_.residual(state, *workspace_, r_);
    approach(state, beta);
    double first = 0, last = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      result.violation = dae_.nc() ? s_.lpNorm<Eigen::Infinity>() : 0.0;
      const double change = solve_rows();
      state.a += dz_;
      state.lambda += z_.tail(dae_.nc());
      r_.setZero();
      s_ = eps_.cwiseProduct(z_.tail(dae_.nc()));
      const double size = state.a.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>();
      result.change += change;
      result.unsettled = change / (1 + size);
      if (dae_.nc() == 0) {  // nothing is regularised, so the first solve is exact
        result.converged = std::isfinite(change);
        return result;
      }
      // The first solve is off by the regularisation. Where a is small, that error may be all of a, and the
      // second change as large as the first.
      if (iteration == 0) first = change;
      // Every further solve shrinks what is left by about as much as this one did.
      const double left = iteration > 0 ? change * std::min(1.0, change / last) : change;
      if (left <= 1e-13 * std::max(size, first) || (iteration > 1 && change >= 0.5 * last)) {
        result.converged = result.unsettled <= 1e-8 || left <= 1e-13 * std::max(size, first);
        return result;
      }
      last = change;
    }
    return result;
  };
  update(state);
  const Result result = factorize(state, false) ? solve() : Result();
  if (result.converged || !goes_over_near_singular(settings_.solver, solver_->name())) return result;
  solver_ = make_solver(settings_, dae_, Purpose::general);
  factored_q_.resize(0);
  return accelerations(state, beta);
}

bool Projector::resolved_accelerations(State& state, double h) {
  return rough_accelerations(state, {.m = 1, .d = 0.5 * h, .k = 0.25 * h * h}, 1, 0);
}

bool Projector::passing_accelerations(State& state, double beta) {
  constexpr double softer = 1e4;  // than usual: rows that hold less than a hundredth of the usual give way
  return accelerations(state, beta).converged || rough_accelerations(state, {.m = 1}, softer, beta);
}

bool Projector::rough_accelerations(State& state, const Weights& weights, double softness, double beta) {
  update(state);
  state.a.setZero();
  state.lambda.setZero();
  dae_.residual(state, *workspace_, r_);
  approach(state, beta);
  kkt_.accept_turned(solver_->wants_turned());
  dae_.tangent(state, weights, *workspace_, kkt_);
  kkt_.set_regularisation(softness * eps_);
  factored_q_.resize(0);  // this factor is of another matrix
  if (!solver_->factorize(kkt_)) return false;
  for (int pass = 0; pass < 3; ++pass) {  // more than once because of eps
    solve_rows();
    state.a += dz_;
    state.lambda += z_.tail(dae_.nc());
    r_.setZero();
    s_ = softness * eps_.cwiseProduct(z_.tail(dae_.nc()));
  }
  return state.a.allFinite();
}

/// Newton's iteration with three right-hand sides: the first moves a with v and q, the others close joints by v alone and
/// by q alone.
bool Projector::balance(State& state, double h) {
  constexpr int most = 25;
  constexpr double far = 1e-2;  // in dof units, as the others: no error of an interpolation
  constexpr double settled = 1e-14, round_off = 1e-12;
  const int n = dae_.nv(), m = dae_.nc();
  const double of_v = 0.5 * h, of_q = 0.25 * h * h;
  along_ = state;
  z_3_.resize(n + m, 3);
  double last = std::numeric_limits<double>::infinity(), way = 0;
  for (int iteration = 0; iteration < most; ++iteration) {
    update(along_);
    dae_.residual(along_, *workspace_, r_);
    approach(along_, 0);
    dae_.velocity_constraints(along_, *workspace_, g_);
    dae_.position_constraints(along_, *workspace_, missing_);
    if (iteration == 0) {
      kkt_.accept_turned(solver_->wants_turned());
      dae_.tangent(along_, {.m = 1, .d = of_v, .k = of_q}, *workspace_, kkt_);
      kkt_.regularise(settings_.regularisation, dae_.row_compliance());
      factored_q_.resize(0);  // this factor is of another matrix
      if (!solver_->factorize(kkt_)) return false;
    }
    z_3_.topRows(n) << -r_, VectorX::Zero(n), VectorX::Zero(n);
    z_3_.bottomRows(m) << -s_, of_v * s_ - g_, of_q * s_ - missing_;
    solver_->solve(z_3_);
    dz_ = of_q * z_3_.col(0).head(n) + z_3_.col(2).head(n);
    const double change = dz_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>();
    if (!((way += change) < far)) return false;
    q_ = along_.q;
    dae_.plus(q_, dz_, along_.q);
    along_.v += of_v * z_3_.col(0).head(n) + z_3_.col(1).head(n);
    along_.a += z_3_.col(0).head(n);
    along_.lambda += z_3_.col(0).tail(m);
    const bool stagnates = iteration > 1 && change > 0.5 * last;
    if (change <= settled || (stagnates && change <= round_off)) {
      state = along_;
      return true;
    }
    last = change;
  }
  return false;
}

/// s = G a + bias + beta (G v + g_t)
void Projector::approach(const State& state, double beta) {
  dae_.acceleration_constraints(state, *workspace_, s_);
  if (beta == 0) return;
  dae_.velocity_constraints(state, *workspace_, g_);
  s_ += beta * g_;
}

}  // namespace hooke
