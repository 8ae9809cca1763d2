#include "integrators/runge_kutta.h"

#include <utility>

namespace hooke {
namespace {
constexpr RungeKuttaPair dormand_prince{
    .name = "dormand-prince",
    .order = 5,
    .stages = 7,
    .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    .a = {{},
          {1. / 5},
          {3. / 40, 9. / 40},
          {44. / 45, -56. / 15, 32. / 9},
          {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
          {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    .error = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}};

constexpr RungeKuttaPair merson{.name = "merson",
                                .order = 4,
                                .stages = 6,
                                .c = {0, 1. / 3, 1. / 3, 1. / 2, 1, 1},
                                .a = {{},
                                      {1. / 3},
                                      {1. / 6, 1. / 6},
                                      {1. / 8, 0, 3. / 8},
                                      {1. / 2, 0, -3. / 2, 2},
                                      {1. / 6, 0, 0, 2. / 3, 1. / 6}},
                                .error = {1. / 15, 0, -3. / 10, 4. / 15, -1. / 30}};
}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(const Dae& dae, const NewtonSettings& settings,
                                       const RungeKuttaPair& pair, std::optional<double> beta_h)
    : dae_(dae),
      projector_(dae, settings),
      pair_(pair),
      beta_h_(beta_h),
      x_(dae.nv()),
      v_(dae.nv()),
      error_(dae.nv()) {
  for (int i = 0; i < pair.stages; ++i) dx_[i].setZero(dae.nv()), dv_[i].setZero(dae.nv());
}

DormandPrince::DormandPrince(const Dae& dae, const NewtonSettings& settings, std::optional<double> beta_h)
    : ExplicitRungeKutta(dae, settings, dormand_prince, beta_h) {}

Merson::Merson(const Dae& dae, const NewtonSettings& settings) : ExplicitRungeKutta(dae, settings, merson) {}

bool ExplicitRungeKutta::evaluate(int stage, double h) {
  const double beta = beta_h_ ? *beta_h_ / h : 0;
  error_ = trial_.v;  // q', with (37) where the form is stabilised
  if (beta_h_ && !projector_.drift(trial_, beta, error_)) return false;
  if (beta_h_) error_ += trial_.v;
  dae_.inverse_tangent(x_, error_, dx_[stage]);
  // Stages lie a little off the constraints. Redundant rows then contradict each other a little, and next to
  // a singular position the accelerations that obey all rows run away: what the regularisation leaves is the
  // better answer, and the error estimate sees what it is worth.
  const Projector::Result result = projector_.accelerations(trial_, beta);
  if (!result.converged && !(result.unsettled < 0.1)) return false;
  dv_[stage] = trial_.a;
  return trial_.a.allFinite();
}

/// Column by column of a piece that stays in the cache, for vectors that do not.
void ExplicitRungeKutta::combine(double h, const double* weights, int count) {
  constexpr Eigen::Index piece = 256;
  const Eigen::Index n = x_.size();
  for (Eigen::Index first = 0; first < n; first += piece) {
    const Eigen::Index size = std::min(piece, n - first);
    auto x = x_.segment(first, size), v = v_.segment(first, size);
    x.setZero();
    v.setZero();
    for (int j = 0; j < count; ++j) {
      if (weights[j] == 0) continue;
      x += (h * weights[j]) * dx_[j].segment(first, size);
      v += (h * weights[j]) * dv_[j].segment(first, size);
    }
  }
}

StepReport ExplicitRungeKutta::step(State& state, double h) {
  StepReport report;
  const int stages = pair_.stages;
  report.iterations = stages - 1;
  report.factorizations = stages;
  trial_ = state;
  x_.setZero();
  if (state.history.size() == 0 || beta_h_) {  // a is not known at the start, or not all that counts
    if (!evaluate(0, h)) {
      report.failure = "no consistent accelerations at the start";
      return report;
    }
  } else {
    dx_[0] = state.v;
    dv_[0] = state.a;
  }
  for (int i = 1; i < stages; ++i) {
    combine(h, pair_.a[i], i);
    trial_.t = state.t + pair_.c[i] * h;
    dae_.plus(state.q, x_, trial_.q);
    trial_.v = state.v + v_;
    if (i == stages - 1 && !beta_h_ &&
        !(projector_.positions(trial_).converged && projector_.velocities(trial_).converged)) {
      report.failure = "the step could not be brought back onto the constraints";
      return report;
    }
    if (!evaluate(i, h)) {
      report.failure = "the accelerations are not determined (singular or not finite)";
      return report;
    }
  }
  combine(h, pair_.error, stages);
  report.error = std::max(x_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>(),
                          h * v_.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>());
  dae_.accept(trial_, projector_.workspace());
  trial_.history.setOnes(1);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

Chebyshev::Chebyshev(const Dae& dae, const NewtonSettings& settings, double beta_h)
    : dae_(dae),
      projector_(dae, settings),
      beta_h_(beta_h),
      stages_(std::max(3, static_cast<int>(std::ceil(std::sqrt(1 + 1.54 * (beta_h + 2)))))) {
  for (Stage* stage : {&rate0_, &rate_, &old_, &now_, &next_})
    stage->x.setZero(dae.nv()), stage->v.setZero(dae.nv());
}

/// Rates of x and v at the trial state, which is x away from where the step began.
bool Chebyshev::evaluate(double h, VectorX& dx, VectorX& dv) {
  if (!projector_.drift(trial_, beta_h_ / h, dv)) return false;
  dv += trial_.v;
  dae_.inverse_tangent(now_.x, dv, dx);
  const Projector::Result result = projector_.accelerations(trial_, beta_h_ / h);
  dv = trial_.a;
  return (result.converged || result.unsettled < 0.1) && dv.allFinite();
}

StepReport Chebyshev::step(State& state, double h) {
  StepReport report;
  const int s = stages_;
  const double w0 = 1 + 2.0 / 13 / (s * s);
  struct Polynomial {
    double T = 1, first = 0, second = 0;  // Chebyshev's at w0, and its derivatives
  };
  const auto after = [&](const Polynomial& one, const Polynomial& two) {  // T_j from T_{j-1}, T_{j-2}
    return Polynomial{2 * w0 * one.T - two.T, 2 * one.T + 2 * w0 * one.first - two.first,
                      4 * one.first + 2 * w0 * one.second - two.second};
  };
  Polynomial before, at{w0, 1, 0};
  for (int j = 2; j <= s; ++j) before = std::exchange(at, after(at, before));
  const double w1 = at.first / at.second;

  trial_ = state;
  now_.x.setZero();
  now_.v.setZero();
  if (!evaluate(h, rate0_.x, rate0_.v)) {
    report.failure = "the accelerations are not determined (singular or not finite)";
    return report;
  }
  before = {}, at = {w0, 1, 0};
  const Polynomial second = after(at, before);
  const double b2 = second.second / (second.first * second.first);
  double b_old = b2, b = b2, a = 1 - b2 * w0, c = 0;
  old_ = now_;
  now_.x = b2 * w1 * h * rate0_.x;
  now_.v = b2 * w1 * h * rate0_.v;
  c = w1 * second.second / second.first / second.first;  // c_2/T_2'(w0)
  for (int j = 2;; ++j) {
    trial_.t = state.t + c * h;
    dae_.plus(state.q, now_.x, trial_.q);
    trial_.v = state.v + now_.v;
    if (!evaluate(h, rate_.x, rate_.v)) {
      report.failure = "the accelerations are not determined (singular or not finite)";
      return report;
    }
    ++report.iterations;
    if (j > s) break;
    const Polynomial T = after(at, before);
    before = std::exchange(at, T);
    const double b_new = T.second / (T.first * T.first);
    const double mu = 2 * b_new * w0 / b, nu = -b_new / b_old, mu_rate = 2 * b_new * w1 / b,
                 gamma = -a * mu_rate;
    for (const auto part : {&Stage::x, &Stage::v})
      next_.*part =
          mu * (now_.*part) + nu * (old_.*part) + h * (mu_rate * (rate_.*part) + gamma * (rate0_.*part));
    std::swap(old_, now_);
    std::swap(now_, next_);
    b_old = b, b = b_new, a = 1 - b_new * T.T;
    c = w1 * T.second / T.first;
  }
  // 0.8 (y_n - y_{n+1}) + 0.4 h (f_n + f_{n+1})
  next_.x = -0.8 * now_.x + 0.4 * h * (rate0_.x + rate_.x);
  report.error = next_.x.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>();
  report.factorizations = s + 1;
  dae_.accept(trial_, projector_.workspace());
  trial_.t = state.t + h;
  trial_.history.setOnes(1);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

}  // namespace hooke
