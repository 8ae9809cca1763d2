#include "hooke/coupling/force_displacement.h"

#include "hooke/base/format.h"

#include "hooke/base/timer.h"
#include "hooke/coupling/entries.h"

namespace hooke {
namespace {

constexpr double enough = 1e-9;  ///< of the largest reaction, what corrections may leave

void pick_rows(const MatrixX& from, const std::vector<int>& rows, MatrixX& to) {
  for (std::size_t i = 0; i < rows.size(); ++i) to.row(static_cast<Eigen::Index>(i)) = from.row(rows[i]);
}

}  // namespace

ForceDisplacementCoupling::ForceDisplacementCoupling(std::vector<CouplingInterface> interfaces,
                                                     std::vector<Side> forced_sides,
                                                     std::vector<Side> displaced_sides,
                                                     const ForceDisplacementSettings& settings,
                                                     std::shared_ptr<Team> team)
    : interfaces_(std::move(interfaces)), settings_(settings), team_(std::move(team)) {
  int motions = 0;
  for (const CouplingInterface& each : interfaces_) {
    for (int k = 0; k < each.rates; ++k) accelerations_.push_back(motions + each.positions + each.rates + k);
    motions += each.motions();
  }
  const auto n = static_cast<Eigen::Index>(accelerations_.size());
  for (VectorX* v : {&u_, &end_u_}) v->setZero(motions);
  for (VectorX* v : {&w_, &guess_, &alpha_, &right_, &corrected_, &change_}) v->setZero(n);
  if (settings_.corrections > 0)
    acceleration_ = std::make_unique<FixedPointAcceleration>(static_cast<int>(n), CouplingSettings{});
  for (MatrixX* m : {&A_, &B_, &system_}) m->setZero(n, n);
  factor_ = Eigen::PartialPivLU<MatrixX>(n);
  past_u_ = before_u_ = PastValues(motions);
  past_w_ = before_w_ = PastValues(n);
  course_u_.setZero(motions, PastValues::most);
  course_w_.setZero(n, PastValues::most);
  for (const Side& side : forced_sides) members_.push_back(make_member(side, true));
  for (const Side& side : displaced_sides) {
    members_.push_back(make_member(side, false));
    feels_rates_ |= side.feels_rates;
  }
}

ForceDisplacementCoupling::Member ForceDisplacementCoupling::make_member(const Side& side,
                                                                         bool is_forced) const {
  Member member{side, is_forced};
  for (const int j : side.interfaces) {
    int u = 0, w = 0;
    for (int k = 0; k < j; ++k) u += interfaces_[k].motions(), w += interfaces_[k].rates;
    const int first = static_cast<int>(member.motions.size());
    for (int k = 0; k < interfaces_[j].motions(); ++k) member.motions.push_back(u + k);
    for (int k = 0; k < interfaces_[j].rates; ++k) {
      member.forces.push_back(w + k);
      member.accelerations.push_back(first + interfaces_[j].positions + interfaces_[j].rates + k);
    }
  }
  const auto motions = static_cast<Eigen::Index>(member.motions.size()),
             forces = static_cast<Eigen::Index>(member.forces.size());
  member.input.setZero(is_forced ? forces : motions);
  member.output.setZero(is_forced ? motions : forces);
  member.at_guess = member.output;
  member.course.setZero(member.input.size(), PastValues::most);
  return member;
}

/// On the threads of the team, if there is one: members do not share anything that they write.
void ForceDisplacementCoupling::for_each(Who who, auto&& work) {
  const auto is_meant = [&](const Member& m) { return (who & (m.is_forced ? forced : displaced)) != 0; };
  const int stride = team_ ? team_->size() : 1;
  auto share = [&](int first) {
    for (std::size_t i = static_cast<std::size_t>(first); i < members_.size();
         i += static_cast<std::size_t>(stride))
      if (is_meant(members_[i])) work(members_[i]);
  };
  if (team_)
    team_->run(share);
  else
    share(0);
}

bool ForceDisplacementCoupling::evaluate(Member& member) {
  member.participant->set_input(member.input);
  const Participant::Report report = member.participant->advance(0);
  member.participant->output(member.output);
  if (!report.failure.empty()) member.report.failure = report.failure;
  return member.report.failure.empty();
}

/// Returns why it failed, or nothing.
std::string ForceDisplacementCoupling::advance(Who who, double h) {
  for_each(who, [&](Member& member) {
    const Timer timer;
    if (member.is_forced)
      pick_rows(course_w_, member.forces, member.course);
    else
      pick_rows(course_u_, member.motions, member.course);
    member.participant->set_course(member.course);
    member.report = member.participant->advance(h);
    if (member.is_forced && member.report.failure.empty()) member.participant->output(member.output);
    member.seconds += timer.seconds();
  });
  return failure();
}

std::string ForceDisplacementCoupling::failure() const {
  for (const Member& member : members_)
    if (!member.report.failure.empty())
      return formatted("subsystem '{}': {}; the coupling may be unstable, see 'hooke stability'",
                       member.participant->name(), member.report.failure);
  return {};
}

Participant::Report ForceDisplacementCoupling::step(double h) {
  const Team::Step timed(team_.get());
  before_u_ = past_u_, before_w_ = past_w_, before_t_ = t_;
  for (Member& member : members_) {
    member.report = {};
    member.participant->save();
  }
  const double end = t_ + h;
  const bool at_once = settings_.order == CouplingOrder::jacobi && !(feels_rates_ && past_u_.count() == 1);
  past_w_.course(settings_.force_degree, t_, h, course_w_);
  past_u_.course(settings_.motion_degree, t_, h, course_u_);
  end_u_ = course_u_.rowwise().sum();
  std::string failure;
  if (at_once) {
    failure = advance(all, h);
    read_motions();
  } else {
    pick(end_u_, accelerations_, guess_);
    failure = advance_in_turn(h, settings_.motion_degree);
  }
  if (failure.empty()) {
    note_gap();
    // a~: extrapolated, or in turn what the forced side just told
    if (settings_.exchange == CouplingExchange::in_turn)
      pick(u_, accelerations_, guess_);
    else if (at_once)
      pick(end_u_, accelerations_, guess_);
    failure = exchange(settings_.forces);
  }
  if (failure.empty() && at_once) past_u_.push(end, u_);
  if (failure.empty() && acceleration_) failure = correct(h);
  Participant::Report report;
  if (!failure.empty()) {
    restore();
    report.failure = failure;
    return report;
  }
  past_w_.push(end, w_);
  t_ = end;
  ++steps_;
  for (const Member& member : members_) {
    report.steps += member.report.steps;
    report.iterations += member.report.iterations;
    report.factorizations += member.report.factorizations;
  }
  return report;
}

/// The displaced side after the other, with the motion interpolated.
std::string ForceDisplacementCoupling::advance_in_turn(double h, int motion_degree) {
  if (std::string failure = advance(forced, h); !failure.empty()) return failure;
  read_motions();
  past_u_.push(t_ + h, u_);
  past_u_.course(motion_degree, t_, h, course_u_);
  end_u_ = course_u_.rowwise().sum();
  return advance(displaced, h);
}

/// The same macro step again, with what it arrived at.
std::string ForceDisplacementCoupling::correct(double h) {
  acceleration_->begin(true);
  corrected_ = w_;
  double left = 0;
  for (int k = 0; k < settings_.corrections; ++k) {
    for (Member& member : members_) member.participant->restore();
    past_u_ = before_u_, past_w_ = before_w_;
    past_w_.push(t_ + h, corrected_);
    past_w_.course(std::max(1, settings_.force_degree), t_, h, course_w_);
    past_w_ = before_w_;
    std::string failure = advance_in_turn(h, std::max(1, settings_.motion_degree));
    pick(u_, accelerations_, guess_);
    if (failure.empty()) failure = exchange(settings_.forces);
    if (!failure.empty()) return failure;
    ++corrections_;
    const double size = w_.lpNorm<Eigen::Infinity>();
    change_ = w_ - corrected_;
    left = acceleration_->next(corrected_, change_);
    if (!(left > enough * size)) break;
    if (k + 1 == settings_.corrections) left_ = std::max(left_, left / size);
  }
  return {};
}

void ForceDisplacementCoupling::restore() {
  for (Member& member : members_) member.participant->restore();
  past_u_ = before_u_, past_w_ = before_w_, t_ = before_t_;
  u_ = past_u_.newest(), w_ = past_w_.newest();
}

std::string ForceDisplacementCoupling::begin(double t) {
  t_ = t;
  past_u_.clear(), past_w_.clear();
  guess_.setZero(), w_.setZero();
  const auto move = [&] {
    for_each(forced, [&](Member& member) {
      member.report = {};
      pick(w_, member.forces, member.input);
      evaluate(member);
    });
    read_motions();
  };
  move();
  const std::string failure = exchange(CouplingForces::exact);
  if (!failure.empty()) return failure;
  move();
  past_u_.push(t, u_), past_w_.push(t, w_);
  return {};
}

void ForceDisplacementCoupling::read_motions() {
  for (const Member& member : members_)
    if (member.is_forced) put(member.output, member.motions, u_);
}

void ForceDisplacementCoupling::note_gap() {
  Eigen::Index at = 0;
  for (const CouplingInterface& each : interfaces_) {
    const Eigen::Index lengths = std::min(3, each.positions);
    gap_ = std::max(gap_, (end_u_.segment(at, lengths) - u_.segment(at, lengths)).norm());
    at += each.motions();
  }
}

/// Where the forced side is, with these accelerations.
void ForceDisplacementCoupling::tell_motions(const VectorX& accelerations) {
  for_each(displaced, [&](Member& member) {
    pick(u_, member.motions, member.input);
    for (std::size_t k = 0; k < member.forces.size(); ++k)
      member.input[member.accelerations[k]] = accelerations[member.forces[k]];
    evaluate(member);
  });
}

std::string ForceDisplacementCoupling::exchange(CouplingForces forces) {
  const Timer timer;
  tell_motions(guess_);
  for (const Member& member : members_)
    if (!member.is_forced) put(member.output, member.forces, w_);
  if (forces != CouplingForces::approximate) {
    for_each(all, [&](Member& member) {
      if (member.is_forced)
        find_response(member);
      else
        find_mass(member, forces);
    });
    system_.setIdentity();
    system_.noalias() += B_ * A_;
    right_ = guess_ - alpha_;
    w_.noalias() += B_ * right_;
    factor_.compute(system_);
    right_ = factor_.solve(w_);
    w_ = right_;
    right_ = alpha_;
    right_.noalias() += A_ * w_;
    tell_motions(right_);  // what is recorded agrees with it
    for_each(forced, [&](Member& member) {
      pick(w_, member.forces, member.input);
      evaluate(member);
    });
  }
  exchange_seconds_ += timer.seconds();
  if (std::string failed = failure(); !failed.empty()) return failed;
  return w_.allFinite() ? "" : "no reactions where subsystems are coupled";
}

/// Of alpha and A, what is this one's: the answer to no reaction and to each unit of one.
void ForceDisplacementCoupling::find_response(Member& member) {
  for (std::size_t k = 0; k <= member.forces.size(); ++k) {
    member.input.setZero();
    if (k > 0) member.input[static_cast<Eigen::Index>(k - 1)] = 1;
    if (!evaluate(member)) return;
    for (std::size_t i = 0; i < member.forces.size(); ++i) {
      const double a = member.output[member.accelerations[i]];
      const int row = member.forces[i];
      if (k == 0)
        alpha_[row] = a;
      else
        A_(row, member.forces[k - 1]) = a - alpha_[row];
    }
  }
}

/// Of B; what it answers to a~ was found just before.
void ForceDisplacementCoupling::find_mass(Member& member, CouplingForces forces) {
  if (forces == CouplingForces::small && member.joint_mass) {
    B_(member.forces, member.forces) = member.joint_mass();
    return;
  }
  member.at_guess = member.output;
  for (std::size_t k = 0; k < member.forces.size(); ++k) {
    const int entry = member.accelerations[k];
    const double a = member.input[entry];
    member.input[entry] = a + 1;
    if (!evaluate(member)) return;
    member.input[entry] = a;
    for (std::size_t i = 0; i < member.forces.size(); ++i)
      B_(member.forces[i], member.forces[k]) =
          member.at_guess[static_cast<Eigen::Index>(i)] - member.output[static_cast<Eigen::Index>(i)];
  }
}

}  // namespace hooke
