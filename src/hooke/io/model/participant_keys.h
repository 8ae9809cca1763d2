#pragma once
#include <optional>

#include "hooke/base/type_info.h"

namespace hooke {

/// Where an FMU runs: in a process of its own, or in this one.
enum class FmuHome { process, here };
constexpr auto names(FmuHome) { return std::array{"process", "here"}; }

/// How Hooke integrates an FMU for model exchange.
enum class FmuMethod { dormand_prince, generalized_alpha };
constexpr auto names(FmuMethod) { return std::array{"dormand-prince", "generalized-alpha"}; }

struct ExchangeSettings {
  static constexpr const char* shorthand = "integrator";
  FmuMethod integrator = FmuMethod::dormand_prince;
  std::optional<double> step, tolerance;

  static void describe(auto& field) {
    field("integrator", &ExchangeSettings::integrator,
          Doc{.text = "dormand-prince, or generalized-alpha for stiff equations"});
    field("step", &ExchangeSettings::step,
          Doc{.text = "step size; with a tolerance the first one",
              .unit = "s",
              .check = positive,
              .default_text = "the macro step"});
    field(
        "tolerance", &ExchangeSettings::tolerance,
        Doc{.text = "local error of a step, of its length times the states relative to their nominal sizes; "
                    "it makes the step size adaptive",
            .check = positive,
            .default_text = "1e-9 with dormand-prince, otherwise steps are fixed"});
  }
};

/// One of the `participants:` of a file (fmi/cosimulation.h).
struct ParticipantSettings {
  static constexpr const char* this_file = "this";  ///< as a model: the one in the same file
  std::string fmu, model;                           ///< a file, one of the two
  std::vector<std::pair<std::string, double>> set;
  std::optional<ExchangeSettings> exchange;
  FmuHome runs = FmuHome::process;
  std::vector<std::string> record;

  static void describe(auto& field) {
    field("fmu", &ParticipantSettings::fmu, Doc{.text = "FMU, path relative to this file; or:"});
    field(
        "model", &ParticipantSettings::model,
        Doc{.text = "model file, or `this` for the model in the same file; its inputs are blocks {parameter: "
                    "...} under `control`"});
    field("set", &ParticipantSettings::set,
          Doc{.text = "values of parameters and start values of inputs, by name"});
    field("exchange", &ParticipantSettings::exchange,
          Doc{.text = "an FMU: its equations are integrated here (model exchange)",
              .default_text = "if it offers no co-simulation"});
    field("runs", &ParticipantSettings::runs,
          Doc{.text = "an FMU: in a process of its own, or here, in that of hooke, which a crash would end"});
    field("record", &ParticipantSettings::record,
          Doc{.text = "what results hold of it",
              .default_text = "outputs; of a model, signals and joint coordinates"});
  }
  void check(const Complain& complain) const {
    if (fmu.empty() == model.empty()) complain("", "give either 'fmu' or 'model'");
    if (exchange && fmu.empty()) complain("exchange", "is for FMUs; a model has its own integrator");
  }
};

/// One of the `interfaces:` of such a file: a motion one way, a force the other. Of each pair the first is a variable (or
/// terminal) of the forced participant, the second one of the displaced.
struct InterfaceSettings {
  std::array<std::string, 2> between, terminals, force, position, rate, acceleration;

  static void describe(auto& field) {
    field("between", &InterfaceSettings::between,
          Doc{.text = "the participant that is told forces, and the one that is told motions",
              .required = true});
    field("terminals", &InterfaceSettings::terminals,
          Doc{.text =
                  "of FMUs of FMI 3.0: terminals with the members position, rate, acceleration, and force or "
                  "torque; or:",
              .default_text = "none"});
    field("force", &InterfaceSettings::force,
          Doc{.text = "input of the first that follows this output of the second", .default_text = "none"});
    field("position", &InterfaceSettings::position,
          Doc{.text = "output of the first, and the input of the second that follows it",
              .default_text = "none"});
    field("rate", &InterfaceSettings::rate, Doc{.text = "likewise", .default_text = "none"});
    field("acceleration", &InterfaceSettings::acceleration, Doc{.text = "likewise", .default_text = "none"});
  }
  void check(const Complain& complain) const {
    for (const auto& [key, pair] : {std::pair{"force", &force},
                                    {"position", &position},
                                    {"rate", &rate},
                                    {"acceleration", &acceleration}})
      if (terminals[0].empty() == (*pair)[0].empty())
        complain(key, terminals[0].empty() ? "give it, or 'terminals'" : "goes without 'terminals'");
  }
};

}  // namespace hooke
