#pragma once
#include "hooke/catalog/build.h"
#include "hooke/fmi/manifest.h"

/// Where another program acts on a model: a force goes one way, the motion the other.
///
///   joint.D, joint.D.angle     at a coordinate of a joint: position, rate, acceleration, and a force or torque
///   frame.arm, frame.arm.tip   at a body's own or a named frame: poses, velocities, accelerations, a force and a torque
///   end=position:x,force:f     of variables that are there already
///
/// For the first two kinds the model gets inputs and forces that follow them, by overrides of its file, so that the model in
/// the FMU is the user's own. In FMI 3.0 terminalsAndIcons.xml says what belongs together.
namespace hooke {

struct FmuTerminal {
  std::string name;
  std::vector<std::pair<std::string, std::string>> members{};  ///< name of the member, variable
};

struct FmuTerminals {
  std::vector<FmuTerminal> all;
  std::vector<std::string> overrides;        ///< of the model
  std::vector<std::string> inputs, outputs;  ///< it has with them
};

/// Throws Error for what is not in the model.
FmuTerminals terminals_at(const std::vector<std::string>& places, const BuiltModel& built);

/// Throws Error where a member is no variable of the FMU.
void check_terminals(const std::vector<FmuTerminal>& terminals, const FmuManifest& manifest);

/// Of FMI 3.0, terminalsAndIcons.xml: these, and what else belongs to a joint, drive, body or force. Empty: there are none.
std::string describe_terminals(const FmuManifest& manifest, const std::vector<FmuTerminal>& terminals);

}  // namespace hooke
