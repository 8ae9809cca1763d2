#include "hooke/coupling/adapter/piece.h"

#include <map>
#include <set>

namespace hooke {

/// A joint or force that touches the piece.
struct Piece::Item {
  int number;
  bool is_force;
  std::vector<int> frames;
  std::set<int> parts;  ///< that it touches
};

std::vector<Piece::Item> Piece::items_between(const std::vector<int>& part_of, int me) const {
  std::vector<Item> items;
  const auto add = [&](int number, bool is_force, std::vector<int> frames) {
    Item item{number, is_force, std::move(frames), {}};
    for (const int f : item.frames)
      if (const int body = whole.frame_map().frames[f].body; body >= 0) item.parts.insert(part_of[body]);
    if (item.parts.contains(me)) items.push_back(std::move(item));
  };
  for (int c = 0; c < whole.constraints(); ++c) add(c, false, whole.frames_of_constraint(c));
  for (int f = 0; f < whole.forces(); ++f) add(f, true, whole.frames_of_force(f));
  return items;
}

Piece::Neighbour& Piece::neighbour(int part) {
  for (Neighbour& n : neighbours)
    if (n.part == part) return n;
  neighbours.push_back({.part = part, .ghost = std::make_shared<Ghost::Data>()});
  return neighbours.back();
}

Piece::Piece(const System& the_whole, const std::vector<int>& part_of, int me, const SystemWorkspace& at)
    : whole(the_whole), system(std::make_unique<System>()) {
  std::vector<int> here(part_of.size(), -1);
  for (int b = 0; b < whole.bodies(); ++b)
    if (part_of[b] == me) {
      here[b] = whole.copy_body(b, *system);
      bodies.push_back({whole.size_of(b), whole.place_of(b), {}});
    }
  const std::vector<Item> items = items_between(part_of, me);

  // Frames of joints between pieces, known by their number in the whole and by which pieces the joint
  // touches. All pieces meet them in the same order.
  using Key = std::pair<int, std::set<int>>;
  std::map<Key, int> frame_here;
  std::map<int, std::vector<Key>> ghost_keys;
  std::set<std::pair<int, Key>> facing;
  for (const Item& item : items)
    for (const int f : item.frames) {
      const int body = whole.frame_map().frames[f].body;
      const Key key{f, item.parts.size() > 1 ? item.parts : std::set<int>{}};
      if (body < 0 || part_of[body] == me) {
        if (!frame_here.contains(key))
          frame_here[key] = whole.copy_frame(f, body < 0 ? -1 : here[body], *system);
        if (body >= 0)
          for (const int other : key.second)
            if (other != me && facing.emplace(other, key).second) {
              neighbour(other).frames.push_back(frame_here[key]);
              neighbour(other).whole_frames.push_back(f);
              neighbour(other).names.push_back(item.is_force ? whole.force_name(item.number)
                                                             : whole.constraint_name(item.number));
            }
      } else if (Neighbour& n = neighbour(part_of[body]); facing.emplace(me, key).second) {
        ghost_keys[n.part].push_back(key);
        n.ghost_frames.push_back(f);
        n.ghost->start.push_back(at.frames.pose[f]);
      }
    }
  std::sort(neighbours.begin(), neighbours.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.part < b.part; });
  std::vector<int> ghosts;
  for (Neighbour& n : neighbours) {
    const int size = 6 * static_cast<int>(n.ghost_frames.size());
    n.ghost->mass = 1e12 * MatrixX::Identity(size, size);  // until it is told: nothing that would give way
    n.ghost->free = VectorX::Zero(size);
    ghosts.push_back(system->add_body(Ghost{n.ghost}, "neighbour of " + n.names.front()));
    for (std::size_t k = 0; k < n.ghost_frames.size(); ++k)
      frame_here[ghost_keys[n.part][k]] = system->add_frame<Ghost>(
          ghosts.back(), {static_cast<int>(k)}, whole.frame_map().frames[n.ghost_frames[k]].oriented);
  }
  for (const Item& item : items) {
    std::vector<int> frames;
    for (const int f : item.frames)
      frames.push_back(frame_here.at({f, item.parts.size() > 1 ? item.parts : std::set<int>{}}));
    if (!item.is_force && item.parts.size() == 2)
      neighbour(*item.parts.begin() == me ? *item.parts.rbegin() : *item.parts.begin())
          .joints.push_back(static_cast<int>(constraints.size()));
    (item.is_force ? forces : constraints).push_back(item.number);
    item.is_force ? whole.copy_force(item.number, frames, *system)
                  : whole.copy_constraint(item.number, frames, *system);
  }
  system->finish(whole.gravity(), whole.extent());
  for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b].here = system->place_of(static_cast<int>(b));

  own.assign(static_cast<std::size_t>(system->nv()), 1);
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    neighbours[k].at = system->place_of(ghosts[k]);
    std::fill_n(own.begin() + neighbours[k].at.v, neighbours[k].ghost->free.size(), char{0});
  }
  for (const char mine : own) detached.push_back(!mine);
  for (const Item& item : items)
    if (!item.is_force)
      detached.insert(detached.end(), static_cast<std::size_t>(whole.rows_of(item.number).second),
                      item.parts.size() > 1);
}

namespace {
void copy(const VectorX& from, int at, VectorX& to, int there, int size) {
  to.segment(there, size) = from.segment(at, size);
}
}  // namespace

void Piece::load(const State& from, const SystemWorkspace& at, State& state) const {
  state.t = from.t;
  const int n = system->nv(), n_whole = whole.nv();
  state.history.setZero(2 * n + 1);
  state.history[2 * n] = from.history[2 * n_whole];
  for (const auto& [size, place, here] : bodies) {
    copy(from.q, place.q, state.q, here.q, size.q);
    copy(from.v, place.v, state.v, here.v, size.v);
    copy(from.a, place.v, state.a, here.v, size.v);
    copy(from.history, place.v, state.history, here.v, size.v);
    copy(from.history, n_whole + place.v, state.history, n + here.v, size.v);
  }
  for (const Neighbour& neighbour : neighbours)
    for (std::size_t k = 0; k < neighbour.ghost_frames.size(); ++k) {
      const int f = neighbour.ghost_frames[k], i = static_cast<int>(k);
      const RigidRates motion = frame_motion(whole, at, f, from.a);
      RigidBody{}.place(at.frames.pose[f], Vec6::Zero(), &state.q[neighbour.at.q + 7 * i],
                        &state.v[neighbour.at.v + 6 * i]);
      state.v.segment<6>(neighbour.at.v + 6 * i) = motion.v;
      state.a.segment<6>(neighbour.at.v + 6 * i) = motion.a;
    }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto [row, rows] = whole.rows_of(constraints[c]);
    copy(from.lambda, row, state.lambda, system->rows_of(static_cast<int>(c)).first, rows);
    const auto [first, count] = whole.angles_of_constraint(constraints[c]);
    copy(from.angles, first, state.angles, system->angles_of_constraint(static_cast<int>(c)).first, count);
  }
  for (std::size_t f = 0; f < forces.size(); ++f) {
    const auto [first, count] = whole.angles_of_force(forces[f]);
    copy(from.angles, first, state.angles, system->angles_of_force(static_cast<int>(f)).first, count);
  }
}

void Piece::store(const State& state, State& to) const {
  const int n = system->nv(), n_whole = whole.nv();
  for (const auto& [size, place, here] : bodies) {
    copy(state.q, here.q, to.q, place.q, size.q);
    copy(state.v, here.v, to.v, place.v, size.v);
    copy(state.a, here.v, to.a, place.v, size.v);
    copy(state.history, here.v, to.history, place.v, size.v);
    copy(state.history, n + here.v, to.history, n_whole + place.v, size.v);
  }
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto [row, rows] = whole.rows_of(constraints[c]);
    copy(state.lambda, system->rows_of(static_cast<int>(c)).first, to.lambda, row, rows);
  }
}

void Piece::load_dofs(const VectorX& whole_x, VectorX& x) const {
  x.setZero(system->nv());
  for (const auto& [size, place, here] : bodies) copy(whole_x, place.v, x, here.v, size.v);
}

RigidRates frame_motion(const System& system, const SystemWorkspace& at, int frame, const VectorX& a) {
  RigidRates motion{at.frames.twist[frame], frame_acceleration(system.frame_map(), at.frames, frame, a)};
  const Mat3 R_t = at.frames.pose[frame].R.transpose();
  motion.v.tail<3>() = R_t * Vec3(motion.v.tail<3>());
  motion.a.tail<3>() = R_t * Vec3(motion.a.tail<3>());
  return motion;
}

}  // namespace hooke
