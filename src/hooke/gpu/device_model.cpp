#include "hooke/gpu/device_model.h"

#include <algorithm>
#include <stdexcept>

#include "hooke/base/format.h"
#include "hooke/base/timer.h"
#include "hooke/bodies/rigid.h"
#include "hooke/gpu/joint_rows.h"
#include "hooke/gpu/small_world.h"
#include "hooke/integrators/newton_rule.h"

namespace hooke::gpu {
namespace {

/// What they do to each other is a dense matrix, which all blocks factorize in each iteration: with as many as this it takes
/// about as long as a solve of a solid of 36,000 dofs.
constexpr int most_rows = 512;

const CorotationalSolid* solid_of(const System& system, int body) {
  return body_of<CorotationalSolid>(system, body);
}

Graph graph_of(const SolidModel& model) {
  std::vector<std::vector<int>> next(model.nodes());
  for (const auto& [i, j] : model.couplings) next[i].push_back(j), next[j].push_back(i);
  Graph graph;
  for (const auto& of : next) {
    graph.adjacent.insert(graph.adjacent.end(), of.begin(), of.end());
    graph.start.push_back(static_cast<int>(graph.adjacent.size()));
  }
  return graph;
}

void copy(const Mat3& R, double* to) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) to[3 * i + j] = R(i, j);
}

}  // namespace

std::string DeviceModel::refusal(const System& system, const GeneralizedAlphaSettings& settings) {
  if (std::string why = refusal_of_any(system, settings); !why.empty()) return why;
  bool has_solid = false;
  for (int b = 0; b < system.bodies(); ++b) {
    const CorotationalSolid* solid = solid_of(system, b);
    const std::string name = system.body_name(b);
    if (!solid && body_of<RigidBody>(system, b)) continue;
    if (!solid) return formatted("'{}': bodies other than solids and rigid ones", name);
    has_solid = true;
    if (solid->corotation != Corotation::component) return formatted("'{}': a frame for each element", name);
    if (solid->fit != FrameFit::best) return formatted("'{}': a frame of three nodes", name);
    if (!solid->follower_pressures.empty()) return formatted("'{}': pressure that follows the surface", name);
  }
  if (!has_solid) return "a model without a solid";
  std::vector<Row> rows;
  std::vector<Function> drives;
  for (int c = 0; c < system.constraints(); ++c)
    if (!gpu::rows_of(system, c, rows, drives))
      return formatted("'{}': a joint of this type", system.constraint_name(c));
  if (static_cast<int>(rows.size()) > most_rows)
    return formatted("{} equations of joints and ties (at most {})", rows.size(), most_rows);
  for (int f = 0; f < system.forces(); ++f)
    if (!load_of(system, f)) return formatted("'{}': forces other than loads", system.force_name(f));
  return {};
}

DeviceModel::DeviceModel(const System& system, const GeneralizedAlphaSettings& integrator, double h,
                         int blocks, const State& start, const SolveCost& cost)
    : system_(system) {
  const AlphaParameters& p = integrator.parameters;
  settings = step_settings(system, integrator, h);
  settings.noise = round_off(start, system);
  shift_ = p.alpha_m - p.alpha_f;
  const auto workspace = system.workspace();
  system.update(start, *workspace);
  start_ = static_cast<const SystemWorkspace*>(workspace.get());

  const Timer timer;
  for (int b = 0; b < system.bodies(); ++b)
    if (const CorotationalSolid* solid = solid_of(system, b)) {
      add_solid(*solid, b, p, cost);
    } else {
      component_of_body_.push_back(static_cast<int>(rigid_at_.size()));
      rigid_at_.push_back(b);
      const RigidBody& body = *body_of<RigidBody>(system, b);
      bodies.push_back({body.mass, {}, system.dof_scale()[system.place_of(b).v]});
      copy(body.inertia, bodies.back().inertia);
    }
  layout = make_layout(dissections_, blocks);
  plan_seconds = timer.seconds();

  hold_of_frame_.assign(system.frame_map().frames.size(), -1);
  for (int c = 0; c < system.constraints(); ++c) add_rows(c);
  for (int f = 0; f < system.forces(); ++f) add_load(f);
  list_rows();
  touch.assign(component_of.size(), -1);
  next_touch.assign(held_node.size(), -1);
  for (int e = static_cast<int>(held_node.size()) - 1; e >= 0; --e) {
    next_touch[e] = touch[held_node[e]];
    touch[held_node[e]] = e;
  }
  long long response = 0, compliance = 0;
  for (Component& c : components) {
    c.wrench_at = 2 * columns;
    c.response_at = response;
    c.compliance_at = compliance;
    columns += c.columns;
    response += 3LL * c.columns * (c.last - c.first);
    compliance += 1LL * c.columns * c.columns;
  }
  share_out(blocks);
  start_ = nullptr;
}

void DeviceModel::add_solid(const CorotationalSolid& body, int number, const AlphaParameters& p,
                            const SolveCost& cost) {
  component_of_body_.push_back(static_cast<int>(solids_.size()));
  solids_.push_back(&body);
  places_.push_back(system_.place_of(number));
  dissections_.push_back(dissect(graph_of(*body.model), body.model->arms, cost));
  add_component(body, places_.back(), system_.dof_scale()[places_.back().v]);
  add_nodes(body, dissections_.back().order, system_.gravity());
  const double m = (1 - p.alpha_m) / (1 - p.alpha_f), d = p.gamma * settings.h,
               k = p.beta * settings.h * settings.h;
  mass_weight.push_back(m + d * body.mass_damping);
  stiffness_weight.push_back(k + d * body.stiffness_damping);
}

void DeviceModel::add_component(const CorotationalSolid& body, BodyPlace at, double scale) {
  const int first = static_cast<int>(component_of.size()), last = first + body.nodes();
  components.push_back({.first = first,
                        .last = last,
                        .first_block = 0,
                        .last_block = 0,
                        .columns = 0,
                        .wrench_at = 0,
                        .response_at = 0,
                        .compliance_at = 0,
                        .mass_damping = body.mass_damping,
                        .stiffness_damping = body.stiffness_damping,
                        .scale = scale,
                        .consistent = body.consistent});
  for (int node : dissections_.back().order) {
    q_at_.push_back(at.q + 3 * node);
    v_at_.push_back(at.v + 3 * node);
    component_of.push_back(static_cast<int>(components.size()) - 1);
  }
}

void DeviceModel::add_nodes(const CorotationalSolid& body, const std::vector<int>& order,
                            const Vec3& gravity) {
  const SolidModel& model = *body.model;
  const int n = model.nodes(), first = components.back().first;
  std::vector<int>& number = number_.emplace_back(n);
  for (int k = 0; k < n; ++k) number[order[k]] = first + k;
  struct Neighbour {
    int node;
    double mass;
    Mat3 K;
  };
  std::vector<std::vector<int>> pairs(n);  // couplings of each node, and -1 - k the other way round
  for (std::size_t k = 0; k < model.couplings.size(); ++k) {
    pairs[model.couplings[k].first].push_back(static_cast<int>(k));
    pairs[model.couplings[k].second].push_back(-1 - static_cast<int>(k));
  }
  if (neighbours_at.empty()) neighbours_at.push_back(0);
  std::vector<Neighbour> of;
  for (int node : order) {
    of.assign(1, {number[node], model.diagonal_mass[node], model.diagonal_stiffness[node]});
    for (int k : pairs[node])
      if (k >= 0)
        of.push_back(
            {number[model.couplings[k].second], model.coupling_mass[k], model.coupling_stiffness[k]});
      else
        of.push_back({number[model.couplings[-1 - k].first], model.coupling_mass[-1 - k],
                      model.coupling_stiffness[-1 - k].transpose()});
    while (of.size() % 8 != 0) of.push_back({number[node], 0.0, Mat3::Zero()});
    for (std::size_t group = 0; group < of.size(); group += 8) {
      for (std::size_t l = group; l < group + 8; ++l)
        neighbours.push_back(of[l].node), mass.push_back(of[l].mass);
      for (int k = 0; k < 9; ++k)
        for (std::size_t l = group; l < group + 8; ++l) stiffness.push_back(of[l].K(k / 3, k % 3));
    }
    neighbours_at.push_back(static_cast<int>(neighbours.size()) / 8);
    const Vec3 arm = model.arms.col(node);
    X.insert(X.end(), {arm.x(), arm.y(), arm.z(), model.weight[node]});
    Vec3 force = model.share[node] * gravity;
    if (body.load.size() > 0) force += body.load.col(node);
    ext.insert(ext.end(), {force.x(), force.y(), force.z(), 0.0});
  }
}

int DeviceModel::hold_of(int frame) {
  int& known = hold_of_frame_[frame];
  if (known >= 0) return known;
  known = static_cast<int>(holds.size());
  Hold hold{};
  hold.component = hold.body = -1;
  const int b = system_.frame_map().frames[frame].body;
  const auto place = [&](const Mat3& R, const Vec3& s) {
    copy(R, hold.R);
    for (int k = 0; k < 3; ++k) hold.s[k] = s[k];
  };
  if (b < 0) {
    const FramePose& pose = start_->frames.pose[frame];
    hold.kind = Hold::ground;
    place(pose.R, pose.p);
  } else if (body_of<RigidBody>(system_, b)) {
    const auto& local = local_frame<RigidBody>(system_, frame);
    hold.kind = Hold::rigid;
    hold.body = component_of_body_[b];
    place(local.R, local.s);
  } else {
    const auto& local = local_frame<CorotationalSolid>(system_, frame);
    const int c = hold.component = component_of_body_[b];
    hold.count = static_cast<int>(local.nodes.size());
    hold.kind = hold.count == 1 ? Hold::node : Hold::patch;
    hold.first = static_cast<int>(held_node.size());
    hold.column = components[c].columns;
    components[c].columns += hold.kind == Hold::node ? 3 : 6;
    place(local.R, local.s);
    for (int k = 0; k < hold.count; ++k) {
      held_node.push_back(number_[c][local.nodes[k]]);
      held_by.push_back(known);
      for (int d = 0; d < 3; ++d) held_arm.push_back(hold.kind == Hold::node ? 0.0 : local.arms(d, k));
    }
  }
  holds.push_back(hold);
  return known;
}

void DeviceModel::add_rows(int constraint) {
  const std::size_t before = rows.size();
  gpu::rows_of(system_, constraint, rows, drives_);
  int at = system_.rows_of(constraint).first;
  const int A = hold_of(system_.constraint_frame(constraint, 0)),
            B = hold_of(system_.constraint_frame(constraint, 1));
  for (std::size_t r = before; r < rows.size(); ++r) {
    rows[r].hold[0] = A, rows[r].hold[1] = B;
    row_at_.push_back(at++);
  }
}

void DeviceModel::add_load(int force) {
  const PointLoad& load = *load_of(system_, force);
  loads.push_back({hold_of(system_.frames_of_force(force)[0]), load.follower});
  courses_.push_back({load.force, load.torque, load.share});
}

void DeviceModel::list_rows() {
  rows_at.assign(holds.size() + 1, 0);
  for (const Row& row : rows)
    for (int hold : row.hold) ++rows_at[hold + 1];
  for (std::size_t f = 0; f < holds.size(); ++f) rows_at[f + 1] += rows_at[f];
  rows_of.resize(2 * rows.size());
  std::vector<int> next = rows_at;
  for (std::size_t e = 0; e < rows_of.size(); ++e)
    rows_of[next[rows[e / 2].hold[e % 2]]++] = static_cast<int>(e);
}

/// Nodes to blocks: each has those of one component alone, as many as others.
void DeviceModel::share_out(int blocks) {
  if (static_cast<int>(components.size()) > blocks)
    throw std::runtime_error(
        formatted("{} solids for {} of the device's multiprocessors, each of which takes one",
                  components.size(), blocks));
  const double nodes = static_cast<double>(component_of.size());
  int left = blocks;
  for (std::size_t c = 0; c < components.size(); ++c) {
    Component& of = components[c];
    const int others = static_cast<int>(components.size() - c - 1);
    int share = static_cast<int>(std::lround(blocks * (of.last - of.first) / nodes));
    share = others == 0 ? left : std::clamp(share, 1, left - others);
    of.first_block = blocks - left, of.last_block = of.first_block + share;
    left -= share;
    for (int b = 0; b < share; ++b) {
      const long long n = of.last - of.first;
      block_component.push_back(static_cast<int>(c));
      block_first.push_back(of.first + static_cast<int>(n * b / share));
      block_last.push_back(of.first + static_cast<int>(n * (b + 1) / share));
    }
  }
}

StepData DeviceModel::data() const {
  StepData d{};
  d.settings = settings;
  d.nodes = static_cast<int>(component_of.size()), d.components = static_cast<int>(components.size());
  d.columns = columns;
  d.holds = static_cast<int>(holds.size()), d.rows = static_cast<int>(rows.size());
  d.loads = static_cast<int>(loads.size()), d.held = static_cast<int>(held_node.size());
  d.drives = static_cast<int>(drives_.size()), d.blocks = layout.blocks;
  d.bodies = static_cast<int>(bodies.size());
  for (const Component& c : components) d.damped |= c.stiffness_damping != 0;
  for (int k = 0; k < 3; ++k) d.gravity[k] = system_.gravity()[k];
  d.body = bodies.data(), d.rows_at = rows_at.data(), d.rows_of = rows_of.data();
  d.component = components.data(), d.hold = holds.data(), d.row = rows.data(), d.load = loads.data();
  d.held_node = held_node.data(), d.held_by = held_by.data(), d.held_arm = held_arm.data();
  d.touch = touch.data(), d.next_touch = next_touch.data();
  d.neighbours_at = neighbours_at.data(), d.neighbours = neighbours.data();
  d.stiffness = stiffness.data(), d.mass = mass.data(), d.X = X.data(), d.ext = ext.data();
  d.block_component = block_component.data(), d.block_first = block_first.data(),
  d.block_last = block_last.data();
  return d;
}

// --- states

DeviceState DeviceModel::state_of(const State& state) const {
  DeviceState made;
  const int n = system_.nv();
  const double step = state.history[2 * n];
  const auto put = [&](std::vector<double>& to, auto&& value) {
    for (std::size_t i = 0; i < v_at_.size(); ++i)
      for (int k = 0; k < 4; ++k) to.push_back(k < 3 ? value(static_cast<int>(i), k) : 0.0);
  };
  // As AlphaHistory::load has it: moved where the step is another, and before that less by its rate.
  const auto accelerating = [&](int i) {
    return state.history[i] + shift_ * (settings.h - step) * state.history[n + i];
  };
  put(made.q, [&](int i, int k) { return state.q[q_at_[i] + k]; });
  put(made.v, [&](int i, int k) { return state.v[v_at_[i] + k]; });
  put(made.a, [&](int i, int k) { return state.a[v_at_[i] + k]; });
  put(made.a_new, [&](int i, int k) { return accelerating(v_at_[i] + k); });
  put(made.a_old, [&](int i, int k) {
    return accelerating(v_at_[i] + k) - settings.h * state.history[n + v_at_[i] + k];
  });
  for (int row : row_at_) made.lambda.push_back(state.lambda[row]);
  for (std::size_t c = 0; c < solids_.size(); ++c) {
    double R[9];
    copy(solids_[c]->rotation(&state.q[places_[c].q]), R);
    made.R.insert(made.R.end(), R, R + 9);
  }
  const auto put_body = [&](int count, auto&& value) {
    for (int b : rigid_at_)
      for (int k = 0; k < count; ++k) made.bodies.push_back(value(system_.place_of(b), k));
  };
  put_body(7, [&](BodyPlace at, int k) { return state.q[at.q + k]; });
  put_body(6, [&](BodyPlace at, int k) { return state.v[at.v + k]; });
  put_body(6, [&](BodyPlace at, int k) { return state.a[at.v + k]; });
  put_body(6, [&](BodyPlace at, int k) { return accelerating(at.v + k); });
  put_body(6, [&](BodyPlace at, int k) {
    return accelerating(at.v + k) - settings.h * state.history[n + at.v + k];
  });
  return made;
}

void DeviceModel::write(const DeviceState& device, State& state) const {
  const int n = system_.nv();
  state.history.resize(2 * n + 1);
  state.history[2 * n] = settings.h;
  for (std::size_t i = 0; i < v_at_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = 4 * i + k;
      const int dof = v_at_[i] + static_cast<int>(k);
      state.q[q_at_[i] + static_cast<int>(k)] = device.q[at];
      state.v[dof] = device.v[at];
      state.a[dof] = device.a[at];
      state.history[dof] = device.a_new[at];
      state.history[n + dof] = (device.a_new[at] - device.a_old[at]) / settings.h;
    }
  for (std::size_t r = 0; r < row_at_.size(); ++r) state.lambda[row_at_[r]] = device.lambda[r];
  const std::size_t count = rigid_at_.size();
  const double *q = device.bodies.data(), *v = q + 7 * count, *a = v + 6 * count, *a_new = a + 6 * count,
               *a_old = a_new + 6 * count;
  for (std::size_t b = 0; b < count; ++b) {
    const BodyPlace at = system_.place_of(rigid_at_[b]);
    for (std::size_t k = 0; k < 7; ++k) state.q[at.q + static_cast<int>(k)] = q[7 * b + k];
    for (std::size_t k = 6 * b; k < 6 * b + 6; ++k) {
      const int dof = at.v + static_cast<int>(k - 6 * b);
      state.v[dof] = v[k], state.a[dof] = a[k], state.history[dof] = a_new[k];
      state.history[n + dof] = (a_new[k] - a_old[k]) / settings.h;
    }
  }
}

std::vector<double> DeviceModel::courses(double t, int steps) const {
  std::vector<double> all;
  for (int n = 1; n <= steps; ++n) {
    const double at = t + n * settings.h;
    for (const Function& drive : drives_) {
      const auto f = drive(at);
      all.insert(all.end(), {f.value, f.d1});
    }
    for (const Course& load : courses_) {
      const Vec3 f = load.share * load.force(at),
                 m = load.torque ? Vec3(load.share * (*load.torque)(at)) : zero3;
      all.insert(all.end(), {f.x(), f.y(), f.z(), m.x(), m.y(), m.z()});
    }
  }
  return all;
}

// --- Newton's matrix, and what holds do to the undeformed body

void DeviceModel::times_newton_matrix(const std::vector<double>& x, std::vector<double>& y) const {
  y.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < component_of.size(); ++i) {
    const double m = mass_weight[component_of[i]], k = stiffness_weight[component_of[i]];
    double* out = &y[3 * i];
    for (int group = neighbours_at[i]; group < neighbours_at[i + 1]; ++group)
      for (int lane = 0; lane < 8; ++lane) {
        const double* in = &x[3 * static_cast<std::size_t>(neighbours[8 * group + lane])];
        const double *K = &stiffness[72 * static_cast<std::size_t>(group) + lane],
                     M = m * mass[8 * group + lane];
        for (int d = 0; d < 3; ++d)
          out[d] += M * in[d] + k * (K[24 * d] * in[0] + K[24 * d + 8] * in[1] + K[24 * d + 16] * in[2]);
      }
  }
}

namespace {

/// The undeformed patch at rest: see HoldNow.
HoldNow at_rest(const std::vector<double>& arms, const Hold& hold) {
  HoldNow now{};
  double H[9] = {}, skew[3];
  now.best[0] = now.best[4] = now.best[8] = 1;
  for (int k = 0; k < 3; ++k) now.arm[k] = hold.s[k];
  if (hold.kind != Hold::patch) return now;
  for (int e = hold.first; e < hold.first + hold.count; ++e)
    for (int k = 0; k < 9; ++k) H[k] += arms[3 * e + k / 3] * arms[3 * e + k % 3] / hold.count;
  spread_of(H, now.best, now.inverse_A, skew);
  return now;
}

}  // namespace

void DeviceModel::unit_wrench(int number, int component, std::vector<double>& forces) const {
  const Hold& hold = holds[number];
  const HoldNow now = at_rest(held_arm, hold);
  double wrench[6] = {}, moment[3], spread[3], turn[3];
  wrench[component] = 1;
  cross(now.arm, wrench, moment);
  for (int k = 0; k < 3; ++k) moment[k] += wrench[3 + k];
  times(now.inverse_A, moment, spread);
  for (int e = hold.first; e < hold.first + hold.count; ++e) {
    cross(&held_arm[3 * static_cast<std::size_t>(e)], spread, turn);
    for (int k = 0; k < 3; ++k) forces[3 * held_node[e] + k] += (wrench[k] - turn[k]) / hold.count;
  }
}

void DeviceModel::hold_motion(int number, const std::vector<double>& x, double* motion) const {
  std::vector<double> held(3 * held_node.size());
  for (std::size_t k = 0; k < held.size(); ++k)
    held[k] = x[3 * static_cast<std::size_t>(held_node[k / 3]) + k % 3];
  gpu::hold_motion(data(), holds[number], at_rest(held_arm, holds[number]), held.data(), motion);
}

}  // namespace hooke::gpu
