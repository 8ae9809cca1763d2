#pragma once
#include <map>

#include "hooke/base/error.h"
#include "hooke/catalog/contact_settings.h"
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/event_settings.h"
#include "hooke/catalog/settings.h"

/// A model as a user thinks of it: named bodies, joints, forces and drives with their settings. Plain data,
/// filled by the model reader (io/model) or in C++; `build` (catalog/build.h) makes a System of it and checks
/// everything.
///
///   Model model;
///   model.gravity = {0, 0, -9.81};
///   model.bodies["arm"] = {RigidSettings{.mass = 1.0, .inertia = ...}, {.at = Vec3(0, 0.5, 0)}};
///   model.joints["pivot"] = RevoluteSettings{.between = {"ground", "arm"}, .at = zero3, .axis = unit_x};
namespace hooke {

struct BodyEntry {
  static constexpr const char* example = "{rigid: {...}, at: [...]}";
  AnyBody formulation;
  PlacementSettings place;
  std::optional<std::array<JointOrPoint, 2>> between;  ///< origin half way, z from first to second
  std::optional<Vec3> velocity;                        ///< of the reference frame's origin, world components
  std::optional<Vec3> angular_velocity;                ///< body components
  std::optional<Vec3> angular_velocity_world;
  bool hold = false;  ///< assembly does not move it
  Named<FrameSettings> frames;
  std::vector<GeometryEntry> geometry;  ///< for pictures; none: the shape, or what inertia and joints suggest
  std::string component_of;             ///< the solid it was cut from, see catalog/components.h

  static void describe(auto& field) {
    field("", &BodyEntry::formulation, Doc{.text = "body"});
    field.flat(&BodyEntry::place);
    field("between", &BodyEntry::between,
          Doc{.text = "two joints or points: the body frame is midway between them, its z axis from the "
                      "first to the second"});
    field("velocity", &BodyEntry::velocity,
          Doc{.text = "initial velocity of the body frame's origin, world axes", .unit = "m/s"});
    field("angular_velocity", &BodyEntry::angular_velocity,
          Doc{.text = "initial angular velocity, body axes", .unit = "rad/s"});
    field("angular_velocity_world", &BodyEntry::angular_velocity_world,
          Doc{.text = "initial angular velocity, world axes", .unit = "rad/s"});
    field("hold", &BodyEntry::hold, Doc{.text = "assembly does not move this body"});
    field("frames", &BodyEntry::frames, Doc{.text = "named frames on the body"});
    field("geometry", &BodyEntry::geometry,
          Doc{.text = "shapes to draw: boxes, cylinders, spheres and meshes",
              .default_text = "its shape, or one that fits its inertia and joints"});
  }
  void check(const Complain& complain) const {
    if (angular_velocity && angular_velocity_world)
      complain("angular_velocity_world", "and angular_velocity exclude each other");
  }
};

/// In which axes reactions are given: of the joint frame on the first body or on the second, or of the world.
enum class ReactionAxes { first, second, world };
constexpr auto names(ReactionAxes) { return std::array{"first", "second", "world"}; }

struct GroundSettings {
  Named<PlacementSettings> frames;
  static void describe(auto& field) {
    field("frames", &GroundSettings::frames, Doc{.text = "named frames in the world"});
  }
};

struct Model {
  // In model.cpp: who uses a model need not compile how each of its parts is copied.
  Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();

  std::string title;
  Vec3 gravity = Vec3::Zero();
  GroundSettings ground;
  Named<BodyEntry> bodies;
  Named<AnyJoint> joints;
  Named<AnyDrive> drives;
  Named<AnyForce> forces;
  Named<SurfaceSettings> surfaces;
  Named<ContactSettings> contacts;
  std::vector<std::string> plugin;
  bool allows_code = false;  ///< of plugins; nothing that a file can say
  Named<AnySignal> signals;
  Named<AnyBlock> control;
  Named<EventSettings> events;
  Named<LimitSettings> limits;

  static void describe(auto& field) {
    field("title", &Model::title, Doc{.text = "one line about the model"});
    field("gravity", &Model::gravity, Doc{.text = "acceleration of gravity", .unit = "m/s2"});
    field("ground", &Model::ground, Doc{.text = "named frames of the world"});
    field("bodies", &Model::bodies, Doc{.text = "rigid and flexible bodies"});
    field("joints", &Model::joints, Doc{.text = "joints and gears between bodies"});
    field("drives", &Model::drives, Doc{.text = "motions prescribed over time"});
    field("forces", &Model::forces, Doc{.text = "springs, bushings and loads (gravity has its own key)"});
    field("surfaces", &Model::surfaces, Doc{.text = "shapes that may touch"});
    field("contacts", &Model::contacts, Doc{.text = "which of them touch, and how"});
    field("plugin", &Model::plugin,
          Doc{.text = "libraries with control blocks in C, paths relative to the model file; run with "
                      "--allow-code"});
    field("signals", &Model::signals, Doc{.text = "named formulas of what is measured"});
    field("control", &Model::control, Doc{.text = "blocks with states or samples: PID, filters, ..."});
    field("events", &Model::events, Doc{.text = "what is done when something is reached"});
    field("limits", &Model::limits, Doc{.text = "stops of joint coordinates"});
  }

  /// Where each key path stood in the file, so that later errors can point at it. Empty for a model made in
  /// C++.
  std::map<std::string, Location> locations;
  Location locate(std::string path) const;  ///< of the path or the nearest enclosing one
};

/// Nothing feeds or takes energy but the springs and gravity that the potential counts.
bool is_conservative(const Model& model);

}  // namespace hooke
