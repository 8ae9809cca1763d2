#include "hooke/integrators/stepper.h"

#include <cmath>

#include "hooke/base/error.h"
#include "hooke/base/format.h"
#include "hooke/integrators/contact_solver.h"
#include "hooke/integrators/newton_rule.h"

namespace hooke {

/// Of an indicator's size so far: it must come away from zero by as much before it can cross again.
static constexpr double nothing = 1e-9;

namespace {

/// Where something that is positive at `low` becomes negative before `high`: by the method of Illinois, then by halves.
struct Bracket {
  double low, high, at_low, at_high;
  int same_side = 0, passes = 0;

  bool goes_on(double close) const { return passes < 60 && high - low > close; }
  double next(double close) {
    const double line = high - at_high * (high - low) / (at_high - at_low);
    return ++passes > 13 ? 0.5 * (low + high) : std::clamp(line, low + 0.5 * close, high - 0.5 * close);
  }
  /// Whether `value` at `t` is behind the root, so that `high` is there now.
  bool is_behind(double t, double value) {
    if (value > 0) {
      low = t, at_low = value;
      if (same_side > 0) at_high *= 0.5;
      same_side = 1;
      return false;
    }
    high = t, at_high = value;
    if (same_side < 0) at_low *= 0.5;
    same_side = -1;
    return true;
  }
};

}  // namespace

IntegratorStepper::IntegratorStepper(const Dae& dae, Integrator& integrator, State& state, Watch* watch)
    : dae_(dae), integrator_(&integrator), state_(state), watch_(watch), x_(dae.nv()), rate_(dae.nv()) {
  if (const RigidContactsBase* contacts = dae.rigid_contacts())
    contacts_ = std::make_unique<ContactSolver>(dae, *contacts);
}

IntegratorStepper::~IntegratorStepper() = default;

/// As the integrator takes it; with impacts that are to be located, as far as the first of them.
StepReport IntegratorStepper::smooth_step(double h) {
  StepReport report = integrator_->step(state_, h);
  if (!contacts_ || !report.accepted) return report;
  const auto gap = [&](const State& state) { return contacts_->least_gap(before_, state, projector()); };
  double low = 0, high = h, at_high = gap(state_), at_low = gap(before_);
  if (!(at_high < 0)) return report;
  for (int halves = 1; !(at_low > 0) && halves < 30; ++halves) {  // from an impact: up, and down again
    restore();
    low = std::ldexp(h, -halves);
    if (!integrator_->step(state_, low).accepted) break;
    at_low = gap(state_);
    if (!(at_low > 0)) high = low, at_high = at_low;
  }
  if (!(at_low > 0)) {
    restore();
    return integrator_->step(state_, h);
  }
  restore();
  report = integrator_->step(state_, high);
  found_ = state_;
  StepReport of_found = report;
  Bracket root{low, high, at_low, at_high};
  const double close = 4e-16 * (1 + std::abs(before_.t)) + 1e-12 * h;
  while (root.goes_on(close)) {
    const double next = root.next(close);
    restore();
    const StepReport tried = integrator_->step(state_, next);
    if (!tried.accepted) break;
    if (!root.is_behind(next, gap(state_))) continue;
    found_ = state_;
    of_found = tried;
  }
  state_ = found_;
  of_found.h = root.high;
  return of_found;
}

StepReport IntegratorStepper::take(double h) {
  if (contacts_ && dae_.rigid_contacts()->is_unsettled(state_)) {  // the run begins
    if (contacts_->settle(state_, h, projector(), true))
      integrator_->resume(state_, contacts_->followed(), h);
    if (watch_) watch_->jump(before_, state_);
    before_ = state_;
  }
  StepReport report = smooth_step(h);
  if (const PassagesBase* passages = dae_.passages();
      passages && report.accepted && passes_through(*passages)) {
    report.failure = "surfaces go through each other within the step";
    report.accepted = false;
  }
  if (watch_ && report.accepted) {
    report.failure = watch_->judge(before_, state_, report);
    report.accepted = report.failure.empty();
  }
  met_contacts_ = jumped_ = false;
  if (contacts_ && report.accepted) meet_contacts(report, h);
  if (!report.accepted) restore();
  return report;
}

bool IntegratorStepper::passes_through(const PassagesBase& passages) {
  projector().update(state_);
  if (passages.is_slow(projector().workspace(), state_.t - before_.t)) return false;
  if (!workspace_before_) workspace_before_ = dae_.workspace(), passage_search_ = passages.search();
  dae_.update(before_, *workspace_before_);
  return passages.passed(*workspace_before_, projector().workspace(), *passage_search_);
}

/// What impacts take is dissipated; the integrator starts afresh from the accelerations after them.
void IntegratorStepper::meet_contacts(StepReport& report, double h) {
  smooth_ = state_;
  const ContactSolver::Outcome outcome = contacts_->solve(before_, state_, state_.t - before_.t, projector());
  if (!outcome.failure.empty()) {
    report.accepted = false;
    report.failure = outcome.failure;
    return;
  }
  met_contacts_ = outcome.touches;
  jumped_ = outcome.jumps;
  if (outcome.jumps) {
    state_.forget_history();
    if (contacts_->settle(state_, h, projector())) integrator_->resume(state_, contacts_->followed(), h);
  }
}

void IntegratorStepper::keep() {
  if (!watch_) return;
  watch_->accept(before_, met_contacts_ ? smooth_ : state_, report_);
  if (met_contacts_) watch_->jump(smooth_, state_);
}

StepReport IntegratorStepper::step(double h) {
  reached_.clear();
  report_ = take(h);
  integrator_->count_step();
  if (dae_.indicators() == 0 || !report_.accepted) return report_;
  indicate(before_, at_start_);
  for (std::size_t i = 0; i < at_start_.size(); ++i) {
    largest_[i] = std::max(largest_[i], std::abs(at_start_[i]));
    if (std::abs(at_start_[i]) > nothing * largest_[i]) waits_[i] = 0;
  }
  indicate(state_, at_end_);
  if (find_crossings(at_end_)) locate(h);
  return report_;
}

// --- events

void IntegratorStepper::indicate(const State& state, std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(dae_.indicators()));
  for (auto* flags : {&bounced_, &waits_}) flags->resize(values.size(), 0);
  largest_.resize(values.size(), 0);
  projector().update(state);
  dae_.indicate(state, projector().workspace(), values);
}

/// Which indicators changed sign in their direction since the step began, and from which side they came.
bool IntegratorStepper::find_crossings(const std::vector<double>& now) {
  reached_.clear();
  side_.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const int wanted = dae_.direction(static_cast<int>(i), before_);
    side_[i] = bounced_[i] ? -wanted : waits_[i] ? 0 : at_start_[i];
    const bool rises = side_[i] < 0 && now[i] >= 0, falls = side_[i] > 0 && now[i] <= 0;
    if ((rises && wanted >= 0) || (falls && wanted <= 0)) reached_.push_back(static_cast<int>(i));
  }
  return !reached_.empty();
}

/// The step ends just behind the first crossing. Its length is found by the method of Illinois, each try a step of its
/// own, so that the state there is as accurate as any other.
void IntegratorStepper::locate(double h) {
  const std::vector<int> candidates = reached_;
  const auto distance = [&](const std::vector<double>& values) {  // to the first crossing; negative behind it
    double least = std::numeric_limits<double>::infinity();
    for (int i : candidates) least = std::min(least, std::copysign(1.0, side_[i]) * values[i]);
    return least;
  };
  const double close = 4e-16 * (1 + std::abs(before_.t)) + 1e-13 * h;
  Bracket root{0, h, distance(at_start_), distance(at_end_)};
  if (!(root.at_low > 0)) root.at_low = std::max(-root.at_high, 1e-300);
  found_ = state_;
  std::vector<double> values(at_end_.size());
  while (root.goes_on(close) && root.at_high < 0) {
    const double next = root.next(close);
    restore();
    const StepReport tried = take(next);
    report_.iterations += tried.iterations;
    report_.factorizations += tried.factorizations;
    if (tried.accepted) indicate(state_, values);
    if (!root.is_behind(next, tried.accepted ? distance(values) : root.at_low)) continue;
    found_ = state_;
    at_end_ = values;
    report_.error = tried.error;
  }
  state_ = found_;
  find_crossings(at_end_);
  report_.h = root.high;
}

Projector& IntegratorStepper::projector() {
  if (!projector_) projector_ = std::make_unique<Projector>(dae_, NewtonSettings{});
  return *projector_;
}

/// Forces may then be others than the integrator remembers: it starts afresh from the accelerations they cause.
bool IntegratorStepper::happen() {
  constexpr int crowd = 1000;
  const bool is_due = dae_.next_time(state_) <= state_.t + 1e-12 * (1 + std::abs(state_.t));
  std::fill(bounced_.begin(), bounced_.end(), 0);
  if (!is_due && reached_.empty()) return true;
  before_ = state_;
  projector().update(state_);
  const Jump jump = dae_.happen(state_, projector().workspace(), reached_);
  const bool bounces = std::any_of(jump.impacts.begin(), jump.impacts.end(),
                                   [](const Jump::Impact& impact) { return impact.then_off >= 0; });
  for (int i : reached_) bounced_[i] = bounces, waits_[i] = 1;
  const bool was_reached = !reached_.empty();
  reached_.clear();
  if (jump.changed) {
    state_.history.resize(0);
    std::string impulses = apply(jump);
    if (watch_) watch_->jump(before_, state_);
    if (on_event && !jump.text.empty()) on_event(state_.t, jump.text + impulses);
  } else if (on_event && !jump.text.empty()) {
    on_event(state_.t, jump.text);
  }
  if (jump.wants_output && on_moment) on_moment(state_);
  if (was_reached && !jump.stops) {
    if (state_.t > crowded_since_ + 1e-6 * (1 + std::abs(state_.t))) crowded_since_ = state_.t, crowd_ = 0;
    if (++crowd_ > crowd)
      throw Error(
          ExitCode::step_failed,
          formatted("{} events within a millionth of a second at t = {:.9g} s: they follow each other ever "
                    "faster. Let the first of them change more, or a stop come to rest ('rest')",
                    crowd, state_.t));
  }
  return !jump.stops;
}

/// Velocities first, then accelerations. Returns what is to be said of the impulses.
std::string IntegratorStepper::apply(const Jump& jump) {
  std::string text;
  if (jump.impact) {
    VectorX rates = VectorX::Zero(dae_.nc());
    for (const Jump::Impact& impact : jump.impacts) rates[impact.row] = impact.rate;
    if (!projector().velocities(state_, &rates).converged)
      throw Error(ExitCode::step_failed,
                  formatted("at t = {:.9g} s no velocities meet all constraints: {}", state_.t, jump.text));
    const VectorX impulse = projector().impulse();
    for (const Jump::Impact& impact : jump.impacts)
      if (*impact.unit)
        text +=
            formatted("{} {:.6g} {}", text.empty() ? "; impulse" : ",", -impulse[impact.row], impact.unit);
    bool separates = false;
    for (const Jump::Impact& impact : jump.impacts)
      if (impact.then_off >= 0) state_.memory[impact.then_off] = 0, separates = true;
    if (separates) ++state_.mode;
  }
  for (int pass = 0; pass < 10; ++pass) {
    projector().forget();
    projector().accelerations(state_);
    if (!dae_.settle(state_)) break;
  }
  return text;
}

/// Both ends of a step tell how it turned but for full turns: nothing is to be interpolated there.
static bool goes_far(const Dae& dae, const State& before, const State& after) {
  constexpr double far = 1;  // rad, or the mechanism's size
  return (after.t - before.t) * std::max(size_of(before.v, dae), size_of(after.v, dae)) > far;
}

const State& IntegratorStepper::between(double t) {
  const InBetween how = integrator_->in_between();
  const double h = state_.t - before_.t;
  if (t == state_.t) {
    between_ = state_;
    if (how != InBetween::interpolate || !(h > 0) || !projector().balance(between_, h))
      projector().accelerations(between_);
    return between_;
  }
  if (how == InBetween::step || (how == InBetween::solve && goes_far(dae_, before_, state_))) {
    between_ = before_;
    if (integrator_->step(between_, t - before_.t).accepted) {
      if (contacts_) contacts_->solve(before_, between_, t - before_.t, projector());
      return between_;
    }
  }
  interpolate(t);
  if (how == InBetween::solve) {
    projector().positions(between_);
    projector().velocities(between_);
  } else {
    integrator_->improve(between_);
    if (projector().balance(between_, h)) return between_;
  }
  projector().accelerations(between_);
  return between_;
}

/// The quintic x(s) in the local coordinates of the step that has the positions, velocities and accelerations of both
/// its ends:  x' = T^-1(x) v,  x'' = T^-1(x) a + (T^-1)' v.
void IntegratorStepper::interpolate(double t) {
  const State &before = before_, &after = state_;
  const double h = after.t - before.t, s = (t - before.t) / h;
  between_ = after;
  between_.t = t;
  dae_.minus(after.q, before.q, x_);
  dae_.inverse_tangent(x_, after.v, rate_);
  const double ahead = 1e-5 * h;
  dae_.inverse_tangent(x_ + ahead * rate_, after.v + ahead * after.a, change_);
  dae_.inverse_tangent(x_ - ahead * rate_, after.v - ahead * after.a, rate_change_);
  rate_change_ = (change_ - rate_change_) / (2 * ahead);

  // With x = h v0 s + h^2 a0 s^2/2 + A s^3 + B s^4 + C s^5, from what is left of x, x' and x'' at s = 1:
  const VectorX p = x_ - h * before.v - 0.5 * h * h * before.a,
                d = h * rate_ - h * before.v - h * h * before.a, e = h * h * (rate_change_ - before.a);
  const VectorX A = 10 * p - 4 * d + 0.5 * e, B = -15 * p + 7 * d - e, C = 6 * p - 3 * d + 0.5 * e;
  x_ = s * (h * before.v + s * (0.5 * h * h * before.a + s * (A + s * (B + s * C))));
  change_ = before.v + s * (h * before.a + s * (3 * A + s * (4 * B + s * 5 * C)) / h);
  dae_.plus(before.q, x_, between_.q);
  between_.v = change_;  // v with T^-1(x) v = x'
  for (int pass = 0; pass < 30; ++pass) {
    dae_.inverse_tangent(x_, between_.v, rate_);
    rate_ = change_ - rate_;
    between_.v += rate_;
    if (rate_.lpNorm<Eigen::Infinity>() <= 1e-14 * change_.lpNorm<Eigen::Infinity>()) break;
  }
  between_.a = (1 - s) * before.a + s * after.a;
  between_.lambda = (1 - s) * before.lambda + s * after.lambda;
}

}  // namespace hooke
