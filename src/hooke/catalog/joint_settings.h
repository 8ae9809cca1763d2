#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/settings.h"
#include "hooke/joints/joints.h"

/// What a user can set of a joint. Attachments are written "body" (its reference frame), "body.frame" (a frame named
/// under the body) or "ground" / "ground.frame". Where a joint gives `at` and axes, its frames are put there at the
/// start, in the world; otherwise it uses the frames named, as they are.
namespace hooke {

using Ends = std::array<std::string, 2>;

/// What the key that names a joint holds.
inline constexpr const char* joined_bodies = "the two bodies or frames that it joins";

/// The fields that most joints share.
template <class Settings>
void describe_joint(auto& field, const char* axis_text = "axis at the start, world") {
  field(Settings::name, &Settings::between, Doc{.text = joined_bodies, .required = true});
  field("at", &Settings::at,
        Doc{.text = "initial position of the joint, world axes",
            .unit = "m",
            .default_text = "the named frames, or the origin of the second body"});
  field("axis", &Settings::axis, Doc{.text = axis_text, .default_text = "z of the named frames"});
  field("friction", &Settings::friction, Doc{.text = "friction along the free coordinates"});
  field("start", &Settings::start,
        Doc{.text = "initial values of joint coordinates (angle, displacement, ...)"});
}

/// A joint with one axis or none.
template <class J>
struct JointSettings {
  static constexpr const char* name = J::name.data();
  Ends between;
  std::optional<Vec3> at, axis;
  std::optional<FrictionSettings> friction;
  Named<CoordinateStart> start;

  static void describe(auto& field) { describe_joint<JointSettings>(field); }
  bool is_conservative() const { return !friction; }
  void add_joint(const std::string& joint, Builder& to) const;
};
using FixedSettings = JointSettings<joints::Fixed>;
using RevoluteSettings = JointSettings<joints::Revolute>;
using PrismaticSettings = JointSettings<joints::Prismatic>;
using CylindricalSettings = JointSettings<joints::Cylindrical>;
using SphericalSettings = JointSettings<joints::Spherical>;
using PlanarSettings = JointSettings<joints::Planar>;
using PointOnLineSettings = JointSettings<joints::PointOnLine>;
using PointOnPlaneSettings = JointSettings<joints::PointOnPlane>;
using ParallelAxesSettings = JointSettings<joints::ParallelAxes>;

/// A joint with an axis on each body.
template <class J>
struct TwoAxisJointSettings {
  static constexpr const char* name = J::name.data();
  Ends between;
  std::optional<Vec3> at, axis, axis2;
  std::optional<FrictionSettings> friction;
  Named<CoordinateStart> start;

  static void describe(auto& field) {
    describe_joint<TwoAxisJointSettings>(field, "axis on the first body at the start, world");
    field("axis2", &TwoAxisJointSettings::axis2,
          Doc{.text = "axis on the second body",
              .default_text =
                  "universal: perpendicular to axis and to the second body; constant-velocity: axis"});
  }
  bool is_conservative() const { return !friction; }
  void add_joint(const std::string& joint, Builder& to) const;
};
using UniversalSettings = TwoAxisJointSettings<joints::Universal>;
using ConstantVelocitySettings = TwoAxisJointSettings<joints::ConstantVelocity>;
using PerpendicularAxesSettings = TwoAxisJointSettings<joints::PerpendicularAxes>;

struct ScrewSettings {
  static constexpr const char* name = joints::Screw::name.data();
  Ends between;
  std::optional<Vec3> at, axis;
  double pitch = 0;
  std::optional<FrictionSettings> friction;
  Named<CoordinateStart> start;

  static void describe(auto& field) {
    describe_joint<ScrewSettings>(field);
    field("pitch", &ScrewSettings::pitch, Doc{.text = "advance per turn", .unit = "m", .required = true});
  }
  void check(const Complain& complain) const {
    if (pitch == 0) complain("pitch", "must not be 0: that is a revolute joint");
  }
  bool is_conservative() const { return !friction; }
  void add_joint(const std::string& joint, Builder& to) const;
};

/// The origins of two frames keep their distance.
struct DistanceSettings {
  static constexpr const char* name = joints::FixedDistance::name.data();
  Ends between;
  std::optional<double> length;

  static void describe(auto& field) {
    field(name, &DistanceSettings::between,
          Doc{.text = "two named frames, or bodies for their origins", .required = true});
    field("length", &DistanceSettings::length,
          Doc{.text = "length to keep", .unit = "m", .check = positive, .default_text = "as at the start"});
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, Builder& to) const;
};

/// Two joint coordinates that move together; written by the joints ("A", or "A.angle").
struct GearSettings {
  static constexpr const char* name = "gear";
  static constexpr bool joins_joints = true;
  Ends between;
  double ratio = 0;

  static void describe(auto& field) {
    field(name, &GearSettings::between, Doc{.text = "two joints whose angles it couples", .required = true});
    field("ratio", &GearSettings::ratio,
          Doc{.text = "first + ratio * second stays constant", .required = true});
  }
  void check(const Complain& complain) const {
    if (ratio == 0) complain("ratio", "must not be 0: nothing would be coupled");
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, Builder& to) const;
};
struct RackAndPinionSettings {
  static constexpr const char* name = "rack-and-pinion";
  static constexpr bool joins_joints = true;
  Ends between;
  double ratio = 0;

  static void describe(auto& field) {
    field(
        name, &RackAndPinionSettings::between,
        Doc{.text = "the joint of the rack (displacement) and that of the pinion (angle)", .required = true});
    field("ratio", &RackAndPinionSettings::ratio, Doc{.text = "pitch radius", .unit = "m", .required = true});
  }
  void check(const Complain& complain) const {
    if (ratio == 0) complain("ratio", "must not be 0: nothing would be coupled");
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, Builder& to) const;
};

/// Every node of a set to the ground or a rigid body, or to the node of another set that lies at the same place:
/// spherical joints, which are not put out one by one.
struct TieSettings {
  static constexpr const char* name = "tie";
  Ends between;

  static void describe(auto& field) {
    field(name, &TieSettings::between,
          Doc{.text = "node sets of solids, such as 'beam.x_min'; one may be a rigid body or the ground",
              .required = true});
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, Builder& to) const;
};

}  // namespace hooke
