#pragma once
// What a results file holds: one list, by which it is written, read and exported. docs/results.md tells it to
// users.
//
// Each row of this list is one data set. Its first dimension is time, the second, if any, the items (bodies,
// joints, ...), the third, if any, the components. A user knows each number in it by a name made of the item's label,
// the quantity and the component: body.slider.position.x, joint.A.angle, energy.total.
#include <array>
#include <string_view>

namespace hooke {

enum class Items { run, step, body, joint, coordinate, force, spring, contact, signal };

/// The group that holds the `labels` of the items; empty for what there is only one of.
constexpr std::string_view group_of(Items items) {
  constexpr std::array<std::string_view, 9> groups{"",       "",        "bodies",   "joints", "coordinates",
                                                   "forces", "springs", "contacts", "signals"};
  return groups[static_cast<std::size_t>(items)];
}

struct ResultsEntry {
  const char* path;  ///< in the file
  Items of;
  const char* quantity;    ///< in the user's name; empty: the label alone
  const char* components;  ///< one letter each; empty: a number
  const char* unit;        ///< empty: one for each item, in `units` of the group
  const char* text;
  bool is_count = false;  ///< a whole number

  int width() const {
    const auto letters = static_cast<int>(std::string_view(components).size());
    return letters ? letters : 1;
  }
};

/// `time` and `step.time` say how many rows are complete: they are written after everything else of a block.
inline constexpr ResultsEntry time_entry{"time", Items::run, "time", "", "s", "output time"};
inline constexpr ResultsEntry step_time_entry{"steps/time", Items::step, "step.time",
                                              "",           "s",         "time at the end of the step"};

inline constexpr std::array results_entries{
    time_entry,
    ResultsEntry{"bodies/position", Items::body, "position", "xyz", "m",
                 "origin of the body's reference frame, world axes"},
    ResultsEntry{"bodies/orientation", Items::body, "orientation", "wxyz", "1",
                 "unit quaternion that turns components in the body's reference frame into world components"},
    ResultsEntry{"bodies/velocity", Items::body, "velocity", "xyz", "m/s",
                 "of the origin of the reference frame, world axes"},
    ResultsEntry{"bodies/angular_velocity", Items::body, "angular_velocity", "xyz", "rad/s", "world axes"},
    ResultsEntry{"bodies/acceleration", Items::body, "acceleration", "xyz", "m/s^2",
                 "of the origin of the reference frame, world axes"},
    ResultsEntry{"bodies/angular_acceleration", Items::body, "angular_acceleration", "xyz", "rad/s^2",
                 "world axes"},
    ResultsEntry{"joints/reaction_force", Items::joint, "force", "xyz", "N",
                 "on the second body, axes of the joint frame on the first body"},
    ResultsEntry{
        "joints/reaction_torque", Items::joint, "torque", "xyz", "N m",
        "on the second body about the origin of its joint frame, axes of the joint frame on the first body"},
    ResultsEntry{"coordinates/value", Items::coordinate, "", "", "",
                 "joint coordinate; angles are counted over full turns"},
    ResultsEntry{"coordinates/rate", Items::coordinate, "rate", "", "", "rate of the joint coordinate"},
    ResultsEntry{"forces/force", Items::force, "force", "xyz", "N",
                 "on the last frame it acts on, world axes"},
    ResultsEntry{"forces/torque", Items::force, "torque", "xyz", "N m",
                 "on the last frame it acts on, about its origin, world axes"},
    ResultsEntry{"springs/length", Items::spring, "length", "", "",
                 "of a spring, or the angle or joint coordinate that a force acts along"},
    ResultsEntry{"springs/rate", Items::spring, "rate", "", "", "rate of that length or angle"},
    ResultsEntry{"springs/tension", Items::spring, "tension", "", "",
                 "force along it; positive: it pulls the ends together"},
    ResultsEntry{"contacts/gap", Items::contact, "gap", "", "m",
                 "least distance of the two surfaces; negative: how deep they are in each other"},
    ResultsEntry{"contacts/force", Items::contact, "force", "xyz", "N", "on the second surface, world axes"},
    ResultsEntry{"contacts/place", Items::contact, "place", "xyz", "m",
                 "where the force acts, or the surfaces are nearest, world axes"},
    ResultsEntry{"contacts/impulse", Items::contact, "impulse", "xyz", "N s",
                 "of that force since the start, blows between outputs included, world axes"},
    ResultsEntry{"contacts/points", Items::contact, "points", "", "1", "number of points that touch", true},
    ResultsEntry{"signals/value", Items::signal, "", "", "", "signal, or output of a control block"},
    ResultsEntry{"energy/kinetic", Items::run, "energy.kinetic", "", "J", "of all bodies"},
    ResultsEntry{"energy/potential", Items::run, "energy.potential", "", "J", "of gravity and all springs"},
    ResultsEntry{"energy/total", Items::run, "energy.total", "", "J", "kinetic and potential"},
    ResultsEntry{"energy/supplied", Items::run, "energy.supplied", "", "J",
                 "by loads and drives since the start"},
    ResultsEntry{"energy/dissipated", Items::run, "energy.dissipated", "", "J",
                 "by dampers and friction since the start"},
    ResultsEntry{"energy/error", Items::run, "energy.error", "", "J",
                 "total - its start - supplied + dissipated: zero in an exact motion"},
    ResultsEntry{"constraints/position", Items::run, "constraints.position", "", "m or rad",
                 "largest violation |g| of a joint"},
    ResultsEntry{"constraints/velocity", Items::run, "constraints.velocity", "", "m/s or rad/s",
                 "largest violation |dg/dt|"},
    ResultsEntry{"constraints/acceleration", Items::run, "constraints.acceleration", "", "m/s^2 or rad/s^2",
                 "largest violation |d2g/dt2|"},
    step_time_entry,
    ResultsEntry{"steps/size", Items::step, "step.size", "", "s", "length of the step"},
    ResultsEntry{"steps/iterations", Items::step, "step.iterations", "", "1",
                 "Newton iterations of the accepted step", true},
    ResultsEntry{"steps/factorizations", Items::step, "step.factorizations", "", "1", "tangents factorized",
                 true},
    ResultsEntry{"steps/rejections", Items::step, "step.rejections", "", "1",
                 "tries that were rejected before", true},
    ResultsEntry{
        "steps/error", Items::step, "step.error", "", "1",
        "estimated local error, as a fraction of the mechanism's size (and in rad); inf: no estimate"},
};

constexpr const ResultsEntry& results_entry(std::string_view path) {
  for (const ResultsEntry& entry : results_entries)
    if (path == entry.path) return entry;
  throw "no such data set";  // reached only at compile time or by a mistake in results.cpp
}

}  // namespace hooke
