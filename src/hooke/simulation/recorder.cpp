#include "hooke/simulation/recorder.h"

#include <algorithm>
#include <filesystem>

#include "hooke/base/format.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/checkpoint.h"

namespace hooke {
namespace {

std::vector<std::pair<std::string, std::string>> facts_of(const Summary& s) {
  return {{"bodies", std::to_string(s.bodies)},
          {"joints", std::to_string(s.joints)},
          {"forces", std::to_string(s.forces)},
          {"coordinates", std::to_string(s.coordinates)},
          {"constraints", std::to_string(s.constraint_rows)},
          {"redundant constraints", std::to_string(s.redundant_rows)},
          {"degrees of freedom", std::to_string(s.degrees_of_freedom)}};
}

/// As a model file, but for what no file can say.
std::string written(const Problem& problem) {
  try {
    return write_model(problem);
  } catch (const Error&) {  // code of the program's own
    return "";
  }
}

}  // namespace

Recorder::Recorder(const Simulation& simulation, const RunOptions& options, Summary& summary,
                   const Checkpoint* from)
    : simulation_(simulation),
      options_(options),
      summary_(summary),
      run_(from ? from->run : new_run_mark()),
      workspace_(simulation.system().workspace()) {
  if (options.results.empty()) return;
  const Problem& problem = simulation.problem();
  const RowsToKeep kept = from ? RowsToKeep{from->frames, from->steps} : RowsToKeep();
  writer_ = std::make_unique<ResultsWriter>(
      options.results, simulation.built(),
      ResultsInfo{
          .title = problem.model.title,
          .model_text = problem.text,
          .integrator = summary.integrator,
          .solver = summary.solver,
          .version = HOOKE_VERSION,
          .file = problem.file.empty() ? "" : std::filesystem::weakly_canonical(problem.file).string(),
          .analysis = std::visit([](const auto& a) { return std::string(a.name); }, problem.run.analysis),
          .overrides = problem.overrides,
          .settings = written(problem),
          .run = run_,
          .reactions = problem.outputs.reactions,
          .facts = facts_of(summary),
          .notes = summary.notes,
          .warnings = summary.warnings,
          .drawing = make_drawing(simulation.built())},
      from ? &kept : nullptr);
  if (!writer_->set_aside().empty())
    summary.warnings.push_back(
        formatted("there were results of another model or analysis; they are now {}", writer_->set_aside()));
  summary.results = options.results;
}

void Recorder::state(const State& state, Watch* watch) {
  auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
  simulation_.system().update(state, workspace);
  if (options_.on_output) options_.on_output(state, workspace);
  Record record = make_record(simulation_.built(), state, workspace, simulation_.problem().outputs.reactions);
  const Energy energy{record.kinetic, record.potential};
  if (watch) {
    const auto [work, error] = watch->balance(state.t, energy);
    record.supplied = work.supplied, record.dissipated = work.dissipated, record.energy_error = error;
  }
  check_finite(record);
  if (writer_) writer_->write(record);
  if (options_.on_record) options_.on_record(record);
  note(record);
  if (!watch) return;
  double speed = 0;
  for (const Record::Body& body : record.bodies) speed = std::max(speed, body.twist.cwiseAbs().maxCoeff());
  watch->check(state.t, energy, record.position_violation, record.velocity_violation, speed);
}

/// Between two steps there may be a time at which a formula has no value.
void Recorder::check_finite(const Record& record) const {
  const BuiltModel& built = simulation_.built();
  const auto fail = [&](const std::string& what) {
    throw Error(ExitCode::step_failed,
                formatted("at t = {:.9g} s {} is not a number: look for a formula that has no "
                          "value at this time",
                          record.t, what));
  };
  for (std::size_t k = 0; k < record.forces.size(); ++k)
    if (!record.forces[k].allFinite()) fail(formatted("force '{}'", built.forces[k].name));
  for (std::size_t k = 0; k < record.joints.size(); ++k)
    if (!record.joints[k].reaction.allFinite()) fail(formatted("the reaction of '{}'", built.joints[k].name));
  for (std::size_t k = 0; k < record.bodies.size(); ++k)
    if (!record.bodies[k].acceleration.allFinite())
      fail(formatted("the acceleration of body '{}'", built.bodies[k]));
}

void Recorder::event(double t, const std::string& text) {
  constexpr std::size_t shown = 20;
  if (++summary_.event_count <= static_cast<long>(shown))
    summary_.notes.push_back(formatted("t = {:.10g} s: {}", t, text));
  else if (summary_.event_count == static_cast<long>(shown) + 1)
    summary_.notes.push_back("more events followed");
}

/// Where a body is linear in a frame of its own, and its motion is not.
void Recorder::warn_of_linear_deformation() {
  constexpr double large_turn = 0.1, fast_spin = 0.2;
  const BuiltModel& built = simulation_.built();
  const auto name = [&](int body) { return built.bodies[static_cast<std::size_t>(body)]; };
  if (const auto [angle, t, k] = largest_turn_; angle > large_turn)
    summary_.warnings.push_back(
        formatted("elements of '{}' turn by {:.2g} rad within its frame at t = {:.6g} s: strains, which are "
                  "linear in that frame, are off "
                  "by about {:.1g}. Cut it into more 'components', or give every element its frame "
                  "('corotation: element', with 'tangent: constant' at about the same price)",
                  name(built.solids[static_cast<std::size_t>(k)].body), angle, t, 0.5 * angle * angle));
  if (const auto [ratio, t, k] = largest_spin_; ratio > fast_spin) {
    const SoftBody& soft = built.soft[static_cast<std::size_t>(k)];
    summary_.warnings.push_back(
        formatted("body '{}' turns at {:.3g} rad/s at t = {:.6g} s, its lowest frequency is {:.3g} rad/s, "
                  "and its modes are not "
                  "stiffened by spinning: say 'stiffening: true', or make it another kind of body",
                  name(soft.body), ratio * soft.frequency, t, soft.frequency));
  }
}

void Recorder::finish() {
  warn_of_linear_deformation();
  if (!writer_) return;
  for (const StressExtreme& most : writer_->stress_extremes())
    if (most.value > 0 && summary_.modes.empty())  // a mode has no size
      summary_.notes.push_back(
          formatted("largest stress in '{}': {:.4g} MPa (von Mises) at [{:.4g}, {:.4g}, {:.4g}] m of the "
                    "undeformed body, "
                    "t = {:.6g} s",
                    most.body, most.value * 1e-6, most.place.x(), most.place.y(), most.place.z(), most.t));
  writer_->finish(to_word(summary_.status), summary_.failure, summary_.notes, summary_.warnings);
}

void Recorder::archive(Archive& a) {
  Summary& s = summary_;
  a(s.event_count);
  a(s.frames, s.first_energy, s.last_energy, s.largest_kinetic_energy, s.energy_drift, s.position_violation,
    s.velocity_violation, s.acceleration_violation);
  a(largest_turn_.angle, largest_turn_.t, largest_turn_.solid);
  a(largest_spin_.ratio, largest_spin_.t, largest_spin_.soft);
  if (writer_) writer_->archive(a);
}

/// A mode is an output of its own, so that whatever shows a motion can show it: the state of rest with the real part of
/// the shape, a tenth of the mechanism's size or of a radian where it moves most, at the time of its number, and where it
/// matters the imaginary part half a second later.
void Recorder::modes(const std::vector<Mode>& modes, const State& state) {
  constexpr double amplitude = 0.1, matters = 1e-3;
  const System& system = simulation_.system();
  this->state(state);
  if (!writer_) return;
  State moved = state;
  moved.v.setZero(), moved.a.setZero();
  double output = 0;
  const auto show = [&](const VectorX& motion, double t) {
    system.plus(state.q, motion, moved.q);
    moved.t = t;
    auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
    system.update(moved, workspace);
    writer_->write(
        make_record(simulation_.built(), moved, workspace, simulation_.problem().outputs.reactions));
    return ++output;
  };
  ModesRecord record;
  for (int dof = 0; dof < simulation_.system().nv(); ++dof)
    record.dofs.push_back(simulation_.system().dof_name(dof));
  for (const Mode& mode : modes) {
    record.frequency.push_back(mode.frequency);
    record.damping.push_back(mode.damping);
    record.eigenvalue_real.push_back(mode.eigenvalue.real());
    record.eigenvalue_imaginary.push_back(mode.eigenvalue.imag());
    for (const std::complex<double>& motion : mode.shape) {
      record.shape_real.push_back(motion.real());
      record.shape_imaginary.push_back(motion.imag());
    }
  }
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Eigen::VectorXcd& shape = modes[k].shape;
    const double factor = amplitude / shape.cwiseQuotient(system.dof_scale()).cwiseAbs().maxCoeff(),
                 t = state.t + static_cast<double>(k + 1);
    record.outputs.push_back(show(factor * shape.real(), t));
    const bool is_complex = shape.imag().cwiseAbs().maxCoeff() > matters * shape.cwiseAbs().maxCoeff();
    record.outputs.push_back(is_complex ? show(factor * shape.imag(), t + 0.5) : -1);
  }
  writer_->write(record);
}

void Recorder::note(const Record& record) {
  const double energy = record.kinetic + record.potential;
  if (summary_.frames++ == 0) summary_.first_energy = energy;
  summary_.last_energy = energy;
  summary_.largest_kinetic_energy = std::max(summary_.largest_kinetic_energy, record.kinetic);
  summary_.energy_drift = std::max(summary_.energy_drift, std::abs(energy - summary_.first_energy));
  summary_.position_violation = std::max(summary_.position_violation, record.position_violation);
  summary_.velocity_violation = std::max(summary_.velocity_violation, record.velocity_violation);
  summary_.acceleration_violation = std::max(summary_.acceleration_violation, record.acceleration_violation);
  summary_.end = record.t;
  note_turns(record);
  note_spins(record);
}

void Recorder::note_spins(const Record& record) {
  const std::vector<SoftBody>& soft = simulation_.built().soft;
  for (std::size_t k = 0; k < soft.size(); ++k) {
    const double speed = record.bodies[static_cast<std::size_t>(soft[k].body)].twist.tail<3>().norm(),
                 ratio = speed / soft[k].frequency;
    if (ratio > largest_spin_.ratio) largest_spin_ = {ratio, record.t, static_cast<int>(k)};
  }
}

void Recorder::note_turns(const Record& record) {
  const std::vector<BuiltSolid>& solids = simulation_.built().solids;
  for (std::size_t k = 0; k < solids.size(); ++k) {
    if (!solids[k].has_one_frame) continue;
    const auto body = static_cast<std::size_t>(solids[k].body);
    const double angle = solids[k].model->largest_turn(
        solid_displacements(*solids[k].model, record.bodies[body].pose, record.nodes[body]));
    if (angle > largest_turn_.angle) largest_turn_ = {angle, record.t, static_cast<int>(k)};
  }
}

}  // namespace hooke
