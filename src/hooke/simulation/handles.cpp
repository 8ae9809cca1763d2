#include "hooke/simulation/handles.h"

#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/simulation/simulation.h"

namespace hooke {

BodyMotion BodyHandle::motion() const { return simulation_->system().motion(number_, simulation_->state()); }
MassProperties BodyHandle::mass_properties() const { return simulation_->system().mass_properties(number_); }
const std::string& BodyHandle::name() const { return simulation_->system().body_name(number_); }
std::vector<FramePose> BodyHandle::nodes() const {
  return simulation_->system().nodes(number_, simulation_->state());
}

/// Column by column: the twist is linear in the body's own velocities.
MatrixX BodyHandle::jacobian() const {
  const System& system = simulation_->system();
  const BodyPlace at = system.place_of(number_), size = system.size_of(number_);
  MatrixX J = MatrixX::Zero(6, system.nv());
  State unit = simulation_->state();
  for (int dof = at.v; dof < at.v + size.v; ++dof) {
    unit.v.setZero();
    unit.v[dof] = 1;
    J.col(dof) = system.motion(number_, unit).twist;
  }
  return J;
}

const BuiltCoordinate& JointHandle::find(const std::string& name) const {
  std::vector<std::string> known;
  for (const BuiltCoordinate& c : joint_->coordinates) {
    if (c.name == name || (name.empty() && joint_->coordinates.size() == 1)) return c;
    known.push_back(c.name);
  }
  throw Error(ExitCode::usage,
              formatted("joint '{}' ({}) has {}; asked for {}", joint_->name, joint_->type,
                        known.empty() ? "no coordinate" : "the coordinates " + list_words(known, "and"),
                        name.empty() ? "its only one" : "'" + name + "'" + suggest(name, known)));
}

double JointHandle::coordinate(const std::string& name) const {
  return simulation_->system().coordinate(find(name).number, simulation_->state(), simulation_->evaluated());
}

double JointHandle::rate(const std::string& name) const {
  return simulation_->system().coordinate_rate(find(name).number, simulation_->evaluated());
}

Vec6 JointHandle::reaction(ReactionAxes axes) const {
  return joint_reaction(*joint_, simulation_->system(), simulation_->state(), simulation_->evaluated(), axes);
}

Vec6 ForceHandle::wrench() const {
  return simulation_->system().force_wrench(force_->force, force_->frames - 1, simulation_->state(),
                                            simulation_->evaluated());
}

/// From the first end to the second.
Vec3 ForceHandle::line() const {
  if (force_->frames != 2)
    throw Error(ExitCode::usage,
                formatted("'{}' ({}) has no two ends; ask for its wrench", force_->name, force_->type));
  const auto& pose = simulation_->evaluated().frames.pose;
  return pose[static_cast<std::size_t>(force_->ends[1])].p -
         pose[static_cast<std::size_t>(force_->ends[0])].p;
}

double ForceHandle::length() const { return line().norm(); }

double ForceHandle::tension() const { return -wrench().head<3>().dot(line().normalized()); }

}  // namespace hooke
