#include "hooke/simulation/simulation.h"

#include <algorithm>
#include <thread>

#include "hooke/analysis/kinematics.h"
#include "hooke/analysis/modes.h"
#include "hooke/analysis/statics.h"
#include "hooke/base/timer.h"
#include "hooke/coupling/adapter/coupled_integrator.h"
#include "hooke/io/results/results.h"
#include "hooke/math/expression.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

/// Nothing feeds or takes energy but the springs and gravity that the potential counts.
bool is_conservative(const Model& model) {
  const auto stores_only = [](const SpringEntry& s) {
    return s.law.damping == 0 && !s.law.viscous && !s.law.active && !s.law.law;
  };
  const auto has_friction = [](const JointEntry& j) { return j.friction.has_value(); };
  const auto is_damped = [](const BushingEntry& b) { return !b.damping.isZero(); };
  const auto is_flexible_and_damped = [](const BodyEntry& b) {
    return std::visit(
        [](const auto& settings) {
          if constexpr (requires { settings.damping; }) return !settings.damping.times.isZero(0);
          if constexpr (requires { settings.mass_damping; })
            return settings.mass_damping != 0 || settings.stiffness_damping != 0;
          return false;
        },
        b.formulation);
  };
  return model.drives.empty() && model.loads.empty() &&
         std::none_of(model.bodies.begin(), model.bodies.end(), is_flexible_and_damped) &&
         std::all_of(model.springs.begin(), model.springs.end(), stores_only) &&
         std::none_of(model.joints.begin(), model.joints.end(), has_friction) &&
         std::none_of(model.bushings.begin(), model.bushings.end(), is_damped);
}

std::vector<std::pair<std::string, std::string>> facts_of(const Summary& s) {
  return {{"bodies", std::to_string(s.bodies)},
          {"joints", std::to_string(s.joints)},
          {"forces", std::to_string(s.forces)},
          {"coordinates", std::to_string(s.coordinates)},
          {"constraints", std::to_string(s.constraint_rows)},
          {"redundant constraints", std::to_string(s.redundant_rows)},
          {"degrees of freedom", std::to_string(s.degrees_of_freedom)}};
}

}  // namespace

/// Turns states into records, keeps what the summary needs, and writes the results file if there is one.
class Recorder {
 public:
  Recorder(const Simulation& simulation, const RunOptions& options, Summary& summary)
      : simulation_(simulation),
        options_(options),
        summary_(summary),
        workspace_(simulation.system().workspace()) {
    if (options.results.empty()) return;
    const ModelFile& file = simulation.file();
    writer_ = std::make_unique<ResultsWriter>(
        options.results, simulation.built(),
        ResultsInfo{file.model.title, file.text, summary.integrator, summary.solver, HOOKE_VERSION,
                    facts_of(summary), summary.notes, summary.warnings,
                    make_drawing(file.model, simulation.built())});
    summary.results = options.results;
  }

  void state(const State& state) {
    auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
    simulation_.system().update(state, workspace);
    if (options_.on_output) options_.on_output(state, workspace);
    const Record record = make_record(simulation_.built(), state, workspace);
    if (writer_) writer_->write(record);
    note(record);
  }
  void modes(const std::vector<Mode>& modes) {
    if (!writer_) return;
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
    writer_->write(record);
  }
  void step(const StepRecord& record) {
    if (writer_) writer_->write(record);
  }
  void finish() {
    if (writer_) writer_->finish(summary_.status, summary_.failure);
  }

 private:
  void note(const Record& record) {
    const double energy = record.kinetic + record.potential;
    if (summary_.frames++ == 0) summary_.first_energy = energy;
    summary_.last_energy = energy;
    summary_.largest_kinetic_energy = std::max(summary_.largest_kinetic_energy, record.kinetic);
    summary_.energy_drift = std::max(summary_.energy_drift, std::abs(energy - summary_.first_energy));
    summary_.position_violation = std::max(summary_.position_violation, record.position_violation);
    summary_.velocity_violation = std::max(summary_.velocity_violation, record.velocity_violation);
    summary_.acceleration_violation =
        std::max(summary_.acceleration_violation, record.acceleration_violation);
    summary_.end = record.t;
  }

  const Simulation& simulation_;
  const RunOptions& options_;
  Summary& summary_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<ResultsWriter> writer_;
};

ModelFile load(const std::string& path, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  ModelFile file = read_model_file(path, overrides, diagnostics);
  diagnostics.throw_if_errors();
  for (const Diagnostic& warning : diagnostics.warnings()) file.warnings.push_back(to_string(warning));
  return file;
}

namespace {

/// Solids are factorized best body by body; but what springs and friction do to them `schur` leaves out of
/// its matrix.
bool wants_schur(const Model& model) {
  return std::any_of(
             model.bodies.begin(), model.bodies.end(),
             [](const BodyEntry& b) { return std::holds_alternative<SolidSettings>(b.formulation); }) &&
         model.springs.empty() && model.bushings.empty() &&
         std::none_of(model.joints.begin(), model.joints.end(),
                      [](const JointEntry& j) { return j.friction.has_value(); });
}

ModelFile with_solver(ModelFile file) {
  if (file.run.solver == "auto" && wants_schur(file.model)) file.run.solver = "schur";
  return file;
}

}  // namespace

Simulation::Simulation(ModelFile file)
    : file_(with_solver(std::move(file))),
      built_(build(file_.model)),
      start_(assemble_start(file_.model, built_, newton_settings(file_.run), file_.run.start)) {
  start_.warnings.insert(start_.warnings.begin(), file_.warnings.begin(), file_.warnings.end());
  if (!file_.run.regularisation && !start_.rank.redundant.empty()) file_.run.regularisation = 1e-6;
  if (!file_.subsystems.empty() && file_.coupling.force_displacement)
    if (std::string warning = stability_warning(file_, built_, start_.state); !warning.empty())
      start_.warnings.push_back(std::move(warning));
}

Summary Simulation::describe() const {
  Summary s;
  s.bodies = system().bodies();
  for (const BuiltJoint& joint : built_.joints) s.joints += joint.type != "drive";
  s.forces = static_cast<int>(built_.forces.size());
  s.coordinates = system().nv();
  s.constraint_rows = start_.rank.rows;
  s.redundant_rows = start_.rank.rows - start_.rank.rank;
  s.degrees_of_freedom = start_.rank.degrees_of_freedom();
  s.integrator =
      std::visit([](const auto& choice) { return std::string(choice.name); }, file_.run.integrator);
  if (!file_.subsystems.empty() && file_.coupling.force_displacement) s.integrator = "force-displacement";
  s.solver = make_solver(file_.run.solver, system().structure())->name();
  s.start = s.end = file_.run.start;
  s.is_conservative = is_conservative(file_.model);
  s.notes = start_.notes;
  s.warnings = start_.warnings;
  return s;
}

Summary Simulation::run(const RunOptions& options) {
  Summary summary = describe();
  const Analysis analysis = file_.run.analysis;
  if (analysis != Analysis::dynamics) summary.integrator = to_word(analysis);
  Recorder recorder(*this, options, summary);
  const Timer timer;
  try {
    switch (analysis) {
      case Analysis::dynamics:
        run_dynamics(options, summary, recorder);
        break;
      case Analysis::kinematics:
      case Analysis::inverse_dynamics:
        run_kinematics(options, summary, recorder);
        break;
      case Analysis::statics:
        run_statics(summary, recorder);
        break;
      case Analysis::modes:
        run_modes(summary, recorder);
        break;
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::step_failed) throw;
    summary.status = "failed";
    summary.failure = error.what();
  }
  summary.wall_time = timer.seconds();
  recorder.finish();
  return summary;
}

void Simulation::march(Integrator& integrator, const RunOptions& options, Summary& summary,
                       Recorder& recorder) {
  const RunSettings& run = file_.run;
  March march(
      system(), integrator,
      {.end = run.end, .step = run.step, .tolerance = run.tolerance, .output_every = file_.outputs.every});
  bool stopped = false;
  march.on_output = [&](const State& state) { recorder.state(state); };
  march.on_step = [&](const StepRecord& step) {
    recorder.step(step);
    if (options.progress) options.progress({step.t, run.end, step.h, march.totals().steps});
  };
  march.cancelled = [&] { return stopped = options.cancelled && options.cancelled(); };
  State state = start_.state;
  try {
    march.run(state);
  } catch (...) {
    summary.totals = march.totals();
    summary.end = state.t;
    throw;
  }
  summary.totals = march.totals();
  summary.end = state.t;
  if (stopped) summary.status = "interrupted";
}

void Simulation::run_dynamics(const RunOptions& options, Summary& summary, Recorder& recorder) {
  int threads = file_.run.threads;
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto team = threads > 1 ? std::make_shared<Team>(threads) : nullptr;
  const bool is_split = !file_.subsystems.empty();
  use(is_split ? nullptr : team);
  const auto integrator = is_split ? coupled(team) : make_integrator(system(), file_.run, team);
  if (file_.run.realtime) summary.deadline = file_.run.step;
  march(*integrator, options, summary, recorder);
  if (const std::string note = integrator->note(); !note.empty()) summary.notes.push_back(note);
  if (!summary.totals.failure.empty())
    summary.notes.push_back("steps that failed were repeated smaller; the last one, " +
                            summary.totals.failure);
}

/// Threads take whole subsystems.
std::unique_ptr<Integrator> Simulation::coupled(std::shared_ptr<Team> team) const {
  if (file_.coupling.force_displacement) return make_force_displacement(file_, built_, std::move(team));
  const auto* choice = std::get_if<StabilisedOdeChoice>(&file_.run.integrator);
  if (!choice)
    throw ModelError(
        {{file_.model.locate("run.integrator"), "run.integrator",
          "a model with subsystems needs the integrator stabilised-ode: constraints between subsystems that "
          "are imposed exactly do not converge"}});
  for (const auto& [name, entry] : file_.subsystems) {
    const std::string path = "subsystems." + name;
    const auto* own = entry.integrator ? std::get_if<StabilisedOdeChoice>(&*entry.integrator) : choice;
    if (!own || own->rho != choice->rho || (own->beta && own->beta != choice->beta))
      throw ModelError(
          {{file_.model.locate(path), path + ".integrator",
            "must be stabilised-ode, with a method of its own and rho and beta of run.integrator; "
            "others go with coupling.force-displacement"}});
    if (entry.tolerance)
      throw ModelError({{file_.model.locate(path), path + ".tolerance",
                         "goes with coupling.force-displacement; here run.tolerance is that of all"}});
  }
  return std::make_unique<CoupledIntegrator>(
      system(), subsystems_of(file_, built_), choice->settings(newton_settings(file_.run)), file_.coupling,
      std::move(team), choice->beta ? *choice->beta * file_.run.step : 1.0);
}

void Simulation::run_kinematics(const RunOptions& options, Summary& summary, Recorder& recorder) {
  if (const int free = start_.rank.degrees_of_freedom(); free != 0)
    throw Error(ExitCode::bad_model, formatted("{} needs every motion driven, but {} degree{} of freedom "
                                                 "{} free: add {} drive{}, or run dynamics",
                                                 to_word(file_.run.analysis), free, free == 1 ? "" : "s",
                                                 free == 1 ? "is" : "are", free, free == 1 ? "" : "s"));
  KinematicMotion motion(system(), newton_settings(file_.run));
  file_.run.tolerance.reset();
  march(motion, options, summary, recorder);
}

void Simulation::run_statics(Summary& summary, Recorder& recorder) {
  State state = start_.state;
  const StaticResult result = find_equilibrium(system(), state, newton_settings(file_.run));
  summary.totals.iterations = result.iterations;
  if (!result.converged) throw Error(ExitCode::step_failed, result.failure);
  recorder.state(state);
}

void Simulation::run_modes(Summary& summary, Recorder& recorder) {
  State state = start_.state;
  if (state.v.isZero(1e-12)) {
    const StaticResult result = find_equilibrium(system(), state, newton_settings(file_.run));
    if (!result.converged) throw Error(ExitCode::step_failed, result.failure);
    summary.notes.push_back("modes are those about the static equilibrium reached from the start");
  }
  const Linearisation linear = linearise(system(), state);
  for (const Mode& mode : linear.modes) summary.modes.emplace_back(mode.frequency, mode.damping);
  recorder.modes(linear.modes);
  recorder.state(state);
}

}  // namespace hooke
