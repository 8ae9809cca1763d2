#include "hooke/simulation/force_displacement.h"

#include <algorithm>
#include <map>

#include "hooke/base/text.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

[[noreturn]] void refuse(const Problem& file, const std::string& path, const std::string& message) {
  throw ModelError({{file.model.locate(path), path, message}});
}

/// Bodies that are simulated together.
struct Group {
  std::string name;
  std::set<std::string> bodies;
  bool is_displaced = false;
  const SubsystemSettings* entry = nullptr;  ///< none: the rest
};

std::vector<Group> groups_of(const Problem& file, const BuiltModel& whole,
                             const std::vector<std::string>& displaced) {
  std::vector<Group> groups;
  std::vector<std::string> names;
  for (const Subsystem& each : subsystems_of(file, whole)) {
    Group& group = groups.emplace_back(Group{each.name});
    names.push_back(each.name);
    for (const int b : each.bodies) group.bodies.insert(whole.bodies[static_cast<std::size_t>(b)]);
    for (const auto& [name, entry] : file.subsystems)
      if (name == each.name) group.entry = &entry;
  }
  for (const std::string& name : displaced) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      refuse(file, "coupling.force-displacement.displaced",
             formatted("no subsystem named '{}'{}", name, suggest(name, names)));
    groups[static_cast<std::size_t>(found - names.begin())].is_displaced = true;
  }
  return groups;
}

/// All that is displaced in one, all others in one.
std::vector<Group> merged_groups(const std::vector<Group>& groups) {
  std::vector<Group> result(2);
  result[1].is_displaced = true;
  for (const Group& group : groups) {
    Group& to = result[group.is_displaced];
    to.name += (to.name.empty() ? "" : ", ") + group.name;
    to.bodies.insert(group.bodies.begin(), group.bodies.end());
    to.entry = group.entry;
  }
  return result;
}

/// Joints between groups. Each must have one displaced side.
std::vector<std::string> cut_joints(const Problem& file, const std::vector<Group>& groups) {
  std::vector<std::string> cut;
  for (const JointEntry& joint : file.model.joints) {
    std::vector<const Group*> sides;
    for (const Group& group : groups) {
      ModelPart part;
      part.bodies = group.bodies;
      if (PartItems(file.model, part).side(joint) == PartItems::Side::both) sides.push_back(&group);
    }
    if (sides.size() < 2) continue;
    if (sides[0]->is_displaced == sides[1]->is_displaced)
      refuse(
          file, "joints." + joint.name,
          formatted("joins subsystems '{}' and '{}', {} of which is displaced: of two that a joint holds "
                      "together one must be, the other not; or make them one",
                      sides[0]->name, sides[1]->name, sides[0]->is_displaced ? "each" : "none"));
    cut.push_back(joint.name);
  }
  return cut;
}

/// A group as a side of the coupling; `joints` gets the numbers of those it is cut at.
CouplingSide make_side(const Problem& file, const Group& group, const std::vector<std::string>& cut,
                       std::vector<int>& joints) {
  CouplingSide side;
  side.name = group.name;
  ModelPart part;
  part.bodies = group.bodies;
  std::map<std::string, std::shared_ptr<WrenchCourse>> wrenches;
  std::map<std::string, std::shared_ptr<FrameCourse>> motions;
  if (group.is_displaced)
    part.drive = [&](const std::string& joint, const FramePose& start) -> FrameDriver {
      const auto course = motions[joint] = std::make_shared<FrameCourse>();
      course->held = FrameMotion{start};
      return [course](double t, FramePose& pose, FrameTwist& twist, Vec6& acceleration) {
        course->motion(t, pose, twist, acceleration);
      };
    };
  else
    part.load = [&](const std::string& joint) -> std::function<Vec6(double)> {
      const auto course = wrenches[joint] = std::make_shared<WrenchCourse>();
      return [course](double t) { return course->wrench(t); };
    };
  BuiltModel built = build(file.model, part);
  side.system = std::move(built.system);
  for (const BuiltInterface& interface : built.interfaces) {
    side.interfaces.push_back({interface.frame, interface.constraint, interface.side});
    joints.push_back(static_cast<int>(std::find(cut.begin(), cut.end(), interface.joint) - cut.begin()));
    if (group.is_displaced)
      side.motions.push_back(motions.at(interface.joint));
    else
      side.wrenches.push_back(wrenches.at(interface.joint));
  }
  RunSettings run = file.run;
  if (group.entry) {
    if (group.entry->integrator) run.integrator = *group.entry->integrator;
    side.steps = group.entry->steps;
    side.tolerance = group.entry->tolerance;
    run.step /= group.entry->steps;
  }
  side.newton = newton_settings(run);
  side.integrator = make_integrator(*side.system, run);
  return side;
}

}  // namespace

std::unique_ptr<ForceDisplacement> make_force_displacement(const Problem& file, const BuiltModel& whole,
                                                           const ForceDisplacementSettings& settings,
                                                           bool merged, std::shared_ptr<Team> team) {
  std::vector<Group> groups = groups_of(file, whole, settings.displaced);
  std::vector<std::string> cut = cut_joints(file, groups);
  if (cut.empty())
    refuse(file, "coupling.force-displacement",
           formatted("no joint connects subsystem '{}' to the others: there is nothing to couple",
                       join(settings.displaced, "', '")));
  if (merged) groups = merged_groups(groups);
  std::vector<ForceDisplacement::Cut<ForcedSide>> forced;
  std::vector<ForceDisplacement::Cut<DisplacedSide>> displaced;
  for (const Group& group : groups) {
    std::vector<int> joints;
    CouplingSide side = make_side(file, group, cut, joints);
    if (group.is_displaced)
      displaced.push_back({std::make_unique<DisplacedSide>(std::move(side)), joints});
    else
      forced.push_back({std::make_unique<ForcedSide>(std::move(side)), joints});
  }
  return std::make_unique<ForceDisplacement>(*whole.system, std::move(forced), std::move(displaced), settings,
                                             std::move(team));
}

std::unique_ptr<ForceDisplacement> make_force_displacement(const Problem& file, const BuiltModel& whole,
                                                           std::shared_ptr<Team> team) {
  if (file.run.tolerance)
    refuse(file, "run.tolerance",
           "the macro step of force-displacement coupling is fixed: give the tolerance to a subsystem");
  return make_force_displacement(file, whole, *file.coupling.force_displacement, false, std::move(team));
}

}  // namespace hooke
