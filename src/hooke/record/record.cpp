#include "hooke/record/record.h"
#include "hooke/bodies/modal_data.h"

namespace hooke {
namespace {

double largest(const VectorX& rows) { return rows.size() ? rows.cwiseAbs().maxCoeff() : 0.0; }

/// Of all pairs of nodes together, about their middle, in world axes.
Vec6 tie_reaction(const BuiltJoint& tie, const System& system, const State& state,
                  const SystemWorkspace& workspace) {
  const auto place = [&](int constraint) -> const Vec3& {
    return workspace.frames.pose[static_cast<std::size_t>(system.constraint_frame(constraint, 1))].p;
  };
  Vec3 middle = zero3;
  for (int pair : tie.pairs) middle += place(pair) / static_cast<double>(tie.pairs.size());
  Vec6 sum = Vec6::Zero();
  for (int pair : tie.pairs) {
    const Vec6 w = system.reaction(pair, 1, state, workspace);
    sum += w;
    sum.tail<3>() += (place(pair) - middle).cross(w.head<3>());
  }
  return sum;
}

Record::Joint record_joint(const BuiltJoint& joint, const System& system, const State& state,
                           const SystemWorkspace& workspace) {
  Record::Joint record;
  for (const BuiltCoordinate& coordinate : joint.coordinates) {
    record.coordinates.push_back(system.coordinate(coordinate.number, state, workspace));
    record.rates.push_back(system.coordinate_rate(coordinate.number, workspace));
  }
  if (!joint.pairs.empty()) {
    record.reaction = tie_reaction(joint, system, state, workspace);
    return record;
  }
  const Vec6 wrench_W = system.reaction(joint.constraint, 1, state, workspace);
  const Mat3& R_WA =
      workspace.frames.pose[static_cast<std::size_t>(system.constraint_frame(joint.constraint, 0))].R;
  record.reaction << R_WA.transpose() * wrench_W.head<3>(), R_WA.transpose() * wrench_W.tail<3>();
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

}  // namespace

Record make_record(const BuiltModel& model, const State& state, SystemWorkspace& workspace) {
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
    record.joints.push_back(record_joint(joint, system, state, workspace));
  for (const BuiltForce& force : model.forces)
    record.forces.push_back(system.force_wrench(force.force, force.frames - 1, state, workspace));

  for (const BuiltSpring& spring : model.springs)
    record.springs.push_back(record_spring(spring, model, state, workspace));
  if (const ControlsBase* controls = system.controls()) {
    record.signals.resize(model.signals.size());
    controls->read(state, workspace.frames, record.signals);
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
