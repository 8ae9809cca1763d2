#pragma once
// A model file: YAML (or JSON) that reads like the mechanism. docs/model-file.md is its reference;
// io/document.h says how parameters, loops and includes work.
#include <string>
#include <utility>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/catalog/model.h"
#include "hooke/coupling/settings.h"
#include "hooke/integrators/settings.h"

namespace hooke {

/// The `outputs:` part of a model file.
struct OutputSettings {
  double every = 0.01;

  static void describe(auto& field) {
    field("every", &OutputSettings::every,
          Doc{.text = "interval between outputs, whatever the step; 0: every step",
              .unit = "s",
              .check = non_negative});
  }
};

/// One of the `subsystems:` of a model file.
struct SubsystemEntry {
  static constexpr const char* shorthand = "bodies";
  std::vector<std::string> bodies;
  int steps = 1;
  std::optional<IntegratorChoice> integrator;
  std::optional<double> tolerance;

  static void describe(auto& field) {
    field("bodies", &SubsystemEntry::bodies,
          Doc{.text = "bodies that are integrated together", .required = true});
    field("steps", &SubsystemEntry::steps,
          Doc{.text = "how many steps it takes in one macro step (`run.step`)", .check = at_least(1)});
    field("integrator", &SubsystemEntry::integrator,
          Doc{.text = "its own, with force-displacement coupling", .default_text = "that of `run`"});
    field("tolerance", &SubsystemEntry::tolerance,
          Doc{.text = "likewise: local error per step, as in `run`; it takes as many steps as it needs",
              .check = positive,
              .default_text = "`steps` steps"});
  }
};

struct ModelFile {
  Model model;
  RunSettings run;
  OutputSettings outputs;
  std::vector<std::pair<std::string, SubsystemEntry>> subsystems;  ///< none: the model is one system
  CouplingSettings coupling;
  std::string text;                   ///< of the file itself, as it was read
  std::vector<std::string> warnings;  ///< what the reader wondered about
};

/// Reads a model file and what it includes; `overrides` are key.path=value (io/document.h). All that is wrong
/// goes to `diagnostics`, and what could be read is returned: see diagnostics.throw_if_errors(). Whether
/// names and geometry fit together is for `build` (catalog/build.h) to say. Throws ModelError when there is
/// nothing to go on with (not YAML, say) and Error when the file cannot be read.
ModelFile read_model_file(const std::string& path, const std::vector<std::string>& overrides,
                          Diagnostics& diagnostics);

/// The same for a text; `name` is what messages call it, and other files are looked for next to it.
ModelFile parse_model(const std::string& text, const std::string& name,
                      const std::vector<std::string>& overrides, Diagnostics& diagnostics);

/// JSON Schema (draft 2020-12) of a model file, for editors.
std::string model_schema();

/// The tables of docs/model-file.md, by name.
std::vector<std::pair<std::string, std::string>> model_tables();

}  // namespace hooke
