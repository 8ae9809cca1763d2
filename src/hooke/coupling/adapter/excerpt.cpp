#include "hooke/coupling/adapter/excerpt.h"

#include <map>
#include <set>

#include "hooke/forces/driven_load.h"

namespace hooke {

std::vector<int> touched_subsystems(const System& whole, const std::vector<int>& frames,
                                    const std::vector<int>& subsystem_of) {
  std::set<int> touched;
  for (const int f : frames)
    if (const int body = whole.frame_map().frames[f].body; body >= 0) touched.insert(subsystem_of[body]);
  return {touched.begin(), touched.end()};
}

namespace {

/// A joint, drive or force that touches the subsystem.
struct Item {
  int number;
  bool is_force;
  std::vector<int> frames, touched;

  bool is_cut() const { return touched.size() > 1; }
  BoundaryFrame at(int frame) const { return {frame, is_cut() ? touched : std::vector<int>{}}; }
};

class Extraction {
 public:
  Extraction(const System& whole, const std::vector<int>& subsystem_of, int me, Boundary boundary,
             const SystemWorkspace& at)
      : whole_(whole), subsystem_of_(subsystem_of), me_(me), boundary_(boundary), at_(at) {
    result_.whole = &whole;
    result_.system = std::make_unique<System>();
  }

  Excerpt run() {
    copy_bodies();
    find_items();
    for (const Item& item : items_)
      for (const int f : item.frames) add_frame(item, f);
    if (boundary_ == Boundary::ghosts) add_ghosts();
    for (const Item& item : items_)
      if (is_here(item)) copy_item(item);
    if (boundary_ == Boundary::loads) add_loads();
    // What ghosts tell each other is measured in one unit.
    system().finish(whole_.gravity(), boundary_ == Boundary::ghosts ? whole_.extent() : 0);
    find_places();
    return std::move(result_);
  }

 private:
  System& system() { return *result_.system; }
  bool is_here(const Item& item) const { return !item.is_cut() || boundary_ != Boundary::loads; }
  std::string name_of(const Item& item) const {
    return item.is_force ? whole_.force_name(item.number) : whole_.constraint_name(item.number);
  }

  void copy_bodies() {
    body_here_.assign(subsystem_of_.size(), -1);
    for (int b = 0; b < whole_.bodies(); ++b)
      if (subsystem_of_[b] == me_) {
        body_here_[b] = whole_.copy_body(b, system());
        result_.bodies.push_back({whole_.size_of(b), whole_.place_of(b), {}});
      }
  }

  void find_items() {
    const auto add = [&](int number, bool is_force, std::vector<int> frames) {
      std::vector<int> touched = touched_subsystems(whole_, frames, subsystem_of_);
      if (std::find(touched.begin(), touched.end(), me_) != touched.end())
        items_.push_back({number, is_force, std::move(frames), std::move(touched)});
    };
    for (int c = 0; c < whole_.constraints(); ++c) add(c, false, whole_.frames_of_constraint(c));
    for (int f = 0; f < whole_.forces(); ++f) add(f, true, whole_.frames_of_force(f));
  }

  /// All subsystems meet the frames between them in the same order.
  void add_frame(const Item& item, int f) {
    const int body = whole_.frame_map().frames[f].body, owner = body < 0 ? -1 : subsystem_of_[body];
    const BoundaryFrame id = item.at(f);
    if (frame_here_.contains(id) || (owner != me_ && !is_here(item))) return;
    if (owner < 0 || owner == me_) {
      frame_here_[id] = whole_.copy_frame(f, body < 0 ? -1 : body_here_[body], system());
      if (owner == me_ && item.is_cut()) result_.inside.push_back({id, frame_here_[id], name_of(item)});
    } else {
      Excerpt::Outside& made = result_.outside.emplace_back(Excerpt::Outside{id, owner});
      if (boundary_ == Boundary::driven_frames) drive(made);
      frame_here_[id] = made.frame;
    }
  }

  void drive(Excerpt::Outside& frame) {
    const auto course = frame.motion = std::make_shared<FrameCourse>();
    course->held = FrameMotion{at_.frames.pose[frame.id.frame]};
    frame.frame =
        system().add_driven_frame([course](double t, FramePose& pose, FrameTwist& twist, Vec6& acceleration) {
          course->motion(t, pose, twist, acceleration);
        });
  }

  void add_loads() {
    for (Excerpt::Inside& each : result_.inside) {
      const auto course = each.wrench = std::make_shared<WrenchCourse>();
      system().add_force(DrivenLoad{[course](double t) { return course->wrench(t); }}, std::array{each.frame},
                         each.name);
    }
  }

  Excerpt::Neighbour& neighbour(int subsystem) {
    for (Excerpt::Neighbour& n : result_.neighbours)
      if (n.subsystem == subsystem) return n;
    result_.neighbours.push_back({.subsystem = subsystem, .ghost = std::make_shared<Ghost::Data>()});
    return result_.neighbours.back();
  }

  void add_ghosts() {
    for (const Excerpt::Inside& each : result_.inside)
      for (const int other : each.id.between)
        if (other != me_) {
          Excerpt::Neighbour& n = neighbour(other);
          n.frames.push_back(each.frame);
          n.whole_frames.push_back(each.id.frame);
          n.names.push_back(each.name);
        }
    for (const Excerpt::Outside& each : result_.outside) {
      Excerpt::Neighbour& n = neighbour(each.owner);
      n.ghost_frames.push_back(each.id.frame);
      n.ghost->start.push_back(at_.frames.pose[each.id.frame]);
    }
    std::sort(
        result_.neighbours.begin(), result_.neighbours.end(),
        [](const Excerpt::Neighbour& a, const Excerpt::Neighbour& b) { return a.subsystem < b.subsystem; });
    for (Excerpt::Neighbour& n : result_.neighbours) {
      const int size = 6 * static_cast<int>(n.ghost_frames.size());
      n.ghost->mass = 1e12 * MatrixX::Identity(size, size);  // until it is told: nothing that would give way
      n.ghost->free = VectorX::Zero(size);
      const int ghost = system().add_body(Ghost{n.ghost}, "neighbour of " + n.names.front());
      ghosts_.push_back(ghost);
      int k = 0;
      for (Excerpt::Outside& each : result_.outside)
        if (each.owner == n.subsystem)
          frame_here_[each.id] = each.frame =
              system().add_frame<Ghost>(ghost, {k++}, whole_.frame_map().frames[each.id.frame].oriented);
    }
  }

  void copy_item(const Item& item) {
    auto& list = item.is_force ? result_.forces : result_.constraints;
    const int number = static_cast<int>(list.size());
    std::vector<int> frames;
    for (const int f : item.frames) {
      const BoundaryFrame id = item.at(f);
      for (std::size_t k = 0; k < result_.outside.size(); ++k)
        if (result_.outside[k].id == id)
          result_.reaches.push_back(
              {item.is_force, number, static_cast<int>(frames.size()), static_cast<int>(k)});
      frames.push_back(frame_here_.at(id));
    }
    list.push_back(item.number);
    item.is_force ? whole_.copy_force(item.number, frames, system())
                  : whole_.copy_constraint(item.number, frames, system());
    if (boundary_ == Boundary::ghosts && !item.is_force && item.touched.size() == 2)
      neighbour(item.touched[item.touched[0] == me_ ? 1 : 0]).constraints.push_back(number);
  }

  void find_places() {
    for (std::size_t b = 0; b < result_.bodies.size(); ++b)
      result_.bodies[b].here = system().place_of(static_cast<int>(b));
    result_.own.assign(static_cast<std::size_t>(system().nv()), 1);
    for (std::size_t k = 0; k < ghosts_.size(); ++k) {
      Excerpt::Neighbour& n = result_.neighbours[k];
      n.at = system().place_of(ghosts_[k]);
      std::fill_n(result_.own.begin() + n.at.v, n.ghost->free.size(), char{0});
    }
    for (const char mine : result_.own) result_.detached.push_back(!mine);
    for (const Item& item : items_)
      if (!item.is_force && is_here(item))
        result_.detached.insert(result_.detached.end(),
                                static_cast<std::size_t>(whole_.rows_of(item.number).second), item.is_cut());
  }

  const System& whole_;
  const std::vector<int>& subsystem_of_;
  int me_;
  Boundary boundary_;
  const SystemWorkspace& at_;
  Excerpt result_;
  std::vector<int> body_here_, ghosts_;
  std::vector<Item> items_;
  std::map<BoundaryFrame, int> frame_here_;
};

void copy(const VectorX& from, int at, VectorX& to, int there, int size) {
  to.segment(there, size) = from.segment(at, size);
}

}  // namespace

Excerpt extract(const System& whole, const std::vector<int>& subsystem_of, int subsystem, Boundary boundary,
                const SystemWorkspace& at) {
  return Extraction(whole, subsystem_of, subsystem, boundary, at).run();
}

void Excerpt::load(const State& from, State& state) const {
  state.t = from.t;
  for (const auto& [size, place, here] : bodies) {
    copy(from.q, place.q, state.q, here.q, size.q);
    copy(from.v, place.v, state.v, here.v, size.v);
    copy(from.a, place.v, state.a, here.v, size.v);
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto [row, rows] = whole->rows_of(constraints[c]);
    copy(from.lambda, row, state.lambda, system->rows_of(static_cast<int>(c)).first, rows);
    const auto [first, count] = whole->angles_of_constraint(constraints[c]);
    copy(from.memory, first, state.memory, system->angles_of_constraint(static_cast<int>(c)).first, count);
  }
  for (std::size_t f = 0; f < forces.size(); ++f) {
    const auto [first, count] = whole->angles_of_force(forces[f]);
    copy(from.memory, first, state.memory, system->angles_of_force(static_cast<int>(f)).first, count);
  }
}

void Excerpt::store(const State& state, State& to) const {
  for (const auto& [size, place, here] : bodies) {
    copy(state.q, here.q, to.q, place.q, size.q);
    copy(state.v, here.v, to.v, place.v, size.v);
    copy(state.a, here.v, to.a, place.v, size.v);
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto [row, rows] = whole->rows_of(constraints[c]);
    copy(state.lambda, system->rows_of(static_cast<int>(c)).first, to.lambda, row, rows);
  }
}

void Excerpt::store_angles(const State& state, State& to) const {
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto [first, count] = whole->angles_of_constraint(constraints[c]);
    copy(state.memory, system->angles_of_constraint(static_cast<int>(c)).first, to.memory, first, count);
  }
  for (std::size_t f = 0; f < forces.size(); ++f) {
    const auto [first, count] = whole->angles_of_force(forces[f]);
    copy(state.memory, system->angles_of_force(static_cast<int>(f)).first, to.memory, first, count);
  }
}

void Excerpt::load_dofs(const Eigen::Ref<const VectorX>& whole_x, Eigen::Ref<VectorX> x) const {
  for (const auto& [size, place, here] : bodies) x.segment(here.v, size.v) = whole_x.segment(place.v, size.v);
}

void Excerpt::store_dofs(const Eigen::Ref<const VectorX>& x, Eigen::Ref<VectorX> whole_x) const {
  for (const auto& [size, place, here] : bodies) whole_x.segment(place.v, size.v) = x.segment(here.v, size.v);
}

RigidRates frame_motion(const System& system, const SystemWorkspace& at, int frame, const VectorX& a) {
  RigidRates motion{at.frames.twist[frame], frame_acceleration(system.frame_map(), at.frames, frame, a)};
  const Mat3 R_t = at.frames.pose[frame].R.transpose();
  motion.v.tail<3>() = R_t * Vec3(motion.v.tail<3>());
  motion.a.tail<3>() = R_t * Vec3(motion.a.tail<3>());
  return motion;
}

}  // namespace hooke
