#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/math/function.h"

/// What a user can set of a drive: a coordinate follows a function of time.
namespace hooke {

struct JointDriveSettings {
  static constexpr const char* name = "joint";
  static constexpr const char* definition = "joint-drive";
  std::string joint;
  Function function;
  double every = 0.01;

  static void describe(auto& field) {
    field("joint", &JointDriveSettings::joint,
          Doc{.text = "joint whose coordinate is driven: 'A' or, if it has several, 'A.angle'",
              .required = true});
    field("function", &JointDriveSettings::function,
          Doc{.text = "value over time, or a formula of signals", .unit = "m or rad", .required = true});
    field("every", &JointDriveSettings::every,
          Doc{.text = "of a formula of signals: interval at which the drive is told where to go",
              .unit = "s",
              .check = positive});
  }
  void add_drive(const std::string& drive, Builder& to) const;
};

enum class BodyCoordinate { x, y, z, angle_x, angle_y, angle_z };
constexpr auto names(BodyCoordinate) { return std::array{"x", "y", "z", "angle_x", "angle_y", "angle_z"}; }

/// Of a body or frame relative to the ground.
struct BodyDriveSettings {
  static constexpr const char* name = "body";
  static constexpr const char* definition = "body-drive";
  std::string body;
  BodyCoordinate coordinate = BodyCoordinate::x;
  Function function;

  static void describe(auto& field) {
    field("body", &BodyDriveSettings::body,
          Doc{.text = "body or frame whose coordinate in the world is driven", .required = true});
    field("coordinate", &BodyDriveSettings::coordinate, Doc{.text = "which", .required = true});
    field("function", &BodyDriveSettings::function,
          Doc{.text = "value over time", .unit = "m or rad", .required = true});
  }
  void add_drive(const std::string& drive, Builder& to) const;
};

}  // namespace hooke
