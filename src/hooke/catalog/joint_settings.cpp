#include "hooke/catalog/joint_settings.h"

#include <cmath>
#include <numbers>

#include "hooke/catalog/builder.h"
#include "hooke/forces/friction.h"
#include "hooke/joints/drive.h"
#include "hooke/joints/gear.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

/// What a joint asks for, whatever its type.
struct Request {
  const std::string& name;
  std::string type;
  const Ends& between;
  std::optional<Vec3> at = {}, axis = {}, axis2 = {};
  const std::optional<FrictionSettings>* friction = nullptr;
  const Named<CoordinateStart>* start = nullptr;
  std::optional<double> start_value(std::string_view coordinate) const {
    const CoordinateStart* found = start ? start->find(std::string(coordinate)) : nullptr;
    return found ? found->value : std::nullopt;
  }
  std::string path() const { return "joints." + name; }
  std::string end(int k) const { return formatted("{}.{}[{}]", path(), type, k); }
};

template <class Settings>
Request request(const std::string& name, const Settings& s) {
  Request r{.name = name, .type = Settings::name, .between = s.between};
  if constexpr (requires { s.at; })
    r.at = s.at, r.axis = s.axis, r.friction = &s.friction, r.start = &s.start;
  if constexpr (requires { s.axis2; }) r.axis2 = s.axis2;
  return r;
}

/// Joints whose frames need no direction from the user.
bool is_without_axis(std::string_view type) { return type == "fixed" || type == "spherical"; }

/// The axes of both joint frames at the start.
std::optional<std::array<Mat3, 2>> joint_axes(const Request& joint, const Attachment& B, Builder& to) {
  const std::string path = joint.path();
  const Vec3 axis = joint.axis->normalized();
  if (joint.type == "universal") {
    const Vec3 reach = B.body < 0 ? Vec3::Zero().eval() : Vec3(to.pose_of(B.body).p - B.X_WF.p);
    Vec3 arm = joint.axis2 ? *joint.axis2 : reach.cross(axis).eval();
    if (!joint.axis2 && arm.norm() < 1e-9 * (1 + reach.norm())) arm = any_perpendicular(axis);
    if (arm.norm() == 0 || std::abs(arm.normalized().dot(axis)) > 1e-3)
      return to.error(path + ".axis2", "the arms of a universal joint must be perpendicular at the start"),
             std::nullopt;
    const Mat3 R = rotation_from_x(axis, arm);
    return {{R, R}};
  }
  const Mat3 R = rotation_from_z(axis);
  if (!joint.axis2) {
    if (joint.type != "perpendicular-axes") return {{R, R}};
    return to.error(path,
                    "a perpendicular-axes joint needs 'axis' on the first and 'axis2' on the second body"),
           std::nullopt;
  }
  if (joint.axis2->norm() == 0) return to.error(path + ".axis2", "the axis must not be zero"), std::nullopt;
  return {{R, rotation_between(axis, *joint.axis2) * R}};
}

/// A place that is not where the frames are that the joint names: allowed, but seldom meant.
void doubt_arms(const Request& joint, const std::array<const Attachment*, 2>& sides, Builder& to) {
  constexpr double typed = 1e-3, nothing = 1e-12;  // numbers in a file have some digits; m, round-off
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec3& p = sides[k]->X_WF.p;
    const double arm = (p - *joint.at).norm();
    if (sides[k]->named && arm > std::max({nothing, typed * p.norm(), typed * joint.at->norm()}))
      to.warning(joint.path() + ".at",
                 "lies {:.3g} m from '{}', to which a rigid arm joins it; leave 'at' out to join them there",
                 arm, joint.between[k]);
  }
}

/// Both joint frames in the world at the start; see joint_settings.h for the rules.
std::optional<std::array<Attachment, 2>> place(const Request& joint, Attachment A, Attachment B,
                                               Builder& to) {
  const std::string path = joint.path();
  if (joint.type == "distance") return {{A, B}};
  if (joint.at) doubt_arms(joint, {&A, &B}, to);
  const Attachment& guide = A.named ? A : B;  // a side that names no frame goes where the other is
  if (!A.named) A.X_WF = guide.X_WF;
  if (!B.named) B.X_WF = guide.X_WF;
  if (joint.at) A.X_WF.p = B.X_WF.p = *joint.at;

  if (joint.axis) {
    if (joint.axis->norm() == 0) return to.error(path + ".axis", "the axis must not be zero"), std::nullopt;
    const auto axes = joint_axes(joint, B, to);
    if (!axes) return std::nullopt;
    A.X_WF.R = (*axes)[0];
    B.X_WF.R = (*axes)[1];
  } else if (!guide.named) {
    if (!is_without_axis(joint.type))
      return to.error(path, "a {} joint needs an 'axis', or frames named on its bodies", joint.type),
             std::nullopt;
    A.X_WF.R = B.X_WF.R = identity3;
  }
  return {{A, B}};
}

Friction friction_law(const FrictionSettings& s) {
  Friction law{.viscous = s.viscous, .kinetic = s.coulomb, .breakaway = s.breakaway.value_or(s.coulomb)};
  if (s.stick_rate) law.stick_rate = *s.stick_rate;
  law.stribeck_rate = s.stribeck_rate.value_or(10 * law.stick_rate);
  return law;
}

/// The start value and rate of a coordinate as a drive that exists only while the start is assembled.
template <class C>
void add_start_row(const Request& joint, const std::string& name, const C& coordinate,
                   const std::array<int, 2>& frames, Builder& to) {
  const CoordinateStart* start = joint.start ? joint.start->find(name) : nullptr;
  if (!start) return;
  constexpr double two_turns = 4 * std::numbers::pi;  // seldom is more meant
  if (C::periodic && start->value && (seems_degrees(*start->value) || std::abs(*start->value) > two_turns))
    to.warning(formatted("{}.start.{}", joint.path(), name), "{}", degrees_text(*start->value));
  const double value =
      start->value.value_or(coordinate.value(to.start_of_frame(frames[0]), to.start_of_frame(frames[1])));
  const bool wanted = to.start_rows() == StartRows::positions
                          ? start->value.has_value()
                          : to.start_rows() == StartRows::velocities && start->rate.has_value();
  if (wanted)
    to.add_constraint(Drive<C>{coordinate, Function::polynomial({value, start->rate.value_or(0)})}, frames,
                      joint.name + ".start." + name);
}

void check_start_names(const Request& joint, const BuiltJoint& built, Builder& to) {
  if (!joint.start) return;
  std::vector<std::string> known;
  for (const BuiltCoordinate& c : built.coordinates) known.push_back(c.name);
  for (const auto& [key, start] : *joint.start)
    if (std::find(known.begin(), known.end(), key) == known.end())
      to.error(joint.path() + ".start." + key, "a {} joint has no coordinate '{}'; it has {}", joint.type,
               key, known.empty() ? "none" : list_words(known, "and"));
}

/// Both frames at the start, or nothing after a complaint.
std::optional<std::array<Attachment, 2>> placed(const Request& joint, Builder& to) {
  if (to.is_taken(joint.name)) return {};
  const auto A = to.attachment(joint.between[0], joint.end(0)),
             B = to.attachment(joint.between[1], joint.end(1));
  if (!A || !B) return {};
  if (A->body == B->body && (to.is_rigid(*A) || joint.between[0] == joint.between[1])) {
    to.error(joint.path(), "joins '{}' to itself", joint.between[0]);
    return {};
  }
  return place(joint, *A, *B, to);
}

/// `turns`: whole ones that its angle has made where it is not said where it starts.
template <class J>
void add(const Request& joint, const J& constraint, const std::array<Attachment, 2>& at, Builder& to,
         double turns = 0) {
  const auto first = [&](std::string_view coordinate) {
    return joint.start_value(coordinate).value_or(2 * std::numbers::pi * turns);
  };
  const std::array frames{to.add_frame(at[0], J::needs_orientation[0]),
                          to.add_frame(at[1], J::needs_orientation[1])};
  BuiltJoint built{joint.name, joint.type, to.add_constraint(constraint, frames, joint.name), frames, {}};
  J::for_each_coordinate([&](std::string_view name, auto coordinate) {
    to.add_coordinate(built, std::string(name), coordinate, first(name));
    if (joint.friction && *joint.friction)
      to.add_force(JointFriction<decltype(coordinate)>{coordinate, friction_law(**joint.friction)}, frames,
                   joint.name, "friction");
    add_start_row(joint, std::string(name), coordinate, frames, to);
  });
  check_start_names(joint, built, to);
  if (joint.friction && *joint.friction && built.coordinates.empty())
    to.error(joint.path() + ".friction", "a {} joint has no coordinate that friction could act along",
             joint.type);
  to.add(std::move(built));
}

template <class Pair, class First>
void add_pair(const Request& joint, double ratio, Builder::CoordinateKind first_kind, Builder& to) {
  if (to.is_taken(joint.name)) return;
  const auto c2 = to.find_coordinate(joint.between[1], joint.end(1), Builder::CoordinateKind::angle);
  const auto c1 = to.find_coordinate(joint.between[0], joint.end(0), first_kind);
  if (!c1 || !c2) return;
  Pair pair{std::get<First>(c1->first), std::get<Angle>(c2->first), ratio};
  // The teeth mesh as the joints stand at the start: all joint frames coincide there, or are as the user named them.
  const std::array<int, 4> frames{c1->second[0], c1->second[1], c2->second[0], c2->second[1]};
  pair.offset = to.start_value(*c1) + ratio * to.start_value(*c2);
  to.add({joint.name, joint.type, to.add_constraint(pair, frames, joint.name), c1->second, {}});
}

}  // namespace

template <class J>
void JointSettings<J>::add_joint(const std::string& joint, Builder& to) const {
  const Request r = request(joint, *this);
  if (const auto frames = placed(r, to)) add(r, J{}, *frames, to);
}

template <class J>
void TwoAxisJointSettings<J>::add_joint(const std::string& joint, Builder& to) const {
  const Request r = request(joint, *this);
  if (const auto frames = placed(r, to)) add(r, J{}, *frames, to);
}

void ScrewSettings::add_joint(const std::string& joint, Builder& to) const {
  const Request r = request(joint, *this);
  joints::Screw screw;
  screw.pitch = pitch;
  if (const auto angle = r.start_value("angle"))
    screw.turns = std::round(*angle / (2 * std::numbers::pi));
  else
    screw.turns = std::round(r.start_value("displacement").value_or(0) / pitch);
  if (const auto frames = placed(r, to)) add(r, screw, *frames, to, screw.turns);
}

void DistanceSettings::add_joint(const std::string& joint, Builder& to) const {
  const Request r = request(joint, *this);
  const auto at = placed(r, to);
  if (!at) return;
  joints::FixedDistance distance;
  distance.length = length.value_or(((*at)[1].X_WF.p - (*at)[0].X_WF.p).norm());
  add(r, distance, *at, to);
}

void GearSettings::add_joint(const std::string& joint, Builder& to) const {
  add_pair<Gear, Angle>(request(joint, *this), ratio, Builder::CoordinateKind::angle, to);
}

void RackAndPinionSettings::add_joint(const std::string& joint, Builder& to) const {
  add_pair<RackAndPinion, Displacement>(request(joint, *this), ratio, Builder::CoordinateKind::displacement,
                                        to);
}

void TieSettings::add_joint(const std::string& joint, Builder& to) const {
  const Request r = request(joint, *this);
  const auto A = to.attachment(between[0], r.end(0)), B = to.attachment(between[1], r.end(1));
  if (!A || !B) return;
  const bool first_is_rigid = to.is_rigid(*A);
  const Attachment &held = first_is_rigid ? *B : *A, &other = first_is_rigid ? *A : *B;
  if (held.nodes.empty() || (!to.is_rigid(other) && other.nodes.empty()))
    return to.error(
        r.path(),
        "ties node sets of solids, such as 'beam.x_min', to each other, to a rigid body or to the ground");
  const auto places = [&](const Attachment& a) {
    std::vector<Vec3> all = to.set_places(a, a.nodes);
    for (Vec3& p : all) p = to.pose_of(a.body).p + to.pose_of(a.body).R * p;
    return all;
  };
  const std::vector<Vec3> mine = places(held), theirs = to.is_rigid(other) ? mine : places(other);
  double extent = 0;
  for (const Vec3& p : mine) extent = std::max(extent, (p - held.X_WF.p).norm());
  BuiltJoint built{joint, name, -1, {}, {}, {}};
  for (const Vec3& p : mine) {
    const auto nearest = std::min_element(theirs.begin(), theirs.end(), [&](const Vec3& a, const Vec3& b) {
      return (a - p).squaredNorm() < (b - p).squaredNorm();
    });
    if ((*nearest - p).norm() > 1e-6 * extent)
      return to.error(
          r.path(),
          "no node of '{}' is where '{}' has one, at {:.4g}, {:.4g}, {:.4g}: the meshes must match there",
          between[first_is_rigid ? 0 : 1], between[first_is_rigid ? 1 : 0], p.x(), p.y(), p.z());
    const auto at = [&](const Attachment& a) {
      const Mat3 R = a.body < 0 ? identity3 : to.pose_of(a.body).R;
      return to.add_frame({.body = a.body, .X_WF = {R, p}, .cut = a.cut}, false);
    };
    // In this order: frames are numbered as they are added.
    const int on_other = at(other), on_held = at(held);
    built.pairs.push_back(
        to.system().add_constraint(joints::Spherical{}, std::array{on_other, on_held}, joint));
    built.frames = {on_other, on_held};
  }
  if (built.pairs.empty() || to.are_of_one_solid(*A, *B)) return;
  built.constraint = built.pairs.front();
  to.add(std::move(built));
}

template struct JointSettings<joints::Fixed>;
template struct JointSettings<joints::Revolute>;
template struct JointSettings<joints::Prismatic>;
template struct JointSettings<joints::Cylindrical>;
template struct JointSettings<joints::Spherical>;
template struct JointSettings<joints::Planar>;
template struct JointSettings<joints::PointOnLine>;
template struct JointSettings<joints::PointOnPlane>;
template struct JointSettings<joints::ParallelAxes>;
template struct TwoAxisJointSettings<joints::Universal>;
template struct TwoAxisJointSettings<joints::ConstantVelocity>;
template struct TwoAxisJointSettings<joints::PerpendicularAxes>;

}  // namespace hooke
