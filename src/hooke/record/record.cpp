#include "hooke/record/record.h"

#include "hooke/bodies/modal_data.h"

namespace hooke {
namespace {

double largest(const VectorX& rows) { return rows.size() ? rows.cwiseAbs().maxCoeff() : 0.0; }

Record::Joint record_joint(const BuiltJoint& joint, const System& system, const State& state,
                           const SystemWorkspace& workspace, ReactionAxes axes) {
  Record::Joint record;
  for (const BuiltCoordinate& coordinate : joint.coordinates) {
    record.coordinates.push_back(system.coordinate(coordinate.number, state, workspace));
    record.rates.push_back(system.coordinate_rate(coordinate.number, workspace));
  }
  record.reaction = joint_reaction(joint, system, state, workspace, axes);
  return record;
}

/// The wrench on the last frame is minus the tension times the gradient of the length there.
Record::Spring record_spring(const BuiltSpring& spring, const BuiltModel& model, const State& state,
                             const SystemWorkspace& workspace) {
  const System& system = *model.system;
  const auto pose = [&](std::size_t k) -> const FramePose& {
    return workspace.frames.pose[static_cast<std::size_t>(spring.frames[k])];
  };
  const Vec6 gradient = std::visit(
      [&](const auto& c) -> Vec6 { return c.gradient(pose(0), pose(1)).template tail<6>(); }, spring.along);
  const BuiltForce& force = model.forces[static_cast<std::size_t>(spring.force)];
  const double square = gradient.squaredNorm();
  const double along = gradient.dot(system.force_wrench(force.force, 1, state, workspace));
  return {system.coordinate(spring.coordinate, state, workspace),
          system.coordinate_rate(spring.coordinate, workspace), square > 0 ? -along / square : 0};
}

Record::Contact record_contact(const BuiltContact& contact, const System& system, const State& state,
                               const SystemWorkspace& workspace) {
  const auto sum = contact_sum(contact, system, state, workspace);
  return {sum.gap, sum.force, sum.place, sum.impulse, sum.points};
}

/// Where surfaces of solids may touch.
void record_pressure(const BuiltModel& model, const State& state, SystemWorkspace& workspace,
                     Record& record) {
  if (model.pressed.empty()) return;
  record.pressure.resize(record.nodes.size());
  for (const BuiltSolid& solid : model.solids) {
    const auto body = static_cast<std::size_t>(solid.body);
    if (solid.touches) record.pressure[body].assign(record.nodes[body].size(), 0.0);
  }
  const std::vector<Vec3> forces = contact_forces(model, state, workspace);
  for (const ContactPressure& surface : model.pressed) surface.find(forces, record.nodes, record.pressure);
}

}  // namespace

Record make_record(const BuiltModel& model, const State& state, SystemWorkspace& workspace,
                   ReactionAxes axes) {
  const System& system = *model.system;
  Record record;
  record.t = state.t;
  for (int b = 0; b < system.bodies(); ++b) {
    const BodyMotion motion = system.motion(b, state);
    record.bodies.push_back({motion.pose, motion.twist, motion.acceleration});
    record.nodes.push_back(system.nodes(b, state));
    auto& sections = record.sections.emplace_back();
    for (int k = 0; k < system.section_count(b); ++k) sections.push_back(system.section(b, k, state));
  }
  for (const BuiltModal& modal : model.modal)
    record.modal.push_back(state.q.segment(system.place_of(modal.body).q, system.size_of(modal.body).q)
                               .tail(modal.data->modes()));
  for (const BuiltJoint& joint : model.joints)
    record.joints.push_back(record_joint(joint, system, state, workspace, axes));
  for (const BuiltForce& force : model.forces)
    record.forces.push_back(system.force_wrench(force.force, force.frames - 1, state, workspace));

  for (const BuiltSpring& spring : model.springs)
    record.springs.push_back(record_spring(spring, model, state, workspace));
  for (const BuiltContact& contact : model.contacts)
    record.contacts.push_back(record_contact(contact, system, state, workspace));
  record_pressure(model, state, workspace, record);
  if (const ControlsBase* controls = system.controls()) {
    record.signals.resize(model.signals.size());
    controls->read(state, workspace, record.signals);
  }

  const Energy energy = system.energy(state, workspace);
  record.kinetic = energy.kinetic;
  record.potential = energy.potential;

  VectorX rows;
  system.position_constraints(state, workspace, rows);
  record.position_violation = largest(rows);
  system.velocity_constraints(state, workspace, rows);
  record.velocity_violation = largest(rows);
  system.acceleration_constraints(state, workspace, rows);
  record.acceleration_violation = largest(rows);
  return record;
}

}  // namespace hooke
