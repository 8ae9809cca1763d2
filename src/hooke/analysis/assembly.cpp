#include "hooke/analysis/assembly_at_rest.h"

#include "hooke/base/format.h"

#include "hooke/base/error.h"

namespace hooke {
namespace {

/// The rows that still disagree, largest first, as lines of a message.
std::string worst_rows(const Dae& dae, const VectorX& g) {
  std::vector<int> rows(g.size());
  for (int i = 0; i < g.size(); ++i) rows[i] = i;
  std::sort(rows.begin(), rows.end(), [&](int a, int b) { return std::abs(g[a]) > std::abs(g[b]); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 5); ++i)
    if (std::abs(g[rows[i]]) > 0.01 * std::abs(g[rows[0]]))
      text += formatted("\n  {:.3g} at {}", g[rows[i]], dae.row_name(rows[i]));
  return text;
}

bool is_any(const std::vector<char>& flags) {
  return std::find(flags.begin(), flags.end(), 1) != flags.end();
}

/// Up to round-off: then there is nothing to move, and no need for a factor of the mass.
bool are_closed(const System& system, const State& state) {
  const auto workspace = system.workspace();
  system.update(state, *workspace);
  VectorX g;
  system.position_constraints(state, *workspace, g);
  return g.size() == 0 || g.lpNorm<Eigen::Infinity>() <= 1e-15 * system.dof_scale().maxCoeff();
}

bool are_velocities_consistent(const System& system, const State& state) {
  const auto workspace = system.workspace();
  system.update(state, *workspace);
  VectorX g;
  system.velocity_constraints(state, *workspace, g);
  return g.size() == 0 || g.isZero(0);
}

/// On the way to a start that is far from the one given, redundant rows contradict each other for a while. Their
/// multipliers then grow with 1/eps, and their round-off with them: what is left free must not follow that.
NewtonSettings for_a_long_way(NewtonSettings newton) {
  newton.regularisation = std::max(newton.regularisation, 1e-7);
  return newton;
}

void assemble_positions(const BuiltModel& built, const NewtonSettings& newton, Start& start) {
  const System& system = *built.system;
  State state = system.initial_state(start.state.t);
  state.q = start.state.q;
  if (are_closed(system, state)) return;
  Projector projector(system, for_a_long_way(newton));
  projector.hold(built.held_position);
  const VectorX before = state.q;
  const double size = system.dof_scale().maxCoeff();
  auto result = projector.positions(state);
  const auto is_closed = [&] { return result.converged && result.violation <= 1e-6 * std::max(1.0, size); };
  if (!is_closed() && is_any(built.held_position)) {
    start.warnings.push_back("the bodies to be held cannot all stay where they are: they were moved, too");
    state.q = before;
    projector.hold({});
    result = projector.positions(state);
  }
  if (!is_closed()) {
    VectorX g;
    system.update(state, projector.workspace());
    system.position_constraints(state, projector.workspace(), g);
    throw Error(ExitCode::not_assembled,
                "the joints cannot all be closed: no position satisfies them. What remains open (m, or the "
                "sine of an angle):" +
                    worst_rows(system, g) + "\nLook at the positions and axes given for these joints.");
  }
  VectorX moved;
  system.minus(state.q, before, moved);
  for (int b = 0, dof = 0; b < system.bodies(); ++b) {
    double shift = 0, turn = 0;
    const KktStructure& s = system.structure();
    for (int block = s.body_blocks[b]; block < s.body_blocks[b + 1]; ++block)
      for (int k = 0; k < s.dof_sizes[block]; ++k, ++dof)
        (k < 3 ? shift : turn) = std::max(k < 3 ? shift : turn, std::abs(moved[dof]));
    if (shift > 1e-6 * size || turn > 1e-6)
      start.notes.push_back(
          formatted("body '{}' was moved by {:.3g} m and turned by {:.3g} rad to close the joints",
                    system.body_name(b), shift, turn));
  }
  start.state.q = state.q;
}

void assemble_velocities(const BuiltModel& built, const NewtonSettings& newton, Start& start) {
  const System& system = *built.system;
  State state = system.initial_state(start.state.t);
  state.q = start.state.q;
  state.v = start.state.v;
  if (are_velocities_consistent(system, state)) return;
  Projector projector(system, for_a_long_way(newton));
  projector.hold(built.held_velocity);
  auto result = projector.velocities(state);
  if (!result.converged && is_any(built.held_velocity)) {
    start.warnings.push_back(
        "the velocities given contradict each other or a joint; the nearest consistent ones are used");
    state.v = start.state.v;
    projector.hold({});
    result = projector.velocities(state);
  }
  if (!result.converged) {
    VectorX g;
    system.update(state, projector.workspace());
    system.velocity_constraints(state, projector.workspace(), g);
    throw Error(ExitCode::not_assembled,
                "no velocities satisfy all joints and drives at the start. What remains (m/s or rad/s):" +
                    worst_rows(system, g));
  }
  for (int b = 0, dof = 0; b < system.bodies(); ++b) {
    double change = 0;
    const KktStructure& s = system.structure();
    for (int block = s.body_blocks[b]; block < s.body_blocks[b + 1]; ++block)
      for (int k = 0; k < s.dof_sizes[block]; ++k, ++dof)
        change = std::max(change, std::abs(state.v[dof] - start.state.v[dof]));
    if (change > 1e-9)
      start.notes.push_back(
          formatted("velocity of body '{}' was set to fit the joints (by up to {:.3g} m/s or rad/s)",
                    system.body_name(b), change));
  }
  start.state.v = state.v;
}

bool has_start_rows(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [](const auto& joint) {
    const Named<CoordinateStart>* start = joint.second->start(joint.second.data());
    return start && !start->empty();
  });
}

void assemble(const Model& model, const BuiltModel& built, const NewtonSettings& newton,
              Flexibility flexibility, Start& start) {
  if (has_start_rows(model)) {  // a system of the same bodies with rows that hold the start values
    assemble_positions(build(model, StartRows::positions, flexibility), newton, start);
    assemble_velocities(build(model, StartRows::velocities, flexibility), newton, start);
  } else {
    assemble_positions(built, newton, start);
    assemble_velocities(built, newton, start);
  }
}

/// Flexible bodies start undeformed where they can: the start is assembled with all of them frozen, and each
/// put where its rigid twin is. Where that is impossible (a joint that can be closed only by bending), they
/// stay where they were given.
void assemble_frozen(const Model& model, const NewtonSettings& newton, const System& system, Start& start) {
  const BuiltModel frozen = build(model, StartRows::none, Flexibility::frozen);
  Start rigid;
  rigid.state = frozen.system->initial_state(start.state.t);
  try {
    assemble(model, frozen, newton, Flexibility::frozen, rigid);
  } catch (const Error&) {
    return;
  }
  for (int b = 0; b < system.bodies(); ++b) {
    const BodyMotion motion = frozen.system->motion(b, rigid.state);
    Vec6 twist = motion.twist;
    twist.tail<3>() = motion.pose.R.transpose() * twist.tail<3>();
    system.place(b, motion.pose, twist, start.state);
  }
  start.notes = rigid.notes;
  start.warnings = rigid.warnings;
}

/// A formula that has no value at the start is a mistake in the model.
void refuse(const Model& model, std::optional<Diagnostic> found) {
  if (!found) return;
  found->at = model.locate(found->path);
  throw ModelError({*found});
}

}  // namespace

Start assemble_at_rest(const Model& model, const BuiltModel& built, const NewtonSettings& newton, double t) {
  const System& system = *built.system;
  Start start;
  start.state = system.initial_state(t);
  refuse(model, system.not_finite_drive(t));
  if (built.has_flexible_bodies) assemble_frozen(model, newton, system, start);
  assemble(model, built, newton, Flexibility::as_modelled, start);
  auto workspace = system.workspace();
  system.update(start.state, *workspace);
  system.accept(start.state, *workspace);
  system.start(start.state, *workspace);
  system.update(start.state, *workspace);
  refuse(model, system.not_finite_force(start.state, static_cast<const SystemWorkspace&>(*workspace), false));

  start.rank = constraint_rank(system, start.state);
  if (!start.rank.redundant.empty()) {
    std::string text = formatted(
        "{} of {} constraint rows are redundant but consistent; the motion is not affected, reactions are "
        "those of minimum norm",
        start.rank.redundant.size(), start.rank.rows);
    for (const std::string& line : describe(start.rank, system)) text += "\n  " + line;
    start.warnings.push_back(std::move(text));
  }
  return start;
}

Start assemble_start(const Model& model, const BuiltModel& built, const NewtonSettings& newton, double t) {
  const System& system = *built.system;
  Start start = assemble_at_rest(model, built, newton, t);
  Projector projector(system, newton);
  bool found = projector.accelerations(start.state).converged;
  while (found && system.settle(start.state)) found = projector.accelerations(start.state).converged;
  if (!found)
    throw Error(ExitCode::not_assembled,
                "no accelerations satisfy the equations of motion at the start: a body may be free to move "
                "without mass, or drives contradict joints" +
                    (start.rank.redundant.empty() ? std::string()
                                                  : "; redundant: " + describe(start.rank, system)[0]));
  return start;
}

bool is_in_balance(const Dae& dae, const State& state) {
  constexpr double round_off = 1e-14;
  State at_rest = state;
  at_rest.v.head(dae.nv() - dae.first_order_states()).setZero();
  at_rest.a.setZero();
  const auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  VectorX r;
  dae.update(at_rest, *workspace);
  dae.residual(at_rest, *workspace, r);
  dae.tangent(at_rest, {.m = 0, .k = 1}, *workspace, kkt);
  const double stiffness = kkt.matrix.diagonal().head(dae.nv()).cwiseAbs().maxCoeff();
  return r.cwiseAbs().maxCoeff() <= round_off * stiffness * dae.dof_scale().maxCoeff();
}

}  // namespace hooke
