#include "hooke/system/system.h"

#include <algorithm>

namespace hooke {

int System::add_ground_frame(const FramePose& pose) {
  const int number = static_cast<int>(frame_map_.frames.size());
  frame_map_.frames.push_back({});
  ground_frames_.emplace_back(number, pose);
  return number;
}

int System::add_driven_frame(FrameDriver driver) {
  const int number = add_ground_frame({});
  driven_frames_.emplace_back(number, std::move(driver));
  return number;
}

int System::add_switch(Switched kind, int item, bool starts_on) {
  for (std::size_t s = 0; s < switches_.size(); ++s)
    if (switches_[s].kind == kind && switches_[s].item == item) return static_cast<int>(s);
  switches_.push_back({kind, item, starts_on});
  return static_cast<int>(switches_.size()) - 1;
}

int System::add_forces(std::unique_ptr<ForceBatchBase> batch, const std::vector<std::string>& names) {
  const int first = forces();
  for (const std::string& name : names)
    force_items_.push_back({nullptr, batch.get(), static_cast<int>(force_items_.size()) - first, name, {}});
  force_batches_.push_back(std::move(batch));
  return first;
}

int System::add_controls(std::unique_ptr<ControlsBase> controls, const std::vector<std::string>& names) {
  controls_ = controls.get();
  return add_forces(std::move(controls), names);
}

int System::add_coordinate(AnyCoordinate coordinate, std::array<int, 2> frames, double first) {
  observed_.push_back({coordinate, frames, first});
  return static_cast<int>(observed_.size()) - 1;
}

// --- building

void System::finish(const Vec3& gravity, double extent) {
  gravity_ = gravity;
  place_bodies();
  place_frames();
  place_items();
  const KktMatrix kkt(structure_);
  for (auto& batch : body_batches_) batch->connect(frame_map_, kkt);
  for (auto& batch : constraint_batches_) batch->connect(frame_map_, kkt);
  for (auto& batch : force_batches_) batch->connect(frame_map_, kkt);
  std::vector<int> uses(frame_map_.frames.size(), 0);
  for (const Item& item : constraint_items_)
    for (int k = 0; k < item.constraints->frames(); ++k)
      frames_are_shared_ |= ++uses[item.constraints->frame(item.index, k)] > 1;
  measure(extent);
}

void System::place_bodies() {
  int v = 0;
  structure_.body_blocks.assign(1, 0);
  for (BodyItem& body : body_items_) {
    body.at = {nq_, v, static_cast<int>(structure_.dof_sizes.size()),
               static_cast<int>(structure_.body_blocks.size()) - 1};
    body.batch->place(body.index, body.at);
    body.batch->describe(body.index, structure_);
    const BodyPlace size = body.batch->sizes(body.index);
    nq_ += size.q;
    v += size.v;
  }
  if (not_bodies_) states_ = size_of(bodies()).v;
}

void System::place_frames() {
  for (auto& batch : body_batches_)
    for (int k = 0; k < batch->frame_count(); ++k) batch->describe_frame(k, frame_map_);
}

void System::place_items() {
  ItemPlace at;
  for (Item& item : constraint_items_) {
    ConstraintBatchBase& batch = *item.constraints;
    item.at = at;
    batch.place(item.index, at);
    batch.describe(item.index, frame_map_, structure_);
    at.row += batch.rows();
    at.constraint += 1;
    at.rows_buffer += batch.rows() * 6 * batch.frames();
    at.memory += batch.memory();
  }
  for (Item& item : force_items_) {
    item.at = at;
    item.forces->place(item.index, at);
    item.forces->describe(item.index, frame_map_, structure_);
    at.memory += item.forces->memory();
  }
  std::sort(structure_.springs.begin(), structure_.springs.end());
  structure_.springs.erase(std::unique(structure_.springs.begin(), structure_.springs.end()),
                           structure_.springs.end());
  for (Observed& o : observed_) o.memory = at.memory, at.memory += angle_memory;
  rows_buffer_ = at.rows_buffer;
  memory_ = at.memory;
  const int first_switch = memory_;
  own_memory_ = static_cast<int>(switches_.size());
  for (std::size_t s = 0; s < switches_.size(); ++s) {
    const bool is_force = switches_[s].kind == Switched::force;
    Item& item = (is_force ? force_items_ : constraint_items_)[switches_[s].item];
    item.at.on = first_switch + static_cast<int>(s);
    is_force ? item.forces->set_switch(item.index, item.at.on)
             : item.constraints->set_switch(item.index, item.at.on);
  }
  if (!controls_) return;
  std::vector<int> coordinates;
  for (const Observed& o : observed_) coordinates.push_back(o.memory);
  const auto of_constraint = [&](int c) {
    return std::pair{constraint_items_[c].at.memory, constraint_items_[c].at.row};
  };
  controls_->place_memory({coordinates, first_switch, memory_ + own_memory_, of_constraint});
  own_memory_ += controls_->own_memory();
}

/// The units errors are measured in: the extent of the mechanism, and G M^-1 G^T of each row, both at the
/// start.
void System::measure(double extent) {
  State state = initial_state();
  state.memory.segment(memory_, static_cast<int>(switches_.size()))
      .setOnes();  // rows that are off have no compliance
  auto scratch = workspace();
  auto& w = static_cast<SystemWorkspace&>(*scratch);
  update(state, w);

  // The sphere about the middle of all frames and bodies: it turns with the mechanism, as a box would not.
  std::vector<FramePose> poses = w.frames.pose;
  for (int b = 0; b < bodies(); ++b) {
    poses.push_back(motion(b, state).pose);
    body_items_[b].batch->nodes(body_items_[b].index, state, poses);
  }
  Mat3X points(3, static_cast<Eigen::Index>(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) points.col(static_cast<Eigen::Index>(i)) = poses[i].p;
  const Vec3 middle = bodies() ? Vec3(points.rowwise().mean()) : zero3;
  if (extent == 0 && bodies() > 0) {
    extent = 2 * (points.colwise() - middle).colwise().norm().maxCoeff();
    // Where all of them are at one point, but for round-off, it is as large as its bodies.
    double largest = 0;
    for (int b = 0; b < bodies(); ++b)
      if (const MassProperties of = mass_properties(b); of.mass > 0)
        largest = std::max(largest, std::sqrt(of.inertia.trace() / of.mass));
    if (!(extent > std::max(1e-3 * largest, 1e-12 * points.norm()))) extent = largest;
  }
  extent_ = extent > 0 ? extent : 1.0;
  dof_scale_.setOnes(nv());
  for (int b = 0; b < bodies(); ++b) body_items_[b].batch->scale(body_items_[b].index, extent_, dof_scale_);

  KktMatrix kkt(structure_);
  tangent(state, {.m = 1}, w, kkt);
  const BlockMatrix& A = kkt.matrix;
  const VectorX mass = A.diagonal();
  const int n = nv();
  row_compliance_.setZero(nc());
  for (int j = 0; j < n; ++j)
    for (int k = A.outer()[j]; k < A.outer()[j + 1]; ++k)
      if (const int row = A.inner()[k] - n; row >= 0)
        row_compliance_[row] += A.values()[k] * A.values()[k] / mass[j];
  const double typical = nc() ? row_compliance_.mean() : 1.0;
  row_compliance_ = row_compliance_.cwiseMax(1e-3 * typical);
}

State System::initial_state(double t) const {
  State state;
  state.t = t;
  state.q.setZero(nq_);
  state.v.setZero(nv());
  state.a.setZero(nv());
  state.lambda.setZero(nc());
  state.memory.setZero(memory_ + own_memory_);
  for (int time = angle_memory - 1; time < memory_; time += angle_memory) state.memory[time] = t;
  for (const Observed& o : observed_) state.memory[o.memory] = o.first;
  for (const auto& batch : body_batches_) batch->initial(state);
  for (std::size_t s = 0; s < switches_.size(); ++s)
    state.memory[memory_ + static_cast<int>(s)] = switches_[s].starts_on;
  if (controls_) controls_->begin(state);
  auto scratch = workspace();
  update(state, *scratch);
  accept(state, *scratch);
  return state;
}

// --- evaluating

namespace {
SystemWorkspace& cast(Workspace& w) { return static_cast<SystemWorkspace&>(w); }
}  // namespace

std::unique_ptr<Workspace> System::workspace() const {
  auto w = std::make_unique<SystemWorkspace>();
  w->frames.allocate(frame_map_);
  for (const auto& [frame, pose] : ground_frames_) w->frames.pose[frame] = pose;
  w->G.assign(rows_buffer_, 0.0);
  w->g.setZero(nc());
  w->acceleration.assign(frame_map_.frames.size(), Vec6::Zero());
  return w;
}

template <class Work>
void System::share(Work&& work) const {
  share_out(team_.get(), work);
}

void System::plus(const VectorX& q, const VectorX& x, VectorX& result) const {
  result.resize(nq_);
  share([&](Share s) {
    for (const auto& batch : body_batches_) batch->plus(q, x, result, s);
  });
}

void System::minus(const VectorX& q1, const VectorX& q0, VectorX& x) const {
  x.resize(nv());
  for (const auto& batch : body_batches_) batch->minus(q1, q0, x);
}

bool System::carry(const VectorX& q, VectorX& x) const {
  bool any = false;
  for (const auto& batch : body_batches_) any |= batch->carry(q, x);
  return any;
}

void System::inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result) const {
  result.resize(nv());
  share([&](Share s) {
    for (const auto& batch : body_batches_) batch->inverse_tangent(x, v, result, s);
  });
}

void System::update_frames(const State& state, Workspace& workspace) const {
  auto& w = cast(workspace);
  for (const auto& [frame, drive] : driven_frames_)
    drive(state.t, w.frames.pose[frame], w.frames.twist[frame], w.acceleration[frame]);
  share([&](Share s) {
    for (const auto& batch : body_batches_) batch->update_frames(state, w.frames, s);
  });
}

void System::update(const State& state, Workspace& workspace) const {
  auto& w = cast(workspace);
  update_frames(state, workspace);
  share([&](Share s) {
    for (const auto& batch : constraint_batches_) batch->evaluate(state, w.frames, w.g, w.G, s);
  });
}

void System::collect_wrenches(const State& state, SystemWorkspace& w) const {
  share([&](Share s) {
    for (auto [f, end] = s.of_loop(static_cast<int>(w.frames.wrench.size())); f < end; ++f)
      w.frames.wrench[f].setZero();
  });
  const auto add_wrenches = [&](Share s) {
    for (const auto& batch : constraint_batches_) batch->add_wrenches(state.lambda, w.G, w.frames, s);
  };
  frames_are_shared_ ? add_wrenches(Share{}) : share(add_wrenches);
  for (const auto& batch : force_batches_) batch->subtract_wrenches(state, w.frames);
}

void System::residual(const State& state, Workspace& workspace, VectorX& r) const {
  auto& w = cast(workspace);
  collect_wrenches(state, w);
  const int n = nv();
  r.resize(n);
  share([&](Share s) {
    const auto [begin, end] = s.of_loop(n);
    r.segment(begin, end - begin).setZero();
  });
  share([&](Share s) {
    for (const auto& batch : body_batches_)
      batch->add_residual(state, gravity_, w.frames, r, s, team_of_body_.get());
  });
}

void System::position_constraints(const State&, Workspace& workspace, VectorX& g) const {
  const VectorX& from = cast(workspace).g;
  g.resize(from.size());
  share([&](Share s) {
    const auto [begin, end] = s.of_loop(static_cast<int>(from.size()));
    g.segment(begin, end - begin) = from.segment(begin, end - begin);
  });
}

void System::velocity_constraints(const State& state, Workspace& workspace, VectorX& g) const {
  auto& w = cast(workspace);
  g.resize(nc());
  share([&](Share s) {
    for (const auto& batch : constraint_batches_) batch->velocity(state, w.frames, w.G, g, s);
  });
}

void System::acceleration_constraints(const State& state, Workspace& workspace, VectorX& g) const {
  auto& w = cast(workspace);
  g.resize(nc());
  for (const auto& [frame, drive] : driven_frames_)
    drive(state.t, w.frames.pose[frame], w.frames.twist[frame], w.acceleration[frame]);
  share([&](Share s) {
    for (const auto& batch : body_batches_) batch->accelerations(state.a, w.frames, w.acceleration, s);
  });
  share([&](Share s) {
    for (const auto& batch : constraint_batches_)
      batch->acceleration(state, w.frames, w.acceleration, w.G, g, s);
  });
}

/// Uses the wrenches that `residual` left for the same state.
void System::tangent(const State& state, const Weights& weights, Workspace& workspace, KktMatrix& kkt) const {
  auto& w = cast(workspace);
  share([&](Share s) { kkt.set_zero(s); });
  if ((weights.k != 0 || weights.d != 0) && !force_batches_.empty())
    for (const auto& batch : body_batches_) batch->update_twist_changes(state, weights, frame_map_, w.frames);
  share([&](Share s) {
    for (const auto& batch : body_batches_) batch->add_tangent(state, gravity_, weights, w.frames, kkt, s);
    for (const auto& batch : constraint_batches_) batch->add_rows(frame_map_, w.frames, w.G, kkt.matrix, s);
  });
  if (weights.k != 0 && weights.geometric)
    for (const auto& batch : constraint_batches_)
      batch->add_tangent(state, weights.k, frame_map_, w.frames, kkt.matrix);
  for (const auto& batch : force_batches_)
    batch->add_tangent(state, weights, frame_map_, w.frames, kkt.matrix);
}

Energy System::energy(const State& state, Workspace& workspace) const {
  return energy(state, std::as_const(cast(workspace)));
}

Energy System::energy(const State& state, const SystemWorkspace& workspace) const {
  Energy sum;
  for (const auto& batch : body_batches_) {
    const Energy e = batch->energy(state, gravity_);
    sum.kinetic += e.kinetic;
    sum.potential += e.potential;
  }
  for (const auto& batch : force_batches_) sum.potential += batch->energy(state, workspace.frames);
  return sum;
}

Power System::power(const State& state, Workspace& workspace) const {
  Power sum;
  for (const auto& batch : body_batches_) sum += batch->power(state);
  for (const auto& batch : force_batches_) sum += batch->power(state, cast(workspace).frames);
  for (const auto& batch : constraint_batches_) sum.supplied += batch->power(state);
  return sum;
}

void System::times_mass(const State& state, Workspace& workspace, const VectorX& u, VectorX& result) const {
  result.setZero(nv());
  for (const auto& batch : body_batches_)
    if (!batch->add_momentum(state.q, u, result)) return Dae::times_mass(state, workspace, u, result);
}

bool System::rigid_motions(const VectorX& q, MatrixX& T) const {
  T.setZero(nv(), 6);
  bool undamped = true;
  for (int k = 0; k < 6; ++k)
    for (const auto& batch : body_batches_)
      undamped &= batch->rigid_motion(q, Vec6::Unit(k), T.col(k).data());
  return undamped;
}

void System::accept(State& state, Workspace& workspace) const {
  for (const auto& batch : constraint_batches_) batch->track(cast(workspace).frames, state);
  for (const auto& batch : force_batches_) batch->track(cast(workspace).frames, state);
  for (std::size_t c = 0; c < observed_.size(); ++c)
    std::visit(
        [&](const auto& coordinate) {
          const auto [A, B] = observed_[c].frames;
          const FrameTable& at = cast(workspace).frames;
          follow(coordinate, at.pose[A], at.pose[B], at.twist[A], at.twist[B], state.t,
                 &state.memory[observed_[c].memory]);
        },
        observed_[c].coordinate);
}

void System::start(State& state, Workspace& workspace) const {
  if (rigid_contacts_) rigid_contacts_->start(state, workspace);
  if (controls_) controls_->start(state, cast(workspace));
}

double System::next_time(const State& state) const {
  return controls_ ? controls_->next_time(state) : Dae::next_time(state);
}

void System::indicate(const State& state, Workspace& workspace, std::span<double> values) const {
  if (controls_) controls_->indicate(state, cast(workspace), values);
}

Jump System::happen(State& state, Workspace& workspace, std::span<const int> reached) const {
  return controls_ ? controls_->happen(state, cast(workspace), reached) : Jump{};
}

// --- looking at it

BodyMotion System::motion(int body, const State& state) const {
  return body_items_[body].batch->motion(body_items_[body].index, state);
}

std::vector<FramePose> System::nodes(int body, const State& state) const {
  std::vector<FramePose> poses;
  body_items_[body].batch->nodes(body_items_[body].index, state, poses);
  return poses;
}

MassProperties System::mass_properties(int body) const {
  return body_items_[body].batch->mass_properties(body_items_[body].index);
}

void System::place(int body, const FramePose& pose, const Vec6& twist, State& state) const {
  body_items_[body].batch->place(body_items_[body].index, pose, twist, state);
}

std::pair<int, int> System::rows_of(int c) const {
  return {constraint_items_[c].at.row, constraint_items_[c].constraints->rows()};
}

int System::constraint_frame(int c, int k) const {
  return constraint_items_[c].constraints->frame(constraint_items_[c].index, k);
}

Vec6 System::reaction(int c, int k, const State& state, const SystemWorkspace& w) const {
  const Item& item = constraint_items_[c];
  const int rows = item.constraints->rows(), frames = item.constraints->frames();
  const Eigen::Map<const MatrixX> G(w.G.data() + item.at.rows_buffer, rows, 6 * frames);
  return -G.middleCols(6 * k, 6).transpose() * state.lambda.segment(item.at.row, rows);
}

Vec6 System::force_wrench(int f, int k, const State& state, const SystemWorkspace& w) const {
  return force_items_[f].forces->wrench(force_items_[f].index, k, state, w.frames);
}

static Diagnostic under(const char* section, const std::string& name, NotFinite found) {
  std::string path = section + ("." + name);
  if (!found.key.empty()) path += "." + found.key;
  return {{}, std::move(path), std::move(found.message)};
}

std::optional<Diagnostic> System::not_finite_drive(double t) const {
  for (const Item& item : constraint_items_)
    if (auto found = item.constraints->not_finite(item.index, t))
      return under("drives", item.name, std::move(*found));
  return {};
}

std::optional<Diagnostic> System::not_finite_force(const State& state, const SystemWorkspace& w,
                                                   bool with_derivatives) const {
  for (const Item& item : force_items_)
    if (auto found = item.forces->not_finite(item.index, state, w.frames, with_derivatives))
      return under("forces", item.name, std::move(*found));
  return {};
}

double System::coordinate(int c, const State& state, const SystemWorkspace& w) const {
  const Observed& o = observed_[c];
  return std::visit(
      [&](const auto& coordinate) {
        return continuous_value(coordinate, w.frames.pose[o.frames[0]], w.frames.pose[o.frames[1]],
                                &state.memory[o.memory], state.t);
      },
      o.coordinate);
}

double System::coordinate_rate(int c, const SystemWorkspace& w) const {
  const Observed& o = observed_[c];
  return std::visit(
      [&](const auto& coordinate) {
        const Vec12 G = coordinate.gradient(w.frames.pose[o.frames[0]], w.frames.pose[o.frames[1]]);
        return G.head<6>().dot(w.frames.twist[o.frames[0]]) + G.tail<6>().dot(w.frames.twist[o.frames[1]]);
      },
      o.coordinate);
}

int System::copy_body(int body, System& to) const {
  const BodyItem& item = body_items_[body];
  return item.batch->copy_body(item.index, item.name, to);
}

int System::copy_frame(int frame, int body_there, System& to) const {
  const FrameLayout& layout = frame_map_.frames[frame];
  if (layout.body >= 0)
    return body_items_[layout.body].batch->copy_frame(frame, layout.oriented, body_there, to);
  const auto is_it = [&](const auto& each) { return each.first == frame; };
  if (const auto driven = std::find_if(driven_frames_.begin(), driven_frames_.end(), is_it);
      driven != driven_frames_.end())
    return to.add_driven_frame(driven->second);
  return to.add_ground_frame(std::find_if(ground_frames_.begin(), ground_frames_.end(), is_it)->second);
}

int System::copy_constraint(int c, std::span<const int> frames, System& to) const {
  const Item& item = constraint_items_[c];
  return item.constraints->copy(item.index, frames, item.name, item.labels, to);
}

int System::copy_force(int f, std::span<const int> frames, System& to) const {
  const Item& item = force_items_[f];
  return item.forces->copy(item.index, frames, item.name, to);
}

std::vector<int> System::frames_of_constraint(int c) const {
  std::vector<int> frames;
  for (int k = 0; k < constraint_items_[c].constraints->frames(); ++k)
    frames.push_back(constraint_frame(c, k));
  return frames;
}

std::vector<int> System::frames_of_force(int f) const {
  const Item& item = force_items_[f];
  std::vector<int> frames;
  for (int k = 0; k < item.forces->frames(item.index); ++k)
    frames.push_back(item.forces->frame(item.index, k));
  return frames;
}

std::pair<int, int> System::angles_of_constraint(int c) const {
  return {constraint_items_[c].at.memory, constraint_items_[c].constraints->memory()};
}

std::pair<int, int> System::angles_of_force(int f) const {
  return {force_items_[f].at.memory, force_items_[f].forces->memory()};
}

std::string System::dof_name(int dof) const {
  const auto after =
      std::find_if(body_items_.begin(), body_items_.end(), [&](const BodyItem& b) { return b.at.v > dof; });
  const BodyItem& body = *std::prev(after);
  return "body '" + body.name + "', " + body.batch->dof_name(body.index, dof - body.at.v);
}

bool System::is_off(int row, const State& state) const {
  if (switches_.empty()) return false;
  const auto after = std::find_if(constraint_items_.begin(), constraint_items_.end(),
                                  [&](const Item& c) { return c.at.row > row; });
  return std::prev(after)->at.is_off(state);
}

std::string System::row_name(int row) const {
  const auto after = std::find_if(constraint_items_.begin(), constraint_items_.end(),
                                  [&](const Item& c) { return c.at.row > row; });
  const Item& item = *std::prev(after);
  const std::size_t local = row - item.at.row;
  return "joint '" + item.name + "', " +
         (local < item.labels.size() ? item.labels[local] : "row " + std::to_string(local));
}

}  // namespace hooke
