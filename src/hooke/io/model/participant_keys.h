#pragma once
#include "hooke/base/type_info.h"

namespace hooke {

/// Where an FMU runs: in a process of its own, or in this one.
enum class FmuHome { process, here };
constexpr auto names(FmuHome) { return std::array{"process", "here"}; }

/// One of the `participants:` of a file (fmi/cosimulation.h).
struct ParticipantSettings {
  std::string fmu, model;  ///< a file, one of the two
  std::vector<std::pair<std::string, double>> set;
  FmuHome runs = FmuHome::process;
  std::vector<std::string> record;

  static void describe(auto& field) {
    field("fmu", &ParticipantSettings::fmu,
          Doc{.text = "FMU for co-simulation, path relative to this file; or:"});
    field("model", &ParticipantSettings::model,
          Doc{.text = "model file, whose inputs are blocks {parameter: ...} under `control`"});
    field("set", &ParticipantSettings::set,
          Doc{.text = "values of parameters and start values of inputs, by name"});
    field("runs", &ParticipantSettings::runs,
          Doc{.text = "an FMU: in a process of its own, or here, in that of hooke, which a crash would end"});
    field("record", &ParticipantSettings::record,
          Doc{.text = "what results hold of it",
              .default_text = "outputs; of a model, signals and joint coordinates"});
  }
  void check(const Complain& complain) const {
    if (fmu.empty() == model.empty()) complain("", "give either 'fmu' or 'model'");
  }
};

}  // namespace hooke
