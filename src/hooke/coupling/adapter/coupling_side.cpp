#include "hooke/coupling/adapter/coupling_side.h"

#include "hooke/base/format.h"

#include <Eigen/Cholesky>

namespace hooke {

SystemParticipant::SystemParticipant(CouplingSide side, int outputs_each)
    : side_(std::move(side)),
      state_(system().initial_state()),
      projector_(system(), side_.newton),
      outputs_each_(outputs_each) {}

std::string SystemParticipant::output_name(int i) const {
  return formatted("number {} of coupled frame {}", i % outputs_each_ + 1, i / outputs_each_ + 1);
}

Participant::Report SystemParticipant::integrate(double h) {
  Report report;
  state_.history.resize(0);  // inputs change their course at a macro point
  const double end = state_.t + h;
  if (side_.tolerance) {
    report.failure = integrate_controlled(h, report);
  } else {
    for (int k = 0; k < side_.steps && report.failure.empty(); ++k) {
      const StepReport step = side_.integrator->step(state_, h / side_.steps);
      ++report.steps;
      report.iterations += step.iterations;
      report.factorizations += step.factorizations;
      if (!step.accepted) report.failure = step.failure;
    }
  }
  if (report.failure.empty()) state_.t = end;
  return report;
}

std::string SystemParticipant::integrate_controlled(double h, Report& report) {
  const double end = state_.t + h, smallest = 1e-9 * h;
  constexpr int most = 1000;
  double size = next_size_ > 0 ? std::min(next_size_, h) : h;
  for (int k = 0; end - state_.t > smallest; ++k) {
    if (k == most) return formatted("more than {} steps in a macro step", most);
    const double rest = end - state_.t, step = size > 0.9 * rest ? rest : size;
    before_ = state_;
    const StepReport made = side_.integrator->step(state_, step);
    ++report.steps;
    report.iterations += made.iterations;
    report.factorizations += made.factorizations;
    const double error = std::max(made.error / *side_.tolerance, 1e-10);
    const double factor =
        made.accepted ? std::clamp(0.9 * std::pow(error, -1.0 / (side_.integrator->order() + 1)), 0.2, 4.0)
                      : 0.5;
    if (made.accepted && error <= 1) {
      size =
          std::max(size, step * factor);  // a step that the end cut short says nothing against a longer one
      if (step == rest) break;
      size = step * factor;
    } else {
      state_ = before_;
      size = step * factor;
      if (size < smallest) return made.accepted ? "its tolerance cannot be met" : made.failure;
    }
  }
  next_size_ = size;
  return {};
}

bool SystemParticipant::accelerate() {
  const Projector::Result result = projector_.accelerations(state_);
  return result.converged || result.unsettled < 1e-6;
}

// --- forced

ForcedSide::ForcedSide(CouplingSide side) : SystemParticipant(std::move(side), frame_motions) {
  const auto n = static_cast<Eigen::Index>(excerpt().inside.size());
  input_.setZero(6 * n);
  output_.setZero(frame_motions * n);
}

void ForcedSide::set_input(const VectorX& u) {
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each : excerpt().inside) {
    each.wrench->coefficients.setZero();
    each.wrench->coefficients.col(0) = u.segment<6>(at);
    at += 6;
  }
}

void ForcedSide::set_course(const MatrixX& course) {
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each : excerpt().inside) {
    each.wrench->coefficients = course.middleRows<6>(at);
    at += 6;
  }
}

Participant::Report ForcedSide::advance(double h) {
  Report report;
  if (h > 0) {
    for (const Excerpt::Inside& each : excerpt().inside) each.wrench->start = state_.t, each.wrench->h = h;
    report = integrate(h);
    if (!report.failure.empty()) return report;
  }
  if (!accelerate()) {
    report.failure = "no accelerations at the macro point";
    return report;
  }
  auto& w = static_cast<SystemWorkspace&>(projector_.workspace());
  system().acceleration_constraints(state_, w, g_);  // with the accelerations of all frames
  Eigen::Index at = 0;
  for (const Excerpt::Inside& each : excerpt().inside) {
    write_motion({w.frames.pose[each.frame], w.frames.twist[each.frame], w.acceleration[each.frame]},
                 output_.segment(at, frame_motions));
    at += frame_motions;
  }
  return report;
}

// --- displaced

DisplacedSide::DisplacedSide(CouplingSide side) : SystemParticipant(std::move(side), 6) {
  const auto n = static_cast<Eigen::Index>(excerpt().outside.size());
  input_.setZero(frame_motions * n);
  output_.setZero(6 * n);
}

void DisplacedSide::save() {
  SystemParticipant::save();
  is_placed_ = false;
}
void DisplacedSide::restore() {
  SystemParticipant::restore();
  is_placed_ = false;
}

void DisplacedSide::set_input(const VectorX& u) {
  constexpr int placed_by = frame_positions + frame_rates;
  Eigen::Index at = 0;
  for (const Excerpt::Outside& each : excerpt().outside) {
    is_placed_ = is_placed_ && u.segment<placed_by>(at) == input_.segment<placed_by>(at);
    each.motion->held = read_motion(u.segment<frame_motions>(at));
    at += frame_motions;
  }
  input_ = u;
}

void DisplacedSide::set_course(const MatrixX& course) {
  Eigen::Index at = 0;
  for (const Excerpt::Outside& each : excerpt().outside) {
    each.motion->held.reset();
    each.motion->coefficients = course.middleRows<frame_positions>(at);
    at += frame_motions;
  }
  is_placed_ = false;
}

Participant::Report DisplacedSide::advance(double h) {
  Report report;
  for (const Excerpt::Outside& each : excerpt().outside) each.motion->start = state_.t, each.motion->h = h;
  if (!is_placed_ && !project()) {
    report.failure = "it cannot follow the joints";
    return report;
  }
  if (h > 0) {
    is_placed_ = false;
    report = integrate(h);
    if (!report.failure.empty()) return report;
    system().update(state_, projector_.workspace());
  } else if (!accelerate()) {
    report.failure = "no reactions at the macro point";
    return report;
  }
  reactions(state_, static_cast<const SystemWorkspace&>(projector_.workspace()), output_);
  return report;
}

void DisplacedSide::reactions(const State& state, const SystemWorkspace& workspace, VectorX& w) const {
  w.setZero();
  for (const auto& [is_force, item, end, outside] : excerpt().reaches)
    w.segment<6>(6 * outside) += is_force ? system().force_wrench(item, end, state, workspace)
                                          : system().reaction(item, end, state, workspace);
}

/// Onto what joints and motions demand, at the present time.
bool DisplacedSide::project() {
  system().update(state_, projector_.workspace());  // the frames moved, whatever the state did
  return is_placed_ = projector_.positions(state_).converged && projector_.velocities(state_).converged;
}

/// B = G_A^T (G M^-1 G^T)^-1 G_A, with the blocks of M and the rows G on F that belong to the joints.
MatrixX DisplacedSide::joint_mass() {
  const KktMatrix& kkt = projector_.matrix();
  const KktStructure& structure = system().structure();
  std::vector<int> cut, first_row;  // constraints that are cut, where their rows begin in G
  std::vector<int> blocks, first;   // dof blocks at the joints, where they begin in the small matrix
  int dofs = 0, rows = 0;
  for (const Excerpt::Reach& reach : excerpt().reaches) {
    if (reach.is_force || std::find(cut.begin(), cut.end(), reach.item) != cut.end()) continue;
    cut.push_back(reach.item), first_row.push_back(rows);
    rows += system().rows_of(reach.item).second;
    for (const int block : structure.constraint_blocks[reach.item])
      if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
        blocks.push_back(block), first.push_back(dofs);
        dofs += structure.dof_sizes[block];
      }
  }
  MatrixX M = MatrixX::Zero(dofs, dofs), G = MatrixX::Zero(rows, dofs),
          G_A = MatrixX::Zero(rows, 6 * static_cast<Eigen::Index>(excerpt().outside.size()));
  if (rows == 0) return G_A.transpose() * G_A;
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
  State unit = state_;
  for (std::size_t c = 0; c < cut.size(); ++c) {
    const auto [begin, count] = system().rows_of(cut[c]);
    for (const int block : structure.constraint_blocks[cut[c]]) {
      const auto b = std::find(blocks.begin(), blocks.end(), block) - blocks.begin();
      G.block(first_row[c], first[b], count, structure.dof_sizes[block]) =
          kkt.matrix.block(kkt.G(cut[c], block));
    }
    for (int k = 0; k < count; ++k) {
      unit.lambda.setZero();
      unit.lambda[begin + k] = 1;
      for (const Excerpt::Reach& reach : excerpt().reaches)
        if (!reach.is_force && reach.item == cut[c])
          G_A.block<1, 6>(first_row[c] + k, 6 * reach.outside) =
              -system().reaction(reach.item, reach.end, unit, scratch).transpose();
    }
  }
  const MatrixX S = G * M.ldlt().solve(G.transpose());
  return G_A.transpose() * S.ldlt().solve(G_A);
}

}  // namespace hooke
