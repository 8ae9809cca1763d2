#include "simulation/force_displacement.h"

#include <algorithm>

#include "base/text.h"
#include "simulation/subsystems.h"

namespace hooke {
namespace {

[[noreturn]] void refuse(const ModelFile& file, const std::string& path, const std::string& message) {
  throw ModelError({{file.model.locate(path), path, message}});
}

/// Bodies of the subsystem, and of all others.
struct Bodies {
  std::set<std::string> displaced, forced;
};

Bodies split_bodies(const ModelFile& file, const BuiltModel& whole, const std::string& displaced) {
  const std::vector<Subsystem> subsystems = subsystems_of(file, whole);
  std::vector<std::string> names;
  for (const Subsystem& each : subsystems) names.push_back(each.name);
  const auto found = std::find(names.begin(), names.end(), displaced);
  if (found == names.end())
    refuse(file, "coupling.force-displacement.displaced",
           fmt::format("no subsystem named '{}'{}", displaced, suggest(displaced, names)));
  const Subsystem& chosen = subsystems[static_cast<std::size_t>(found - names.begin())];
  Bodies bodies;
  for (const std::string& body : whole.bodies) bodies.forced.insert(body);
  for (int b : chosen.bodies) {
    const std::string& body = whole.bodies[static_cast<std::size_t>(b)];
    bodies.forced.erase(body);
    bodies.displaced.insert(body);
  }
  return bodies;
}

CouplingSide make_side(const ModelFile& file, BuiltModel built, const std::string& name,
                       const SubsystemEntry* entry) {
  CouplingSide side;
  side.name = name;
  side.system = std::move(built.system);
  for (const BuiltInterface& interface : built.interfaces)
    side.interfaces.push_back({interface.frame, interface.constraint, interface.side});
  RunSettings run = file.run;
  if (entry) {
    if (entry->integrator) run.integrator = *entry->integrator;
    side.steps = entry->steps;
    side.tolerance = entry->tolerance;
    run.step /= entry->steps;
  }
  side.newton = newton_settings(run);
  side.integrator = make_integrator(*side.system, run);
  return side;
}

}  // namespace

CoupledSides make_sides(const ModelFile& file, const BuiltModel& whole, const std::string& displaced) {
  const Bodies bodies = split_bodies(file, whole, displaced);
  CoupledSides sides;
  ModelPart part;
  part.bodies = bodies.displaced;
  const PartItems items(file.model, part);
  for (const JointEntry& joint : file.model.joints)
    if (items.side(joint) == PartItems::Side::both) sides.joints.push_back(joint.name);
  if (sides.joints.empty())
    refuse(
        file, "coupling.force-displacement",
        fmt::format("no joint connects subsystem '{}' to the others: there is nothing to couple", displaced));
  sides.signals = std::make_shared<std::vector<CouplingSignal>>(sides.joints.size());
  const auto signal = [&sides](const std::string& joint) {
    const auto at = std::find(sides.joints.begin(), sides.joints.end(), joint) - sides.joints.begin();
    return std::shared_ptr<CouplingSignal>(sides.signals, &(*sides.signals)[static_cast<std::size_t>(at)]);
  };
  part.drive = [&](const std::string& joint, const FramePose& start) -> FrameDriver {
    auto read = signal(joint);
    read->poses.push(file.run.start, start);
    return [read](double t, FramePose& pose, FrameTwist& twist, Vec6& acceleration) {
      read->motion(t, pose, twist, acceleration);
    };
  };
  BuiltModel driven = build(file.model, part);
  part.bodies = bodies.forced;
  part.drive = nullptr;
  part.load = [&](const std::string& joint) -> std::function<Vec6(double)> {
    return [read = signal(joint)](double t) { return read->wrench(t); };
  };
  BuiltModel loaded = build(file.model, part);

  const SubsystemEntry *entry = nullptr, *other = nullptr;
  std::string others;
  for (const auto& [name, settings] : file.subsystems) {
    (name == displaced ? entry : other) = &settings;
    if (name != displaced) others += (others.empty() ? "" : ", ") + name;
  }
  sides.displaced = make_side(file, std::move(driven), displaced, entry);
  sides.forced = make_side(file, std::move(loaded), others.empty() ? "rest" : others, other);
  return sides;
}

std::unique_ptr<ForceDisplacement> make_force_displacement(const ModelFile& file, const BuiltModel& whole) {
  const ForceDisplacementSettings& settings = *file.coupling.force_displacement;
  if (file.run.tolerance)
    refuse(file, "run.tolerance",
           "the macro step of force-displacement coupling is fixed: give the tolerance to a subsystem");
  CoupledSides sides = make_sides(file, whole, settings.displaced);
  return std::make_unique<ForceDisplacement>(*whole.system, std::move(sides.forced),
                                             std::move(sides.displaced), sides.signals, settings);
}

}  // namespace hooke
