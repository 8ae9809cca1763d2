#pragma once
#include <functional>

#include "catalog/settings.h"
#include "system/system.h"

/// From settings to bodies in a System. One overload per formulation of BodyFormulation: adding a body type
/// adds one here.
namespace hooke {

/// Adds frames to a body: given in its reference frame; returns the number of the frame.
using AddFrame = std::function<int(const FramePose& X_BF)>;

/// Mass, mass centre and inertia about it, in the axes of the reference frame.
struct MassProperties {
  double mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};
MassProperties mass_properties(const RigidSettings& settings);

/// `twist`: velocity of the origin in the world, angular velocity in the body.
AddFrame make_body(System& system, const std::string& name, const RigidSettings& settings,
                   const FramePose& pose, const Vec6& twist);

}  // namespace hooke
