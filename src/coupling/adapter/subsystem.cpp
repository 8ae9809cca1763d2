#include "coupling/adapter/subsystem.h"

namespace hooke {

namespace {
/// Of the largest compliance, what frames have in directions in which the subsystem is rigid.
constexpr double least_compliance = 1e-8;
}  // namespace

SubsystemParticipant::SubsystemParticipant(const System& whole, const std::vector<int>& part_of, int me,
                                           const SystemWorkspace& at, Subsystem subsystem,
                                           const StabilisedAlphaSettings& settings,
                                           const CouplingSettings& coupling)
    : subsystem_(std::move(subsystem)),
      settings_(settings),
      p_(settings.parameters),
      step_response_(coupling.response == Response::step),
      interpolation_(coupling.interpolation),
      length_(whole.extent()),
      piece_(whole, part_of, me, at),
      integrator_(*piece_.system, settings,
                  {piece_.own, step_response_,
                   [this](const State& from, VectorX& y, State& trial) { place_ghosts(from, y, trial); }}),
      workspace_(piece_.system->workspace()),
      kkt_(piece_.system->structure()),
      solver_(make_solver(settings.newton.solver, piece_.system->nv() + piece_.system->nc())),
      state_(piece_.system->initial_state()) {
  const int n = piece_.system->nv();
  for (VectorX* v : {&drift_, &x_end_, &v_end_, &free_start_, &free_end_, &rate_end_, &x_}) v->setZero(n);
  q_.setZero(piece_.system->nq());
  output_.setZero(outputs());
  start_.resize(static_cast<std::size_t>(outputs() / per_frame));
  E_t_.setZero(n + piece_.system->nc(), outputs() / 3);
  int first = 0;
  for (const Piece::Neighbour& neighbour : piece_.neighbours) {
    const int size = 6 * static_cast<int>(neighbour.frames.size());
    int rows = 0;
    for (const int c : neighbour.joints) rows += piece_.system->rows_of(c).second;
    answers_.push_back({first, MatrixX::Zero(size, size), MatrixX::Zero(size, size),
                        MatrixX::Zero(rows, neighbour.ghost->free.size())});
    neighbour.ghost->moves = step_response_;
    first += size;
  }
  compliance_.setZero(first, first);
}

int SubsystemParticipant::inputs() const {
  std::size_t frames = 0;
  for (const Piece::Neighbour& n : piece_.neighbours) frames += n.ghost_frames.size();
  return per_frame * static_cast<int>(frames);
}

int SubsystemParticipant::outputs() const {
  std::size_t frames = 0;
  for (const Piece::Neighbour& n : piece_.neighbours) frames += n.frames.size();
  return per_frame * static_cast<int>(frames);
}

std::string SubsystemParticipant::output_name(int i) const {
  auto frame = static_cast<std::size_t>(i / per_frame);
  for (const Piece::Neighbour& n : piece_.neighbours) {
    if (frame < n.names.size()) return "'" + n.names[frame] + "', " + RigidBody::dof_name(i % 6) + ",";
    frame -= n.names.size();
  }
  return {};
}

// --- a macro step begins

void SubsystemParticipant::load(const State& whole, const SystemWorkspace& at, const VectorX& drift) {
  integrator_.repeat(false);
  piece_.load(whole, at, state_);
  piece_.load_dofs(drift, drift_);
  drift_ /= subsystem_.steps;
  std::size_t k = 0;
  for (const Piece::Neighbour& n : piece_.neighbours)
    for (const int f : n.whole_frames) start_[k++] = at.frames.pose[f];
}

void SubsystemParticipant::begin(double h) {
  h_ = h;
  for (const Piece::Neighbour& n : piece_.neighbours)
    n.ghost->rate = settings_.beta.value_or(subsystem_.steps / h);
}

/// E C^-1 E^T where the step begins, C with Newton's weights, or the mass alone.
bool SubsystemParticipant::find_compliance() {
  const System& system = *piece_.system;
  auto& at = static_cast<SystemWorkspace&>(*workspace_);
  system.update(state_, at);
  system.collect_wrenches(state_, at);
  const double m = step_response_ ? (1 - p_.alpha_m) / (1 - p_.alpha_f) : 1.0;
  if (step_response_)
    system.tangent(state_,
                   {m, p_.gamma * h_, p_.beta * h_ * h_, nullptr, settings_.newton.geometric_stiffness}, at,
                   kkt_);
  else
    system.tangent(state_, {.m = 1}, at, kkt_);
  for (std::size_t n = 0; n < answers_.size(); ++n) {
    const Piece::Neighbour& neighbour = piece_.neighbours[n];
    int row = 0;
    for (const int c : neighbour.joints) {
      const int rows = system.rows_of(c).second;
      for (const int block : system.structure().constraint_blocks[c])
        if (const int k = block - neighbour.at.block; k >= 0 && 6 * k < answers_[n].rows.cols())
          answers_[n].rows.block(row, 6 * k, rows, 6) = kkt_.matrix.block(kkt_.G(c, block));
      row += rows;
    }
  }
  kkt_.regularise(settings_.newton.regularisation / m, system.row_compliance());
  kkt_.matrix.isolate(piece_.detached);
  if (!solver_->factorize(kkt_)) return false;

  E_t_.setZero();
  int column = 0;
  for (const Piece::Neighbour& n : piece_.neighbours)
    for (const int f : n.frames) {
      const Mat3 R = at.frames.pose[f].R;
      for_each_entry(system.frame_map(), at.frames.jacobians, f,
                     [&](const auto& J, const FrameEntry& e, int) {
                       auto block = E_t_.block(e.dof, column, e.size, 6);
                       block.noalias() = full(J).transpose();
                       block.template rightCols<3>() = (block.template rightCols<3>() * R).eval();
                     });
      column += 6;
    }
  columns_ = E_t_;
  solver_->solve(columns_);
  compliance_.noalias() = m * E_t_.transpose() * columns_;
  return compliance_.allFinite();
}

/// In directions in which nothing moves A has a little of the largest compliance, or it would have no
/// inverse.
const MatrixX& SubsystemParticipant::set_answer(int n, const MatrixX& A) {
  Answer& answer = answers_[n];
  answer.A = A;
  double largest = 0;
  const auto unit = [&](int i) { return i % 6 < 3 ? length_ * length_ : 1.0; };
  for (int i = 0; i < A.rows(); ++i) largest = std::max(largest, A(i, i) / unit(i));
  for (int i = 0; i < A.rows(); ++i) answer.A(i, i) += least_compliance * largest * unit(i);
  answer.mass = answer.A.inverse();
  return answer.mass;
}

void SubsystemParticipant::set_mass(int n, const MatrixX& mass) {
  piece_.neighbours[static_cast<std::size_t>(n)].ghost->mass = mass;
  integrator_.renew_tangent();
}

void SubsystemParticipant::output_at_start(VectorX& y) {
  saved_ = state_;
  write_output(state_, y);
}

void SubsystemParticipant::set_input_at_start(const VectorX& u) {
  read_input(u, x_end_, v_end_, free_start_);
}

void SubsystemParticipant::guess(double h, VectorX& y) {
  // Ghosts go on as they do.
  saved_ = state_;
  x_end_ = h * state_.v + 0.5 * h * h * state_.a;
  v_end_ = state_.v + h * state_.a;
  free_end_ = state_.a;
  piece_.system->inverse_tangent(x_end_, v_end_, rate_end_);
  guess_ = integrator_.predict(state_, h);
  if (last_h_ > 0 && std::abs(last_t_ + last_h_ - state_.t) < 1e-6 * h)
    guess_.lambda += (h / last_h_) * (state_.lambda - last_lambda_);
  last_lambda_ = state_.lambda;
  last_t_ = state_.t;
  last_h_ = h;
  write_output(guess_, y);
}

// --- the participant

void SubsystemParticipant::read_input(const VectorX& u, VectorX& x, VectorX& v, VectorX& free) const {
  int entry = 0;
  for (const Piece::Neighbour& n : piece_.neighbours)
    for (int k = 0; k < static_cast<int>(n.ghost_frames.size()); ++k, entry += per_frame) {
      const int dof = n.at.v + 6 * k;
      x.segment<6>(dof) = u.segment<6>(entry);
      v.segment<6>(dof) = u.segment<6>(entry + 6) / h_;
      free.segment<6>(dof) = u.segment<6>(entry + 12) / (h_ * h_);
    }
}

void SubsystemParticipant::set_input(const VectorX& u) {
  read_input(u, x_end_, v_end_, free_end_);
  piece_.system->inverse_tangent(x_end_, v_end_, rate_end_);
}

void SubsystemParticipant::restore() {
  state_ = saved_;
  integrator_.repeat(subsystem_.steps == 1);
}

Participant::Report SubsystemParticipant::advance(double h) {
  Report report;
  for (int k = 0; k < subsystem_.steps; ++k) {
    const StepReport step = integrator_.step(state_, h / subsystem_.steps);
    report.iterations += step.iterations;
    report.factorizations += step.factorizations;
    ++report.steps;
    report.error += step.error;
    if (!step.accepted) {
      report.failure = step.failure;
      return report;
    }
  }
  write_output(state_, output_);
  return report;
}

void SubsystemParticipant::write_output(const State& state, VectorX& y) {
  const System& system = *piece_.system;
  auto& at = static_cast<SystemWorkspace&>(*workspace_);
  system.update(state, at);
  system.collect_wrenches(state, at);
  const double m = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  const double of_x = step_response_ ? p_.beta * h_ * h_ / m : 0,
               of_v = step_response_ ? p_.gamma * h_ / m : 0;
  int entry = 0;
  for (std::size_t n = 0; n < answers_.size(); ++n) {
    const std::vector<int>& frames = piece_.neighbours[n].frames;
    for (std::size_t k = 0; k < frames.size(); ++k, entry += per_frame) {
      const int f = frames[k], first = 6 * static_cast<int>(k);
      const FramePose &pose = at.frames.pose[f], &start = start_[static_cast<std::size_t>(entry / per_frame)];
      Vec6 x, answer = Vec6::Zero();
      x << pose.p - start.p, log_so3(Quat(Mat3(start.R.transpose() * pose.R)));
      for (std::size_t j = 0; j < frames.size(); ++j) {
        Vec6 w = at.frames.wrench[frames[j]];
        w.tail<3>() = at.frames.pose[frames[j]].R.transpose() * Vec3(w.tail<3>());
        answer.noalias() += answers_[n].A.block<6, 6>(first, 6 * static_cast<int>(j)) * w;
      }
      const RigidRates motion = frame_motion(system, at, f, state.a);
      y.segment<6>(entry) = x + of_x * answer;
      y.segment<6>(entry + 6) = h_ * (motion.v + of_v * answer);
      y.segment<6>(entry + 12) = h_ * h_ * (motion.a + answer);
    }
  }
}

/// Where the ghosts are at the time of `trial`.
void SubsystemParticipant::place_ghosts(const State& from, VectorX& y, State& trial) {
  const double s = (trial.t - saved_.t) / h_;
  const System& system = *piece_.system;
  y = drift_;
  if (subsystem_.steps == 1) {
    x_ = x_end_;
  } else if (interpolation_ == 1) {
    x_ = s * x_end_;
  } else {  // as March::interpolate
    const double a = s * s * (3 - 2 * s), b = h_ * s * (1 - s) * (1 - s), c = h_ * s * s * (s - 1);
    x_ = a * x_end_ + b * saved_.v + c * rate_end_;
  }
  if (subsystem_.steps > 1) {
    system.plus(saved_.q, x_, q_);
    system.minus(q_, from.q, x_);
  }
  for (const Piece::Neighbour& n : piece_.neighbours) {
    const int size = static_cast<int>(n.ghost->free.size());
    for (int i = n.at.v; i < n.at.v + size; ++i) {
      y[i] = x_[i];
      // beta multiplies an error of v by 1/h, so it must be of third order: the cubic's own rate is not,
      // since x and v of a step agree to second order only.
      const double linear = (1 - s) * saved_.v[i] + s * v_end_[i], change = h_ * saved_.a[i];
      trial.v[i] = subsystem_.steps == 1 ? v_end_[i]
                   : interpolation_ == 1
                       ? linear
                       : saved_.v[i] + s * change + s * s * (v_end_[i] - saved_.v[i] - change);
      trial.a[i] = n.ghost->free[i - n.at.v] =
          subsystem_.steps == 1 ? free_end_[i] : (1 - s) * free_start_[i] + s * free_end_[i];
    }
  }
}

}  // namespace hooke
