#pragma once
#include <string>
#include <vector>

#include "hooke/fmi/describe_fmu.h"

namespace hooke {

struct ExportSettings {
  int version = 2;  ///< of FMI
  FmuKind kind = FmuKind::co_simulation;
  std::vector<std::string> overrides;              ///< of the model, key.path=value
  std::optional<std::vector<std::string>> inputs;  ///< blocks {parameter: ...}; none given: all of them
  std::vector<std::string> outputs;      ///< quantities, with * for any; empty: signals and joint coordinates
  std::vector<std::string> terminals{};  ///< terminals.h
  std::string library;                   ///< hooke_fmu.so
  std::string sources{};                 ///< hooke_fmu_sources.zip, to be packed along; empty: not
  /// More for documentation/, which its index shows: pages and pictures.
  std::vector<std::pair<std::string, std::string>> documents{};  ///< name and contents
};

struct ExportSummary {
  std::vector<FmuVariable> variables;
  std::vector<std::string> files;  ///< of the model, in the archive
  std::size_t bytes = 0;           ///< of the archive
  std::vector<std::string> warnings{};
};

/// Writes a model as an FMU. It carries the files of the model as data, and one library that all FMUs of Hooke share. Throws
/// Error, or ModelError, for a model that cannot go into one.
ExportSummary export_fmu(const std::string& model, const std::string& archive,
                         const ExportSettings& settings);

}  // namespace hooke
