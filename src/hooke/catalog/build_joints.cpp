#include "hooke/catalog/builder.h"
#include "hooke/forces/driven_load.h"
#include "hooke/forces/friction.h"
#include "hooke/joints/drive.h"
#include "hooke/joints/gear.h"
#include "hooke/joints/joints.h"

namespace hooke {
namespace {

/// f(J{}) for the joint type of that name; false when there is none.
template <class F>
bool with_joint_type(std::string_view type, F&& f) {
  return std::apply(
      [&](auto... joint) { return ((decltype(joint)::name == type && (f(joint), true)) || ...); },
      joints::All{});
}

/// Joints whose frames need no direction from the user.
bool is_without_axis(std::string_view type) {
  return type == "fixed" || type == "spherical" || type == "distance";
}

}  // namespace

void Builder::add_joint(const JointEntry& joint) {
  const std::string path = "joints." + joint.name;
  if (joint.type == "tie") return add_tie(joint, path);
  if (!with_joint_type(joint.type, [&](auto type) { add_typed(joint, type, path); }))
    error(path, "no joint type '{}'{}", joint.type, suggest(joint.type, joint_types()));
}

void Builder::add_tie(const JointEntry& joint, const std::string& path) {
  const auto A = attachment(joint.between[0], path + ".tie[0]"),
             B = attachment(joint.between[1], path + ".tie[1]");
  if (!A || !B) return;
  const auto is_rigid = [&](const Attachment& a) {
    return a.body < 0 || std::holds_alternative<RigidSettings>(model_.bodies[a.body].formulation);
  };
  const Attachment &held = is_rigid(*A) ? *B : *A, &other = is_rigid(*A) ? *A : *B;
  if (held.nodes.empty() || (!is_rigid(other) && other.nodes.empty()))
    return error(
        path,
        "ties node sets of solids, such as 'beam.x_min', to each other, to a rigid body or to the ground");
  const auto places = [&](const Attachment& a) {
    std::vector<Vec3> all = set_places(a, a.nodes);
    for (Vec3& p : all) p = poses_[a.body].p + poses_[a.body].R * p;
    return all;
  };
  const std::vector<Vec3> mine = places(held), theirs = is_rigid(other) ? mine : places(other);
  double extent = 0;
  for (const Vec3& p : mine) extent = std::max(extent, (p - held.X_WF.p).norm());
  for (const Vec3& p : mine) {
    const auto nearest = std::min_element(theirs.begin(), theirs.end(), [&](const Vec3& a, const Vec3& b) {
      return (a - p).squaredNorm() < (b - p).squaredNorm();
    });
    if ((*nearest - p).norm() > 1e-6 * extent)
      return error(
          path,
          "no node of '{}' is where '{}' has one, at {:.4g}, {:.4g}, {:.4g}: the meshes must match there",
          joint.between[&other == &*A ? 0 : 1], joint.between[&other == &*A ? 1 : 0], p.x(), p.y(), p.z());
    const auto at = [&](const Attachment& a) {
      return add_frame({.body = a.body, .X_WF = {poses_of(a), p}, .cut = a.cut}, false);
    };
    system().add_constraint(joints::Spherical{}, std::array{at(other), at(held)}, joint.name);
  }
}

template <class J>
void Builder::add_typed(const JointEntry& joint, J constraint, const std::string& path) {
  if (joint_of(joint.name)) return error(path, "there are two joints named '{}'", joint.name);
  const auto A = attachment(joint.between[0], formatted("{}.{}[0]", path, joint.type));
  const auto B = attachment(joint.between[1], formatted("{}.{}[1]", path, joint.type));
  if (!A || !B) return;
  const auto is_rigid = [&](int body) {
    return body < 0 || std::holds_alternative<RigidSettings>(model_.bodies[body].formulation);
  };
  if (A->body == B->body && (is_rigid(A->body) || joint.between[0] == joint.between[1]))
    return error(path, "joins '{}' to itself", joint.between[0]);
  auto placed = place_joint(joint, *A, *B, path);
  if (!placed) return;
  const int cut = items_ && items_->side(joint) == PartItems::Side::both
                      ? (items_->owns(joint.between[0]) ? 1 : 0)
                      : -1;  // the frame outside
  if (cut >= 0 && part_->load) {
    const int frame = add_frame((*placed)[1 - cut], J::needs_orientation[1 - cut]);
    system().add_force(DrivenLoad{part_->load(joint.name)}, std::array{frame}, joint.name);
    built_.interfaces.push_back({joint.name, frame});
    return;
  }
  std::array<int, 2> frames{};
  for (int k = 0; k < 2; ++k) {
    const Attachment& at = (*placed)[k];
    if (k != cut) {
      frames[k] = add_frame(at, J::needs_orientation[k]);
    } else {
      frame_starts_.push_back(at.X_WF);
      frames[k] = system().add_driven_frame(part_->drive(joint.name, at.X_WF));
      built_.interfaces.push_back({joint.name, frames[k], system().constraints(), k});
    }
  }

  if constexpr (requires { constraint.pitch; }) {
    if (!joint.pitch) return error(path, "a screw needs its 'pitch' (advance per turn, m)");
    constraint.pitch = *joint.pitch;
  } else if (joint.pitch) {
    error(path + ".pitch", "only a screw has a pitch");
  }
  if constexpr (requires { constraint.length; })
    constraint.length = joint.length.value_or(((*placed)[1].X_WF.p - (*placed)[0].X_WF.p).norm());
  else if (joint.length)
    error(path + ".length", "only a distance joint has a length");
  if (joint.ratio) error(path + ".ratio", "only gears and rack-and-pinion have a ratio");

  BuiltJoint built{joint.name, joint.type, add_constraint(constraint, frames, joint.name), frames, {}};
  J::for_each_coordinate([&](std::string_view name, auto coordinate) {
    add_coordinate(built, std::string(name), coordinate);
    if (joint.friction) add_friction(joint, coordinate, frames);
    add_start_row(joint, std::string(name), coordinate, frames, (*placed)[0].X_WF, (*placed)[1].X_WF);
  });
  check_start_names(joint, built, path);
  if (joint.friction && built.coordinates.empty())
    error(path + ".friction", "a {} joint has no coordinate that friction could act along", joint.type);
  built_.joints.push_back(std::move(built));
}

template <class C>
void Builder::add_friction(const JointEntry& joint, const C& coordinate, const std::array<int, 2>& frames) {
  const FrictionSettings& s = *joint.friction;
  Friction law{.viscous = s.viscous, .kinetic = s.coulomb, .breakaway = s.breakaway.value_or(s.coulomb)};
  if (s.stick_rate) law.stick_rate = *s.stick_rate;
  law.stribeck_rate = s.stribeck_rate.value_or(10 * law.stick_rate);
  add_force(JointFriction<C>{coordinate, law}, frames, joint.name, "friction");
}

template <class C>
void Builder::add_start_row(const JointEntry& joint, const std::string& name, const C& coordinate,
                            const std::array<int, 2>& frames, const FramePose& X_WA, const FramePose& X_WB) {
  for (const auto& [key, start] : joint.start) {
    if (key != name) continue;
    const double value = start.value.value_or(coordinate.value(X_WA, X_WB));
    const bool wanted = start_rows_ == StartRows::positions
                            ? start.value.has_value()
                            : start_rows_ == StartRows::velocities && start.rate.has_value();
    if (wanted)
      add_constraint(Drive<C>{coordinate, Function::polynomial({value, start.rate.value_or(0)})}, frames,
                     joint.name + ".start." + name);
  }
}

void Builder::check_start_names(const JointEntry& joint, const BuiltJoint& built, const std::string& path) {
  std::vector<std::string> known;
  for (const BuiltCoordinate& c : built.coordinates) known.push_back(c.name);
  for (const auto& [key, start] : joint.start)
    if (std::find(known.begin(), known.end(), key) == known.end())
      error(path + ".start." + key, "a {} joint has no coordinate '{}'; it has {}", joint.type, key,
            known.empty() ? "none" : list_words(known, "and"));
}

std::optional<std::array<Builder::Attachment, 2>> Builder::place_joint(const JointEntry& joint, Attachment A,
                                                                       Attachment B,
                                                                       const std::string& path) {
  if (joint.type == "distance") {
    if (joint.at || joint.axis)
      return error(path, "a distance joint acts between two named frames or body origins: no 'at' or 'axis'"),
             std::nullopt;
    return {{A, B}};
  }
  if (joint.axis2 && joint.type != "universal" && joint.type != "constant-velocity" &&
      joint.type != "perpendicular-axes")
    error(path + ".axis2", "a {} joint has one axis", joint.type);
  const Attachment& guide = A.named ? A : B;  // a side that names no frame goes where the other is
  if (!A.named) A.X_WF = guide.X_WF;
  if (!B.named) B.X_WF = guide.X_WF;
  if (joint.at) A.X_WF.p = B.X_WF.p = *joint.at;

  if (joint.axis) {
    if (joint.axis->norm() == 0) return error(path + ".axis", "the axis must not be zero"), std::nullopt;
    const auto axes = joint_axes(joint, B, path);
    if (!axes) return std::nullopt;
    A.X_WF.R = (*axes)[0];
    B.X_WF.R = (*axes)[1];
  } else if (!guide.named) {
    if (!is_without_axis(joint.type))
      return error(path, "a {} joint needs an 'axis', or frames named on its bodies", joint.type),
             std::nullopt;
    A.X_WF.R = B.X_WF.R = identity3;
  }
  return {{A, B}};
}

std::optional<std::array<Mat3, 2>> Builder::joint_axes(const JointEntry& joint, const Attachment& B,
                                                       const std::string& path) {
  const Vec3 axis = joint.axis->normalized();
  if (joint.type == "universal") {
    const Vec3 reach = B.body < 0 ? Vec3::Zero().eval() : Vec3(poses_[B.body].p - B.X_WF.p);
    Vec3 arm = joint.axis2 ? *joint.axis2 : reach.cross(axis).eval();
    if (!joint.axis2 && arm.norm() < 1e-9 * (1 + reach.norm())) arm = any_perpendicular(axis);
    if (arm.norm() == 0 || std::abs(arm.normalized().dot(axis)) > 1e-3)
      return error(path + ".axis2", "the arms of a universal joint must be perpendicular at the start"),
             std::nullopt;
    const Mat3 R = rotation_from_x(axis, arm);
    return {{R, R}};
  }
  const Mat3 R = rotation_from_z(axis);
  if (!joint.axis2) {
    if (joint.type != "perpendicular-axes") return {{R, R}};
    return error(path, "a perpendicular-axes joint needs 'axis' on the first and 'axis2' on the second body"),
           std::nullopt;
  }
  if (joint.axis2->norm() == 0) return error(path + ".axis2", "the axis must not be zero"), std::nullopt;
  return {{R, rotation_between(axis, *joint.axis2) * R}};
}

const BuiltJoint* Builder::joint_of(const std::string& name) const {
  for (const BuiltJoint& joint : built_.joints)
    if (joint.name == name) return &joint;
  return nullptr;
}

std::optional<Builder::FoundCoordinate> Builder::find_coordinate(const std::string& text,
                                                                 const std::string& path, Kind kind) {
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
    if (kind == Kind::any || (kind == Kind::angle && std::holds_alternative<Angle>(coordinate)) ||
        (kind == Kind::displacement && std::holds_alternative<Displacement>(coordinate)))
      fitting.push_back(c.name);
  }
  const std::string wanted = dot != std::string::npos ? text.substr(dot + 1)
                             : fitting.size() == 1    ? fitting[0]
                                                      : "";
  if (std::find(fitting.begin(), fitting.end(), wanted) != fitting.end())
    return coordinates_.at({name, wanted});
  if (fitting.empty())
    error(path, "joint '{}' ({}) has no {} to act on", name, joint->type,
          kind == Kind::any     ? "coordinate"
          : kind == Kind::angle ? "angle"
                                : "displacement");
  else if (wanted.empty())
    error(path, "joint '{}' has several coordinates: say which, '{}.{}'", name, name, fitting[0]);
  else
    error(path, "joint '{}' has no coordinate '{}'; it has {}", name, wanted, list_words(fitting, "and"));
  return {};
}

void Builder::add_pair(const JointEntry& joint) {
  const std::string path = "joints." + joint.name;
  if (joint_of(joint.name)) return error(path, "there are two joints named '{}'", joint.name);
  if (!joint.ratio) return error(path, "a {} needs its 'ratio'", joint.type);
  const std::string first = formatted("{}.{}[0]", path, joint.type),
                    second = formatted("{}.{}[1]", path, joint.type);
  const auto c2 = find_coordinate(joint.between[1], second, Kind::angle);
  if (joint.type == "gear") {
    const auto c1 = find_coordinate(joint.between[0], first, Kind::angle);
    if (c1 && c2) add_typed_pair<Gear, Angle>(joint, *c1, *c2);
  } else {
    const auto c1 = find_coordinate(joint.between[0], first, Kind::displacement);
    if (c1 && c2) add_typed_pair<RackAndPinion, Displacement>(joint, *c1, *c2);
  }
}

template <class Pair, class First>
void Builder::add_typed_pair(const JointEntry& joint, const FoundCoordinate& c1, const FoundCoordinate& c2) {
  Pair pair{std::get<First>(c1.first), std::get<Angle>(c2.first), *joint.ratio};
  // The teeth mesh as the joints stand at the start: all joint frames coincide there, or are as the user
  // named them.
  const std::array<int, 4> frames{c1.second[0], c1.second[1], c2.second[0], c2.second[1]};
  pair.offset = start_value(c1) + *joint.ratio * start_value(c2);
  built_.joints.push_back({joint.name, joint.type, add_constraint(pair, frames, joint.name), c1.second, {}});
}

double Builder::start_value(const FoundCoordinate& c) const {
  return std::visit(
      [&](const auto& x) { return x.value(frame_starts_[c.second[0]], frame_starts_[c.second[1]]); },
      c.first);
}

}  // namespace hooke
