#pragma once
#include <memory>
#include <string>
#include <vector>

#include "hooke/base/archive.h"
#include "hooke/integrators/march.h"
#include "hooke/record/drawing.h"
#include "hooke/record/record.h"

/// Results in one HDF5 file, written while the run goes on and readable at any moment. The layout is
/// documented in docs/results.md.
namespace hooke {

struct ResultsInfo {
  std::string title, model_text, integrator, solver, version;
  std::string file, analysis;          ///< of the model, by which one tells results of another
  std::vector<std::string> overrides;  ///< what was changed in its text
  std::string settings;                ///< the whole problem as it was run, written out
  std::string run;                     ///< tells its file from those of other runs
  ReactionAxes reactions = ReactionAxes::first;
  std::vector<std::pair<std::string, std::string>> facts;  ///< about the model, for people
  std::vector<std::string> notes, warnings;
  Drawing drawing;
};

/// What is recorded, by the names a user knows it by; in the order of a Record.
struct RecordedItems {
  struct Coordinate {
    std::string name;
    bool is_angle = false;
  };
  struct Joint {
    std::string name, type;
    std::vector<Coordinate> coordinates;
  };
  struct Force {
    std::string name, type;
  };
  std::vector<std::string> bodies;
  std::vector<int> nodes;                 ///< of each body
  std::vector<std::vector<double>> arcs;  ///< of the sections of each body, m
  std::vector<double> radius;             ///< of each body with nodes: that of a cylinder like it
  std::vector<BuiltSolid> solids;
  std::vector<BuiltModal> modal;
  std::vector<Joint> joints;
  std::vector<Force> forces;
  struct Spring {
    std::string force;
    bool is_angle = false;
  };
  std::vector<Spring> springs;
  std::vector<std::string> contacts;
  std::vector<BuiltSignal> signals;
};
RecordedItems recorded_items(const BuiltModel& model);

/// How much a run that goes on takes over from the file that is there.
struct RowsToKeep {
  long frames = 0, steps = 0;
};

/// The largest stress of von Mises on a body's surface over a run, where it was in the undeformed body, and when.
struct StressExtreme {
  std::string body;
  double value = 0;
  Vec3 place = zero3;
  double t = 0;
};

class ResultsWriter {
 public:
  /// A file that is there is replaced.
  ResultsWriter(const std::string& path, const RecordedItems& items, const ResultsInfo& info,
                const RowsToKeep* to_keep = nullptr);
  ResultsWriter(const std::string& path, const BuiltModel& model, const ResultsInfo& info,
                const RowsToKeep* to_keep = nullptr)
      : ResultsWriter(path, recorded_items(model), info, to_keep) {}
  ~ResultsWriter();
  /// Where results of another model or analysis went that were in its place; empty: there were none.
  const std::string& set_aside() const;
  void write(const Record& record);
  void write(const StepRecord& step);
  void write(const ModesRecord& modes);
  /// Of the outputs so far, for each body that has stresses.
  std::vector<StressExtreme> stress_extremes() const;
  /// What waits in memory goes to the file.
  void write_kept();
  /// What the next rows depend on beside their records.
  void archive(Archive& a);
  /// "finished", "interrupted", "failed": why the file ends where it ends; and what was said along the way, beginning with
  /// what the info had.
  void finish(const std::string& status, const std::string& message,
              const std::vector<std::string>& notes = {}, const std::vector<std::string>& warnings = {});

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace hooke
