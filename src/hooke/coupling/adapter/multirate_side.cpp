#include "hooke/coupling/adapter/multirate_side.h"

#include "hooke/integrators/alpha_history.h"

namespace hooke {
namespace {

/// (0, omega) q / 2, quaternions as w x y z: the rate of q.
Vec4 quaternion_rate(const Vec3& omega, const Vec4& q) {
  Vec4 result;
  result << -0.5 * omega.dot(q.tail<3>()), 0.5 * (q[0] * omega + omega.cross(Vec3(q.tail<3>())));
  return result;
}

}  // namespace

const VectorX& AlphaLoad::step_to(const VectorX& end) {
  next_ = ((1 - p.alpha_f) * end + p.alpha_f * w - p.alpha_m * l) / (1 - p.alpha_m);
  mean_ = (1 - p.gamma) * l + p.gamma * next_;
  l = next_;
  w = end;
  return mean_;
}

void AlphaLoad::step_with(const VectorX& mean) {
  next_ = (mean - (1 - p.gamma) * l) / p.gamma;
  w = ((1 - p.alpha_m) * next_ + p.alpha_m * l - p.alpha_f * w) / (1 - p.alpha_f);
  l = next_;
}

// --- coarse

CoarseSide::CoarseSide(CouplingSide side, const AlphaParameters& p)
    : SystemParticipant(std::move(side), frame_ends), p_(p) {
  const auto n = static_cast<Eigen::Index>(excerpt().inside.size());
  input_.setZero(6 * n);
  output_.setZero(frame_ends * n);
  load_.p = saved_load_.p = p;
  load_.begin(input_);
}

/// The history of the alpha family is made here, once: to find accelerations costs a large solid more than its step.
void CoarseSide::begin(const VectorX& w, double h) {
  load_.begin(w);
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each : excerpt().inside) {
    each.wrench->coefficients.setZero();
    each.wrench->coefficients.col(0) = w.segment<6>(at);
    at += 6;
  }
  state_.history.resize(0);
  state_ = AlphaHistory(system(), p_, side_.newton).ready(state_, h);
  write_motions();
}

void CoarseSide::save() {
  SystemParticipant::save();
  saved_load_ = load_;
}
void CoarseSide::restore() {
  SystemParticipant::restore();
  load_ = saved_load_;
}

Participant::Report CoarseSide::advance(double h) {
  load_.step_with(input_);
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each :
       excerpt().inside) {  // of a load, the integrator sees the value at the end
    each.wrench->start = state_.t, each.wrench->h = h;
    each.wrench->coefficients.col(0) = saved_load_.w.segment<6>(at);
    each.wrench->coefficients.col(1) = load_.w.segment<6>(at) - saved_load_.w.segment<6>(at);
    at += 6;
  }
  const StepReport step = side_.integrator->step(state_, h);
  if (step.accepted) write_motions();
  return {step.failure, step.error, 1, step.iterations, step.factorizations};
}

void CoarseSide::write_motions() {
  projector_.update(state_);
  const auto& frames = static_cast<const SystemWorkspace&>(projector_.workspace()).frames;
  VectorX motion(frame_motions);
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each : excerpt().inside) {
    motion.head(frame_ends) = output_.segment(at, frame_ends);  // the nearer sign of the quaternion
    write_motion({frames.pose[each.frame], frames.twist[each.frame], Vec6::Zero()}, motion);
    output_.segment(at, frame_ends) = motion.head(frame_ends);
    at += frame_ends;
  }
}

// --- fine

FineSide::FineSide(CouplingSide side, const AlphaParameters& p) : SystemParticipant(std::move(side), 6) {
  const auto n = static_cast<Eigen::Index>(excerpt().outside.size());
  input_.setZero(frame_ends * n);
  output_.setZero(6 * n);
  w_ = output_;
  load_.p = saved_load_.p = p;
  load_.begin(output_);
  states_.resize(static_cast<std::size_t>(side_.steps) + 1);
}

void FineSide::begin(const VectorX& motions, const VectorX& w) {
  state_.history.resize(0);
  input_ = motions;
  load_.begin(w);
}

void FineSide::save() {
  SystemParticipant::save();
  saved_load_ = load_;
  start_ = input_;
}
void FineSide::restore() {
  SystemParticipant::restore();
  load_ = saved_load_;
  input_ = start_;
}

/// The cubic in tau with positions and rates of both ends.
void FineSide::lay_course(double h) {
  using Numbers = Eigen::Matrix<double, frame_positions, 1>;
  const auto rate = [&](const auto& motion) {
    Numbers result;
    result << motion.template segment<3>(7),
        quaternion_rate(motion.template segment<3>(10), motion.template segment<4>(3));
    return Numbers(h * result);
  };
  Eigen::Index at = 0;
  for (const Excerpt::Outside& each : excerpt().outside) {
    const auto first = start_.segment<frame_ends>(at), last = input_.segment<frame_ends>(at);
    const Numbers x = last.head<frame_positions>() - first.head<frame_positions>(), v_0 = rate(first),
                  v_1 = rate(last);
    each.motion->held.reset();
    each.motion->start = state_.t, each.motion->h = h;
    each.motion->coefficients << first.head<frame_positions>(), v_0, 3 * x - 2 * v_0 - v_1, v_0 + v_1 - 2 * x;
    at += frame_ends;
  }
}

void FineSide::find_reactions() {
  system().update(state_, projector_.workspace());
  projector_.forget();  // its frames are driven elsewhere the next time
  const auto& at = static_cast<const SystemWorkspace&>(projector_.workspace());
  w_.setZero();
  for (const auto& [is_force, item, end, outside] : excerpt().reaches)
    w_.segment<6>(6 * outside) +=
        is_force ? system().force_wrench(item, end, state_, at) : system().reaction(item, end, state_, at);
}

Participant::Report FineSide::advance(double h) {
  Report report;
  lay_course(h);
  output_.setZero();
  states_.front() = state_;
  for (int k = 1; k <= side_.steps; ++k) {
    const StepReport step = side_.integrator->step(state_, h / side_.steps);
    ++report.steps;
    report.iterations += step.iterations;
    report.factorizations += step.factorizations;
    if (!step.accepted) {
      report.failure = "it cannot follow the joints to the others: " + step.failure;
      return report;
    }
    find_reactions();
    output_ += load_.step_to(w_) / side_.steps;
    states_[static_cast<std::size_t>(k)] = state_;
  }
  state_.t = states_.back().t = states_.front().t + h;
  return report;
}

/// Positions by the cubic through both ends of a step, the rest by lines: its steps are short.
const State& FineSide::state_at(double t) {
  std::size_t k = 1;
  while (k + 1 < states_.size() && states_[k].t < t) ++k;
  const State &before = states_[k - 1], &after = states_[k];
  const double h = after.t - before.t, s = (t - before.t) / h;
  between_ = after;
  between_.t = t;
  system().minus(after.q, before.q, x_);
  system().inverse_tangent(x_, after.v, rate_);
  x_ = s * s * (3 - 2 * s) * x_ + h * s * (1 - s) * (1 - s) * before.v + h * s * s * (s - 1) * rate_;
  system().plus(before.q, x_, between_.q);
  between_.v = (1 - s) * before.v + s * after.v;
  between_.a = (1 - s) * before.a + s * after.a;
  between_.lambda = (1 - s) * before.lambda + s * after.lambda;
  return between_;
}

}  // namespace hooke
