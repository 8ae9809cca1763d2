#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hooke/coupling/linear_coupling.h"
#include "hooke/fmi/fmu_description.h"
#include "hooke/fmi/zip_file.h"
#include "hooke/io/model/participant_keys.h"

namespace hooke {

/// A number of an FMU: one entry of a variable.
struct FmuNumber {
  std::uint32_t reference = 0;
  FmuDescription::Type type = FmuDescription::Type::real;
  std::uint32_t width = 1, entry = 0;  ///< of the variable, and which of its entries this is
};

/// An FMU on disk: unpacked into a temporary folder, checked, nothing of it executed.
struct FmuFile {
  explicit FmuFile(const std::string& path);

  std::string path;
  TemporaryFolder folder;
  FmuDescription description;
  /// The library for this machine. Throws Error when the archive has none.
  std::filesystem::path library(bool for_exchange = false) const;
  std::vector<std::string> platforms() const;
  /// A variable by its name, or an entry of an array: name[1], name[2], ... Throws Error with a suggestion.
  FmuNumber number(const std::string& name, const char* causality) const;
  /// All numbers of a causality, with the names they are asked for by.
  std::vector<std::pair<std::string, FmuNumber>> numbers(const char* causality) const;
};

/// A running instance of an FMU, whatever its version and kind and wherever it runs. What goes wrong is an Error with what the
/// FMU said.
class FmuLink {
 public:
  struct Value {
    FmuNumber of;
    double value;
  };
  struct Step {
    bool is_complete = true, has_ended = false;
    double t = 0;
    std::string text;  ///< what it said
  };
  virtual ~FmuLink() = default;
  /// Starts it: values that are set before the start, and inputs at it.
  virtual void begin(double start, std::span<const Value> settings, std::span<const Value> inputs) = 0;
  virtual void set(std::span<const FmuNumber> which, std::span<const double> values) = 0;
  virtual void get(std::span<const FmuNumber> which, std::span<double> values) = 0;
  /// Derivatives of inputs at the start of the next step; only where the FMU interpolates.
  virtual void set_derivatives(std::span<const FmuNumber> which, int order,
                               std::span<const double> values) = 0;
  virtual Step step(double t, double h) = 0;
  /// One state is kept; only where the FMU can.
  virtual void save() = 0;
  virtual void restore() = 0;
  /// Of model exchange: its equations near where it is.
  virtual StateSpace linearise(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs) = 0;
};

/// How an FMU is run: stepped by itself, or integrated by Hooke.
using FmuIntegration = std::optional<ExchangeSettings>;
/// As asked for or, without a word, as it must be since it offers nothing else.
FmuIntegration integration_of(const FmuFile& file, const FmuIntegration& asked);

std::unique_ptr<FmuLink> open_fmu(const FmuFile& file, FmuHome home, const std::string& instance,
                                  const FmuIntegration& integration = {});

/// In this process (fmu_library.cpp).
std::unique_ptr<FmuLink> load_fmu(const FmuFile& file, const std::string& instance,
                                  const FmuIntegration& integration);
/// In one of its own (fmu_process.cpp): if it crashes, that is an Error here.
std::unique_ptr<FmuLink> spawn_fmu(const FmuFile& file, const std::string& instance,
                                   const FmuIntegration& integration);

}  // namespace hooke
