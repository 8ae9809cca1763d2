#include "coupling/adapter/force_displacement.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <map>

#include "base/timer.h"
#include "math/so3.h"

namespace hooke {

// --- a side

CouplingSideRun::CouplingSideRun(CouplingSide given)
    : side(std::move(given)), state(side.system->initial_state()), projector_(*side.system, side.newton) {}

std::string CouplingSideRun::advance(double h, StepReport& report) {
  const Timer timer;
  state.history.resize(0);  // inputs change their course at a macro point
  std::string failure;
  const double end = state.t + h;
  if (side.tolerance) {
    failure = advance_controlled(h, report);
  } else {
    for (int k = 0; k < side.steps && failure.empty(); ++k) {
      const StepReport step = side.integrator->step(state, h / side.steps);
      report.iterations += step.iterations;
      report.factorizations += step.factorizations;
      if (!step.accepted) failure = step.failure;
    }
  }
  if (failure.empty()) state.t = end;
  seconds += timer.seconds();
  return failure.empty() ? failure : fmt::format("subsystem '{}': {}", side.name, failure);
}

std::string CouplingSideRun::advance_controlled(double h, StepReport& report) {
  const double end = state.t + h, smallest = 1e-9 * h;
  constexpr int most = 1000;
  double size = next_size_ > 0 ? std::min(next_size_, h) : h;
  for (int k = 0; end - state.t > smallest; ++k) {
    if (k == most)
      return fmt::format(
          "more than {} steps in a macro step; the coupling may be unstable, see 'hooke stability'", most);
    const double rest = end - state.t, step = size > 0.9 * rest ? rest : size;
    before_ = state;
    const StepReport made = side.integrator->step(state, step);
    report.iterations += made.iterations;
    report.factorizations += made.factorizations;
    const double error = std::max(made.error / *side.tolerance, 1e-10);
    const double factor =
        made.accepted ? std::clamp(0.9 * std::pow(error, -1.0 / (side.integrator->order() + 1)), 0.2, 4.0)
                      : 0.5;
    if (made.accepted && error <= 1) {
      size =
          std::max(size, step * factor);  // a step that the end cut short says nothing against a longer one
      if (step == rest) break;
      size = step * factor;
    } else {
      state = before_;
      size = step * factor;
      if (size < smallest) return made.accepted ? "its tolerance cannot be met" : made.failure;
    }
  }
  next_size_ = size;
  return {};
}

bool CouplingSideRun::project() {
  projector_.forget();
  return projector_.positions(state).converged && projector_.velocities(state).converged;
}

bool CouplingSideRun::accelerate() {
  const Projector::Result result = projector_.accelerations(state);
  return result.converged || result.unsettled < 1e-6;
}

void CouplingSideRun::motions(std::vector<FrameMotion>& result) {
  auto& w = static_cast<SystemWorkspace&>(projector_.workspace());
  side.system->acceleration_constraints(state, w, g_);  // with the accelerations of all frames
  for (std::size_t i = 0; i < side.interfaces.size(); ++i) {
    const int frame = side.interfaces[i].frame;
    result[i] = {w.frames.pose[frame], w.frames.twist[frame], w.acceleration[frame]};
  }
}

void CouplingSideRun::reactions(VectorX& w) {
  const auto& scratch = static_cast<const SystemWorkspace&>(projector_.workspace());
  for (std::size_t i = 0; i < side.interfaces.size(); ++i)
    w.segment<6>(6 * static_cast<Eigen::Index>(i)) =
        side.system->reaction(side.interfaces[i].constraint, side.interfaces[i].side, state, scratch);
}

/// B = G_A^T (G M^-1 G^T)^-1 G_A, with the blocks of M and the rows G on F that belong to the joints.
MatrixX CouplingSideRun::joint_mass() {
  const KktMatrix& kkt = projector_.matrix();
  const KktStructure& structure = side.system->structure();
  std::vector<int> blocks, first;  // dof blocks at the joints, where they begin in the small matrix
  int dofs = 0, rows = 0;
  for (const auto& interface : side.interfaces) {
    for (const int block : structure.constraint_blocks[interface.constraint])
      if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
        blocks.push_back(block), first.push_back(dofs);
        dofs += structure.dof_sizes[block];
      }
    rows += side.system->rows_of(interface.constraint).second;
  }
  MatrixX M = MatrixX::Zero(dofs, dofs), G = MatrixX::Zero(rows, dofs),
          G_A = MatrixX::Zero(rows, 6 * static_cast<Eigen::Index>(side.interfaces.size()));
  const auto are_coupled = [&](int a, int b) {
    const auto has = [](const auto& list, std::pair<int, int> pair) {
      return std::find(list.begin(), list.end(), pair) != list.end();
    };
    return a == b || has(structure.couplings, {a, b}) || has(structure.couplings, {b, a});
  };
  for (std::size_t a = 0; a < blocks.size(); ++a)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (are_coupled(blocks[a], blocks[b]))
        M.block(first[a], first[b], structure.dof_sizes[blocks[a]], structure.dof_sizes[blocks[b]]) =
            kkt.matrix.block(kkt.C(blocks[a], blocks[b]));
  const auto& scratch = static_cast<const SystemWorkspace&>(projector_.workspace());
  State unit = state;
  int row = 0;
  for (std::size_t i = 0; i < side.interfaces.size(); ++i) {
    const auto& interface = side.interfaces[i];
    const auto [begin, count] = side.system->rows_of(interface.constraint);
    for (const int block : structure.constraint_blocks[interface.constraint]) {
      const auto b = std::find(blocks.begin(), blocks.end(), block) - blocks.begin();
      G.block(row, first[b], count, structure.dof_sizes[block]) =
          kkt.matrix.block(kkt.G(interface.constraint, block));
    }
    for (int k = 0; k < count; ++k) {
      unit.lambda.setZero();
      unit.lambda[begin + k] = 1;
      G_A.block<1, 6>(row + k, 6 * static_cast<Eigen::Index>(i)) =
          -side.system->reaction(interface.constraint, interface.side, unit, scratch).transpose();
    }
    row += count;
  }
  const MatrixX S = G * M.ldlt().solve(G.transpose());
  return G_A.transpose() * S.ldlt().solve(G_A);
}

// --- the coupling

namespace {

std::map<std::string, std::vector<int>> constraints_by_name(const System& system) {
  std::map<std::string, std::vector<int>> result;
  for (int c = 0; c < system.constraints(); ++c) result[system.constraint_name(c)].push_back(c);
  return result;
}

}  // namespace

ForceDisplacement::ForceDisplacement(const System& whole, CouplingSide forced, CouplingSide displaced,
                                     std::shared_ptr<std::vector<CouplingSignal>> signals,
                                     const ForceDisplacementSettings& settings)
    : whole_(whole),
      forced_(std::move(forced)),
      displaced_(std::move(displaced)),
      signals_(std::move(signals)),
      settings_(settings),
      workspace_(whole.workspace()) {
  for (CouplingSignal& signal : *signals_)
    signal.force_degree = settings.force_degree, signal.motion_degree = settings.motion_degree;
  const auto n = static_cast<Eigen::Index>(signals_->size());
  motions_.resize(signals_->size());
  answers_.resize(signals_->size());
  for (VectorX* v : {&guess_, &alpha_, &w_, &answer_}) v->setZero(6 * n);
  A_.setZero(6 * n, 6 * n);
  B_.setZero(6 * n, 6 * n);

  const auto rows_of = constraints_by_name(whole);
  for (CouplingSideRun* run : {&forced_, &displaced_}) {
    const System& part = *run->side.system;
    for (int b = 0; b < part.bodies(); ++b)
      for (int k = 0; k < whole.bodies(); ++k)
        if (part.body_name(b) == whole.body_name(k)) {
          positions_.push_back({run, part.place_of(b).q, whole.place_of(k).q, part.size_of(b).q});
          velocities_.push_back({run, part.place_of(b).v, whole.place_of(k).v, part.size_of(b).v});
        }
    for (const auto& [joint, own] : constraints_by_name(part))
      for (std::size_t k = 0; k < own.size(); ++k) {
        const auto [from, count] = part.rows_of(own[k]);
        rows_.push_back({run, from, whole.rows_of(rows_of.at(joint)[k]).first, count});
      }
  }
}

StepReport ForceDisplacement::step(State& state, double h) {
  StepReport report;
  const double end = state.t + h;
  if (!(std::abs(state.t - t_) <= 1e-9 * h) && !begin(state)) {
    report.failure = "no consistent reactions at the coupled joints to start from";
    return report;
  }
  forced_before_ = forced_.state;
  displaced_before_ = displaced_.state;
  signals_before_ = *signals_;
  const auto fail = [&](const std::string& why) {
    forced_.state = forced_before_;
    displaced_.state = displaced_before_;
    *signals_ = signals_before_;
    report.failure = why;
    return report;
  };
  h = end - t_;
  if (const std::string failure = forced_.advance(h, report); !failure.empty()) return fail(failure);
  if (!find_motions()) return fail("no accelerations at the end of the macro step");
  extrapolate_accelerations(end);
  if (settings_.order == CouplingOrder::gauss_seidel) push_motions(end);
  if (!displaced_.project()) return fail("the displaced side cannot follow the joints");
  if (const std::string failure = displaced_.advance(h, report); !failure.empty()) return fail(failure);
  note_gap(end);
  if (!exchange(settings_.forces)) return fail("no reactions at the end of the macro step");
  if (settings_.order == CouplingOrder::jacobi) push_motions(end);
  for (std::size_t i = 0; i < signals_->size(); ++i)
    (*signals_)[i].wrenches.push(end, w_.segment<6>(6 * static_cast<Eigen::Index>(i)));
  t_ = end;
  gather(state);
  report.accepted = true;
  return report;
}

/// Reactions at the start are exact ones, and extrapolation begins with what is known then.
bool ForceDisplacement::begin(const State& state) {
  scatter(state);
  t_ = state.t;
  for (CouplingSignal& signal : *signals_) signal.clear();
  for (CouplingSignal& signal : *signals_) signal.wrenches.push(t_, Vec6::Zero());
  guess_.setZero();
  if (!find_motions() || !exchange(CouplingForces::exact)) return false;
  for (std::size_t i = 0; i < signals_->size(); ++i) {
    (*signals_)[i].wrenches.clear();
    (*signals_)[i].wrenches.push(t_, w_.segment<6>(6 * static_cast<Eigen::Index>(i)));
  }
  if (!find_motions()) return false;
  push_motions(t_);
  return true;
}

/// Of the forced side, with the extrapolated reactions.
bool ForceDisplacement::find_motions() {
  if (!forced_.accelerate()) return false;
  forced_.motions(motions_);
  return true;
}

void ForceDisplacement::push_motions(double t) {
  for (std::size_t i = 0; i < signals_->size(); ++i) {
    (*signals_)[i].poses.push(t, motions_[i].pose);
    (*signals_)[i].accelerations.push(t, motions_[i].acceleration);
  }
}

/// a~: extrapolated, or in turn what the forced side just told.
void ForceDisplacement::extrapolate_accelerations(double t) {
  for (std::size_t i = 0; i < signals_->size(); ++i)
    guess_.segment<6>(6 * static_cast<Eigen::Index>(i)) = settings_.exchange == CouplingExchange::in_turn
                                                              ? motions_[i].acceleration
                                                              : (*signals_)[i].acceleration(t);
}

void ForceDisplacement::note_gap(double t) {
  FrameMotion at;
  for (std::size_t i = 0; i < signals_->size(); ++i) {
    (*signals_)[i].motion(t, at.pose, at.twist, at.acceleration);
    gap_ = std::max(gap_, (at.pose.p - motions_[i].pose.p).norm());
  }
}

bool ForceDisplacement::exchange(CouplingForces forces) {
  const Timer timer;
  hold_motions(guess_);
  bool is_found = displaced_.project() && displaced_.accelerate();
  if (is_found) {
    displaced_.reactions(w_);
    if (forces != CouplingForces::approximate) {
      is_found = find_response() && find_mass(forces, w_);
      const auto n = w_.size();
      w_ = (MatrixX::Identity(n, n) + B_ * A_).partialPivLu().solve(w_ + B_ * (guess_ - alpha_)).eval();
      hold_motions(alpha_ + A_ * w_);  // what is recorded agrees with it
      is_found = is_found && displaced_.accelerate();
    }
  }
  release();
  exchange_seconds_ += timer.seconds();
  return is_found && w_.allFinite();
}

/// alpha and A, by asking the forced side what it answers to no reaction and to each unit of one.
bool ForceDisplacement::find_response() {
  before_ = forced_.state;
  bool is_found = true;
  for (Eigen::Index k = -1; k < A_.cols(); ++k) {
    for (std::size_t i = 0; i < signals_->size(); ++i) {
      Vec6 unit = Vec6::Zero();
      if (k >= 0 && k / 6 == static_cast<Eigen::Index>(i)) unit[k % 6] = 1;
      (*signals_)[i].held_wrench = unit;
    }
    is_found = is_found && forced_.accelerate();
    forced_.motions(answers_);
    for (std::size_t i = 0; i < signals_->size(); ++i) {
      const auto at = 6 * static_cast<Eigen::Index>(i);
      if (k < 0)
        alpha_.segment<6>(at) = answers_[i].acceleration;
      else
        A_.col(k).segment<6>(at) = answers_[i].acceleration - alpha_.segment<6>(at);
    }
  }
  forced_.state = before_;
  return is_found;
}

/// B; reactions with the accelerations a~ are known.
bool ForceDisplacement::find_mass(CouplingForces forces, const VectorX& at_guess) {
  if (forces == CouplingForces::small) {
    B_ = displaced_.joint_mass();
    return true;
  }
  before_ = displaced_.state;
  bool is_found = true;
  for (Eigen::Index k = 0; k < B_.cols() && is_found; ++k) {
    hold_motions(guess_ + VectorX::Unit(guess_.size(), k));
    is_found = displaced_.accelerate();
    displaced_.reactions(answer_);
    B_.col(k) = at_guess - answer_;
  }
  displaced_.state = before_;
  return is_found;
}

void ForceDisplacement::hold_motions(const VectorX& accelerations) {
  for (std::size_t i = 0; i < signals_->size(); ++i)
    (*signals_)[i].held_motion = {motions_[i].pose, motions_[i].twist,
                                  accelerations.segment<6>(6 * static_cast<Eigen::Index>(i))};
}

void ForceDisplacement::release() {
  for (CouplingSignal& signal : *signals_) {
    signal.held_motion.reset();
    signal.held_wrench.reset();
  }
}

void ForceDisplacement::scatter(const State& state) {
  for (CouplingSideRun* run : {&forced_, &displaced_}) run->state.t = state.t;
  for (const Copy& c : positions_) c.side->state.q.segment(c.from, c.count) = state.q.segment(c.to, c.count);
  for (const Copy& c : velocities_) {
    c.side->state.v.segment(c.from, c.count) = state.v.segment(c.to, c.count);
    c.side->state.a.segment(c.from, c.count) = state.a.segment(c.to, c.count);
  }
  for (const Copy& c : rows_)
    c.side->state.lambda.segment(c.from, c.count) = state.lambda.segment(c.to, c.count);
}

void ForceDisplacement::gather(State& state) {
  state.t = t_;
  for (const Copy& c : positions_) state.q.segment(c.to, c.count) = c.side->state.q.segment(c.from, c.count);
  for (const Copy& c : velocities_) {
    state.v.segment(c.to, c.count) = c.side->state.v.segment(c.from, c.count);
    state.a.segment(c.to, c.count) = c.side->state.a.segment(c.from, c.count);
  }
  for (const Copy& c : rows_)
    state.lambda.segment(c.to, c.count) = c.side->state.lambda.segment(c.from, c.count);
  whole_.update(state, *workspace_);
  whole_.accept(state, *workspace_);
}

std::string ForceDisplacement::note() const {
  const double all = forced_.seconds + displaced_.seconds + exchange_seconds_;
  if (!(all > 0)) return {};
  return fmt::format(
      "coupling: '{}' took {:.0f} % of the time, '{}' {:.0f} %, the exchange {:.0f} %; extrapolation left "
      "joints open by at most {:.2g} m before each exchange",
      forced_.side.name, 100 * forced_.seconds / all, displaced_.side.name, 100 * displaced_.seconds / all,
      100 * exchange_seconds_ / all, gap_);
}

}  // namespace hooke
