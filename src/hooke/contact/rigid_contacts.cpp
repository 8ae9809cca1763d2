#include "hooke/contact/rigid_contacts.h"

#include "hooke/system/chain_rule.h"
#include "hooke/system/system.h"

namespace hooke {
namespace {

// Every third entry of the memory is a time at the start (frames/coordinates.h), and not used here.
Vec3 carried_in(const double* m) { return {m[1], m[3], m[4]}; }
Vec3 shown_in(const double* m) { return {m[6], m[7], m[9]}; }
constexpr double unsettled = 2;  // in m[0]: closed by a force that is not known

/// Columns: the normal and two tangents.
Mat3 axes_of(const Vec3& normal) {
  Mat3 axes;
  axes.col(0) = normal;
  axes.col(1) = normal.unitOrthogonal();
  axes.col(2) = normal.cross(axes.col(1));
  return axes;
}

Vec6 at_frame(const Vec3& f, const Vec3& place, const FramePose& frame) {
  Vec6 w;
  w << f, (place - frame.p).cross(f);
  return w;
}

const FrameTable& frames_in(const Workspace& workspace) {
  return static_cast<const SystemWorkspace&>(workspace).frames;
}

}  // namespace

bool RigidContacts::is_far(int i, const FrameTable& table) const {
  const double reach = items[i].place.feature.bound() + items[i].place.field->bound();
  return (table.pose[items[i].frames[0]].p - table.pose[items[i].frames[1]].p).squaredNorm() > reach * reach;
}

/// f(frame, wrench) for both frames of each force that is carried over.
void RigidContacts::for_each_carried(const State& state, const FrameTable& table, auto&& f) const {
  for (int i = 0; i < count(); ++i) {
    const double* m = memory_of(i, state);
    if (m[0] == 0 || places_[i].is_off(state)) continue;
    const Vec3 on_A = carried_in(m), place = gap_of(i, table).place;
    for (int k = 0; k < 2; ++k) {
      const int frame = items[i].frames[k];
      f(frame, at_frame(k == 0 ? on_A : Vec3(-on_A), place, table.pose[frame]));
    }
  }
}

void RigidContacts::subtract_wrenches(const State& state, FrameTable& table) const {
  for_each_carried(state, table, [&](int frame, const Vec6& w) { table.wrench[frame] -= w; });
}

/// All that the forces carried over take or give: next to nothing across the surfaces, friction along them.
Power RigidContacts::power(const State& state, const FrameTable& table) const {
  Power sum;
  for_each_carried(state, table,
                   [&](int frame, const Vec6& w) { sum.dissipated -= w.dot(table.twist[frame]); });
  return sum;
}

Vec6 RigidContacts::wrench(int i, int k, const State& state, const FrameTable& table) const {
  const double* m = memory_of(i, state);
  const Vec3 f = shown_in(m);
  if (f.isZero(0)) return Vec6::Zero();
  return at_frame(k == 0 ? f : Vec3(-f), gap_of(i, table).place, table.pose[items[i].frames[k]]);
}

int RigidContacts::copy(int, std::span<const int>, const std::string&, System&) const {
  throw Error(ExitCode::bad_model, "rigid contacts cannot be divided among subsystems yet");
}

void RigidContacts::find(const State& state, const Workspace& workspace, std::vector<Touch>& to) const {
  const FrameTable& table = frames_in(workspace);
  to.clear();
  for (int i = 0; i < count(); ++i) {
    const double* m = memory_of(i, state);
    if (places_[i].is_off(state) || (m[0] == 0 && is_far(i, table))) continue;
    const ContactPoint::Gap at = gap_of(i, table);
    constexpr double touching =
        1e-9;  // of the size: places that carry nothing now may do so in the next step
    if (!(at.gap <= touching * items[i].place.feature.bound()) && m[0] == 0) continue;
    const Item& item = items[i];
    const Mat3 axes = axes_of(at.normal);
    to.push_back({i, at.gap, axes, at.place, item.restitution, item.friction, item.rest_speed, m[0] != 0,
                  axes.transpose() * carried_in(m)});
  }
}

void RigidContacts::start(State& state, const Workspace& workspace) const {
  const FrameTable& table = frames_in(workspace);
  constexpr double still = 1e-9;
  for (int i = 0; i < count(); ++i) {
    if (is_far(i, table)) continue;
    const ContactPoint::Gap at = gap_of(i, table);
    if (at.gap > still) continue;
    const Touch touch{.number = i, .axes = axes_of(at.normal), .place = at.place};
    if (std::abs(rates(touch, workspace, state.v)[0]) <= still) state.memory[places_[i].memory] = unsettled;
  }
}

bool RigidContacts::is_unsettled(const State& state) const {
  for (int i = 0; i < count(); ++i)
    if (memory_of(i, state)[0] == unsettled) return true;
  return false;
}

double RigidContacts::least_gap(const State& before, const Workspace& workspace) const {
  const FrameTable& table = frames_in(workspace);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count(); ++i)
    if (items[i].locates && memory_of(i, before)[0] == 0 && !places_[i].is_off(before) && !is_far(i, table))
      least = std::min(least, gap_of(i, table).gap);
  return least;
}

Vec3 RigidContacts::rates(const Touch& touch, const Workspace& workspace, const VectorX& u) const {
  const FrameTable& table = frames_in(workspace);
  Vec3 v = Vec3::Zero();
  for (int k = 0; k < 2; ++k) {
    const int frame = items[touch.number].frames[k];
    const Vec6 twist = frame_acceleration(*map_, table, frame, u) - table.bias[frame];
    const Vec3 there = twist.head<3>() + twist.tail<3>().cross(touch.place - table.pose[frame].p);
    v += k == 0 ? there : Vec3(-there);
  }
  return touch.axes.transpose() * v;
}

void RigidContacts::add_impulse(const Touch& touch, const Workspace& workspace, const Vec3& p,
                                VectorX& r) const {
  const FrameTable& table = frames_in(workspace);
  const Vec3 f = touch.axes * p;
  for (int k = 0; k < 2; ++k) {
    const int frame = items[touch.number].frames[k];
    add_generalised_force(*map_, table, frame,
                          at_frame(k == 0 ? f : Vec3(-f), touch.place, table.pose[frame]), r);
  }
}

void RigidContacts::remember(std::span<const Touch> found, std::span<const Outcome> outcomes,
                             State& state) const {
  for (int i = 0; i < count(); ++i) state.memory.segment(places_[i].memory, size).setZero();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Mat3& axes = found[k].axes;
    double* m = &state.memory[places_[found[k].number].memory];
    m[0] = outcomes[k].is_closed;
    const Vec3 carried = axes * outcomes[k].carried, shown = axes * outcomes[k].shown;
    m[1] = carried.x(), m[3] = carried.y(), m[4] = carried.z();
    m[6] = shown.x(), m[7] = shown.y(), m[9] = shown.z();
  }
}

}  // namespace hooke
