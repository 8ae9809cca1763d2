#pragma once
#include <functional>
#include <string>
#include <vector>

#include "hooke/analysis/assembly.h"
#include "hooke/catalog/build.h"
#include "hooke/integrators/march.h"
#include "hooke/io/model/model_file.h"

/// The facade: from a model to results in a few lines.
///
///   hooke::ModelFile file = hooke::load("slider_crank.yaml");
///   hooke::Simulation simulation(file);
///   hooke::Summary summary = simulation.run({.results = "results/slider_crank.h5"});
namespace hooke {

/// Reads a model file; throws ModelError with all that is wrong.
ModelFile load(const std::string& path, const std::vector<std::string>& overrides = {});

struct Progress {
  double t = 0, end = 0, h = 0;
  long steps = 0;
};

struct RunOptions {
  std::string results;                            ///< HDF5 file to write; empty: none
  std::function<void(const Progress&)> progress;  ///< called after every step
  std::function<bool()> cancelled;  ///< asked after every step; true stops the run, results stay readable
  std::function<void(const State&, const SystemWorkspace&)>
      on_output;  ///< every recorded state, for use from C++
};

struct Summary {
  std::string status = "finished";  ///< finished, interrupted, failed
  std::string failure;              ///< why it failed
  int bodies = 0, joints = 0, forces = 0, coordinates = 0, constraint_rows = 0, redundant_rows = 0,
      degrees_of_freedom = 0;
  std::string integrator, solver;
  double start = 0, end = 0;  ///< simulated time reached
  MarchTotals totals;
  double deadline = 0;  ///< s, what a step of a real-time run may take; 0: it is none
  long frames = 0;      ///< outputs written
  double first_energy = 0, last_energy = 0, largest_kinetic_energy = 0,
         energy_drift = 0;       ///< drift: largest |E - E(0)|
  bool is_conservative = false;  ///< no damping, load, drive: the drift is an error of the method
  double position_violation = 0, velocity_violation = 0,
         acceleration_violation = 0;  ///< largest over the outputs
  double wall_time = 0;               ///< s, of the run itself
  std::string results;
  std::vector<std::string> notes, warnings;
  std::vector<std::pair<double, double>> modes;  ///< of analysis `modes`: frequency (Hz) and damping ratio
};

class Simulation {
 public:
  /// Builds and assembles; throws ModelError or Error when the model cannot work.
  explicit Simulation(ModelFile file);

  const ModelFile& file() const { return file_; }
  const BuiltModel& built() const { return built_; }
  const System& system() const { return *built_.system; }
  const Start& start() const { return start_; }

  /// Threads that share the evaluation from now on.
  void use(std::shared_ptr<Team> team) { built_.system->use(std::move(team)); }

  /// Runs the analysis the file asks for. A step that fails ends the run with status "failed"; what was
  /// recorded stays.
  Summary run(const RunOptions& options = {});

 private:
  Summary describe() const;
  void march(Integrator& integrator, const RunOptions& options, Summary& summary, class Recorder& recorder);
  void run_dynamics(const RunOptions& options, Summary& summary, class Recorder& recorder);
  std::unique_ptr<Integrator> coupled(std::shared_ptr<Team> team) const;
  void run_kinematics(const RunOptions& options, Summary& summary, class Recorder& recorder);
  void run_statics(Summary& summary, class Recorder& recorder);
  void run_modes(Summary& summary, class Recorder& recorder);

  ModelFile file_;
  BuiltModel built_;
  Start start_;
};

}  // namespace hooke
