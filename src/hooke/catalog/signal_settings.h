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

}  // namespace hooke
