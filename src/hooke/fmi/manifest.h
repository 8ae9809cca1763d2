#pragma once
#include <array>
#include <string>
#include <vector>

#include "hooke/base/fields.h"

namespace hooke {

/// What a variable of an FMU is, to Hooke.
///
///   parameter     of `parameters:`, a number: the model is built anew with another
///   calculated    of `parameters:`, an expression of others
///   tunable       a block {parameter: ...} under `control:`, to be changed at any time
///   input         likewise, as an input
///   output        a quantity, as results call it
///   state         of model exchange, with its derivative; and what shows events
enum class FmuRole { parameter, calculated, tunable, input, output, state, derivative, indicator };
constexpr auto names(FmuRole) {
  return std::array{"parameter", "calculated", "tunable",    "input",
                    "output",    "state",      "derivative", "indicator"};
}

struct FmuVariable {
  std::string name;
  FmuRole role = FmuRole::output;
  double start = 0;
  std::string unit, text;
  std::string components;           ///< one letter each; empty: a number
  int columns = 0;                  ///< of a matrix, row by row; 0: it is none
  std::vector<std::string> inputs;  ///< of an output: those it depends on directly

  int width() const { return components.empty() ? 1 : static_cast<int>(components.size()); }
  /// A vector has name.x, a matrix name[1,2].
  std::string component_name(int k) const {
    if (columns > 0)
      return name + '[' + std::to_string(k / columns + 1) + ',' + std::to_string(k % columns + 1) + ']';
    return components.empty() ? name : name + '.' + components[static_cast<std::size_t>(k)];
  }
  bool is_settable() const {
    return role == FmuRole::parameter || role == FmuRole::tunable || role == FmuRole::input ||
           role == FmuRole::state;
  }

  static void describe(auto& field) {
    field("name", &FmuVariable::name, Doc{.text = "name", .required = true});
    field("role", &FmuVariable::role, Doc{.text = "what it is"});
    field("start", &FmuVariable::start, Doc{.text = "value at the start"});
    field("unit", &FmuVariable::unit, Doc{.text = "unit"});
    field("text", &FmuVariable::text, Doc{.text = "what it tells"});
    field("components", &FmuVariable::components, Doc{.text = "of a vector"});
    field("columns", &FmuVariable::columns, Doc{.text = "of a matrix"});
    field("inputs", &FmuVariable::inputs, Doc{.text = "inputs that an output depends on directly"});
  }
};

/// What an FMU of Hooke knows of itself, beside its model: resources/hooke.json.
struct FmuManifest {
  static constexpr const char* file_name = "hooke.json";
  std::string model;                   ///< the model file, in the resources
  std::vector<std::string> overrides;  ///< it was exported with
  std::string token;                   ///< of this archive: guid, instantiationToken
  std::vector<FmuVariable>
      variables;  ///< value references are counted through their components, from 1; 0 is the time

  static void describe(auto& field) {
    field("model", &FmuManifest::model, Doc{.text = "model file", .required = true});
    field("overrides", &FmuManifest::overrides, Doc{.text = "key.path=value"});
    field("token", &FmuManifest::token, Doc{.text = "instantiation token", .required = true});
    field("variables", &FmuManifest::variables, Doc{.text = "in the order of their value references"});
  }
};

/// Throws Error when it is not there or makes no sense.
FmuManifest read_manifest(const std::string& resources);

}  // namespace hooke
