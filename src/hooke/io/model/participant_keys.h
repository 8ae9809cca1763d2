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

/// One of the `interfaces:` of such a file: a motion one way, a force the other. Of each pair the first is a variable of the
/// forced participant, the second one of the displaced.
struct InterfaceSettings {
  std::array<std::string, 2> between, force, position, rate, acceleration;

  static void describe(auto& field) {
    field("between", &InterfaceSettings::between,
          Doc{.text = "the participant that is told forces, and the one that is told motions",
              .required = true});
    field("force", &InterfaceSettings::force,
          Doc{.text = "input of the first that follows this output of the second", .required = true});
    field("position", &InterfaceSettings::position,
          Doc{.text = "output of the first, and the input of the second that follows it", .required = true});
    field("rate", &InterfaceSettings::rate, Doc{.text = "likewise", .required = true});
    field("acceleration", &InterfaceSettings::acceleration, Doc{.text = "likewise", .required = true});
  }
};

}  // namespace hooke
