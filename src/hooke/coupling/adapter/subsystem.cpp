#include "hooke/coupling/adapter/subsystem.h"

namespace hooke {

namespace {
/// Of the largest compliance, what frames have in directions in which the subsystem is rigid.
constexpr double least_compliance = 1e-8;
}  // namespace

SubsystemParticipant::SubsystemParticipant(const System& whole, const std::vector<int>& subsystem_of, int me,
                                           const SystemWorkspace& at, Subsystem subsystem,
                                           const CouplingPlan& plan)
    : subsystem_(std::move(subsystem)),
      settings_(plan.settings),
      p_(plan.settings.parameters),
      step_response_(plan.coupling.response == Response::step),
      exchanges_stages_(plan.exchanges_stages),
      interpolation_(plan.coupling.interpolation),
      length_(whole.extent()),
      excerpt_(extract(whole, subsystem_of, me, Boundary::ghosts, at)),
      workspace_(excerpt_.system->workspace()),
      kkt_(excerpt_.system->structure()),
      solver_(make_solver(settings_.newton, *excerpt_.system, Purpose::general)),
      state_(excerpt_.system->initial_state()) {
  const int n = excerpt_.system->nv();
  kkt_.accept_turned(solver_->wants_turned());
  for (VectorX* v : {&drift_, &rate_end_, &x_}) v->setZero(n);
  q_.setZero(excerpt_.system->nq());
  const auto point = [&](double s) { return Told{s, VectorX::Zero(n), VectorX::Zero(n), VectorX::Zero(n)}; };
  start_told_ = between_ = point(0);
  if (subsystem_.method == OdeMethod::implicit_alpha) {
    implicit_.emplace(
        *excerpt_.system, settings_,
        OwnDofs{excerpt_.own, step_response_,
                [this](const State& from, VectorX& y, State& trial) { place_ghosts(from, y, trial); }});
  } else {
    const double beta_h = plan.beta_h / subsystem_.steps;
    const StageTable table = stage_table(subsystem_.method, beta_h);
    if (exchanges_stages_)
      for (int i = 1; i < table.stages(); ++i) told_.push_back(point(table.c[i]));
    explicit_.emplace(
        *excerpt_.system, settings_.newton, table, beta_h,
        ExplicitOwnDofs{excerpt_.own, [this](int stage, State& trial) { place_ghosts(stage, trial); },
                        [this](int stage, const State& trial) {
                          if (exchanges_stages_)
                            write_output(trial, static_cast<SystemWorkspace&>(explicit_->workspace()),
                                         stage - 1, output_);
                        },
                        &drift_});
  }
  if (told_.empty()) told_.push_back(point(1));
  output_.setZero(outputs());
  start_.resize(static_cast<std::size_t>(outputs() / per_frame()));
  E_t_.setZero(n + excerpt_.system->nc(), 6 * static_cast<int>(start_.size()));
  int first = 0;
  for (const Excerpt::Neighbour& neighbour : excerpt_.neighbours) {
    const int size = 6 * static_cast<int>(neighbour.frames.size());
    int rows = 0;
    for (const int c : neighbour.constraints) rows += excerpt_.system->rows_of(c).second;
    answers_.push_back({first, MatrixX::Zero(size, size), MatrixX::Zero(size, size),
                        MatrixX::Zero(rows, neighbour.ghost->free.size())});
    neighbour.ghost->moves = step_response_;
    first += size;
  }
  compliance_.setZero(first, first);
}

int SubsystemParticipant::inputs() const {
  std::size_t frames = 0;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours) frames += n.ghost_frames.size();
  return per_frame() * static_cast<int>(frames);
}

int SubsystemParticipant::outputs() const {
  std::size_t frames = 0;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours) frames += n.frames.size();
  return per_frame() * static_cast<int>(frames);
}

std::string SubsystemParticipant::output_name(int i) const {
  auto frame = static_cast<std::size_t>(i / per_frame());
  for (const Excerpt::Neighbour& n : excerpt_.neighbours) {
    if (frame < n.names.size()) return "'" + n.names[frame] + "', " + RigidBody::dof_name(i % 6) + ",";
    frame -= n.names.size();
  }
  return {};
}

// --- a macro step begins

void SubsystemParticipant::load(const State& whole, CutFrame* frames) {
  if (implicit_) implicit_->repeat(false);
  excerpt_.load(whole, state_);
  load_history(whole.history);
  excerpt_.system->update(state_, *workspace_);
  std::size_t k = 0;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
    for (const int f : n.frames) {
      frames[k] = {workspace().frames.pose[f], frame_motion(*excerpt_.system, workspace(), f, state_.a)};
      start_[k] = frames[k].pose;
      ++k;
    }
}

void SubsystemParticipant::meet(const std::vector<CutFrame>& all, const std::vector<int>& from) {
  auto number = from.begin();
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
    for (int k = 0; k < static_cast<int>(n.ghost_frames.size()); ++k) {
      const CutFrame& frame = all[static_cast<std::size_t>(*number++)];
      RigidBody{}.place(frame.pose, Vec6::Zero(), &state_.q[n.at.q + 7 * k], &state_.v[n.at.v + 6 * k]);
      state_.v.segment<6>(n.at.v + 6 * k) = frame.motion.v;
      state_.a.segment<6>(n.at.v + 6 * k) = frame.motion.a;
    }
  excerpt_.system->update(state_, *workspace_);
}

/// The history of the alpha family (integrators/alpha_history.h): two vectors of the dofs, and the step.
void SubsystemParticipant::load_history(const VectorX& history) {
  const int n = excerpt_.system->nv();
  const auto n_whole = (history.size() - 1) / 2;
  state_.history.setZero(2 * n + 1);
  excerpt_.load_dofs(history.head(n_whole), state_.history.head(n));
  excerpt_.load_dofs(history.segment(n_whole, n_whole), state_.history.segment(n, n));
  state_.history[2 * n] = history[2 * n_whole];
}

void SubsystemParticipant::store(State& whole, double h) const {
  const int n = excerpt_.system->nv(), n_whole = excerpt_.whole->nv();
  excerpt_.store(state_, whole);
  auto a = whole.history.head(n_whole), rate = whole.history.segment(n_whole, n_whole);
  excerpt_.store_dofs(state_.history.head(n), a);
  excerpt_.store_dofs(state_.history.segment(n, n), rate);
  if (const double shift = (p_.alpha_m - p_.alpha_f) * (h - h / subsystem_.steps); shift != 0)
    for (const Excerpt::Body& body : excerpt_.bodies)
      a.segment(body.there.v, body.size.v) += shift * rate.segment(body.there.v, body.size.v);
}

void SubsystemParticipant::begin(double h) {
  h_ = h;
  if (is_explicit()) drift_ *= subsystem_.steps / h;  // a velocity
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
    n.ghost->rate = settings_.beta.value_or(subsystem_.steps / h);
}

/// E C^-1 E^T where the step begins, C with Newton's weights, or the mass alone.
bool SubsystemParticipant::find_compliance() {
  if (answers_.empty()) return true;
  const System& system = *excerpt_.system;
  SystemWorkspace& at = workspace();
  system.collect_wrenches(state_, at);
  const double m = step_response_ ? (1 - p_.alpha_m) / (1 - p_.alpha_f) : 1.0;
  if (step_response_)
    system.tangent(state_,
                   {m, p_.gamma * h_, p_.beta * h_ * h_, nullptr, settings_.newton.geometric_stiffness}, at,
                   kkt_);
  else
    system.tangent(state_, {.m = 1}, at, kkt_);
  for (std::size_t n = 0; n < answers_.size(); ++n) {
    const Excerpt::Neighbour& neighbour = excerpt_.neighbours[n];
    int row = 0;
    for (const int c : neighbour.constraints) {
      const int rows = system.rows_of(c).second;
      for (const int block : system.structure().constraint_blocks[c])
        if (const int k = block - neighbour.at.block; k >= 0 && 6 * k < answers_[n].rows.cols())
          answers_[n].rows.block(row, 6 * k, rows, 6) = kkt_.matrix.block(kkt_.G(c, block));
      row += rows;
    }
  }
  kkt_.regularise(settings_.newton.regularisation / m, system.row_compliance());
  kkt_.matrix.isolate(excerpt_.detached);
  if (!solver_->factorize(kkt_)) return false;

  E_t_.setZero();
  int column = 0;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
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
  excerpt_.neighbours[static_cast<std::size_t>(n)].ghost->mass = mass;
  implicit_ ? implicit_->renew_tangent() : explicit_->renew();
}

void SubsystemParticipant::output_at_start(VectorX& y) {
  saved_ = state_;
  write_output(state_, y);
}

void SubsystemParticipant::set_input_at_start(const VectorX& u) {
  read_input(u, 0, start_told_.x, start_told_.v, start_told_.free);
}

void SubsystemParticipant::guess(double h, VectorX& y) {
  // Ghosts go on as they do.
  saved_ = state_;
  for (Told& point : told_) {
    const double ahead = point.s * h;
    point.x = ahead * state_.v + 0.5 * ahead * ahead * state_.a;
    point.v = state_.v + ahead * state_.a;
    point.free = state_.a;
  }
  excerpt_.system->inverse_tangent(told_.back().x, told_.back().v, rate_end_);
  if (is_explicit()) return guess_explicitly(y);
  guess_ = implicit_->predict(state_, h);
  if (last_h_ > 0 && std::abs(last_t_ + last_h_ - state_.t) < 1e-6 * h)
    guess_.lambda += (h / last_h_) * (state_.lambda - last_lambda_);
  last_lambda_ = state_.lambda;
  last_t_ = state_.t;
  last_h_ = h;
  write_output(guess_, y);
}

/// All goes on with the accelerations of the beginning.
void SubsystemParticipant::guess_explicitly(VectorX& y) {
  write_output(state_, y);
  const auto& at = static_cast<SystemWorkspace&>(*workspace_);
  int entry = 0;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
    for (const int f : n.frames) {
      const RigidRates motion = frame_motion(*excerpt_.system, at, f, state_.a);
      const Vec6 free = y.segment<6>(entry + 12);
      for (const Told& point : told_) {
        const double ahead = point.s * h_;
        y.segment<per_point>(entry) << ahead * motion.v + 0.5 * ahead * ahead * motion.a,
            h_ * (motion.v + ahead * motion.a), free;
        entry += per_point;
      }
    }
}

// --- the participant

void SubsystemParticipant::read_input(const VectorX& u, int point, VectorX& x, VectorX& v,
                                      VectorX& free) const {
  int entry = per_point * point;
  for (const Excerpt::Neighbour& n : excerpt_.neighbours)
    for (int k = 0; k < static_cast<int>(n.ghost_frames.size()); ++k, entry += per_frame()) {
      const int dof = n.at.v + 6 * k;
      x.segment<6>(dof) = u.segment<6>(entry);
      v.segment<6>(dof) = u.segment<6>(entry + 6) / h_;
      free.segment<6>(dof) = u.segment<6>(entry + 12) / (h_ * h_);
    }
}

void SubsystemParticipant::set_input(const VectorX& u) {
  for (std::size_t k = 0; k < told_.size(); ++k)
    read_input(u, static_cast<int>(k), told_[k].x, told_[k].v, told_[k].free);
  excerpt_.system->inverse_tangent(told_.back().x, told_.back().v, rate_end_);
}

void SubsystemParticipant::restore() {
  state_ = saved_;
  if (implicit_) implicit_->repeat(subsystem_.steps == 1);
}

Participant::Report SubsystemParticipant::advance(double h) {
  Report report;
  for (int k = 0; k < subsystem_.steps; ++k) {
    const double own_h = h / subsystem_.steps;
    const StepReport step = implicit_ ? implicit_->step(state_, own_h) : explicit_->step(state_, own_h);
    report.iterations += step.iterations;
    report.factorizations += step.factorizations;
    ++report.steps;
    report.error += step.error;
    if (!step.accepted) {
      report.failure = step.failure;
      return report;
    }
  }
  if (is_explicit()) state_.history.head(state_.a.size()) = state_.a;
  if (!exchanges_stages_) write_output(state_, output_);
  return report;
}

void SubsystemParticipant::write_output(const State& state, VectorX& y) {
  auto& at = static_cast<SystemWorkspace&>(*workspace_);
  excerpt_.system->update(state, at);
  write_output(state, at, 0, y);
}

/// The outputs at one of the points; `at` is up to date with the state.
void SubsystemParticipant::write_output(const State& state, SystemWorkspace& at, int point,
                                        VectorX& y) const {
  const System& system = *excerpt_.system;
  system.collect_wrenches(state, at);
  const double m = (1 - p_.alpha_m) / (1 - p_.alpha_f);
  const double of_x = step_response_ ? p_.beta * h_ * h_ / m : 0,
               of_v = step_response_ ? p_.gamma * h_ / m : 0;
  int entry = per_point * point;
  std::size_t number = 0;
  for (std::size_t n = 0; n < answers_.size(); ++n) {
    const std::vector<int>& frames = excerpt_.neighbours[n].frames;
    for (std::size_t k = 0; k < frames.size(); ++k, entry += per_frame()) {
      const int f = frames[k], first = 6 * static_cast<int>(k);
      const FramePose &pose = at.frames.pose[f], &start = start_[number++];
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

/// What was told of the ghosts, within the macro step.
const SubsystemParticipant::Told& SubsystemParticipant::told_at(double s) {
  const Told& end = told_.back();
  if (interpolation_ == 1) {
    between_.x = s * end.x;
    between_.v = (1 - s) * saved_.v + s * end.v;
  } else {  // as March::interpolate
    const double a = s * s * (3 - 2 * s), b = h_ * s * (1 - s) * (1 - s), c = h_ * s * s * (s - 1);
    between_.x = a * end.x + b * saved_.v + c * rate_end_;
    // beta multiplies an error of v by 1/h, so it must be of third order: the cubic's own rate is not, since
    // x and v of a step agree to second order only.
    between_.v = saved_.v + (s * h_) * saved_.a + (s * s) * (end.v - saved_.v - h_ * saved_.a);
  }
  between_.free = (1 - s) * start_told_.free + s * end.free;
  return between_;
}

/// Where the ghosts are at the time of `trial`.
void SubsystemParticipant::place_ghosts(const State& from, VectorX& y, State& trial) {
  const System& system = *excerpt_.system;
  const bool is_whole = subsystem_.steps == 1;
  const Told& at = is_whole ? told_.back() : told_at((trial.t - saved_.t) / h_);
  y = drift_;
  if (is_whole) {
    x_ = at.x;
  } else {
    system.plus(saved_.q, at.x, q_);
    system.minus(q_, from.q, x_);
  }
  for (const Excerpt::Neighbour& n : excerpt_.neighbours) {
    const auto size = n.ghost->free.size();
    y.segment(n.at.v, size) = x_.segment(n.at.v, size);
    trial.v.segment(n.at.v, size) = at.v.segment(n.at.v, size);
    trial.a.segment(n.at.v, size) = n.ghost->free = at.free.segment(n.at.v, size);
  }
}

/// Where they are at a stage of an explicit step.
void SubsystemParticipant::place_ghosts(int stage, State& trial) {
  const Told& at =
      exchanges_stages_ ? told_[static_cast<std::size_t>(stage - 1)] : told_at((trial.t - saved_.t) / h_);
  for (const Excerpt::Neighbour& n : excerpt_.neighbours) {
    const auto size = n.ghost->free.size();
    for (int k = 0; 6 * k < size; ++k)
      RigidBody::plus(&saved_.q[n.at.q + 7 * k], &at.x[n.at.v + 6 * k], &trial.q[n.at.q + 7 * k]);
    trial.v.segment(n.at.v, size) = at.v.segment(n.at.v, size);
    n.ghost->free = at.free.segment(n.at.v, size);
  }
}

}  // namespace hooke
