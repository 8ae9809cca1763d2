#include "hooke/catalog/part.h"

namespace hooke {
namespace {

std::string before_dot(const std::string& text) { return text.substr(0, text.find('.')); }

PartItems::Side together(PartItems::Side a, PartItems::Side b) {
  using Side = PartItems::Side;
  if (a == b || b == Side::none) return a;
  return a == Side::none ? b : Side::both;
}

}  // namespace

bool PartItems::owns(const std::string& attachment) const {
  return part_.bodies.contains(before_dot(attachment));
}

PartItems::Side PartItems::of_attachments(const std::vector<std::string>& attachments) const {
  Side side = Side::none;
  for (const std::string& each : attachments)
    if (before_dot(each) != "ground") side = together(side, owns(each) ? Side::inside : Side::outside);
  return side;
}

PartItems::Side PartItems::of_joint(const std::string& coordinate) const {
  for (const JointEntry& joint : model_.joints)
    if (joint.name == before_dot(coordinate)) return side(joint);
  return Side::none;
}

PartItems::Side PartItems::side(const JointEntry& joint) const {
  if (joint.type == "gear" || joint.type == "rack-and-pinion")
    return together(of_joint(joint.between[0]), of_joint(joint.between[1]));
  return of_attachments({joint.between[0], joint.between[1]});
}
PartItems::Side PartItems::side(const DriveEntry& drive) const {
  return drive.joint ? of_joint(*drive.joint) : of_attachments({drive.body.value_or("ground")});
}
PartItems::Side PartItems::side(const SpringEntry& spring) const {
  return spring.type == "joint-force" ? of_joint(spring.between[0])
                                      : of_attachments({spring.between[0], spring.between[1]});
}
PartItems::Side PartItems::side(const BushingEntry& bushing) const {
  return of_attachments({bushing.between[0], bushing.between[1]});
}
PartItems::Side PartItems::side(const LoadEntry& load) const { return of_attachments({load.on}); }

void PartItems::check(Diagnostics& diagnostics) const {
  const auto refuse = [&](const std::string& path) {
    diagnostics.error(model_.locate(path), path,
                      "acts on both sides of the coupling, where only joints can be cut (without friction or "
                      "drive; no gear or tie): move a body to the other subsystem");
  };
  for (const JointEntry& joint : model_.joints)
    if (side(joint) == Side::both &&
        (joint.type == "gear" || joint.type == "rack-and-pinion" || joint.type == "tie" || joint.friction))
      refuse("joints." + joint.name);
  for (const DriveEntry& drive : model_.drives)
    if (side(drive) == Side::both) refuse("drives." + drive.name);
  for (const SpringEntry& spring : model_.springs)
    if (side(spring) == Side::both) refuse("forces." + spring.name);
  for (const BushingEntry& bushing : model_.bushings)
    if (side(bushing) == Side::both) refuse("forces." + bushing.name);
}

}  // namespace hooke
