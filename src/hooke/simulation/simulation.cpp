#include "hooke/simulation/simulation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "hooke/analysis/assembly_at_rest.h"
#include "hooke/analysis/diagnosis.h"
#include "hooke/analysis/statics.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/base/validate.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/coupling/adapter/coupled_integrator.h"
#include "hooke/coupling/adapter/whole_response.h"
#include "hooke/integrators/mode_count.h"
#include "hooke/io/model/attached_files.h"
#include "hooke/io/model/model_file.h"
#include "hooke/math/jump.h"
#include "hooke/simulation/advised_coupling.h"
#include "hooke/simulation/checkpoint.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/subsystems.h"

namespace hooke {
namespace {

constexpr int steps_between_checks = 16;  // so that they do not show beside the steps

/// What the reader of a file says of the same mistakes; a program may also change what was read.
void check(const Problem& problem, Diagnostics& diagnostics) {
  const auto complain = [&](const std::string& path, const std::string& message) {
    diagnostics.error(problem.model.locate(path.substr(1)), path.substr(1), "{}", message);
  };
  validate(type_of<Problem>(), &problem, "", complain);
  for (const auto& [name, subsystem] : problem.subsystems)
    if (const std::string fault = name_fault(name); !fault.empty())
      complain(".subsystems", formatted("{}: '{}'", fault, name));
}

Problem with_files(Problem problem) {
  Diagnostics diagnostics;
  check(problem, diagnostics);
  diagnostics.throw_if_errors();
  read_attached_files(problem.model, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

/// Nothing can follow a coordinate that jumps.
void doubt_jumps(const Problem& problem, const System& system, std::vector<std::string>& warnings) {
  constexpr double least = 1e-3;  // m or rad; of a small mechanism a part of its size
  const double size = std::min(1.0, system.dof_scale().maxCoeff());
  const RunSettings& run = problem.run;
  for (const auto& [name, drive] : problem.model.drives) {
    const Function* function = nullptr;
    if (const auto* of_joint = drive.get_if<JointDriveSettings>()) function = &of_joint->function;
    if (const auto* of_body = drive.get_if<BodyDriveSettings>()) function = &of_body->function;
    if (!function) continue;
    if (const auto found = first_jump(*function, run.start, run.end, run.step, least * size))
      warnings.push_back(
          formatted("drives.{}: jumps by {:.3g} m or rad at t = {:.6g} s, which no motion follows: what "
                    "comes out depends on the step. "
                    "Take smooth_step, or a spring to where it should go",
                    name, found->size, found->x));
  }
}

}  // namespace

Problem load(const std::string& path, const std::vector<std::string>& overrides, const Catalog& catalog) {
  Diagnostics diagnostics;
  Problem problem = read_model_file(path, overrides, diagnostics, catalog);
  diagnostics.throw_if_errors();
  problem.file = path;
  problem.overrides = overrides;
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

/// Modes of a large model begin with an equilibrium.
static bool needs_no_accelerations(const Problem& problem, const BuiltModel& built) {
  return std::holds_alternative<ModesSettings>(problem.run.analysis) &&
         built.system->structure().size() > dense_modes_up_to;
}

Simulation::Simulation(Problem problem)
    : problem_(with_files(std::move(problem))),
      built_(build(problem_.model)),
      start_((needs_no_accelerations(problem_, built_) ? assemble_at_rest : assemble_start)(
          problem_.model, built_, newton_settings(problem_.run), problem_.run.start)),
      state_(start_.state) {
  for (const auto* more : {&built_.warnings, &problem_.warnings})
    start_.warnings.insert(start_.warnings.begin(), more->begin(), more->end());
  check_drives();
  doubt_jumps(problem_, system(), start_.warnings);
  if (problem_.run.from != "start") begin_from(problem_.run.from);
  if (!problem_.subsystems.empty() && problem_.coupling.force_displacement &&
      !problem_.coupling.force_displacement->advised)
    if (std::string warning = stability_warning(problem_, built_, start_.state); !warning.empty())
      start_.warnings.push_back(std::move(warning));
}

/// In the equilibrium found from the start, or where another run of the model ended.
void Simulation::begin_from(const std::string& from) {
  State& state = start_.state;
  const NewtonSettings newton = newton_settings(run_settings());
  Projector projector(system(), newton);
  if (from == "statics") {
    const StaticResult result = find_stable_equilibrium(system(), state, newton);
    if (!result.converged)
      throw explained(Error(ExitCode::not_assembled, "run.from: statics: " + result.failure), state);
    start_.notes.push_back(
        formatted("starts from the static equilibrium, found in {} iterations", result.iterations));
    projector.velocities(state);  // of drives
  } else {
    std::filesystem::path results = std::filesystem::path(problem_.file).parent_path() / from;
    if (std::filesystem::is_directory(results)) results /= "results.h5";
    State there = read_checkpoint(checkpoint_path(results.string())).last;
    const auto fits = [&](VectorX State::*part) { return (there.*part).size() == (state.*part).size(); };
    if (!fits(&State::q) || !fits(&State::v) || !fits(&State::lambda) || !fits(&State::memory))
      throw Error(ExitCode::bad_model, formatted("run.from: {} is of another model: {} coordinates, here {}",
                                                 from, there.q.size(), state.q.size()));
    start_.notes.push_back(formatted("starts where {} was at t = {:.9g} s", from, there.t));
    there.t = state.t;
    there.history.resize(0);
    state = there;
  }
  projector.update(state);
  system().accept(state, projector.workspace());
  if (from == "statics") system().start(state, projector.workspace());
  projector.forget();
  projector.accelerations(state);
  state_ = state;
}

/// Drives and joints that agree at the start may contradict each other later.
void Simulation::check_drives() {
  const auto found = later_contradiction(system(), start_.state, start_.rank, problem_.run.end);
  if (!found) return;
  const std::string what =
      formatted("{}: they agree at the start and are {:.3g} m or rad apart at t = {:.4g} s",
                hooke::describe(found->rows, system()), found->size, found->t);
  if (found->is_certain)
    throw Error(ExitCode::not_assembled, "drives contradict each other or a joint: " + what +
                                             ".\nLeave one of them out, or end the run before that.");
  start_.warnings.push_back(
      "drives may contradict each other or a joint, unless the mechanism moves out of this "
      "position: " +
      what);
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
  end_stepping();
  auto integrator = integrator_for(nullptr);
  Integrator& used = *integrator;
  stepping_.reset(new Stepping{std::move(integrator), IntegratorStepper(system(), used, state_, &watch()),
                               March({.end = end, .step = run.step, .tolerance = run.tolerance})});
  stepping_->stepper.on_event = [this](double t, const std::string& text) {
    if (on_event) on_event(t, text);
  };
  if (!events_.empty()) {
    Archive known(events_);
    stepping_->stepper.archive(known);
  }
  stepping_->march.begin(stepping_->stepper);
}

/// Events that were found are let happen by the next stepper.
void Simulation::end_stepping() {
  if (!stepping_) return;
  Archive known;
  stepping_->stepper.archive(known);
  events_ = known.bytes();
  stepping_.reset();
}

void Simulation::step() {
  if (!stepping_) begin_stepping(std::numeric_limits<double>::infinity());
  stepping_->march.set_end(std::numeric_limits<double>::infinity());
  take_step();
}

bool Simulation::take_step() {
  is_evaluated_ = false;
  try {
    const bool has_stepped = stepping_->march.step(stepping_->stepper);
    if (!has_stepped) return false;
    check_bounds(state_);
    if (++unchecked_ >= steps_between_checks) check_steps();
    return true;
  } catch (const Error& error) {
    if (!error.is_of_motion()) throw;
    throw explained(error, state_, stepping_->integrator.get());
  }
}

/// Begins with the first step.
Watch& Simulation::watch() {
  if (!watch_) {
    watch_ = std::make_unique<Watch>(system(), !problem_.run.tolerance);
    watch_->begin(state_, problem_.run.step);
    evaluated();  // so that no step has to make the workspace
    rows_.resize(system().nc());
  }
  return *watch_;
}

void Simulation::check_steps() {
  unchecked_ = 0;
  const Energy energy = this->energy();
  const auto largest = [&] { return rows_.size() ? rows_.lpNorm<Eigen::Infinity>() : 0.0; };
  system().position_constraints(state_, *workspace_, rows_);
  const double apart = largest();
  system().velocity_constraints(state_, *workspace_, rows_);
  double speed = 0;
  for (int body = 0; body < system().bodies(); ++body)
    speed = std::max(speed, system().motion(body, state_).twist.lpNorm<Eigen::Infinity>());
  watch().check(state_.t, energy, apart, largest(), speed);
}

Watch::Balance Simulation::energy_balance() const {
  return watch_ ? watch_->balance(state_.t, energy()) : Watch::Balance();
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

void Simulation::advance(double t, const std::function<bool()>& cancelled) {
  if (!(t > state_.t)) return;
  begin_stepping(t);
  while (take_step())
    if (cancelled && cancelled()) break;
  end_stepping();
  check_steps();
}

bool Simulation::go_on(double t, const std::function<bool()>& cancelled) {
  if (!(t > state_.t)) return true;
  if (!stepping_) begin_stepping(t);
  March& march = stepping_->march;
  march.set_end(t);
  while (take_step())
    if (cancelled && cancelled()) break;
  return !march.was_stopped();
}

bool Simulation::happen() {
  is_evaluated_ = false;
  return !stepping_ || stepping_->stepper.happen();
}

std::string Simulation::snapshot() {
  end_stepping();
  Archive all;
  bool is_watched = watch_ != nullptr;
  all(state_, events_, unchecked_, is_watched);
  if (is_watched) all(*watch_);
  return all.bytes();
}

void Simulation::restore(const std::string& snapshot) {
  State state;
  std::string events;
  Archive all(snapshot);
  int unchecked = 0;
  bool is_watched = false;
  all(state, events, unchecked, is_watched);
  set_state(state);
  events_ = std::move(events);
  unchecked_ = unchecked;
  if (is_watched) all(watch());
}

void Simulation::set_state(const State& state) {
  if (state.q.size() != system().nq() || state.v.size() != system().nv())
    throw Error(ExitCode::usage, formatted("this state is of another model: it has {} coordinates, not {}",
                                           state.q.size(), system().nq()));
  state_ = state;
  is_evaluated_ = false;
  stepping_.reset();
  watch_.reset();
  unchecked_ = 0;
  events_.clear();
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

double Simulation::signal(const std::string& name) const {
  const BuiltSignal& found = named(built_.signals, name, "signal", [](const BuiltSignal&) { return true; });
  std::vector<double> all(built_.signals.size());
  system().controls()->read(state_, evaluated(), all);
  return all[static_cast<std::size_t>(&found - built_.signals.data())];
}

int Simulation::input_entry(const std::string& name) const {
  std::vector<std::string> known;
  if (const ControlsBase* controls = system().controls())
    for (const auto& [input, entry] : controls->inputs()) {
      if (input == name) return entry;
      known.push_back(input);
    }
  throw Error(ExitCode::usage, formatted("no input named '{}'{}: an input is a block {{parameter: 0}} under "
                                         "'control'",
                                         name, suggest(name, known)));
}

/// Forces jump: the integrator starts afresh from the accelerations they cause.
void Simulation::set_inputs(const std::vector<int>& entries, std::span<const double> values) {
  bool changed = false;
  const State before = watch_ ? state_ : State();
  for (std::size_t i = 0; i < entries.size(); ++i)
    changed |= std::exchange(state_.memory[entries[i]], values[i]) != values[i];
  if (!changed) return;
  if (!projector_) projector_ = std::make_unique<Projector>(system(), newton_settings(run_settings()));
  state_.history.resize(0);
  projector_->forget();
  projector_->accelerations(state_);
  if (watch_) watch_->jump(before, state_);
  is_evaluated_ = false;
}

std::unique_ptr<Integrator> Simulation::integrator_for(std::shared_ptr<Team> team) {
  const bool is_split = !problem_.subsystems.empty();
  use(is_split ? nullptr : team);
  return is_split ? coupled(team) : make_integrator(system(), run_settings(), team);
}

/// Threads take whole subsystems.
std::unique_ptr<Integrator> Simulation::coupled(std::shared_ptr<Team> team) const {
  if (const auto& settings = problem_.coupling.force_displacement) {
    if (settings->advised) return std::make_unique<AdvisedCoupling>(problem_, built_, std::move(team));
    return make_force_displacement(problem_, built_, std::move(team));
  }
  if (problem_.coupling.scheme == CouplingScheme::multirate)
    return make_multirate(problem_, built_, std::move(team));
  const auto* choice = problem_.run.integrator.get_if<StabilisedOdeChoice>();
  if (!choice)
    throw ModelError(
        {{problem_.model.locate("run.integrator"), "run.integrator",
          "a model with subsystems needs the integrator stabilised-ode (constraints between subsystems that "
          "are imposed exactly do not converge), or 'coupling: multirate', which takes others"}});
  for (const auto& [name, entry] : problem_.subsystems) {
    const std::string path = "subsystems." + name;
    const auto* own = entry.integrator ? entry.integrator->get_if<StabilisedOdeChoice>() : choice;
    if (!own || own->rho != choice->rho || (own->beta && own->beta != choice->beta))
      throw ModelError(
          {{problem_.model.locate(path), path + ".integrator",
            "must be stabilised-ode, with a method of its own and rho and beta of run.integrator; "
            "others go with coupling.force-displacement and multirate"}});
    if (entry.tolerance)
      throw ModelError({{problem_.model.locate(path), path + ".tolerance",
                         "goes with coupling.force-displacement; here run.tolerance is that of all"}});
  }
  const std::vector<Subsystem> subsystems = subsystems_of(problem_, built_);
  const StabilisedAlphaSettings settings = choice->settings(newton_settings(run_settings()));
  if (problem_.coupling.response == Response::whole) {
    for (const Subsystem& each : subsystems)
      if (each.steps != 1 || each.method != OdeMethod::implicit_alpha)
        throw ModelError(
            {{problem_.model.locate("coupling.response"), "coupling.response",
              formatted("whole goes with one step of the implicit method in a macro step, unlike "
                        "that of subsystem '{}'",
                        each.name)}});
    return std::make_unique<WholeResponse>(system(), subsystems, settings, problem_.coupling,
                                           std::move(team));
  }
  return std::make_unique<CoupledIntegrator>(system(), subsystems, settings, problem_.coupling,
                                             std::move(team),
                                             choice->beta ? *choice->beta * problem_.run.step : 1.0);
}

}  // namespace hooke
