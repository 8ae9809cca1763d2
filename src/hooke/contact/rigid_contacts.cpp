#include "hooke/contact/rigid_contacts.h"

#include "hooke/system/chain_rule.h"
#include "hooke/system/system.h"

namespace hooke {
namespace {

enum Slot { key, is_closed, carried, shown = carried + 3, on_curve = shown + 3 };
constexpr double unsettled = 2;  // in is_closed: by a force that is not known

Vec3 vector_at(const double* slot, int entry) { return {slot[entry], slot[entry + 1], slot[entry + 2]}; }

/// Columns: the normal and two tangents.
Mat3 axes_of(const Vec3& normal) {
  Mat3 axes;
  axes.col(0) = normal;
  axes.col(1) = normal.unitOrthogonal();
  axes.col(2) = normal.cross(axes.col(1));
  return axes;
}

Vec6 wrench_of(const Vec3& f, double share, const Vec3& arm) {
  Vec6 w;
  w << share * f, arm.cross(f);
  return w;
}

/// Whether all of a segment is farther away than `reach`: between two places that are looked at it is above the tangents there.
bool is_beyond(const Surface::Feature& of, const Surface& other, double reach,
               std::span<const FramePose> pose) {
  if (of.feature.kind != TouchingFeature::Kind::segment || !other.field || !other.field->is_convex())
    return false;
  const FramePose &A = pose[static_cast<std::size_t>(of.frame)],
                  &B = pose[static_cast<std::size_t>(other.frame)];
  const Vec3 middle = B.R.transpose() * (A.p + A.R * of.feature.centre - B.p),
             axis = B.R.transpose() * (A.R * of.feature.axis);
  double last = 0, last_slope = 0;
  for (const double s : {-1.0, 0.0, 1.0}) {
    const DistanceSample at = other.field->at(middle + s * axis);
    const double here = at.distance - of.feature.radius - reach, slope = at.normal.dot(axis);
    if (here <= 0) return false;
    if (s > -1 && last_slope < 0 && slope > 0) {
      const double to =
          (last - here + slope) / (slope - last_slope);  // from the last one, where tangents meet
      if (last + last_slope * to <= 0) return false;
    }
    last = here, last_slope = slope;
  }
  return true;
}

const FrameTable& frames_in(const Workspace& workspace) {
  return static_cast<const SystemWorkspace&>(workspace).frames;
}

}  // namespace

void RigidContacts::finish() {
  pairs.finish();
  balls_ = pairs.balls();
  // Places that may be closed at once: a surface has neighbours on all sides, at some of its features.
  double places = 0;
  for (const Surface& surface : pairs.surfaces) {
    const auto features = static_cast<double>(surface.features.size());
    places += surface.field ? 8 * std::min(8.0, features) + (surface.has_rims ? 40 : 0) : features;
  }
  slots_ = static_cast<int>(64 + places);
}

struct RigidContacts::Found final : Search {
  SurfacePairs::Balls balls;
};

std::unique_ptr<RigidContactsBase::Search> RigidContacts::search() const {
  auto found = std::make_unique<Found>();
  found->balls = balls_;
  return found;
}

/// For what is looked at now and then; each thread has one, and whoever used it last left memory.
RigidContacts::Found& RigidContacts::scratch() const {
  thread_local Found found;
  found.balls = balls_;
  return found;
}

void RigidContacts::for_each_near(std::span<const FramePose> pose, double wider, double reach, Search& search,
                                  auto&& f) const {
  pairs.for_each_near(pose, wider, reach, static_cast<Found&>(search).balls, f);
}

const double* RigidContacts::slot_of(double key, const State& state) const {
  int low = 0, high = used(state);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (slot(state, middle)[Slot::key] < key)
      low = middle + 1;
    else
      high = middle;
  }
  const bool is_there = low < used(state) && slot(state, low)[Slot::key] == key;
  return is_there && slot(state, low)[is_closed] != 0 ? slot(state, low) : nullptr;
}

void RigidContacts::find(const State& state, const Workspace& workspace, Search& search,
                         std::vector<Touch>& to, double reach) const {
  const FrameTable& table = frames_in(workspace);
  to.clear();
  if (place_.is_off(state)) return;
  const auto add = [&](double key, const SurfacePairs::Place& place, int contact, const ContactGap& at,
                       const double* slot) {
    const Law& c = laws[static_cast<std::size_t>(contact)];
    const Mat3 axes = axes_of(at.normal);
    to.push_back({key, pairs.frames_of(place), at.gap, axes, at.place, c.restitution, c.friction,
                  c.rest_speed, slot != nullptr,
                  slot ? Vec3(axes.transpose() * vector_at(slot, carried)) : zero3, at.on_curve});
  };
  constexpr double touching = 1e-9;  // of the size: places that carry nothing now may do so in the next step
  for_each_near(table.pose, 1 + touching, reach, search, [&](const SurfacePairs::Place& place, int contact) {
    const double key = pairs.key_of(place);
    const double near = std::max(reach, touching * pairs.feature(place).feature.bound());
    const double* slot = slot_of(key, state);
    if (!slot && is_beyond(pairs.feature(place), pairs.other(place), near, table.pose)) return;
    const ContactGap at = slot ? pairs.gap_since(place, vector_at(slot, on_curve), table.pose)
                               : pairs.gap_of(place, table.pose);
    if (slot || at.gap <= near) add(key, place, contact, at, slot);
  });
  std::sort(to.begin(), to.end(), [](const Touch& a, const Touch& b) { return a.key < b.key; });
  const auto found = static_cast<std::ptrdiff_t>(to.size());
  for (int s = 0; s < used(state); ++s) {  // those that are out of each other's reach by now
    const double key = slot(state, s)[Slot::key];
    if (slot(state, s)[is_closed] == 0) continue;
    const auto end = to.begin() + found;
    const auto same =
        std::lower_bound(to.begin(), end, key, [](const Touch& t, double k) { return t.key < k; });
    if (same != end && same->key == key) continue;
    const SurfacePairs::Place place = pairs.place_of(key);
    add(key, place, std::max(0, pairs.contact_between(place)),
        pairs.gap_since(place, vector_at(slot(state, s), on_curve), table.pose), slot(state, s));
  }
  if (static_cast<std::ptrdiff_t>(to.size()) > found)
    std::sort(to.begin(), to.end(), [](const Touch& a, const Touch& b) { return a.key < b.key; });
  merge(to);
}

/// Features of two surfaces that meet at the same place are one: a corner on a corner, an edge on a corner. The one that was
/// closed stays, if it is still a place, with what the other carried.
void RigidContacts::merge(std::vector<Touch>& touches) const {
  constexpr double near = 1e-6, aligned = 0.999;
  const auto is_gone = [](const Touch& touch) { return touch.key < 0; };
  bool any = false;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const SurfacePairs::Place of_a = pairs.place_of(std::max(0.0, touches[i].key));
    const double reach = near * pairs.feature(of_a).feature.bound();
    for (std::size_t j = i + 1; j < touches.size() && !is_gone(touches[i]); ++j) {
      Touch &a = touches[i], &b = touches[j];
      if (is_gone(b)) continue;
      const SurfacePairs::Place of_b = pairs.place_of(b.key);
      if (of_b.first != of_a.first || of_b.second != of_a.second) break;
      if (a.frames[0] == b.frames[0] ? a.frames[1] != b.frames[1] : a.frames[0] != b.frames[1]) continue;
      const double turned = a.frames[0] == b.frames[0] ? 1 : -1;
      if ((a.place - b.place).norm() > reach || turned * a.axes.col(0).dot(b.axes.col(0)) < aligned) continue;
      const auto worth = [](const Touch& t) { return 2 * std::isfinite(t.gap) + t.was_closed; };
      Touch &stays = worth(b) > worth(a) ? b : a, &goes = &stays == &a ? b : a;
      stays.carried += turned * stays.axes.transpose() * goes.axes * goes.carried;
      goes.key = -1;
      any = true;
    }
  }
  if (any) std::erase_if(touches, is_gone);
}

void RigidContacts::start(State& state, const Workspace& workspace) const {
  constexpr double still = 1e-9;
  state.memory.segment(place_.memory, memory()).setZero();
  auto scratch = search();
  std::vector<Touch> all;
  find(state, workspace, *scratch, all);
  std::erase_if(all, [&](const Touch& touch) {
    return touch.gap > still ||
           std::abs(rates(touch, 0, workspace, state.v)[0] + rates(touch, 1, workspace, state.v)[0]) > still;
  });
  const std::vector<Outcome> outcomes(all.size(), Outcome{.is_closed = true});
  remember(all, outcomes, state);
  for (int s = 0; s < used(state); ++s)
    state.memory[place_.memory + 1 + s * slot_size + is_closed] = unsettled;
}

bool RigidContacts::is_unsettled(const State& state) const {
  for (int s = 0; s < used(state); ++s)
    if (slot(state, s)[is_closed] == unsettled) return true;
  return false;
}

double RigidContacts::least_gap(const State& before, const Workspace& workspace, Search& search) const {
  const FrameTable& table = frames_in(workspace);
  double least = std::numeric_limits<double>::infinity();
  if (place_.is_off(before) ||
      std::none_of(laws.begin(), laws.end(), [](const Law& law) { return law.locates; }))
    return least;
  for_each_near(table.pose, 2, 0, search, [&](const SurfacePairs::Place& place, int contact) {
    if (laws[static_cast<std::size_t>(contact)].locates && !slot_of(pairs.key_of(place), before))
      least = std::min(least, pairs.gap_of(place, table.pose).gap);
  });
  return least;
}

double RigidContacts::depth(int contact, std::span<const FramePose> pose) const {
  double depth = 0;
  for_each_near(pose, 1, 0, scratch(), [&](const SurfacePairs::Place& place, int of) {
    if (of == contact) depth = std::max(depth, -pairs.gap_of(place, pose).gap);
  });
  return depth;
}

// --- what they exert

/// f(frame, share, arm) for the frames that carry one side of a place: there, a point moves at the sum of share v + omega x arm.
void RigidContacts::for_each_frame(const SurfacePairs::Place& place, int side, const Vec3& at,
                                   std::span<const FramePose> pose, auto&& f) const {
  if (place.piece < 0 || side == 0) {
    const int frame = pairs.frames_of(place)[static_cast<std::size_t>(side)];
    return f(frame, 1.0, Vec3(at - pose[static_cast<std::size_t>(frame)].p));
  }
  const PiecePlace<2, double> on = pairs.piece_place(place, pose);
  for (const std::size_t end : {0, 1})
    f(pairs.piece_frame(place, static_cast<int>(end)), on.share[end],
      Vec3(on.arm[end] + on.share[end] * (at - on.c)));
}

void RigidContacts::for_each_frame(const Touch& touch, int side, std::span<const FramePose> pose,
                                   auto&& f) const {
  if (pairs.has_pieces()) return for_each_frame(pairs.place_of(touch.key), side, touch.place, pose, f);
  const int frame = touch.frames[static_cast<std::size_t>(side)];
  f(frame, 1.0, Vec3(touch.place - pose[static_cast<std::size_t>(frame)].p));
}

/// f(frame, wrench) for all frames of each force that is `carried` over, or `shown`. It stays where it is along a segment: where two are nearly
/// parallel the place where they meet goes far, or is none, with a motion as small as the last corrections of a step.
void RigidContacts::for_each_force(int kind, const State& state, const FrameTable& table, auto&& f) const {
  if (place_.is_off(state)) return;
  for (int s = 0; s < used(state); ++s) {
    const Vec3 on_A = vector_at(slot(state, s), kind);
    if (on_A.isZero(0)) continue;
    const SurfacePairs::Place place = pairs.place_of(slot(state, s)[Slot::key]);
    const Vec3 at = pairs.held_place(place, vector_at(slot(state, s), on_curve), table.pose);
    for (const int side : {0, 1})
      for_each_frame(place, side, at, table.pose, [&](int frame, double share, const Vec3& arm) {
        f(frame, wrench_of(side == 0 ? on_A : Vec3(-on_A), share, arm));
      });
  }
}

void RigidContacts::subtract_wrenches(const State& state, FrameTable& table) const {
  for_each_force(carried, state, table, [&](int frame, const Vec6& w) { table.wrench[frame] -= w; });
}

void RigidContacts::subtract_shown(const State& state, FrameTable& table) const {
  for_each_force(shown, state, table, [&](int frame, const Vec6& w) { table.wrench[frame] -= w; });
}

/// All that the forces carried over take or give: next to nothing across the surfaces, friction along them.
Power RigidContacts::power(const State& state, const FrameTable& table) const {
  Power sum;
  for_each_force(carried, state, table,
                 [&](int frame, const Vec6& w) { sum.dissipated -= w.dot(table.twist[frame]); });
  return sum;
}

int RigidContacts::copy(int, std::span<const int>, const std::string&, System&) const {
  throw Error(ExitCode::bad_model, "rigid contacts cannot be divided among subsystems yet");
}

Vec3 RigidContacts::rates(const Touch& touch, int side, const Workspace& workspace, const VectorX& u) const {
  const FrameTable& table = frames_in(workspace);
  Vec3 v = zero3;
  for_each_frame(touch, side, table.pose, [&](int frame, double share, const Vec3& arm) {
    const Vec6 twist = frame_acceleration(*map_, table, frame, u) - table.bias[frame];
    v += share * twist.head<3>() + twist.tail<3>().cross(arm);
  });
  return touch.axes.transpose() * (side == 0 ? v : Vec3(-v));
}

void RigidContacts::add_impulse(const Touch& touch, int side, const Workspace& workspace, const Vec3& p,
                                VectorX& r) const {
  const FrameTable& table = frames_in(workspace);
  const Vec3 f = (side == 0 ? 1 : -1) * touch.axes * p;
  for_each_frame(touch, side, table.pose, [&](int frame, double share, const Vec3& arm) {
    add_generalised_force(*map_, table, frame, wrench_of(f, share, arm), r);
  });
}

int RigidContacts::block_of(const Touch& touch, int side) const {
  const auto entries = map_->entries_of(touch.frames[static_cast<std::size_t>(side)]);
  return entries.empty() ? -1 : entries.front().block;
}

void RigidContacts::remember(std::span<const Touch> found, std::span<const Outcome> outcomes,
                             State& state) const {
  double* memory = &state.memory[place_.memory];
  std::fill(memory, memory + impulses(), 0.0);
  int s = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Outcome& outcome = outcomes[k];
    if (!outcome.impulse.isZero(0)) {
      const SurfacePairs::Place place = pairs.place_of(found[k].key);
      Eigen::Map<Vec3> sum{memory + impulses() + 3 * pairs.contact_between(place)};
      sum += (place.side == 0 ? -1 : 1) * found[k].axes * outcome.impulse;
    }
    if (!outcome.is_closed && outcome.shown.isZero(0)) continue;
    if (s == slots_)
      throw Error(ExitCode::step_failed,
                  formatted("at t = {:.6g} s rigid surfaces touch at more than {} places", state.t, slots_));
    double* slot = memory + 1 + slot_size * s++;
    slot[Slot::key] = found[k].key;
    slot[is_closed] = outcome.is_closed;
    Eigen::Map<Vec3>{slot + carried} = found[k].axes * outcome.carried;
    Eigen::Map<Vec3>{slot + shown} = found[k].axes * outcome.shown;
    Eigen::Map<Vec3>{slot + on_curve} = found[k].on_curve;
  }
  memory[0] = s;
}

RigidContactsBase::Sum RigidContacts::sum(int contact, const State& state, const FrameTable& table) const {
  Sum sum{.gap = std::numeric_limits<double>::infinity()};
  Vec3 nearest = zero3, weighted = zero3;
  double weights = 0;
  // All of few, or those near each other.
  const double wider = pairs.surfaces.size() <= 50 ? 1e6 : 2;
  for_each_near(table.pose, wider, 0, scratch(), [&](const SurfacePairs::Place& place, int of) {
    if (of != contact) return;
    const ContactGap at = pairs.gap_of(place, table.pose);
    if (at.gap < sum.gap) sum.gap = at.gap, nearest = at.place;
  });
  for (int s = 0; s < used(state); ++s) {
    const SurfacePairs::Place place = pairs.place_of(slot(state, s)[Slot::key]);
    if (pairs.contact_between(place) != contact) continue;
    const Vec3 f = vector_at(slot(state, s), shown);
    if (f.isZero(0)) continue;
    sum.force += place.side == 0 ? Vec3(-f) : f;
    weighted += f.norm() * pairs.held_place(place, vector_at(slot(state, s), on_curve), table.pose);
    weights += f.norm();
    ++sum.points;
  }
  sum.place = weights > 0 ? Vec3(weighted / weights) : nearest;
  sum.impulse = state.memory.segment<3>(place_.memory + impulses() + 3 * contact);
  return sum;
}

}  // namespace hooke
