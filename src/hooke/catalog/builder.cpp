#include "hooke/catalog/builder.h"

namespace hooke {

const BuiltJoint* Builder::joint_of(const std::string& name) const {
  for (const BuiltJoint& joint : built_.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

bool Builder::is_taken(const std::string& joint) {
  if (!joint_of(joint)) return false;
  error("joints." + joint, "there are two joints named '{}'", joint);
  return true;
}

std::optional<FoundCoordinate> Builder::find_coordinate(const std::string& text, const std::string& path,
                                                        CoordinateKind kind) {
  const auto dot = text.find('.');
  const std::string name = text.substr(0, dot);
  std::vector<std::string> known;
  for (const BuiltJoint& joint : built_.joints) known.push_back(joint.name);
  const BuiltJoint* joint = joint_of(name);
  if (!joint) {
    error(path, "no joint named '{}'{}", name, suggest(name, known));
    return {};
  }
  std::vector<std::string> fitting;
  for (const BuiltCoordinate& c : joint->coordinates) {
    const AnyCoordinate& coordinate = coordinates_.at({name, c.name}).first;
    if (kind == CoordinateKind::any ||
        (kind == CoordinateKind::angle && std::holds_alternative<Angle>(coordinate)) ||
        (kind == CoordinateKind::displacement && std::holds_alternative<Displacement>(coordinate)))
      fitting.push_back(c.name);
  }
  const std::string wanted = dot != std::string::npos ? text.substr(dot + 1)
                             : fitting.size() == 1    ? fitting[0]
                                                      : "";
  if (std::find(fitting.begin(), fitting.end(), wanted) != fitting.end())
    return coordinates_.at({name, wanted});
  if (fitting.empty())
    error(path, "joint '{}' ({}) has no {} to act on", name, joint->type,
          kind == CoordinateKind::any     ? "coordinate"
          : kind == CoordinateKind::angle ? "angle"
                                          : "displacement");
  else if (wanted.empty())
    error(path, "joint '{}' has several coordinates: say which, '{}.{}'", name, name, fitting[0]);
  else
    error(path, "joint '{}' has no coordinate '{}'; it has {}", name, wanted, list_words(fitting, "and"));
  return {};
}

double Builder::start_value(const FoundCoordinate& c) const {
  return std::visit(
      [&](const auto& x) { return x.value(start_of_frame(c.second[0]), start_of_frame(c.second[1])); },
      c.first);
}

}  // namespace hooke
