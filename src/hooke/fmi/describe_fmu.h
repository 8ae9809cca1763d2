#pragma once
#include <optional>

#include "hooke/fmi/manifest.h"

namespace hooke {

enum class FmuKind { co_simulation, model_exchange, both };

/// What modelDescription.xml says, beside the variables.
struct FmuAbout {
  int version = 2;  ///< of FMI: 2 or 3
  FmuKind kind = FmuKind::co_simulation;
  std::string identifier, title, text, generator;  ///< text: one line about the model
  double start = 0, end = 1, step = 1e-3;
  std::optional<double> tolerance;
  int indicators = 0;
  std::vector<std::string> sources{};  ///< to compile, in sources/; empty: there are none
};

/// modelDescription.xml.
std::string describe_fmu(const FmuManifest& manifest, const FmuAbout& about);

/// Of FMI 3.0, sources/buildDescription.xml.
std::string describe_build(const FmuAbout& about);

}  // namespace hooke
