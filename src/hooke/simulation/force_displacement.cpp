#include "hooke/simulation/force_displacement.h"

#include <algorithm>

#include "hooke/base/text.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

[[noreturn]] void refuse(const ModelFile& file, const std::string& path, const std::string& message) {
  throw ModelError({{file.model.locate(path), path, message}});
}

/// A subsystem as a side of the coupling.
struct Role {
  std::string name;
  bool is_displaced = false;
  const SubsystemEntry* entry = nullptr;  ///< none: the rest
};

struct Roles {
  std::vector<Role> roles;
  std::vector<int> subsystem_of;  ///< of each body: number of its role
};

Roles roles_of(const ModelFile& file, const BuiltModel& whole, const std::vector<std::string>& displaced) {
  Roles result;
  result.subsystem_of.assign(whole.bodies.size(), 0);
  std::vector<std::string> names;
  for (const Subsystem& each : subsystems_of(file, whole)) {
    for (const int b : each.bodies) result.subsystem_of[b] = static_cast<int>(names.size());
    Role& role = result.roles.emplace_back(Role{each.name});
    names.push_back(each.name);
    for (const auto& [name, entry] : file.subsystems)
      if (name == each.name) role.entry = &entry;
  }
  for (const std::string& name : displaced) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      refuse(file, "coupling.force-displacement.displaced",
             formatted("no subsystem named '{}'{}", name, suggest(name, names)));
    result.roles[static_cast<std::size_t>(found - names.begin())].is_displaced = true;
  }
  return result;
}

/// All that is displaced in one, all others in one.
Roles merged(const Roles& from) {
  Roles result{{{}, {.is_displaced = true}}, from.subsystem_of};
  for (const Role& role : from.roles) {
    Role& to = result.roles[role.is_displaced];
    to.name += (to.name.empty() ? "" : ", ") + role.name;
    to.entry = role.entry;
  }
  for (int& subsystem : result.subsystem_of) subsystem = from.roles[subsystem].is_displaced;
  return result;
}

std::string path_of_constraint(const BuiltModel& whole, int c) {
  const bool is_drive = std::any_of(whole.joints.begin(), whole.joints.end(), [&](const BuiltJoint& joint) {
    return joint.constraint == c && joint.type == "drive";
  });
  return (is_drive ? "drives." : "joints.") + whole.system->constraint_name(c);
}

std::string path_of_force(const BuiltModel& whole, int f) {
  const bool is_friction =
      std::any_of(whole.forces.begin(), whole.forces.end(),
                  [&](const BuiltForce& force) { return force.force == f && force.type == "friction"; });
  return (is_friction ? "joints." : "forces.") + whole.system->force_name(f);
}

/// Whatever acts between subsystems must have one displaced side. Refuses what has not, and a model with
/// nothing to couple.
void check_cuts(const ModelFile& file, const BuiltModel& whole, const Roles& roles,
                const std::vector<std::string>& displaced) {
  bool is_coupled = false;
  const auto check = [&](const std::vector<int>& frames, auto&& path) {
    const std::vector<int> touched = touched_subsystems(*whole.system, frames, roles.subsystem_of);
    if (touched.size() < 2) return;
    const auto moved = std::count_if(touched.begin(), touched.end(),
                                     [&](int subsystem) { return roles.roles[subsystem].is_displaced; });
    if (moved != 1)
      refuse(file, path(),
             formatted("joins subsystems '{}' and '{}', {} of which is displaced: of those that are held "
                       "together one must be, the others not; or make them one",
                       roles.roles[touched[0]].name, roles.roles[touched[1]].name,
                       moved == 0 ? "none" : "each"));
    is_coupled = true;
  };
  const System& system = *whole.system;
  for (int c = 0; c < system.constraints(); ++c)
    check(system.frames_of_constraint(c), [&] { return path_of_constraint(whole, c); });
  for (int f = 0; f < system.forces(); ++f)
    check(system.frames_of_force(f), [&] { return path_of_force(whole, f); });
  if (!is_coupled)
    refuse(file, "coupling.force-displacement",
           formatted("nothing joins subsystem '{}' to the others: there is nothing to couple",
                     join(displaced, "', '")));
}

CouplingSide make_side(const ModelFile& file, const Role& role, Excerpt excerpt) {
  CouplingSide side;
  side.name = role.name;
  side.excerpt = std::move(excerpt);
  RunSettings run = file.run;
  if (role.entry) {
    if (role.entry->integrator) run.integrator = *role.entry->integrator;
    side.steps = role.entry->steps;
    side.tolerance = role.entry->tolerance;
    run.step /= role.entry->steps;
  }
  side.newton = newton_settings(run);
  side.integrator = make_integrator(*side.excerpt.system, run);
  return side;
}

}  // namespace

std::unique_ptr<ForceDisplacement> make_force_displacement(const ModelFile& file, const BuiltModel& whole,
                                                           const ForceDisplacementSettings& settings,
                                                           bool merge, std::shared_ptr<Team> team) {
  Roles roles = roles_of(file, whole, settings.displaced);
  check_cuts(file, whole, roles, settings.displaced);
  if (merge) roles = merged(roles);
  const System& system = *whole.system;
  const auto scratch = system.workspace();
  system.update(system.initial_state(), *scratch);
  std::vector<std::unique_ptr<ForcedSide>> forced;
  std::vector<std::unique_ptr<DisplacedSide>> displaced;
  for (std::size_t k = 0; k < roles.roles.size(); ++k) {
    const Role& role = roles.roles[k];
    CouplingSide side = make_side(file, role,
                                  extract(system, roles.subsystem_of, static_cast<int>(k),
                                          role.is_displaced ? Boundary::driven_frames : Boundary::loads,
                                          static_cast<const SystemWorkspace&>(*scratch)));
    if (role.is_displaced)
      displaced.push_back(std::make_unique<DisplacedSide>(std::move(side)));
    else
      forced.push_back(std::make_unique<ForcedSide>(std::move(side)));
  }
  return std::make_unique<ForceDisplacement>(system, std::move(forced), std::move(displaced), settings,
                                             std::move(team));
}

std::unique_ptr<ForceDisplacement> make_force_displacement(const ModelFile& file, const BuiltModel& whole,
                                                           std::shared_ptr<Team> team) {
  if (file.run.tolerance)
    refuse(file, "run.tolerance",
           "the macro step of force-displacement coupling is fixed: give the tolerance to a subsystem");
  return make_force_displacement(file, whole, *file.coupling.force_displacement, false, std::move(team));
}

}  // namespace hooke
