#include "hooke/simulation/force_displacement.h"

#include <algorithm>

#include "hooke/base/text.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

[[noreturn]] void refuse(const Problem& file, const std::string& path, const std::string& message) {
  throw ModelError({{file.model.locate(path), path, message}});
}

/// A subsystem as a side of the coupling.
struct Role {
  std::string name;
  bool is_displaced = false;
  const SubsystemSettings* entry = nullptr;  ///< none: the rest
};

struct Roles {
  std::vector<Role> roles;
  std::vector<int> subsystem_of;  ///< of each body: number of its role
};

Roles roles_of(const Problem& file, const BuiltModel& whole, const std::vector<std::string>& displaced) {
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
  const std::string name = whole.system->force_name(f);
  if (constexpr std::string_view contact = "contact "; name.starts_with(contact))
    return "contacts." + name.substr(contact.size());
  return (is_friction ? "joints." : "forces.") + name;
}

/// Whatever acts between subsystems must have one displaced side. Refuses what has not, and a model with
/// nothing to couple.
void check_cuts(const Problem& file, const BuiltModel& whole, const Roles& roles) {
  const bool is_multirate =
      !file.coupling.force_displacement && file.coupling.scheme == CouplingScheme::multirate;
  bool is_coupled = false;
  std::vector<std::string> displaced;
  for (const Role& role : roles.roles)
    if (role.is_displaced) displaced.push_back(role.name);
  const auto check = [&](const std::vector<int>& frames, auto&& path) {
    const std::vector<int> touched = touched_subsystems(*whole.system, frames, roles.subsystem_of);
    if (touched.size() < 2) return;
    const auto moved = std::count_if(touched.begin(), touched.end(),
                                     [&](int subsystem) { return roles.roles[subsystem].is_displaced; });
    if (moved != 1)
      refuse(
          file, path(),
          formatted("joins subsystems '{}' and '{}', {} of which {}: of those that are held "
                    "together one must{}, the others not; or make them one",
                    roles.roles[touched[0]].name, roles.roles[touched[1]].name, moved == 0 ? "none" : "each",
                    is_multirate ? "takes several steps in a macro step" : "is displaced",
                    is_multirate ? "" : " be"));
    is_coupled = true;
  };
  const System& system = *whole.system;
  for (int c = 0; c < system.constraints(); ++c)
    check(system.frames_of_constraint(c), [&] { return path_of_constraint(whole, c); });
  for (int f = 0; f < system.forces(); ++f)
    check(system.frames_of_force(f), [&] { return path_of_force(whole, f); });
  if (!is_coupled)
    refuse(file, is_multirate ? "coupling" : "coupling.force-displacement",
           formatted("nothing joins subsystem '{}' to the others: there is nothing to couple",
                     join(displaced, "', '")));
}

CouplingSide make_side(const Problem& file, const Role& role, Excerpt excerpt) {
  CouplingSide side;
  side.name = role.name;
  side.excerpt = std::move(excerpt);
  RunSettings run = file.run;
  if (role.entry) {
    if (role.entry->integrator) run.integrator = *role.entry->integrator;
    side.steps = role.entry->steps_in(file.run.step);
    side.tolerance = role.entry->tolerance;
    run.step /= side.steps;
  }
  side.newton = newton_settings(run);
  side.integrator = make_integrator(*side.excerpt.system, run);
  return side;
}

/// Each subsystem cut out, the displaced ones with frames that move as they are told, the others with loads.
void make_sides(const Problem& file, const System& system, const Roles& roles, auto&& take) {
  const auto scratch = system.workspace();
  system.update(system.initial_state(), *scratch);
  for (std::size_t k = 0; k < roles.roles.size(); ++k) {
    const Role& role = roles.roles[k];
    take(role, make_side(file, role,
                         extract(system, roles.subsystem_of, static_cast<int>(k),
                                 role.is_displaced ? Boundary::driven_frames : Boundary::loads,
                                 static_cast<const SystemWorkspace&>(*scratch))));
  }
}

/// Subsystems with more than one step in a macro step; if there is none, all but the first.
std::vector<std::string> fine_ones(const Problem& file, const BuiltModel& whole) {
  const std::vector<Subsystem> all = subsystems_of(file, whole);
  const auto is_fine = [](const Subsystem& each) { return each.steps > 1; };
  const bool are_alike = std::none_of(all.begin(), all.end(), is_fine);
  std::vector<std::string> result;
  for (const Subsystem& each : all)
    if (are_alike ? &each != &all.front() : is_fine(each)) result.push_back(each.name);
  if (result.size() == all.size())
    refuse(file, "subsystems", "one of them must take the macro step, run.step, as its step");
  return result;
}

std::optional<AlphaParameters> alpha_parameters(const AnyIntegrator& integrator) {
  std::optional<AlphaParameters> result;
  const auto look = [&](const auto* choice) {
    if (choice) result = choice->parameters();
  };
  look(integrator.get_if<GeneralizedAlphaChoice>());
  look(integrator.get_if<HhtChoice>());
  look(integrator.get_if<NewmarkChoice>());
  look(integrator.get_if<TrapezoidalChoice>());
  return result;
}

}  // namespace

std::unique_ptr<Multirate> make_multirate(const Problem& file, const BuiltModel& whole,
                                          std::shared_ptr<Team> team) {
  if (file.run.tolerance)
    refuse(file, "run.tolerance", "the macro step of multirate coupling is fixed, and so are steps in it");
  const Roles roles = roles_of(file, whole, fine_ones(file, whole));
  check_cuts(file, whole, roles);
  std::vector<std::unique_ptr<CoarseSide>> coarse;
  std::vector<std::unique_ptr<FineSide>> fine;
  int most_steps = 1;
  make_sides(file, *whole.system, roles, [&](const Role& role, CouplingSide side) {
    if (side.tolerance)
      refuse(file, "subsystems." + role.name + ".tolerance",
             "goes with coupling.force-displacement; here steps are fixed, by 'step' or 'steps'");
    const bool has_own = role.entry && role.entry->integrator;
    const auto alpha = alpha_parameters(has_own ? *role.entry->integrator : file.run.integrator);
    most_steps = std::max(most_steps, side.steps);
    if (!alpha)
      refuse(file, has_own ? "subsystems." + role.name + ".integrator" : "run.integrator",
             "multirate coupling goes with generalized-alpha, hht, newmark and trapezoidal");
    if (role.is_displaced)
      fine.push_back(std::make_unique<FineSide>(std::move(side), *alpha));
    else
      coarse.push_back(std::make_unique<CoarseSide>(std::move(side), *alpha));
  });
  // An error e that Newton's iteration leaves in a step h is one of e H/h in the mean reaction over H.
  const double tolerance = std::max(file.coupling.tolerance, most_steps * file.run.newton_tolerance);
  return std::make_unique<Multirate>(
      *whole.system, std::move(coarse), std::move(fine),
      MultirateCoupling::Settings{tolerance, file.coupling.iterations, whole.system->extent()},
      std::move(team));
}

std::unique_ptr<ForceDisplacement> make_force_displacement(const Problem& file, const BuiltModel& whole,
                                                           const ForceDisplacementSettings& settings,
                                                           bool merge, std::shared_ptr<Team> team) {
  Roles roles = roles_of(file, whole, settings.displaced);
  check_cuts(file, whole, roles);
  if (merge) roles = merged(roles);
  std::vector<std::unique_ptr<ForcedSide>> forced;
  std::vector<std::unique_ptr<DisplacedSide>> displaced;
  make_sides(file, *whole.system, roles, [&](const Role& role, CouplingSide side) {
    if (role.is_displaced)
      displaced.push_back(std::make_unique<DisplacedSide>(std::move(side)));
    else
      forced.push_back(std::make_unique<ForcedSide>(std::move(side)));
  });
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
