#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hooke/analysis/assembly.h"
#include "hooke/analysis/modes.h"
#include "hooke/catalog/build.h"
#include "hooke/catalog/catalog.h"
#include "hooke/catalog/problem.h"
#include "hooke/integrators/march.h"
#include "hooke/integrators/projector.h"
#include "hooke/simulation/handles.h"

/// The facade. From a file to results:
///
///   hooke::Simulation simulation(hooke::load("slider_crank.yaml"));
///   hooke::Summary summary = simulation.run({.results = "results/slider_crank.h5"});
///
/// or step by step:
///
///   while (simulation.time() < 5) {
///     torque = -20 * simulation.joint("pivot").angle();
///     simulation.step();
///   }
namespace hooke {

/// Reads a model file; throws ModelError with all that is wrong.
Problem load(const std::string& path, const std::vector<std::string>& overrides = {},
             const Catalog& catalog = Catalog::built_in());

/// Writes a problem as a model file, which loads as the same problem.
void save(const Problem& problem, const std::string& path);

struct Record;
class Checkpoints;

struct Progress {
  double t = 0, end = 0, h = 0;
  long steps = 0;
};

struct RunOptions {
  std::string results;        ///< HDF5 file to write; empty: none
  bool is_continued = false;  ///< from the checkpoint beside `results`, which are kept up to there
  std::function<void(const Progress&)> progress;  ///< called after every step
  std::function<bool()> cancelled;  ///< asked after every step; true stops the run, results stay readable
  std::function<void(const State&, const SystemWorkspace&)> on_output;  ///< every recorded state
  std::function<void(const Record&)> on_record;  ///< and what goes to the results file of it
};

enum class RunStatus { finished, interrupted, failed };
constexpr auto names(RunStatus) { return std::array{"finished", "interrupted", "failed"}; }

struct Summary {
  RunStatus status = RunStatus::finished;
  ExitCode code = ExitCode::ok;  ///< of a program that did this run
  std::string failure;           ///< why it failed
  int bodies = 0, joints = 0, forces = 0, control_states = 0, coordinates = 0, constraint_rows = 0,
      redundant_rows = 0, degrees_of_freedom = 0;
  std::string integrator, solver;
  double start = 0, end = 0;  ///< simulated time reached
  MarchTotals totals;
  double deadline = 0;  ///< s, what a step of a real-time run may take; 0: it is none
  long frames = 0;      ///< outputs written
  long event_count = 0;
  double first_energy = 0, last_energy = 0, largest_kinetic_energy = 0,
         energy_drift = 0;       ///< drift: largest |E - E(0)|
  bool is_conservative = false;  ///< no damping, load, drive: the drift is an error of the method
  Watch::Findings quality;       ///< of the account of energy and of the estimated errors, for dynamics
  double position_violation = 0, velocity_violation = 0,
         acceleration_violation = 0;  ///< largest over the outputs
  double wall_time = 0;               ///< s, of the run itself
  std::string results;
  std::vector<std::string> notes, warnings;
  std::vector<std::pair<double, double>> modes;  ///< of analysis `modes`: frequency (Hz) and damping ratio
};

class Simulation {
 public:
  /// After so many steps a run makes its integrator anew, so that it can be gone on with from there: few enough to be
  /// repeated, and enough to cost nothing.
  static constexpr long steps_between_checkpoints = 1000;

  /// Builds and assembles; throws ModelError or Error when the model cannot work.
  explicit Simulation(Problem problem);
  /// Stepping begins anew; handles of the other one end.
  Simulation(Simulation&& other) noexcept;
  ~Simulation();

  // --- a whole run
  /// Runs the analysis that the problem asks for. A step that fails ends the run with status failed; what was
  /// recorded stays.
  Summary run(const RunOptions& options = {});

  // --- step by step, with the problem's integrator
  double time() const { return state_.t; }
  /// One step of `run.step`, or as long as the error allows where there is a tolerance; a step that fails is tried
  /// again in smaller ones. Throws Error (step_failed) when none succeeds; the state is then the last accepted one.
  void step();
  /// As many steps as lead to the time `t`, the last one shortened to end there. `cancelled` is asked after every step;
  /// true ends it.
  void advance(double t, const std::function<bool()>& cancelled = {});
  /// The same with the integrator that took the last step, whose tangent is still good: for whoever goes on in many short
  /// intervals. False: an event ended the run before.
  bool go_on(double t, const std::function<bool()>& cancelled = {});
  /// What happens in these steps, in words.
  std::function<void(double t, const std::string& text)> on_event;
  /// These steps are watched as those of a run. The account of energy since the first one, or since the last
  /// `set_state`; and what was found of it and of the estimated errors.
  Watch::Balance energy_balance() const;
  Watch::Findings quality() const { return watch_ ? watch_->findings() : Watch::Findings(); }

  // --- the state: a value. Copying it is a checkpoint, setting it a restart.
  const State& state() const { return state_; }
  void set_state(const State& state);
  /// Something happens before the next step: an event was reached. `happen` lets it at once; false: it ends the run.
  bool has_event() const {
    return stepping_ && (stepping_->stepper.has_reached() || stepping_->stepper.has_jumped());
  }
  bool happen();
  /// All that the further course depends on, as bytes. The integrator begins afresh, here as after `restore`, so that both
  /// go on the same in every bit.
  std::string snapshot();
  void restore(const std::string& snapshot);
  /// As it is recorded: with accelerations where the integrator does without.
  const State& recorded_state() { return stepping_ ? stepping_->stepper.state(state_.t) : state_; }
  /// Back to the start.
  void reset() { set_state(start_.state); }

  // --- by name; an unknown one is an Error that suggests what was meant
  BodyHandle body(const std::string& name) const;
  JointHandle joint(const std::string& name) const;
  ForceHandle force(const std::string& name) const;
  /// Of a signal or control block, now.
  double signal(const std::string& name) const;

  /// A `parameter` block is an input: its value from now on.
  double input(const std::string& name) const { return state_.memory[input_entry(name)]; }
  void set_input(const std::string& name, double value) { set_inputs({input_entry(name)}, {&value, 1}); }
  /// Several at once, by their entries of State::memory.
  void set_inputs(const std::vector<int>& entries, std::span<const double> values);
  int input_entry(const std::string& name) const;

  // --- the current state as a whole
  Energy energy() const;
  MatrixX mass_matrix() const { return tangents(system(), state_).M; }
  MatrixX constraint_matrix() const { return tangents(system(), state_).G; }
  /// M, D, K, G of the equations of motion at the current state.
  Tangents tangents_here() const { return tangents(system(), state_); }
  /// About the current state, which must be at rest: modes, and the matrices on the motions that are left free.
  Linearisation linearise() const { return hooke::linearise(system(), state_); }

  const Problem& problem() const { return problem_; }
  /// As a run takes them: what the problem leaves open is decided.
  RunSettings run_settings() const;
  const BuiltModel& built() const { return built_; }
  const System& system() const { return *built_.system; }
  const Start& start() const { return start_; }
  /// Frames and all else that depends on the current state.
  const SystemWorkspace& evaluated() const;

  /// Threads that share the evaluation from now on.
  void use(std::shared_ptr<Team> team) { built_.system->use(std::move(team)); }

 private:
  void check_drives();
  void begin_from(const std::string& from);
  Summary describe() const;
  std::unique_ptr<Integrator> integrator_for(std::shared_ptr<Team> team);
  void begin_stepping(double end);
  void end_stepping();
  bool take_step();
  Watch& watch();
  void check_steps();
  /// Throws when the motion has left all bounds.
  void check_bounds(const State& state) const;
  /// The error of a step from `state` that failed, with what is to blame for it if that can be found.
  Error explained(const Error& error, const State& state, const Integrator* integrator = nullptr) const;
  std::unique_ptr<Integrator> coupled(std::shared_ptr<Team> team) const;
  using MakeIntegrator = std::function<std::unique_ptr<Integrator>()>;
  void march(const MakeIntegrator& make, const RunOptions& options, Summary& summary,
             class Recorder& recorder, Checkpoints& checkpoints);
  void run_dynamics(const RunOptions& options, Summary& summary, class Recorder& recorder,
                    Checkpoints& checkpoints);
  void run_kinematics(const RunOptions& options, Summary& summary, class Recorder& recorder,
                      Checkpoints& checkpoints);
  void run_statics(Summary& summary, class Recorder& recorder);
  void run_modes(const ModesSettings& settings, Summary& summary, class Recorder& recorder);

  Problem problem_;
  BuiltModel built_;
  Start start_;
  State state_;
  mutable std::unique_ptr<Workspace> workspace_;
  mutable bool is_evaluated_ = false;
  /// What steps from here on, made when it is first asked for.
  struct Stepping {
    std::unique_ptr<Integrator> integrator;
    IntegratorStepper stepper;
    March march;
  };
  std::unique_ptr<Stepping> stepping_;
  std::unique_ptr<Watch> watch_;  ///< of these steps, from the first one on
  int unchecked_ = 0;             ///< steps since it last looked at the whole
  VectorX rows_;
  std::unique_ptr<Projector> projector_;  ///< made when it is first needed
  std::string events_;                    ///< what the last stepper knew of them; empty: nothing
};

}  // namespace hooke
