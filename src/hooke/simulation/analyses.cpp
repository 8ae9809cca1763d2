// What a simulation computes: its analyses, one after the other.
#include <algorithm>
#include <numbers>
#include <thread>

#include "hooke/analysis/assembly_at_rest.h"
#include "hooke/analysis/kinematics.h"
#include "hooke/analysis/lowest_modes.h"
#include "hooke/analysis/statics.h"
#include "hooke/analysis/steady_motion.h"
#include "hooke/base/format.h"
#include "hooke/base/limits.h"
#include "hooke/base/timer.h"
#include "hooke/integrators/mode_count.h"
#include "hooke/simulation/checkpoints.h"
#include "hooke/simulation/device_run.h"
#include "hooke/simulation/recorder.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

std::string name_of(const AnalysisSettings& analysis) {
  return std::visit([](const auto& settings) { return std::string(settings.name); }, analysis);
}

std::shared_ptr<Team> team_of(const RunSettings& run) {
  int threads = run.threads;
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads = std::min(threads, static_cast<int>(limits::threads.most));
  return threads > 1 ? std::make_shared<Team>(threads) : nullptr;
}

/// What a user should know of the accuracy of a run that ended well.
void warn_of_resolution(const Watch::Findings& found, std::vector<std::string>& warnings) {
  constexpr double coarse_step = 1e-2, coarse_run = 0.1, coarse_energy = 0.02;
  if (found.worst_error > coarse_step)
    warnings.push_back(formatted(
        "steps do not resolve the motion: at t = {:.6g} s one of {:.3g} s has an error of {:.2g} of the "
        "mechanism's size, {} changes fastest; take smaller steps or a tolerance",
        found.worst_time, found.worst_step, found.worst_error, found.worst_dof));
  if (found.error > coarse_run)
    warnings.push_back(formatted(
        "errors of the steps add up to {:.2g} of the mechanism's size: take smaller steps or a tolerance",
        found.error));
  if (found.energy_error > coarse_energy * found.energy_scale)
    warnings.push_back(formatted(
        "the balance of energy is off by {:.3g} J, {:.2g} of the energy in play: the method damps, or steps "
        "do not resolve what dampers and loads do; take smaller steps, or a method that damps less",
        found.energy_error, found.energy_error / found.energy_scale));
}

}  // namespace

Summary Simulation::describe() const {
  Summary s;
  s.bodies = system().bodies();
  for (const BuiltJoint& joint : built_.joints) s.joints += joint.type != "drive";
  s.forces = static_cast<int>(built_.forces.size());
  s.control_states = system().first_order_states();
  s.coordinates = system().nv() - s.control_states;
  s.constraint_rows = start_.rank.rows;
  s.redundant_rows = start_.rank.rows - start_.rank.rank;
  s.degrees_of_freedom = start_.rank.degrees_of_freedom();
  s.integrator = problem_.run.integrator.name();
  if (!problem_.subsystems.empty() && problem_.coupling.force_displacement)
    s.integrator = "force-displacement";
  else if (!problem_.subsystems.empty() && problem_.coupling.scheme == CouplingScheme::multirate)
    s.integrator = "multirate: " + s.integrator;
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
  Checkpoints checkpoints(options, problem_.run.checkpoint, summary, [this](Checkpoint& checkpoint) {
    hooke::describe(problem_, checkpoint);
    checkpoint.start = start_.state;
  });
  if (options.is_continued)
    checkpoints.go_on(problem_.run.end,
                      [this](const Checkpoint& from) { check_fits(from, problem_, start_.state); });
  Recorder recorder(*this, options, summary, checkpoints.from());
  const Timer timer;
  try {
    if (is_dynamics)
      run_dynamics(options, summary, recorder, checkpoints);
    else if (std::holds_alternative<StaticsSettings>(analysis))
      run_statics(summary, recorder);
    else if (const auto* modes = std::get_if<ModesSettings>(&analysis))
      run_modes(*modes, summary, recorder);
    else
      run_kinematics(options, summary, recorder, checkpoints);
  } catch (const Error& error) {
    const bool is_stopped = error.code() == ExitCode::interrupted;
    if (!error.is_of_motion() && !is_stopped) throw;
    summary.status = is_stopped ? RunStatus::interrupted : RunStatus::failed;
    summary.code = error.code();
    if (!is_stopped) summary.failure = error.what();
  }
  summary.wall_time = timer.seconds();
  recorder.finish();
  checkpoints.write(true);
  return summary;
}

namespace {

/// Takes the place of an integrator, with what goes on.
void renew(std::unique_ptr<Integrator>& integrator, std::unique_ptr<Integrator> fresh) {
  Archive memory;
  integrator->archive(memory);
  integrator = std::move(fresh);
  Archive read(memory.bytes());
  integrator->archive(read);
}

}  // namespace

void Simulation::march(const MakeIntegrator& make, const RunOptions& options, Summary& summary,
                       Recorder& recorder, Checkpoints& checkpoints) {
  const RunSettings& run = problem_.run;
  const bool is_dynamics = std::holds_alternative<DynamicsSettings>(run.analysis);
  March march({.end = run.end,
               .step = run.step,
               .tolerance = is_dynamics ? run.tolerance : std::nullopt,
               .output_every = problem_.outputs.every});
  Watch watch(system(), !run.tolerance);
  watch.begin(start_.state, run.step);
  State state = start_.state;
  Watch* const watched = is_dynamics ? &watch : nullptr;
  const auto device = is_dynamics ? make_device_stepper(*this, state, watched, make, summary.notes) : nullptr;
  std::unique_ptr<Integrator> integrator = make();
  IntegratorStepper here(system(), *integrator, state, watched);
  Stepper& stepper = device ? static_cast<Stepper&>(*device) : here;
  march.on_output = [&](const State& at) { recorder.state(at, watched); };
  here.on_moment = march.on_output;
  here.on_event = [&](double t, const std::string& text) { recorder.event(t, text); };
  march.on_step = [&](const StepRecord& step) {
    recorder.step(step);
    check_bounds(state);
    if (options.progress) options.progress({step.t, run.end, step.h, march.totals().steps});
  };

  const auto archive = [&](Archive& a) {
    a(state, here, march, watch, recorder);
    integrator->archive(a);
    if (device) a(*device);
  };
  const auto begin_afresh = [&] {
    if (device) return device->begin_afresh();
    renew(integrator, make());
    here.use(*integrator);
  };
  const auto note_end = [&] {
    summary.totals = march.totals();
    summary.quality = watch.findings();
    summary.end = state.t;
    checkpoints.end(state);
    for (const std::string& note :
         {integrator->note(), integrator->advice(false), device ? device->note() : std::string()})
      if (!note.empty()) summary.notes.push_back(note);
  };
  bool stopped = false;
  try {
    stopped = march_to_end({.march = march,
                            .stepper = stepper,
                            .mark = recorder.run(),
                            .archive = archive,
                            .begin_afresh = begin_afresh,
                            .write_kept = [&] { recorder.write_kept(); }},
                           options, summary, &checkpoints);
    if (march.was_stopped()) recorder.state(state, watched);
    if (watched && !stopped) watch.finish();
  } catch (const Error& error) {
    if (!error.is_of_motion()) throw;
    note_end();
    throw explained(error, state, integrator.get());
  }
  note_end();
  if (stopped) {
    summary.status = RunStatus::interrupted;
    summary.code = ExitCode::interrupted;
  }
}

void Simulation::run_dynamics(const RunOptions& options, Summary& summary, Recorder& recorder,
                              Checkpoints& checkpoints) {
  const struct Alone {
    Simulation& simulation;
    ~Alone() { simulation.use(nullptr); }
  } afterwards{*this};
  const std::shared_ptr<Team> team = team_of(problem_.run);
  if (problem_.run.realtime) summary.deadline = problem_.run.step;
  march([&] { return integrator_for(team); }, options, summary, recorder, checkpoints);
  warn_of_resolution(summary.quality, summary.warnings);
  if (!summary.totals.failure.empty())
    summary.notes.push_back("steps that failed were repeated smaller; the last one, " +
                            summary.totals.failure);
}

void Simulation::run_kinematics(const RunOptions& options, Summary& summary, Recorder& recorder,
                                Checkpoints& checkpoints) {
  if (system().first_order_states() > 0)
    throw Error(ExitCode::bad_model,
                formatted("{} does not integrate the states of control blocks: run dynamics",
                          name_of(problem_.run.analysis)));
  if (const int free = start_.rank.degrees_of_freedom(); free != 0)
    throw Error(ExitCode::bad_model, formatted("{} needs every motion driven, but {} degree{} of freedom "
                                               "{} free: add {} drive{}, or run dynamics",
                                               name_of(problem_.run.analysis), free, free == 1 ? "" : "s",
                                               free == 1 ? "is" : "are", free, free == 1 ? "" : "s"));
  const auto motion = [&] {
    return std::make_unique<KinematicMotion>(system(), newton_settings(run_settings()));
  };
  march(motion, options, summary, recorder, checkpoints);
}

void Simulation::run_statics(Summary& summary, Recorder& recorder) {
  State state = start_.state;
  const StaticResult result = find_equilibrium(system(), state, newton_settings(run_settings()));
  summary.totals.iterations = result.iterations;
  if (!result.converged) throw explained(Error(ExitCode::step_failed, result.failure), state);
  if (const std::string moves = instability(system(), state, newton_settings(run_settings())); !moves.empty())
    summary.warnings.push_back(formatted(
        "this equilibrium is unstable: after a small push {} leaves it for good. Start from another position "
        "to find a stable one",
        moves));
  recorder.state(state);
}

void Simulation::run_modes(const ModesSettings& settings, Summary& summary, Recorder& recorder) {
  State state = start_.state;
  const RunOptions& options = recorder.options();
  const auto go_on = [&](double part) {  // as if it were an integration over a second, without steps
    if (options.progress) options.progress({problem_.run.start + part, problem_.run.start + 1, 0, 0});
    return !(options.cancelled && options.cancelled());
  };
  const bool is_large = system().structure().size() > dense_modes_up_to;
  if (!is_at_rest(system(), state)) {
    const Vec3 turning = settle(system(), state, newton_settings(run_settings()), go_on).turning;
    summary.notes.push_back(
        turning.isZero(0)
            ? std::string("modes are those about a steady motion, seen from axes that stand still")
            : formatted("modes are those about a steady motion, seen from axes that turn with it at {:.6g} "
                        "rad/s: one that "
                        "goes round with it at f Hz here does so at f + {:.6g} Hz for an observer at rest, "
                        "one against it at f - {:.6g} Hz",
                        turning.norm(), turning.norm() / (2 * std::numbers::pi),
                        turning.norm() / (2 * std::numbers::pi)));
  } else if (!(is_large && is_in_balance(system(), state))) {
    const StaticResult result = find_equilibrium(system(), state, newton_settings(run_settings()), go_on);
    if (!result.converged) throw explained(Error(ExitCode::step_failed, result.failure), state);
    summary.notes.push_back("modes are those about the static equilibrium reached from the start");
  }
  std::vector<Mode> modes;
  double round_off = 1e-6;  // of an eigenvalue
  if (!is_large) {
    modes = hooke::linearise(system(), state).modes;
    if (settings.count && *settings.count < static_cast<int>(modes.size())) modes.resize(*settings.count);
  } else {
    LowestModes lowest = lowest_modes(system(), state, settings.count.value_or(modes_of_large_models), go_on,
                                      team_of(problem_.run));
    if (!settings.count)
      summary.notes.push_back(formatted(
          "the lowest {} modes of this large model; analysis: {{modes: 50}} finds 50", lowest.modes.size()));
    summary.notes.push_back(
        formatted("frequencies below {:.2g} Hz cannot be told from zero", lowest.resolution));
    if (lowest.error > LowestModes::told_error)
      summary.warnings.push_back(
          formatted("damped modes: an error of {:.2g} is left in the worst of them, as a fraction of its "
                    "shape; ask for fewer modes",
                    lowest.error));
    modes = std::move(lowest.modes);
    round_off = std::max(round_off, 10 * 2 * std::numbers::pi * lowest.resolution);
  }
  for (const Mode& mode : modes) summary.modes.emplace_back(mode.frequency, mode.damping);
  // A motion may be turned about its axis at no cost: a frequency of zero that is there twice, and comes with half the digits.
  round_off = std::max(round_off, 1e-6 * state.v.cwiseAbs().maxCoeff());
  const auto grows = [&](const Mode& m) { return m.damping < -1e-6 && m.eigenvalue.real() > round_off; };
  if (const auto n = std::count_if(modes.begin(), modes.end(), grows); n > 0)
    summary.warnings.push_back(formatted(
        "the equilibrium is unstable: {} of its modes grow{} instead of vibrating", n, n == 1 ? "s" : ""));
  recorder.modes(modes, state);
}

}  // namespace hooke
