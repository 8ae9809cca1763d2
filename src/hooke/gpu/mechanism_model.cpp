#include "hooke/gpu/mechanism_model.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <stdexcept>

#include "hooke/base/format.h"
#include "hooke/bodies/cosserat_rod.h"
#include "hooke/gpu/joint_rows.h"
#include "hooke/gpu/rod_math.h"

namespace hooke::gpu {
namespace {

/// f(rod, nodes of its elements) where the body is a rod.
template <class F>
bool with_rod(const System& system, int body, F&& f) {
  if (const auto* two = body_of<CosseratRod<2>>(system, body)) return f(*two, 2), true;
  if (const auto* three = body_of<CosseratRod<3>>(system, body)) return f(*three, 3), true;
  return false;
}

void add_matrix_of(const auto& R, std::vector<double>& to) {
  for (int i = 0; i < R.rows(); ++i)
    for (int j = 0; j < R.cols(); ++j) to.push_back(R(i, j));
}
void add_vector(const Vec3& s, std::vector<double>& to) { to.insert(to.end(), {s.x(), s.y(), s.z()}); }

/// A root of the stiffness, L with L L^T; a section may have none against some strains.
Mat6 root_of(const Mat6& stiffness) {
  Mat6 L = Mat6::Zero();
  for (int k = 0; k < 6; ++k) {
    const double d = stiffness(k, k) - L.row(k).head(k).squaredNorm();
    if (!(d > 0)) continue;
    L(k, k) = std::sqrt(d);
    for (int i = k + 1; i < 6; ++i)
      L(i, k) = (stiffness(i, k) - L.row(i).head(k).dot(L.row(k).head(k))) / L(k, k);
  }
  return L;
}

std::string refusal_of_body(const System& system, int b) {
  if (body_of<RigidBody>(system, b)) return {};
  const std::string name = system.body_name(b);
  std::string why;
  if (!with_rod(system, b, [&](const auto& rod, int) {
        if (!rod.section().damping.isZero(0)) why = formatted("'{}': damping of a rod", name);
        if (!rod.section().centre.isZero(0))
          why = formatted("'{}': a rod with its masses beside its line", name);
      }))
    why = formatted("'{}': bodies other than rigid ones and Cosserat rods", name);
  return why;
}

}  // namespace

std::string MechanismModel::refusal(const System& system, const GeneralizedAlphaSettings& settings) {
  if (std::string why = refusal_of_any(system, settings); !why.empty()) return why;
  if (settings.tangent != InertiaTangent::exact) return "run.integrator: a tangent of masses alone";
  if (system.bodies() == 0) return "a model without bodies";
  for (int b = 0; b < system.bodies(); ++b)
    if (std::string why = refusal_of_body(system, b); !why.empty()) return why;
  const auto& frames = system.frame_map().frames;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    std::string why;
    if (frames[f].body >= 0)
      with_rod(system, frames[f].body, [&]<class Rod>(const Rod&, int) {
        if (local_frame<Rod>(system, static_cast<int>(f)).node < 0)
          why = formatted("'{}': a frame between nodes of a rod", system.body_name(frames[f].body));
      });
    if (!why.empty()) return why;
  }
  std::vector<Row> rows;
  std::vector<Function> drives;
  for (int c = 0; c < system.constraints(); ++c) {
    if (!rows_of(system, c, rows, drives))
      return formatted("'{}': a joint of this type", system.constraint_name(c));
    const int A = frames[system.constraint_frame(c, 0)].body, B = frames[system.constraint_frame(c, 1)].body;
    if (A == B) return formatted("'{}': a joint of a body with itself", system.constraint_name(c));
  }
  for (int f = 0; f < system.forces(); ++f)
    if (!load_of(system, f)) return formatted("'{}': forces other than loads", system.force_name(f));
  return {};
}

MechanismModel::MechanismModel(const System& system, const GeneralizedAlphaSettings& integrator, double h) {
  settings_ = step_settings(system, integrator, h);
  shift_ = settings_.alpha_m - settings_.alpha_f;
  columns_ = settings_.stabilised ? 2 : 1;
  add_points(system);
  add_rows(system);
  add_matrix();
}

void MechanismModel::add_points(const System& system) {
  std::vector<std::vector<int>> elements;
  for (int b = 0; b < system.bodies(); ++b) {
    const BodyPlace at = system.place_of(b);
    const int first = static_cast<int>(q_at_.size());
    first_point_.push_back(first);
    int points = 1;
    with_rod(system, b, [&](const auto& rod, int nodes) {
      points = rod.nodes();
      elements.resize(static_cast<std::size_t>(first) + points);
      for (int e = 0; e < rod.elements(); ++e) {
        const int from = first + (nodes - 1) * e;
        for (int n = 0; n < nodes; ++n)
          elements[from + n].push_back(4 * static_cast<int>(elements_.size()) + n);
        elements_.push_back({nodes, from, {}});
      }
    });
    for (int i = 0; i < points; ++i) {
      q_at_.push_back(at.q + 7 * i);
      v_at_.push_back(at.v + 6 * i);
    }
  }
  elements.resize(q_at_.size());
  elements_at_.push_back(0);
  for (const auto& of : elements) {
    elements_of_.insert(elements_of_.end(), of.begin(), of.end());
    elements_at_.push_back(static_cast<int>(elements_of_.size()));
  }
}

int MechanismModel::frame_of(const System& system, int frame) {
  int& known = frame_number_[frame];
  if (known >= 0) return known;
  known = static_cast<int>(frames_.size());
  system_frames_.push_back(frame);
  const int b = system.frame_map().frames[frame].body;
  int point = -1;
  if (b >= 0) {
    point = first_point_[b];
    with_rod(system, b, [&]<class Rod>(const Rod&, int) { point += local_frame<Rod>(system, frame).node; });
  }
  frames_.push_back({point});
  return known;
}

void MechanismModel::add_rows(const System& system) {
  frame_number_.assign(system.frame_map().frames.size(), -1);
  std::vector<Function> drives;
  std::vector<Row> rows;
  for (int c = 0; c < system.constraints(); ++c) {
    const int first = static_cast<int>(rows.size());
    gpu::rows_of(system, c, rows, drives);
    constraint_rows_.push_back({first, static_cast<int>(rows.size()) - first});
    for (std::size_t r = static_cast<std::size_t>(first); r < rows.size(); ++r) {
      for (int side : {0, 1}) rows[r].hold[side] = frame_of(system, system.constraint_frame(c, side));
      rows_.push_back({rows[r], {}, 0, 0});
    }
  }
  drives_ = static_cast<int>(drives.size());
  for (int f = 0; f < system.forces(); ++f)
    loads_.push_back({frame_of(system, system.frames_of_force(f)[0]), load_of(system, f)->follower});

  const auto list = [](int groups, int items, auto&& group_of, std::vector<int>& at, std::vector<int>& of) {
    at.push_back(0);
    for (int g = 0; g < groups; ++g) {
      for (int k = 0; k < items; ++k)
        if (group_of(k) == g) of.push_back(k);
      at.push_back(static_cast<int>(of.size()));
    }
  };
  const int frames = static_cast<int>(frames_.size());
  list(
      static_cast<int>(q_at_.size()), frames, [&](int f) { return frames_[f].point; }, frames_at_,
      frames_of_);
  list(
      frames, static_cast<int>(loads_.size()), [&](int l) { return loads_[l].hold; }, loads_at_, loads_of_);
  list(
      frames, 2 * static_cast<int>(rows_.size()), [&](int k) { return rows_[k / 2].row.hold[k % 2]; },
      rows_at_, rows_of_);
}

/// Newton's matrix: points first, each row of C^-1 G^T after; the joints are what is left.
void MechanismModel::add_matrix() {
  const int points = static_cast<int>(q_at_.size());
  std::vector<int> sizes(q_at_.size(), 6);
  std::vector<std::array<int, 2>> pairs;
  for (const RodElement& e : elements_)
    for (int a = 0; a < e.nodes; ++a)
      for (int b = a + 1; b < e.nodes; ++b) pairs.push_back({e.first + a, e.first + b});
  for (std::size_t c = 0; c < constraint_rows_.size(); ++c) {
    sizes.push_back(constraint_rows_[c][1]);
    for (int hold : rows_[constraint_rows_[c][0]].row.hold)
      if (const int point = frames_[hold].point; point >= 0)
        pairs.push_back({point, points + static_cast<int>(c)});
  }
  const Elimination plan(sizes, points, pairs, columns_);
  for (int i = 0; i < points; ++i) {
    diagonal_.push_back(plan.at(i, i));
    right_side_.push_back(plan.right_side(i));
  }
  for (RodElement& e : elements_)
    for (int a = 0; a < e.nodes; ++a)
      for (int b = 0; b < e.nodes; ++b) e.at[a][b] = plan.at(e.first + a, e.first + b);
  for (std::size_t c = 0; c < constraint_rows_.size(); ++c) {
    const auto [first, count] = constraint_rows_[c];
    const int block = points + static_cast<int>(c);
    for (int k = 0; k < count; ++k) {
      MechanismRow& row = rows_[first + k];
      row.diagonal = plan.at(block, block) + k * (count + 1);
      row.right_side = plan.right_side(block) + k * columns_;
      for (int side : {0, 1}) {
        const int hold = row.row.hold[side], point = frames_[hold].point;
        row.side[side] = {hold, 0, 0, 0};
        if (point >= 0)
          row.side[side] = {hold, plan.at(block, point) + 6 * k, plan.at(point, block) + k, count};
      }
    }
  }
  matrix_ = plan.numbers();
  pivots_ = plan.pivots, scaled_ = plan.rows, updates_ = plan.updates, backs_ = plan.backs;
  products_ = plan.products, levels_ = plan.levels;
}

MechanismPlan MechanismModel::plan() const {
  MechanismPlan p{};
  p.settings = settings_;
  p.points = static_cast<int>(q_at_.size()), p.frames = static_cast<int>(frames_.size());
  p.rows = static_cast<int>(rows_.size()), p.loads = static_cast<int>(loads_.size()), p.drives = drives_;
  p.elements = static_cast<int>(elements_.size()), p.levels = static_cast<int>(levels_.size());
  p.columns = columns_, p.matrix = matrix_;
  for (std::size_t l = 1; l < levels_.size(); ++l)
    p.widest = std::max(p.widest, levels_[l].pivots - levels_[l - 1].pivots);
  p.frame = frames_.data(), p.row = rows_.data(), p.load = loads_.data(), p.element = elements_.data();
  p.frames_at = frames_at_.data(), p.frames_of = frames_of_.data();
  p.elements_at = elements_at_.data(), p.elements_of = elements_of_.data();
  p.loads_at = loads_at_.data(), p.loads_of = loads_of_.data();
  p.rows_at = rows_at_.data(), p.rows_of = rows_of_.data();
  p.diagonal = diagonal_.data(), p.right_side = right_side_.data();
  p.pivot = pivots_.data(), p.scaled = scaled_.data(), p.update = updates_.data(), p.back = backs_.data();
  p.product = products_.data(), p.level = levels_.data();
  return p;
}

// --- numbers of an instance

void MechanismModel::add_numbers(const System& system, std::vector<double>& numbers) const {
  const std::size_t before = numbers.size();
  std::vector<double> of_elements;
  for (int b = 0; b < system.bodies(); ++b) {
    if (const auto* body = body_of<RigidBody>(system, b)) {
      numbers.push_back(body->mass);
      add_matrix_of(body->inertia, numbers);
    }
    with_rod(system, b, [&](const auto& rod, int nodes) {
      const Section& section = rod.section();
      for (int i = 0; i < rod.nodes(); ++i) {
        numbers.push_back(0);  // masses of elements are spread over their nodes
        add_matrix_of(rod.weight(i) * section.inertia, numbers);
      }
      std::vector<double> q;
      for (const FramePose& X : rod.rest()) {
        const Quat turn(X.R);
        q.insert(q.end(), {X.p.x(), X.p.y(), X.p.z(), turn.w(), turn.x(), turn.y(), turn.z()});
      }
      for (int e = 0; e < rod.elements(); ++e) {
        // Strains at rest are measured as those of every step are, from nought and in units of 1.
        std::vector<double> element{rod.element_length(), section.mass}, gradient(36), rest(12);
        add_matrix_of(Mat6(Mat6::Identity() / std::sqrt((nodes == 2 ? 1.0 : 0.5) * rod.element_length())),
                      element);
        element.resize(MechanismPlan::of_element);
        for (int g = 0; g < nodes - 1; ++g)
          section_gradient(element.data(), nodes, &q[7 * static_cast<std::size_t>((nodes - 1) * e)], g, 0,
                           gradient.data(), &rest[6 * static_cast<std::size_t>(g)]);
        element.resize(2);
        add_matrix_of(root_of(section.stiffness), element);
        element.insert(element.end(), rest.begin(), rest.end());
        of_elements.insert(of_elements.end(), element.begin(), element.end());
      }
    });
  }
  const State start = system.initial_state();
  const auto workspace = system.workspace();
  system.update(start, *workspace);
  const auto& poses = static_cast<const SystemWorkspace&>(*workspace).frames.pose;
  for (int frame : system_frames_) {
    if (frame >= static_cast<int>(poses.size())) break;
    const int b = system.frame_map().frames[frame].body;
    const auto add = [&](const Mat3& R, const Vec3& s) {
      add_matrix_of(R, numbers);
      add_vector(s, numbers);
    };
    if (b < 0) add(poses[frame].R, poses[frame].p);
    if (b >= 0 && body_of<RigidBody>(system, b)) {
      const auto& f = local_frame<RigidBody>(system, frame);
      add(f.R, f.s);
    }
    if (b >= 0)
      with_rod(system, b, [&]<class Rod>(const Rod&, int) {
        const auto& f = local_frame<Rod>(system, frame);
        add(f.R, f.s);
      });
  }
  std::vector<Row> rows;
  std::vector<Function> drives;
  for (int c = 0; c < system.constraints(); ++c) gpu::rows_of(system, c, rows, drives);
  for (const Row& row : rows) numbers.push_back(row.length);
  const double m = (1 - settings_.alpha_m) / (1 - settings_.alpha_f);
  for (int r = 0; r < system.nc(); ++r)
    numbers.push_back(settings_.regularisation / m * system.row_compliance()[r]);
  add_vector(system.gravity(), numbers);
  numbers.push_back(system.extent());
  numbers.insert(numbers.end(), of_elements.begin(), of_elements.end());
  bool is_same =
      rows.size() == rows_.size() && numbers.size() - before == static_cast<std::size_t>(plan().numbers());
  for (std::size_t r = 0; is_same && r < rows.size(); ++r)
    is_same = rows[r].kind == rows_[r].row.kind &&
              std::equal(std::begin(rows[r].axis), std::end(rows[r].axis), std::begin(rows_[r].row.axis));
  if (!is_same)
    throw std::runtime_error("instances differ in more than numbers: bodies, joints or loads are others");
}

void MechanismModel::add_courses(const System& system, double t, int steps,
                                 std::vector<double>& courses) const {
  std::vector<Row> rows;
  std::vector<Function> drives;
  for (int c = 0; c < system.constraints(); ++c) gpu::rows_of(system, c, rows, drives);
  for (int n = 1; n <= steps; ++n) {
    const double at = t + n * settings_.h;
    for (const Function& drive : drives) {
      const auto f = drive(at);
      courses.insert(courses.end(), {f.value, f.d1});
    }
    for (int k = 0; k < system.forces(); ++k) {
      const PointLoad& load = *load_of(system, k);
      add_vector(load.share * load.force(at), courses);
      add_vector(load.torque ? Vec3(load.share * (*load.torque)(at)) : zero3, courses);
    }
  }
}

void MechanismModel::add_state(const State& state, std::vector<double>& to) const {
  const int n = static_cast<int>(state.v.size());
  const double step = state.history[2 * n];
  const auto put = [&](auto&& value) {
    for (int at : v_at_)
      for (int k = 0; k < 6; ++k) to.push_back(value(at + k));
  };
  for (int at : q_at_)
    for (int k = 0; k < 7; ++k) to.push_back(state.q[at + k]);
  // As AlphaHistory::load has it: moved where the step is another, and before that less by its rate.
  const auto accelerating = [&](int i) {
    return state.history[i] + shift_ * (settings_.h - step) * state.history[n + i];
  };
  put([&](int i) { return state.v[i]; });
  put([&](int i) { return state.a[i]; });
  put(accelerating);
  put([&](int i) { return accelerating(i) - settings_.h * state.history[n + i]; });
  to.insert(to.end(), state.lambda.begin(), state.lambda.end());
  to.insert(to.end(), {1.0, 0.0, 0.0});
}

void MechanismModel::read(const double* output, State& state) const {
  for (std::size_t i = 0; i < q_at_.size(); ++i)
    for (int k = 0; k < 7; ++k) state.q[q_at_[i] + k] = *output++;
  for (int at : v_at_)
    for (int k = 0; k < 6; ++k) state.v[at + k] = *output++;
}

void MechanismModel::read_state(const double* from, State& state) const {
  const int n = static_cast<int>(state.v.size()), points = static_cast<int>(q_at_.size());
  read(from, state);
  state.history.resize(2 * n + 1);
  state.history[2 * n] = settings_.h;
  const double *a = from + 13 * points, *a_new = a + 6 * points, *a_old = a_new + 6 * points,
               *lambda = a_old + 6 * points;
  for (int i = 0; i < points; ++i)
    for (int k = 0; k < 6; ++k) {
      const int at = 6 * i + k, dof = v_at_[i] + k;
      state.a[dof] = a[at];
      state.history[dof] = a_new[at];
      state.history[n + dof] = (a_new[at] - a_old[at]) / settings_.h;
    }
  std::copy_n(lambda, state.lambda.size(), state.lambda.begin());
}

}  // namespace hooke::gpu
