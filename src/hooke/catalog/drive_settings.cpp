#include "hooke/catalog/drive_settings.h"

#include "hooke/catalog/builder.h"
#include "hooke/joints/drive.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

void add(const std::string& name, const FoundCoordinate& found, const Function& function, Builder& to) {
  if (function.signal_formula())
    return to.error("drives." + name + ".function",
                    "a drive of a body follows a function of time; one of a joint can follow signals");
  if (function.is_by_differences())
    to.note(formatted("drive '{}': derivatives of its function are taken by differences", name));
  std::visit(
      [&](const auto& coordinate) {
        using C = std::decay_t<decltype(coordinate)>;
        BuiltJoint built{name,
                         "drive",
                         to.add_constraint(Drive<C>{coordinate, function}, found.second, name),
                         found.second,
                         {}};
        to.add_coordinate(built, C::periodic ? "angle" : "displacement", coordinate);
        to.add(std::move(built));
      },
      found.first);
}

}  // namespace

void JointDriveSettings::add_drive(const std::string& drive, Builder& to) const {
  if (const std::string* formula = function.signal_formula()) {
    if (const auto found = to.find_coordinate(joint, "drives." + drive + ".joint"))
      to.add_servo(drive, joint, *found, *formula, every);
    return;
  }
  if (const auto found = to.find_coordinate(joint, "drives." + drive + ".joint"))
    add(drive, *found, function, to);
}

void BodyDriveSettings::add_drive(const std::string& drive, Builder& to) const {
  const auto at = to.attachment(body, "drives." + drive + ".body");
  if (!at) return;
  const int k = static_cast<int>(coordinate);
  Attachment ground, turned = *at;
  if (k >= 3) ground.X_WF.R = turned.X_WF.R = rotation_from_z(Vec3::Unit(k - 3));
  const int first = to.add_frame(ground), second = to.add_frame(turned);
  const std::array frames{first, second};
  add(drive,
      k < 3 ? FoundCoordinate{Displacement{static_cast<Axis>(k)}, frames}
            : FoundCoordinate{Angle::about_z(), frames},
      function, to);
}

}  // namespace hooke
