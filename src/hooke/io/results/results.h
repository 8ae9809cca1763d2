#pragma once
#include <memory>
#include <string>
#include <vector>

#include "hooke/integrators/march.h"
#include "hooke/record/drawing.h"
#include "hooke/record/record.h"

/// Results in one HDF5 file, written while the run goes on and readable at any moment. The layout is
/// documented in docs/results.md.
namespace hooke {

struct ResultsInfo {
  std::string title, model_text, integrator, solver, version;
  std::vector<std::pair<std::string, std::string>> facts;  ///< about the model, for people
  std::vector<std::string> notes, warnings;
  Drawing drawing;
};

class ResultsWriter {
 public:
  ResultsWriter(const std::string& path, const BuiltModel& model, const ResultsInfo& info);
  ~ResultsWriter();
  void write(const Record& record);
  void write(const StepRecord& step);
  void write(const ModesRecord& modes);
  /// "finished", "interrupted", "failed": why the file ends where it ends.
  void finish(const std::string& status, const std::string& message);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace hooke
