#include "hooke/integrators/runge_kutta.h"

#include <algorithm>
#include <utility>

#include "hooke/base/format.h"

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
    .error = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40},
    .limit = 1.0};

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
                                .error = {1. / 15, 0, -3. / 10, 4. / 15, -1. / 30},
                                .limit = 2.2};
}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(const Dae& dae, const NewtonSettings& settings,
                                       const RungeKuttaPair& pair)
    : dae_(dae),
      team_(settings.team),
      projector_(dae, settings),
      pair_(pair),
      x_(dae.nv()),
      v_(dae.nv()),
      error_(dae.nv()),
      last_x_(dae.nv()),
      last_v_(dae.nv()) {
  for (int i = 0; i < pair.stages; ++i) dx_[i].setZero(dae.nv()), dv_[i].setZero(dae.nv());
}

DormandPrince::DormandPrince(const Dae& dae, const NewtonSettings& settings)
    : ExplicitRungeKutta(dae, settings, dormand_prince) {}

const RungeKuttaPair& DormandPrince::pair() { return dormand_prince; }

Merson::Merson(const Dae& dae, const NewtonSettings& settings) : ExplicitRungeKutta(dae, settings, merson) {}

bool ExplicitRungeKutta::evaluate(int stage) {
  dae_.inverse_tangent(x_, trial_.v, dx_[stage]);
  if (!projector_.passing_accelerations(trial_)) return false;
  dv_[stage] = trial_.a;
  return true;
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

/// Onto the constraints. Next to a singular position rows depend on each other so nearly that what is left of them hardly
/// shrinks; it is small of second order there, and gone when the position is passed.
static bool bring_back(State& state, Projector& projector, double extent) {
  constexpr double left_of_positions = 1e-7, left_of_velocities = 1e-5;
  const Projector::Result positions = projector.positions(state);
  if (!positions.converged && !(positions.violation <= left_of_positions * extent)) return false;
  const Projector::Result velocities = projector.velocities(state);
  return velocities.converged ||
         velocities.violation <= left_of_velocities * (1 + state.v.lpNorm<Eigen::Infinity>());
}

StepReport ExplicitRungeKutta::step(State& state, double h) {
  const Team::Step timed(team_.get());
  StepReport report;
  const int stages = pair_.stages;
  last_h_ = 0;
  report.iterations = stages - 1;
  report.factorizations = stages;
  trial_ = state;
  x_.setZero();
  if (!state.has_history()) {  // a is not known at the start
    if (!evaluate(0)) {
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
    if (i == stages - 2) last_x_ = x_, last_v_ = v_;
    if (i == stages - 1 && !bring_back(trial_, projector_, dae_.dof_scale().maxCoeff())) {
      report.failure = "the step could not be brought back onto the constraints";
      return report;
    }
    if (!evaluate(i)) {
      report.failure = "the accelerations are not determined (singular or not finite)";
      return report;
    }
  }
  last_h_ = h, last_rate_ = fastest_rate();
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

/// The last two stages are at the end of the step; they differ by what is fast in the model, for which
/// dv' = lambda^2 dx in vibration and lambda dv in decay. Hairer, Wanner II, IV.2.
double ExplicitRungeKutta::fastest_rate() const {
  const VectorX& scale = dae_.dof_scale();
  const auto size = [&](const auto& difference) {
    return difference.cwiseQuotient(scale).template lpNorm<Eigen::Infinity>();
  };
  const int last = pair_.stages - 1;
  const double dx = size(x_ - last_x_), dv = size(v_ - last_v_), da = size(dv_[last] - dv_[last - 1]);
  return da > 0 ? std::min(da / std::max(dv, 1e-300), std::sqrt(da / std::max(dx, 1e-300))) : 0;
}

void ExplicitRungeKutta::count_step() {
  const double h = std::exchange(last_h_, 0);
  if (h == 0) return;
  ++steps_;
  if (!(last_rate_ > 0)) return;
  steps_at_limit_ += h * last_rate_ > pair_.limit;
  recent_[told_++ % many] = pair_.limit / last_rate_;
}

/// What most of the last steps say.
double ExplicitRungeKutta::stable_step() const {
  if (told_ < many) return std::numeric_limits<double>::infinity();
  std::array<double, many> sorted = recent_;
  std::nth_element(sorted.begin(), sorted.begin() + many / 2, sorted.end());
  return sorted[many / 2];
}

std::string ExplicitRungeKutta::advice(bool failed) const {
  constexpr long few = 300;
  const bool is_stiff = steps_ > few && 2 * steps_at_limit_ > steps_;
  if (!is_stiff && !failed) return {};
  return formatted(
      "{}: try an implicit integrator such as generalized-alpha",
      is_stiff
          ? formatted("stability, not accuracy, limits the steps of {}, since the model is stiff", pair_.name)
          : formatted("{} is explicit; if the model is stiff", pair_.name));
}

}  // namespace hooke
