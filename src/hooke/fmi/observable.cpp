#include "hooke/fmi/observable.h"

#include <algorithm>
#include <map>
#include <set>

#include "hooke/catalog/force_settings.h"
#include "hooke/control/controls.h"
#include "hooke/io/results/results_layout.h"
#include "hooke/system/chain_rule.h"

namespace hooke {
namespace {

using Of = Observable::Of;
using Read = std::function<void(SeenState&, double*)>;

void put(const auto& vector, double* out) { std::copy(vector.data(), vector.data() + vector.size(), out); }

class Collector {
 public:
  std::vector<Observable> all;

  /// A second item of the same name gets a number, as in results.
  std::string label(const std::string& kind, const std::string& name) {
    std::string label = kind + "." + name;
    for (int number = 2; !used_.insert(label).second; ++number)
      label = formatted("{}.{}_{}", kind, name, number);
    return label;
  }
  /// As the list of results describes it; `unit` where that leaves it to the item.
  void add(const char* path, const std::string& label, Of of, Read read, const std::string& unit = "") {
    const ResultsEntry& entry = results_entry(path);
    const std::string_view quantity = entry.quantity;
    all.push_back({label + (label.empty() || quantity.empty() ? "" : ".") + entry.quantity, entry.components,
                   *entry.unit ? entry.unit : unit, entry.text, of});
    all.back().read = std::move(read);
  }

 private:
  std::set<std::string> used_;
};

void add_body(Collector& to, int b, const std::string& label) {
  const auto motion = [&](const char* path, Of of, auto&& of_motion) {
    to.add(path, label, of, [b, of_motion](SeenState& s, double* out) {
      put(of_motion(s.built.system->motion(b, s.state)), out);
    });
    to.all.back().needs = Observable::Needs::nothing;
  };
  motion("bodies/position", Of::motion, [](const BodyMotion& m) { return m.pose.p; });
  motion("bodies/orientation", Of::motion, [](const BodyMotion& m) {
    const Eigen::Quaterniond q(m.pose.R);
    return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
  });
  motion("bodies/velocity", Of::motion, [](const BodyMotion& m) { return Vec3(m.twist.head<3>()); });
  motion("bodies/angular_velocity", Of::motion, [](const BodyMotion& m) { return Vec3(m.twist.tail<3>()); });
  motion("bodies/acceleration", Of::forces,
         [](const BodyMotion& m) { return Vec3(m.acceleration.head<3>()); });
  motion("bodies/angular_acceleration", Of::forces,
         [](const BodyMotion& m) { return Vec3(m.acceleration.tail<3>()); });
}

using PoseOf = std::function<FramePose(SeenState&)>;

/// Not in results, which have position and orientation.
void add_matrices(Collector& to, const std::string& label, Observable::Needs needs,
                  const std::vector<int>& frames, const PoseOf& pose_of) {
  using RowMajor4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const auto add = [&](const char* quantity, int columns, const char* letters, const char* text, auto&& of) {
    to.all.push_back({.name = label + "." + quantity,
                      .components = letters,
                      .unit = "1",
                      .text = text,
                      .of = Of::motion,
                      .needs = needs,
                      .frames = frames,
                      .columns = columns,
                      .in_results = false,
                      .read = [pose_of, of](SeenState& s, double* out) { put(of(pose_of(s)), out); }});
  };
  add("rotation", 3, "123456789", "its axes, by columns",
      [](const FramePose& pose) -> RowMajor3 { return pose.R; });
  add("pose", 4, "123456789abcdefg", "rotation and position: x = pose x_body, with 1 as fourth coordinate",
      [](const FramePose& pose) {
        RowMajor4 all = RowMajor4::Identity();
        all.topLeftCorner<3, 3>() = pose.R;
        all.topRightCorner<3, 1>() = pose.p;
        return all;
      });
}

/// How a frame moves, on a body of any kind.
void add_frame(Collector& to, int frame, const std::string& label, const FrameMap& map) {
  const auto add = [&](const char* quantity, const char* letters, const char* unit, const char* text, Of of,
                       auto&& read) {
    to.all.push_back(
        {.name = label + "." + quantity,
         .components = letters,
         .unit = unit,
         .text = text,
         .of = of,
         .needs = of == Of::motion ? Observable::Needs::frames : Observable::Needs::everything,
         .frames = {frame},
         .in_results = false,
         .read = [frame, read](SeenState& s, double* out) { put(read(s.workspace.frames, frame, s), out); }});
  };
  const auto acceleration = [](const FrameTable& table, int f, const SeenState& s) {
    return frame_acceleration(s.built.system->frame_map(), table, f, s.state.a);
  };
  add("position", "xyz", "m", "origin of the frame, world axes", Of::motion,
      [](const FrameTable& table, int f, SeenState&) { return table.pose[f].p; });
  add("velocity", "xyz", "m/s", "of its origin, world axes", Of::motion,
      [](const FrameTable& table, int f, SeenState&) { return Vec3(table.twist[f].head<3>()); });
  add("acceleration", "xyz", "m/s^2", "of its origin, world axes", Of::forces,
      [=](const FrameTable& table, int f, SeenState& s) {
        return Vec3(acceleration(table, f, s).head<3>());
      });
  if (!map.frames[static_cast<std::size_t>(frame)].oriented) return;
  add("angular_velocity", "xyz", "rad/s", "world axes", Of::motion,
      [](const FrameTable& table, int f, SeenState&) { return Vec3(table.twist[f].tail<3>()); });
  add("angular_acceleration", "xyz", "rad/s^2", "world axes", Of::forces,
      [=](const FrameTable& table, int f, SeenState& s) {
        return Vec3(acceleration(table, f, s).tail<3>());
      });
  add_matrices(to, label, Observable::Needs::frames, {frame},
               [frame](SeenState& s) { return s.workspace.frames.pose[frame]; });
}

/// Of loads at the origins of bodies and at frames that have a name.
void add_frames(Collector& to, const BuiltModel& built) {
  const FrameMap& map = built.system->frame_map();
  std::map<std::string, int> frames;  // one with axes, where there is one
  for (const BuiltForce& force : built.forces) {
    const AnyForce* settings = built.model->forces.find(force.name);
    const auto* load = settings ? settings->get_if<LoadSettings>() : nullptr;
    if (!load || load->at) continue;
    const auto [known, is_new] = frames.try_emplace(load->on, force.ends[0]);
    if (!is_new && map.frames[static_cast<std::size_t>(force.ends[0])].oriented)
      known->second = force.ends[0];
  }
  for (const auto& [on, frame] : frames) add_frame(to, frame, "frame." + on, map);
}

void add_joint(Collector& to, std::size_t k, const BuiltJoint& joint) {
  const std::string label = to.label(joint.type == "drive" ? "drive" : "joint", joint.name);
  const auto reaction = [&](const char* path, int first) {
    to.add(path, label, Of::forces, [k, first](SeenState& s, double* out) {
      const BuiltJoint& at = s.built.joints[k];
      put(Vec3(joint_reaction(at, *s.built.system, s.state, s.workspace, s.axes).segment<3>(first)), out);
    });
  };
  reaction("joints/reaction_force", 0);
  reaction("joints/reaction_torque", 3);
  const auto needs_two_frames = [&] {
    to.all.back().needs = Observable::Needs::frames;
    to.all.back().frames = {joint.frames[0], joint.frames[1]};
  };
  for (const BuiltCoordinate& c : joint.coordinates) {
    const int number = c.number;
    const std::string unit = c.is_angle ? "rad" : "m";
    to.add(
        "coordinates/value", label + "." + c.name, Of::motion,
        [number](SeenState& s, double* out) {
          *out = s.built.system->coordinate(number, s.state, s.workspace);
        },
        unit);
    needs_two_frames();
    to.add(
        "coordinates/rate", label + "." + c.name, Of::motion,
        [number](SeenState& s, double* out) { *out = s.built.system->coordinate_rate(number, s.workspace); },
        unit + "/s");
    needs_two_frames();
  }
}

void add_forces(Collector& to, const BuiltModel& built) {
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < built.forces.size(); ++k) {
    const BuiltForce& force = built.forces[k];
    labels.push_back(to.label(force.type == "friction" ? "friction" : "force", force.name));
    const auto wrench = [&](const char* path, int first) {
      to.add(path, labels.back(), Of::forces, [k, first](SeenState& s, double* out) {
        const BuiltForce& f = s.built.forces[k];
        put(Vec3(s.built.system->force_wrench(f.force, f.frames - 1, s.state, s.workspace).segment<3>(first)),
            out);
      });
    };
    wrench("forces/force", 0);
    wrench("forces/torque", 3);
  }
  for (std::size_t k = 0; k < built.springs.size(); ++k) {
    const BuiltSpring& spring = built.springs[k];
    const std::string& label = labels[static_cast<std::size_t>(spring.force)];
    const bool is_angle = spring.is_angle();
    const auto add = [&](const char* path, Of of, double Record::Spring::*part, const char* unit) {
      to.add(
          path, label, of, [k, part](SeenState& s, double* out) { *out = s.record().springs[k].*part; },
          unit);
    };
    add("springs/length", Of::motion, &Record::Spring::length, is_angle ? "rad" : "m");
    add("springs/rate", Of::motion, &Record::Spring::rate, is_angle ? "rad/s" : "m/s");
    add("springs/tension", Of::forces, &Record::Spring::tension, is_angle ? "N m" : "N");
  }
}

void add_contact(Collector& to, std::size_t k, const std::string& name) {
  const std::string label = to.label("contact", name);
  const auto add = [&](const char* path, Of of, auto&& read) {
    to.add(path, label, of, [k, read](SeenState& s, double* out) { read(s.record().contacts[k], out); });
  };
  add("contacts/gap", Of::motion, [](const Record::Contact& c, double* out) { *out = c.gap; });
  add("contacts/force", Of::forces, [](const Record::Contact& c, double* out) { put(c.force, out); });
  add("contacts/place", Of::forces, [](const Record::Contact& c, double* out) { put(c.place, out); });
  add("contacts/impulse", Of::forces, [](const Record::Contact& c, double* out) { put(c.impulse, out); });
  add("contacts/points", Of::motion, [](const Record::Contact& c, double* out) { *out = c.points; });
}

void add_totals(Collector& to) {
  const auto energy = [&](const char* path, auto&& of_energy) {
    to.add(path, "", Of::motion, [of_energy](SeenState& s, double* out) {
      *out = of_energy(s.built.system->energy(s.state, std::as_const(s.workspace)));
    });
  };
  energy("energy/kinetic", [](const Energy& e) { return e.kinetic; });
  energy("energy/potential", [](const Energy& e) { return e.potential; });
  energy("energy/total", [](const Energy& e) { return e.kinetic + e.potential; });
  const auto violation = [&](const char* path, Of of, double Record::*part) {
    to.add(path, "", of, [part](SeenState& s, double* out) { *out = s.record().*part; });
  };
  violation("constraints/position", Of::motion, &Record::position_violation);
  violation("constraints/velocity", Of::motion, &Record::velocity_violation);
  violation("constraints/acceleration", Of::forces, &Record::acceleration_violation);
}

}  // namespace

const std::vector<double>& SeenState::signals() {
  if (signals_.empty() && !built.signals.empty()) {
    signals_.resize(built.signals.size());
    built.system->controls()->read(state, workspace, signals_);
  }
  return signals_;
}

std::vector<Observable> observables_of(const BuiltModel& built) {
  Collector to;
  std::vector<std::string> bodies;
  for (const std::string& body : built.bodies) bodies.push_back(to.label("body", body));
  for (std::size_t b = 0; b < bodies.size(); ++b) add_body(to, static_cast<int>(b), bodies[b]);
  for (std::size_t k = 0; k < built.joints.size(); ++k) add_joint(to, k, built.joints[k]);
  add_forces(to, built);
  for (std::size_t k = 0; k < built.contacts.size(); ++k) add_contact(to, k, built.contacts[k].name);
  for (std::size_t k = 0; k < built.signals.size(); ++k) {
    const BuiltSignal& signal = built.signals[k];
    to.add(
        "signals/value", to.label("signal", signal.name), Of::signal,
        [k](SeenState& s, double* out) { *out = s.signals()[k]; }, signal.unit.empty() ? "1" : signal.unit);
    to.all.back().signal = static_cast<int>(k);
  }
  add_totals(to);
  for (std::size_t b = 0; b < bodies.size(); ++b)
    add_matrices(to, bodies[b], Observable::Needs::nothing, {},
                 [b](SeenState& s) { return s.built.system->motion(static_cast<int>(b), s.state).pose; });
  add_frames(to, built);
  return std::move(to.all);
}

std::vector<std::string> direct_inputs(const Observable& quantity, const System& system,
                                       const std::vector<std::string>& inputs) {
  if (quantity.of == Observable::Of::motion) return {};
  const auto* controls = dynamic_cast<const Controls*>(system.controls());
  if (quantity.of == Observable::Of::forces || !controls) return inputs;
  const Network& network = controls->network;
  const auto held = [&](const std::string& name) {
    for (const Controls::Published& p : controls->published())
      if (p.name == name) return network.used(p.slot, Network::Kind::held);
    return std::vector<int>();
  };
  const Network::Slot slot = controls->published()[static_cast<std::size_t>(quantity.signal)].slot;
  if (!network.used(slot, Network::Kind::solved).empty()) return inputs;
  std::vector<std::string> all;
  for (const std::string& input : inputs)
    for (const int number : held(input))
      if (const auto used = network.used(slot, Network::Kind::held);
          std::count(used.begin(), used.end(), number) > 0)
        all.push_back(input);
  return all;
}

}  // namespace hooke
