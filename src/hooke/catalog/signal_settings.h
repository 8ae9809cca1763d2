#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/settings.h"

/// What a user can set of a signal: a formula, or something measured between two frames.
namespace hooke {

struct FormulaSignal {
  static constexpr const char* name = "formula";
  static constexpr const char* shorthand = "formula";
  Formula formula;
  std::string unit;

  static void describe(auto& field) {
    field("formula", &FormulaSignal::formula,
          Doc{.text =
                  "formula of t, other signals and blocks, and of what is measured, such as 'joint.A.angle'",
              .required = true});
    field("unit", &FormulaSignal::unit, Doc{.text = "unit, for tables and plots", .default_text = "none"});
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

enum class AxisName { x, y, z };
constexpr auto names(AxisName) { return std::array{"x", "y", "z"}; }

/// What signals of a place relative to another have in common.
struct RelativeSettings {
  std::string relative_to = "ground";
  AxisName axis = AxisName::x;

  static void describe(auto& field) {
    field("relative_to", &RelativeSettings::relative_to,
          Doc{.text = "body or frame that it is measured from, in its axes and as seen from it"});
    field("axis", &RelativeSettings::axis, Doc{.text = "axis of that frame"});
  }
};

struct PositionSignal {
  static constexpr const char* name = "position";
  static constexpr const char* definition = "position-signal";
  std::string of;
  RelativeSettings from;
  static void describe(auto& field) {
    field("position", &PositionSignal::of,
          Doc{.text = "body or frame whose origin is measured", .required = true});
    field.flat(&PositionSignal::from);
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

struct VelocitySignal {
  static constexpr const char* name = "velocity";
  static constexpr const char* definition = "velocity-signal";
  std::string of;
  RelativeSettings from;
  static void describe(auto& field) {
    field("velocity", &VelocitySignal::of, Doc{.text = "body or frame whose origin moves", .required = true});
    field.flat(&VelocitySignal::from);
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

struct AngularVelocitySignal {
  static constexpr const char* name = "angular-velocity";
  std::string of;
  RelativeSettings from;
  static void describe(auto& field) {
    field("angular-velocity", &AngularVelocitySignal::of,
          Doc{.text = "body or frame that turns", .required = true});
    field.flat(&AngularVelocitySignal::from);
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

/// Over full turns, of the part of the motion that turns about the axis.
struct AngleSignal {
  static constexpr const char* name = "angle";
  static constexpr const char* definition = "angle-signal";
  std::string of;
  RelativeSettings from;
  bool rate = false;
  static void describe(auto& field) {
    field("angle", &AngleSignal::of, Doc{.text = "body or frame that turns", .required = true});
    field.flat(&AngleSignal::from);
    field("rate", &AngleSignal::rate, Doc{.text = "the rate of the angle instead"});
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

struct DistanceSignal {
  static constexpr const char* name = "distance";
  static constexpr const char* definition = "distance-signal";
  std::array<std::string, 2> between;
  bool rate = false;
  static void describe(auto& field) {
    field("distance", &DistanceSignal::between, Doc{.text = "two bodies or frames", .required = true});
    field("rate", &DistanceSignal::rate, Doc{.text = "the rate of the distance instead"});
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

/// As seen from a frame, along its axis: the second derivative of the position there.
struct AccelerationSignal {
  static constexpr const char* name = "acceleration";
  static constexpr const char* definition = "acceleration-signal";
  std::string of;
  RelativeSettings from;
  static void describe(auto& field) {
    field("acceleration", &AccelerationSignal::of,
          Doc{.text = "body or frame whose origin moves", .required = true});
    field.flat(&AccelerationSignal::from);
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

enum class SectionQuantity { force, moment, strain, curvature };
constexpr auto names(SectionQuantity) { return std::array{"force", "moment", "strain", "curvature"}; }

/// Inside a rod, in the axes of its section: z along the rod.
struct SectionSignal {
  static constexpr const char* name = "section";
  static constexpr const char* definition = "section-signal";
  std::string of;
  double at = 0;
  SectionQuantity quantity = SectionQuantity::force;
  AxisName axis = AxisName::z;
  static void describe(auto& field) {
    field("section", &SectionSignal::of, Doc{.text = "Cosserat rod", .required = true});
    field("at", &SectionSignal::at,
          Doc{.text = "arc length from its first end; between the points that results hold, a straight line",
              .unit = "m",
              .required = true,
              .check = non_negative});
    field("quantity", &SectionSignal::quantity,
          Doc{.text = "force or moment in the section, strain (shear along x and y, extension along z) or "
                      "curvature (bending about x and y, twist about z)"});
    field("axis", &SectionSignal::axis, Doc{.text = "axis of the section"});
  }
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

/// On a solid or a body with modes: the largest over nodes.
struct StressSignal {
  static constexpr const char* name = "stress";
  static constexpr const char* definition = "stress-signal";
  std::string of;
  std::string set;
  std::optional<Vec3> at;
  static void describe(auto& field) {
    field("stress", &StressSignal::of,
          Doc{.text = "solid or body with modes; the largest stress of von Mises over its nodes",
              .required = true});
    field("set", &StressSignal::set,
          Doc{.text = "node set of a solid that is looked at", .default_text = "all nodes"});
    field("at", &StressSignal::at,
          Doc{.text = "place in the undeformed body: the node next to it is looked at", .unit = "m"});
  }
  void check(const Complain& complain) const;
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

/// Of the nodes of a solid or of a body with modes against where they would be if the body were rigid and went with a frame.
struct DisplacementSignal {
  static constexpr const char* name = "displacement";
  static constexpr const char* definition = "displacement-signal";
  std::string of;
  std::string set;
  std::optional<Vec3> at;
  std::string relative_to;
  static void describe(auto& field) {
    field("displacement", &DisplacementSignal::of,
          Doc{.text = "solid or body with modes; the largest displacement over its nodes", .required = true});
    field("set", &DisplacementSignal::set,
          Doc{.text = "node set of a solid that is looked at", .default_text = "all nodes"});
    field("at", &DisplacementSignal::at,
          Doc{.text = "place in the undeformed body: the node next to it is looked at", .unit = "m"});
    field("relative_to", &DisplacementSignal::relative_to,
          Doc{.text = "body or frame that it is measured from: `ground` for the way from the start",
              .default_text = "the floating frame of the body itself"});
  }
  void check(const Complain& complain) const;
  void add_signal(const std::string& signal, ControlBuilder& to) const;
};

}  // namespace hooke
