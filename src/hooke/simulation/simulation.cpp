#include "hooke/simulation/simulation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "hooke/analysis/diagnosis.h"
#include "hooke/analysis/kinematics.h"
#include "hooke/analysis/statics.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/base/timer.h"
#include "hooke/coupling/adapter/coupled_integrator.h"
#include "hooke/io/model/attached_files.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/recorder.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

std::string name_of(const AnalysisSettings& analysis) {
  return std::visit([](const auto& settings) { return std::string(settings.name); }, analysis);
}

Problem with_files(Problem problem) {
  Diagnostics diagnostics;
  read_attached_files(problem.model, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

/// Whether the motion could not be computed, or is not to be believed: all else is no matter of a run.
bool is_of_motion(const Error& error) {
  return error.code() == ExitCode::step_failed || error.code() == ExitCode::not_trusted;
}

/// What a user should know of the accuracy of a run that ended well.
std::string resolution_warning(const Watch::Findings& found) {
  constexpr double coarse_step = 1e-2, coarse_run = 0.1, coarse_energy = 0.02;
  if (found.worst_error > coarse_step)
    return formatted(
        "steps do not resolve the motion: at t = {:.6g} s one of {:.3g} s has an error of {:.2g} of the "
        "mechanism's size, {} changes fastest; take smaller steps or a tolerance",
        found.worst_time, found.worst_step, found.worst_error, found.worst_dof);
  if (found.error > coarse_run)
    return formatted(
        "errors of the steps add up to {:.2g} of the mechanism's size: take smaller steps or a tolerance",
        found.error);
  if (found.energy_error > coarse_energy * found.energy_scale)
    return formatted(
        "the method lost {:.3g} J, {:.2g} of the energy in play: take smaller steps, or a method that "
        "damps less",
        found.energy_error, found.energy_error / found.energy_scale);
  return {};
}

}  // namespace

Problem load(const std::string& path, const std::vector<std::string>& overrides, const Catalog& catalog) {
  Diagnostics diagnostics;
  Problem problem = read_model_file(path, overrides, diagnostics, catalog);
  diagnostics.throw_if_errors();
  for (const Diagnostic& warning : diagnostics.warnings()) problem.warnings.push_back(to_string(warning));
  return problem;
}

void save(const Problem& problem, const std::string& path) {
  Problem moved = problem;
  moved.model = seen_from(problem.model, std::filesystem::path(path).parent_path().string());
  const std::string text = write_model(moved);
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw Error(ExitCode::file, formatted("cannot write '{}'", path));
}

Simulation::Simulation(Problem problem)
    : problem_(with_files(std::move(problem))),
      built_(build(problem_.model)),
      start_(assemble_start(problem_.model, built_, newton_settings(problem_.run), problem_.run.start)),
      state_(start_.state) {
  for (const auto* more : {&built_.warnings, &problem_.warnings})
    start_.warnings.insert(start_.warnings.begin(), more->begin(), more->end());
  if (!problem_.subsystems.empty() && problem_.coupling.force_displacement)
    if (std::string warning = stability_warning(problem_, built_, start_.state); !warning.empty())
      start_.warnings.push_back(std::move(warning));
}

Simulation::Simulation(Simulation&& other) noexcept
    : problem_(std::move(other.problem_)),
      built_(std::move(other.built_)),
      start_(std::move(other.start_)),
      state_(std::move(other.state_)) {}

Simulation::~Simulation() = default;

/// Redundant rows need a softer regularisation, unless the user chose one.
RunSettings Simulation::run_settings() const {
  constexpr double with_redundant_rows = 1e-6;
  RunSettings run = problem_.run;
  if (!run.regularisation && !start_.rank.redundant.empty()) run.regularisation = with_redundant_rows;
  return run;
}

void Simulation::begin_stepping(double end) {
  const RunSettings& run = problem_.run;
  auto integrator = integrator_for(nullptr);
  Integrator& used = *integrator;
  stepping_.reset(new Stepping{std::move(integrator), IntegratorStepper(system(), used, state_),
                               March({.end = end, .step = run.step, .tolerance = run.tolerance})});
  stepping_->march.begin(stepping_->stepper);
}

void Simulation::step() {
  if (!stepping_) begin_stepping(std::numeric_limits<double>::infinity());
  take_step();
}

bool Simulation::take_step() {
  is_evaluated_ = false;
  try {
    const bool has_stepped = stepping_->march.step(stepping_->stepper);
    check_bounds(state_);
    return has_stepped;
  } catch (const Error& error) {
    if (!is_of_motion(error)) throw;
    throw explained(error, state_, stepping_->integrator.get());
  }
}

void Simulation::check_bounds(const State& state) const {
  if (const std::string text = gone_astray(system(), start_.state, state); !text.empty())
    throw Error(ExitCode::step_failed, text);
}

Error Simulation::explained(const Error& error, const State& state, const Integrator* integrator) const {
  std::string text = error.what();
  if (auto found = find_not_finite(system(), state, problem_.run.step)) {
    found->at = problem_.model.locate(found->path);
    text = to_string(*found) + '\n' + text.substr(0, text.find('\n'));  // advice below is for other causes
  } else if (integrator && !integrator->advice(true).empty()) {
    text += '\n' + integrator->advice(true);
  }
  return Error(error.code(), text);
}

void Simulation::advance(double t) {
  if (!(t > state_.t)) return;
  begin_stepping(t);
  while (take_step()) continue;
  stepping_.reset();
}

void Simulation::set_state(const State& state) {
  if (state.q.size() != system().nq() || state.v.size() != system().nv())
    throw Error(ExitCode::usage, formatted("this state is of another model: it has {} coordinates, not {}",
                                           state.q.size(), system().nq()));
  state_ = state;
  is_evaluated_ = false;
  stepping_.reset();
}

const SystemWorkspace& Simulation::evaluated() const {
  if (!workspace_) workspace_ = system().workspace();
  if (!is_evaluated_) system().update(state_, *workspace_);
  is_evaluated_ = true;
  return static_cast<const SystemWorkspace&>(*workspace_);
}

Energy Simulation::energy() const {
  evaluated();
  return system().energy(state_, *workspace_);
}

namespace {

template <class T>
const T& named(const std::vector<T>& all, const std::string& name, const char* what, auto&& fits) {
  std::vector<std::string> known;
  for (const T& one : all) {
    if (one.name == name && fits(one)) return one;
    if (fits(one)) known.push_back(one.name);
  }
  throw Error(ExitCode::usage, formatted("no {} named '{}'{}", what, name, suggest(name, known)));
}

}  // namespace

BodyHandle Simulation::body(const std::string& name) const {
  const auto found = std::find(built_.bodies.begin(), built_.bodies.end(), name);
  if (found == built_.bodies.end())
    throw Error(ExitCode::usage, formatted("no body named '{}'{}", name, suggest(name, built_.bodies)));
  return {*this, static_cast<int>(found - built_.bodies.begin())};
}

JointHandle Simulation::joint(const std::string& name) const {
  return {*this, named(built_.joints, name, "joint or drive", [](const BuiltJoint&) { return true; })};
}

ForceHandle Simulation::force(const std::string& name) const {
  return {*this,
          named(built_.forces, name, "force", [](const BuiltForce& f) { return f.type != "friction"; })};
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
  s.integrator = problem_.run.integrator.name();
  if (!problem_.subsystems.empty() && problem_.coupling.force_displacement)
    s.integrator = "force-displacement";
  s.solver = make_solver(newton_settings(problem_.run), system())->name();
  s.start = s.end = problem_.run.start;
  s.is_conservative = is_conservative(problem_.model);
  s.notes = built_.notes;
  s.notes.insert(s.notes.end(), start_.notes.begin(), start_.notes.end());
  s.warnings = start_.warnings;
  return s;
}

Summary Simulation::run(const RunOptions& options) {
  Summary summary = describe();
  const AnalysisSettings& analysis = problem_.run.analysis;
  const bool is_dynamics = std::holds_alternative<DynamicsSettings>(analysis);
  if (!is_dynamics) summary.integrator = name_of(analysis);
  Recorder recorder(*this, options, summary);
  const Timer timer;
  try {
    if (is_dynamics)
      run_dynamics(options, summary, recorder);
    else if (std::holds_alternative<StaticsSettings>(analysis))
      run_statics(summary, recorder);
    else if (const auto* modes = std::get_if<ModesSettings>(&analysis))
      run_modes(*modes, summary, recorder);
    else
      run_kinematics(options, summary, recorder);
  } catch (const Error& error) {
    if (!is_of_motion(error)) throw;
    summary.status = RunStatus::failed;
    summary.code = error.code();
    summary.failure = error.what();
  }
  summary.wall_time = timer.seconds();
  recorder.finish();
  return summary;
}

void Simulation::march(Integrator& integrator, const RunOptions& options, Summary& summary,
                       Recorder& recorder) {
  const RunSettings& run = problem_.run;
  const bool is_dynamics = std::holds_alternative<DynamicsSettings>(run.analysis);
  March march(system(), integrator,
              {.end = run.end,
               .step = run.step,
               .tolerance = is_dynamics ? run.tolerance : std::nullopt,
               .output_every = problem_.outputs.every});
  Watch watch(system(), !run.tolerance);
  if (is_dynamics) march.watch = &watch;
  watch.begin(start_.state, run.step);
  bool stopped = false;
  State state = start_.state;
  march.on_output = [&](const State& at) { recorder.state(at, march.watch); };
  march.on_step = [&](const StepRecord& step) {
    recorder.step(step);
    check_bounds(state);
    if (options.progress) options.progress({step.t, run.end, step.h, march.totals().steps});
  };
  march.cancelled = [&] { return stopped = options.cancelled && options.cancelled(); };
  const auto note_end = [&] {
    summary.totals = march.totals();
    summary.quality = watch.findings();
    summary.end = state.t;
  };
  try {
    march.run(state);
    if (march.watch && !stopped) watch.finish(state.t);
  } catch (const Error& error) {
    note_end();
    if (!is_of_motion(error)) throw;
    throw explained(error, state, &integrator);
  } catch (...) {
    note_end();
    throw;
  }
  note_end();
  if (stopped) {
    summary.status = RunStatus::interrupted;
    summary.code = ExitCode::interrupted;
  }
}

void Simulation::run_dynamics(const RunOptions& options, Summary& summary, Recorder& recorder) {
  int threads = problem_.run.threads;
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto team = threads > 1 ? std::make_shared<Team>(threads) : nullptr;
  const auto integrator = integrator_for(team);
  if (problem_.run.realtime) summary.deadline = problem_.run.step;
  march(*integrator, options, summary, recorder);
  for (const std::string& note : {integrator->note(), integrator->advice(false)})
    if (!note.empty()) summary.notes.push_back(note);
  if (std::string warning = resolution_warning(summary.quality); !warning.empty())
    summary.warnings.push_back(std::move(warning));
  if (!summary.totals.failure.empty())
    summary.notes.push_back("steps that failed were repeated smaller; the last one, " +
                            summary.totals.failure);
}

std::unique_ptr<Integrator> Simulation::integrator_for(std::shared_ptr<Team> team) {
  const bool is_split = !problem_.subsystems.empty();
  use(is_split ? nullptr : team);
  return is_split ? coupled(team) : make_integrator(system(), run_settings(), team);
}

/// Threads take whole subsystems.
std::unique_ptr<Integrator> Simulation::coupled(std::shared_ptr<Team> team) const {
  if (problem_.coupling.force_displacement) return make_force_displacement(problem_, built_, std::move(team));
  const auto* choice = problem_.run.integrator.get_if<StabilisedOdeChoice>();
  if (!choice)
    throw ModelError(
        {{problem_.model.locate("run.integrator"), "run.integrator",
          "a model with subsystems needs the integrator stabilised-ode: constraints between subsystems that "
          "are imposed exactly do not converge"}});
  for (const auto& [name, entry] : problem_.subsystems) {
    const std::string path = "subsystems." + name;
    const auto* own = entry.integrator ? entry.integrator->get_if<StabilisedOdeChoice>() : choice;
    if (!own || own->rho != choice->rho || (own->beta && own->beta != choice->beta))
      throw ModelError(
          {{problem_.model.locate(path), path + ".integrator",
            "must be stabilised-ode, with a method of its own and rho and beta of run.integrator; "
            "others go with coupling.force-displacement"}});
    if (entry.tolerance)
      throw ModelError({{problem_.model.locate(path), path + ".tolerance",
                         "goes with coupling.force-displacement; here run.tolerance is that of all"}});
  }
  return std::make_unique<CoupledIntegrator>(
      system(), subsystems_of(problem_, built_), choice->settings(newton_settings(run_settings())),
      problem_.coupling, std::move(team), choice->beta ? *choice->beta * problem_.run.step : 1.0);
}

void Simulation::run_kinematics(const RunOptions& options, Summary& summary, Recorder& recorder) {
  if (const int free = start_.rank.degrees_of_freedom(); free != 0)
    throw Error(ExitCode::bad_model, formatted("{} needs every motion driven, but {} degree{} of freedom "
                                               "{} free: add {} drive{}, or run dynamics",
                                               name_of(problem_.run.analysis), free, free == 1 ? "" : "s",
                                               free == 1 ? "is" : "are", free, free == 1 ? "" : "s"));
  KinematicMotion motion(system(), newton_settings(run_settings()));
  march(motion, options, summary, recorder);
}

void Simulation::run_statics(Summary& summary, Recorder& recorder) {
  State state = start_.state;
  const StaticResult result = find_equilibrium(system(), state, newton_settings(run_settings()));
  summary.totals.iterations = result.iterations;
  if (!result.converged) throw explained(Error(ExitCode::step_failed, result.failure), state);
  recorder.state(state);
}

void Simulation::run_modes(const ModesSettings& settings, Summary& summary, Recorder& recorder) {
  State state = start_.state;
  if (state.v.isZero(1e-12)) {
    const StaticResult result = find_equilibrium(system(), state, newton_settings(run_settings()));
    if (!result.converged) throw explained(Error(ExitCode::step_failed, result.failure), state);
    summary.notes.push_back("modes are those about the static equilibrium reached from the start");
  }
  Linearisation linear = hooke::linearise(system(), state);
  if (settings.count && *settings.count < static_cast<int>(linear.modes.size()))
    linear.modes.resize(*settings.count);
  for (const Mode& mode : linear.modes) summary.modes.emplace_back(mode.frequency, mode.damping);
  recorder.modes(linear.modes);
  recorder.state(state);
}

}  // namespace hooke
