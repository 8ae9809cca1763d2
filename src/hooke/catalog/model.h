#pragma once
#include <map>

#include "hooke/base/error.h"
#include "hooke/catalog/settings.h"

/// A model as a user thinks of it: named bodies, joints, forces and drives with their settings. Plain data,
/// filled by the model reader (io/) or in C++; `build` (catalog/build.h) makes a System of it and checks
/// everything.
///
/// Attachments are written "body" (its reference frame), "body.frame" (a frame named under the body) or
/// "ground" / "ground.frame". Where a joint or force gives `at` and axes, its frames are put there at the
/// start, in the world; otherwise it uses the frames named, as they are.
namespace hooke {

struct BodyEntry {
  std::string name;
  BodyFormulation formulation;
  PlacementSettings place;
  std::vector<std::variant<std::string, Vec3>>
      between;                           ///< two joints or points: origin half way, z from first to second
  std::optional<Vec3> velocity;          ///< of the reference frame's origin, world components
  std::optional<Vec3> angular_velocity;  ///< body components
  std::optional<Vec3> angular_velocity_world;
  bool hold = false;  ///< assembly does not move it
  std::vector<std::pair<std::string, FrameSettings>> frames;
  std::string component_of;             ///< the solid it was cut from, see catalog/components.h
  std::vector<GeometryEntry> geometry;  ///< for pictures; none: the shape, or what inertia and joints suggest

  static void describe_rest(auto& field) {
    field("velocity", &BodyEntry::velocity,
          Doc{.text = "initial velocity of the body frame's origin, world axes", .unit = "m/s"});
    field("angular_velocity", &BodyEntry::angular_velocity,
          Doc{.text = "initial angular velocity, body axes", .unit = "rad/s"});
    field("angular_velocity_world", &BodyEntry::angular_velocity_world,
          Doc{.text = "initial angular velocity, world axes", .unit = "rad/s"});
    field("hold", &BodyEntry::hold, Doc{.text = "assembly of the start leaves it where it is"});
    field("frames", &BodyEntry::frames, Doc{.text = "named frames on the body"});
    field("geometry", &BodyEntry::geometry,
          Doc{.text = "what it looks like: boxes, cylinders, spheres and meshes",
              .default_text = "its shape, or one that fits its inertia and joints"});
  }
};

/// Start value and rate of a joint coordinate, held while the start is assembled.
struct CoordinateStart {
  static constexpr const char* shorthand = "value";
  std::optional<double> value, rate;
  static void describe(auto& field) {
    field("value", &CoordinateStart::value, Doc{.text = "at the start", .unit = "m or rad"});
    field("rate", &CoordinateStart::rate, Doc{.text = "rate at the start", .unit = "m/s or rad/s"});
  }
};

struct JointEntry {
  std::string name;
  std::string type;  ///< "revolute", ... (joints/joints.h), "gear", "rack-and-pinion"
  std::array<std::string, 2>
      between;  ///< attachments; for gear and rack-and-pinion the two joints (or "joint.coordinate")
  std::optional<Vec3> at, axis, axis2;  ///< world, at the start. axis2: universal, the arm on the second body
  std::optional<double> pitch, length, ratio;
  std::optional<FrictionSettings> friction;
  std::vector<std::pair<std::string, CoordinateStart>> start;

  static void describe_rest(auto& field) {
    field("at", &JointEntry::at,
          Doc{.text = "where the joint is at the start, world",
              .unit = "m",
              .default_text = "the named frames, or the origin of the second body"});
    field("axis", &JointEntry::axis,
          Doc{.text = "axis at the start, world; of a universal joint the arm on the first body",
              .default_text = "z of the named frames"});
    field("axis2", &JointEntry::axis2,
          Doc{.text = "universal: the arm on the second body",
              .default_text = "perpendicular to axis and to the second body"});
    field("pitch", &JointEntry::pitch, Doc{.text = "screw: advance per turn", .unit = "m"});
    field("length", &JointEntry::length,
          Doc{.text = "distance: length to keep",
              .unit = "m",
              .check = positive,
              .default_text = "as at the start"});
    field("ratio", &JointEntry::ratio,
          Doc{.text = "gear: first + ratio * second stays constant; rack-and-pinion: pitch radius",
              .unit = "1 or m"});
    field("friction", &JointEntry::friction, Doc{.text = "friction along the free coordinates"});
    field("start", &JointEntry::start, Doc{.text = "coordinates (angle, displacement, ...) to start from"});
  }
};

/// A coordinate of a joint, or of a frame relative to the ground, follows a function of time.
struct DriveEntry {
  std::string name;
  std::optional<std::string> joint;       ///< "A" or "A.angle"
  std::optional<std::string> body;        ///< "slider" or "slider.tip"
  std::optional<std::string> coordinate;  ///< of a body: x, y, z, angle_x, angle_y, angle_z
  Function function;

  static void describe(auto& field) {
    field("joint", &DriveEntry::joint,
          Doc{.text = "joint whose coordinate is driven: 'A' or, if it has several, 'A.angle'"});
    field("body", &DriveEntry::body,
          Doc{.text = "or a body or frame whose coordinate in the world is driven"});
    field("coordinate", &DriveEntry::coordinate,
          Doc{.text = "of a body: x, y, z, angle_x, angle_y or angle_z"});
    field("function", &DriveEntry::function,
          Doc{.text = "value over time", .unit = "m or rad", .required = true});
  }
};

/// spring: [A, B] along the line between two points.  torsion-spring: [A, B] about an axis.
/// joint-force: a joint coordinate.  All with a law.
struct SpringEntry {
  std::string name;
  std::string type;  ///< "spring", "torsion-spring", "joint-force"
  std::array<std::string, 2>
      between;  ///< attachments; of a joint-force the first is "joint" or "joint.coordinate"
  std::array<std::optional<Vec3>, 2>
      points;                    ///< spring: ends in the world at the start instead of named frames
  std::optional<Vec3> at, axis;  ///< torsion-spring
  LawSettings law;
};

struct BushingEntry {
  std::string name;
  std::array<std::string, 2> between;
  PlacementSettings place;  ///< world, at the start; default: the named frames
  Mat6 stiffness = Mat6::Zero(), damping = Mat6::Zero();
  Vec6 preload = Vec6::Zero();
};

struct LoadEntry {
  std::string name;
  std::string on;
  std::optional<Vec3> at;  ///< point of application in the world at the start
  std::array<Function, 3> force, torque;
  bool has_torque = false;
  bool follower = false;     ///< components in the body instead of the world
  bool distributed = false;  ///< force and torque per length of a rod
};

struct Model {
  std::string title;
  Vec3 gravity = Vec3::Zero();
  std::vector<BodyEntry> bodies;
  std::vector<std::pair<std::string, PlacementSettings>> ground_frames;
  std::vector<JointEntry> joints;
  std::vector<DriveEntry> drives;
  std::vector<SpringEntry> springs;
  std::vector<BushingEntry> bushings;
  std::vector<LoadEntry> loads;

  /// Where each key path stood in the file, so that later errors can point at it. Empty for a model made in
  /// C++.
  std::map<std::string, Location> locations;
  Location locate(std::string path) const;  ///< of the path or the nearest enclosing one
};

}  // namespace hooke
