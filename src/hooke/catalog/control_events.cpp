// Events and limits of a model.
#include "hooke/catalog/control_builder.h"
#include "hooke/forces/coordinate_force.h"
#include "hooke/joints/lock.h"

namespace hooke {

using Action = Controls::Action;

void ControlBuilder::add_event(const std::string& name, const EventSettings& event) {
  const std::string path = "events." + name;
  Controls::Event made{.name = name, .indicator = time()};
  if (event.when) made.indicator = formula(event.when->text, path + ".when");
  if (event.at) made.at = *event.at;
  made.direction = event.crosses == Crossing::rising ? 1 : event.crosses == Crossing::falling ? -1 : 0;
  made.every = event.count;
  made.repeats = event.repeats;
  for (std::size_t i = 0; i < event.actions.size(); ++i)
    add_actions(event.actions[i], formatted("{}.do[{}]", path, i), made.actions);
  controls_.add(std::move(made));
}

void ControlBuilder::add_actions(const ActionSettings& settings, const std::string& path,
                                 std::vector<Action>& to) {
  const auto switch_all = [&](const std::vector<std::string>& items, Action::Kind kind) {
    for (const std::string& item : items) {
      std::string text = formatted("{} {}", item, kind == Action::Kind::on ? "on" : "off");
      for (const auto& [number, constraint] : switches_of(item, path))
        to.push_back(
            {.kind = kind, .number = number, .constraint = constraint, .text = std::exchange(text, "")});
    }
  };
  std::visit(
      [&]<class T>(const T& action) {
        if constexpr (std::is_same_v<T, StopAction>) {
          to.push_back(
              {.kind = Action::Kind::stop, .text = action.message.empty() ? "stopped" : action.message});
        } else if constexpr (std::is_same_v<T, OutputAction>) {
          if (action.wanted) to.push_back({.kind = Action::Kind::output});
        } else if constexpr (std::is_same_v<T, LockAction>) {
          for (const Action& lock : locks_of(action.joint, path)) to.push_back(lock);
        } else if constexpr (std::is_same_v<T, UnlockAction>) {
          for (Action lock : locks_of(action.joint, path)) {
            lock.kind = Action::Kind::off;
            lock.text = "unlocked " + action.joint;
            to.push_back(lock);
          }
        } else if constexpr (std::is_same_v<T, ReleaseAction>) {
          switch_all(action.items, Action::Kind::off);
        } else if constexpr (std::is_same_v<T, EngageAction>) {
          switch_all(action.items, Action::Kind::on);
        } else {
          const auto found = settable_.find(action.block);
          if (found == settable_.end()) {
            std::vector<std::string> names;
            for (const auto& [name, slot] : settable_) names.push_back(name);
            return builder_.error(
                path, "'{}' cannot be set: it is no parameter, integrator, low-pass or rate limiter{}",
                action.block, suggest(action.block, names));
          }
          const bool is_state = found->second.kind == Network::Kind::state;
          to.push_back({.kind = is_state ? Action::Kind::set_state : Action::Kind::set_held,
                        .number = found->second.number,
                        .value = formula(action.to.text, path + ".to"),
                        .text = formatted("{} set", action.block)});
        }
      },
      settings);
}

/// One row for each coordinate of the joint, off at the start.
const std::vector<Action>& ControlBuilder::locks_of(const std::string& joint, const std::string& path) {
  const auto known = locks_.find(joint);
  if (known != locks_.end()) return known->second;
  std::vector<Action>& made = locks_[joint];
  const BuiltJoint* found = builder_.joint_of(joint);
  if (!found || found->type == "drive") {
    std::vector<std::string> names;
    for (const BuiltJoint& j : builder_.built_.joints) names.push_back(j.name);
    builder_.error(path, "no joint named '{}'{}", joint, suggest(joint, names));
    return made;
  }
  if (found->coordinates.empty())
    builder_.error(path, "joint '{}' ({}) has no coordinate that could be locked", joint, found->type);
  for (const BuiltCoordinate& c : found->coordinates) {
    const FoundCoordinate& along = builder_.coordinates_.at({joint, c.name});
    const int constraint = std::visit(
        [&](const auto& x) {
          return builder_.add_constraint(CoordinateLock<std::decay_t<decltype(x)>>{x}, along.second,
                                         "lock of " + joint);
        },
        along.first);
    const int number = builder_.system().add_switch(System::Switched::constraint, constraint, false);
    made.push_back({.kind = Action::Kind::on,
                    .number = number,
                    .constraint = constraint,
                    .text = made.empty() ? "locked " + joint : "",
                    .unit = c.is_angle ? "N m s" : "N s"});
  }
  return made;
}

/// Of a joint, tie, drive or force; "joint.A" or "force.A" where names are the same.
std::vector<std::pair<int, int>> ControlBuilder::switches_of(const std::string& item,
                                                             const std::string& path) {
  const std::size_t dot = item.find('.');
  const std::string kind = dot == std::string::npos ? "" : item.substr(0, dot),
                    name = item.substr(dot == std::string::npos ? 0 : dot + 1);
  System& system = builder_.system();
  std::vector<std::string> names;
  if (kind != "force")
    for (const BuiltJoint& joint : builder_.built_.joints) {
      names.push_back(joint.name);
      if (joint.name != name) continue;
      std::vector<std::pair<int, int>> all;
      for (int c : joint.pairs.empty() ? std::vector{joint.constraint} : joint.pairs)
        all.emplace_back(system.add_switch(System::Switched::constraint, c, true), c);
      return all;
    }
  if (kind.empty() || kind == "force")
    for (std::size_t f = 0; f < builder_.built_.forces.size(); ++f) {
      const BuiltForce& force = builder_.built_.forces[f];
      names.push_back(force.name);
      if (force.name != name) continue;
      const auto pending = std::find_if(builder_.pending_.begin(), builder_.pending_.end(),
                                        [&](const Builder::PendingForce& p) { return p.number == f; });
      const int number = force.force >= 0
                             ? force.force
                             : system.forces() + static_cast<int>(pending - builder_.pending_.begin());
      return {{system.add_switch(System::Switched::force, number, true), -1}};
    }
  builder_.error(path, "no joint, drive or force named '{}'{}", name, suggest(name, names));
  return {};
}

void ControlBuilder::add_limit(const std::string& name, const LimitSettings& limit) {
  const std::string path = "limits." + name;
  const auto along = builder_.find_coordinate(limit.joint, path + ".joint");
  if (!along) return;
  const double start = builder_.start_value(*along);
  if (limit.restitution) {
    if (limit.low) add_rigid_stop(name, limit, *along, *limit.low, -1);
    if (limit.high) add_rigid_stop(name, limit, *along, *limit.high, 1);
    return;
  }
  if ((limit.low && start < *limit.low) || (limit.high && start > *limit.high))
    builder_.warning(path, "the joint starts at {:.6g}, beyond it: the stop is compressed from the beginning",
                     start);
  // Tension is positive: it acts against a growing coordinate, as the upper stop does.
  const double infinite = std::numeric_limits<double>::infinity();
  const auto stop = [low = limit.low.value_or(-infinite), high = limit.high.value_or(infinite),
                     k = *limit.stiffness, c = limit.damping](const LawInput& in) -> LawSample {
    const bool above = in.x > high, below = in.x < low;
    if (!above && !below) return {};
    const double side = above ? 1 : -1, depth = above ? in.x - high : low - in.x,
                 factor = 1 + c * side * in.v;
    if (factor <= 0) return {};  // it never pulls
    return {side * k * depth * factor, k * factor, k * depth * c};
  };
  std::visit(
      [&](const auto& x) {
        builder_.add_force(CoordinateForce<std::decay_t<decltype(x)>>{x, Law::of(stop)}, along->second, name,
                           "limit");
      },
      along->first);
}

void ControlBuilder::add_rigid_stop(const std::string& name, const LimitSettings& limit,
                                    const FoundCoordinate& along, double place, int side) {
  const int constraint = std::visit(
      [&](const auto& x) {
        return builder_.add_constraint(CoordinateLock<std::decay_t<decltype(x)>>{x}, along.second,
                                       "limit " + name);
      },
      along.first);
  const int number = builder_.system().add_switch(System::Switched::constraint, constraint, false);
  controls_.add(Controls::Stop{name, along.first, along.second, builder_.observe(along), number, constraint,
                               place, side, *limit.restitution, limit.rest});
}

}  // namespace hooke
