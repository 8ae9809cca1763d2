#pragma once
#include "hooke/catalog/model.h"
#include "hooke/coupling/settings.h"
#include "hooke/integrators/settings.h"

namespace hooke {

/// The `outputs:` key of a model file.
struct OutputSettings {
  double every = 0.01;
  ReactionAxes reactions = ReactionAxes::first;

  static void describe(auto& field) {
    field("every", &OutputSettings::every,
          Doc{.text = "interval between outputs, independent of the step size; 0: every step",
              .unit = "s",
              .check = non_negative});
    field(
        "reactions", &OutputSettings::reactions,
        Doc{.text = "axes in which the reactions of joints are given: those of the joint frame on the first "
                    "body, on the second body, or of the world"});
  }
};

/// One of the `subsystems:` of a model file.
struct SubsystemSettings {
  static constexpr const char* shorthand = "bodies";
  std::vector<std::string> bodies;
  int steps = 1;
  std::optional<double> step;
  std::optional<AnyIntegrator> integrator;
  std::optional<double> tolerance;

  static void describe(auto& field) {
    field("bodies", &SubsystemSettings::bodies,
          Doc{.text = "bodies that are integrated together", .required = true});
    field("steps", &SubsystemSettings::steps,
          Doc{.text = "number of steps per macro step (`run.step`)", .check = at_least(1)});
    field("step", &SubsystemSettings::step,
          Doc{.text = "its step, a whole fraction of the macro step; instead of `steps`",
              .unit = "s",
              .check = positive,
              .default_text = "`run.step` divided by `steps`"});
    field("integrator", &SubsystemSettings::integrator,
          Doc{.text = "integrator of this subsystem", .default_text = "that of `run`"});
    field("tolerance", &SubsystemSettings::tolerance,
          Doc{.text = "local error per step, as in `run`; the subsystem then takes as many steps as it "
                      "needs. With force-displacement coupling",
              .check = positive,
              .default_text = "`steps` steps"});
  }
  /// Steps in a macro step.
  int steps_in(double macro_step) const {
    return step ? std::max(1, static_cast<int>(std::lround(macro_step / *step))) : steps;
  }
};

/// All that is to be computed, as plain data: what a model file says, and what a program may fill without one.
/// Nothing rewrites it: what is chosen by itself is chosen where it is used.
struct Problem {
  Model model;
  RunSettings run;
  OutputSettings outputs;
  Named<SubsystemSettings> subsystems;  ///< none: the model is one system
  CouplingSettings coupling;

  static void describe(auto& field) {
    field.flat(&Problem::model);
    field("run", &Problem::run, Doc{.text = "what to compute and how"});
    field("outputs", &Problem::outputs, Doc{.text = "what to write"});
    field("subsystems", &Problem::subsystems,
          Doc{.text = "groups of bodies that are integrated on their own and coupled; bodies not named make "
                      "one more, "
                      "`rest`"});
    field("coupling", &Problem::coupling, Doc{.text = "how the subsystems are coupled"});
  }

  void check(const Complain& complain) const;
  /// With steps of the size given; those of a run with a tolerance are not known before.
  double step_count() const;
  double output_count() const;

  std::string text;                    ///< of the file that it was read from, if it was
  std::string file;                    ///< its path
  std::vector<std::string> overrides;  ///< what was changed on reading it, key.path=value
  std::vector<std::string> warnings;   ///< what the reader wondered about
};

}  // namespace hooke
