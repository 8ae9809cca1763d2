#include "hooke/fmi/describe_fmu.h"

#include <algorithm>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "hooke/base/text.h"
#include "hooke/fmi/units.h"

namespace hooke {
namespace {

/// One variable of the XML: a component in 2.0, all components in 3.0.
struct Shown {
  const FmuVariable* variable;
  std::string name;
  unsigned reference;
  int width;
};

class Writer {
 public:
  Writer(const FmuManifest& manifest, const FmuAbout& about) : manifest_(manifest), about_(about) {
    unsigned reference = 1;
    for (const FmuVariable& v : manifest.variables) {
      if (about.version == 3) {
        shown_.push_back({&v, v.name, reference, v.components.empty() ? 0 : v.width()});
        reference += static_cast<unsigned>(v.width());
      } else {
        for (int k = 0; k < v.width(); ++k) shown_.push_back({&v, v.component_name(k), reference++, 0});
      }
    }
  }

  std::string text() {
    pugi::xml_document document;
    auto root = document.append_child("fmiModelDescription");
    set(root, "fmiVersion", is_3() ? "3.0" : "2.0");
    set(root, "modelName", about_.title);
    set(root, is_3() ? "instantiationToken" : "guid", manifest_.token);
    if (!about_.text.empty()) set(root, "description", about_.text);
    set(root, "generationTool", about_.generator);
    set(root, "variableNamingConvention", "flat");
    if (!is_3()) set(root, "numberOfEventIndicators", std::to_string(about_.indicators));
    kinds(root);
    units(root.append_child("UnitDefinitions"));
    types(root.append_child("TypeDefinitions"));
    auto categories = root.append_child("LogCategories");
    for (const char* name :
         {"logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"})
      set(categories.append_child("Category"), "name", name);
    auto experiment = root.append_child("DefaultExperiment");
    number(experiment, "startTime", about_.start);
    number(experiment, "stopTime", about_.end);
    if (about_.tolerance) number(experiment, "tolerance", *about_.tolerance);
    number(experiment, "stepSize", about_.step);
    variables(root.append_child("ModelVariables"));
    structure(root.append_child("ModelStructure"));
    std::ostringstream out;
    document.save(out, "  ");
    return out.str();
  }

 private:
  bool is_3() const { return about_.version == 3; }
  bool has_steps() const { return about_.kind != FmuKind::model_exchange; }
  static void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }
  static void number(pugi::xml_node node, const char* name, double value) {
    set(node, name, format_number(value));
  }
  static void flags(pugi::xml_node node, std::initializer_list<const char*> names) {
    for (const char* name : names) set(node, name, "true");
  }

  void kinds(pugi::xml_node root) const {
    const bool has_exchange = about_.kind != FmuKind::co_simulation;
    const auto common = [&](pugi::xml_node node) {
      set(node, "modelIdentifier", about_.identifier);
      set(node, "canBeInstantiatedOnlyOncePerProcess", "false");
      if (is_3())
        flags(node, {"canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives",
                     "providesAdjointDerivatives"});
      else
        flags(node, {"canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"});
      if (is_3() || about_.sources.empty()) return;
      auto sources = node.append_child("SourceFiles");
      for (const std::string& name : about_.sources) set(sources.append_child("File"), "name", name);
    };
    if (has_exchange) {
      auto node = root.append_child("ModelExchange");
      common(node);
      if (is_3()) flags(node, {"needsCompletedIntegratorStep"});  // in 2.0 it is, unless said otherwise
    }
    if (!has_steps()) return;
    auto node = root.append_child("CoSimulation");
    common(node);
    flags(node, {"canHandleVariableCommunicationStepSize"});
    if (is_3())
      flags(node, {"providesIntermediateUpdate", "mightReturnEarlyFromDoStep",
                   "canReturnEarlyAfterIntermediateUpdate", "hasEventMode"});
    else
      flags(node, {"canInterpolateInputs"});
    if (is_3() && !about_.tolerance) number(node, "fixedInternalStepSize", about_.step);
  }

  void units(pugi::xml_node node) const {
    std::set<std::string> all{"s"};
    for (const Shown& one : shown_)
      if (!one.variable->unit.empty()) all.insert(one.variable->unit);
    for (const std::string& unit : all) {
      auto entry = node.append_child("Unit");
      set(entry, "name", unit);
      const auto base = base_units(unit);
      if (!base) continue;
      auto exponents = entry.append_child("BaseUnit");
      for (std::size_t k = 0; k < base->exponents.size(); ++k)
        if (base->exponents[k] != 0) set(exponents, BaseUnits::names[k], std::to_string(base->exponents[k]));
    }
  }

  /// In 2.0 a type is inside of its name, in 3.0 they are one.
  void types(pugi::xml_node node) const {
    std::set<std::string> all{"s"};
    for (const Shown& one : shown_) all.insert(one.variable->unit);
    for (const std::string& unit : all) {
      const std::string quantity(quantity_in(unit));
      if (quantity.empty()) continue;
      auto entry = node.append_child(is_3() ? "Float64Type" : "SimpleType");
      set(entry, "name", quantity);
      if (!is_3()) entry = entry.append_child("Real");
      set(entry, "quantity", quantity);
      set(entry, "unit", unit);
    }
  }
  static void set_unit(pugi::xml_node node, const std::string& unit) {
    if (const auto quantity = quantity_in(unit); !quantity.empty())
      set(node, "declaredType", std::string(quantity));
    if (!unit.empty()) set(node, "unit", unit);
  }

  struct Words {
    const char *causality, *variability, *initial;
  };
  static Words words_of(FmuRole role) {
    switch (role) {
      case FmuRole::parameter:
        return {"parameter", "fixed", "exact"};
      case FmuRole::calculated:
        return {"calculatedParameter", "fixed", "calculated"};
      case FmuRole::tunable:
        return {"parameter", "tunable", "exact"};
      case FmuRole::input:
        return {"input", "continuous", ""};
      case FmuRole::output:
        return {"output", "continuous", "calculated"};
      case FmuRole::state:  // the start follows from the model
      case FmuRole::derivative:
      case FmuRole::indicator:
        break;
    }
    return {"local", "continuous", "calculated"};
  }

  void variables(pugi::xml_node node) const {
    const auto add = [&](const std::string& name, unsigned reference, const std::string& text,
                         const Words& words) {
      auto entry = node.append_child(is_3() ? "Float64" : "ScalarVariable");
      set(entry, "name", name);
      set(entry, "valueReference", std::to_string(reference));
      if (!text.empty()) set(entry, "description", text);
      set(entry, "causality", words.causality);
      set(entry, "variability", words.variability);
      if (*words.initial) set(entry, "initial", words.initial);
      return entry;
    };
    const auto type = [&](pugi::xml_node entry) { return is_3() ? entry : entry.append_child("Real"); };
    set_unit(type(add("time", 0, "", {"independent", "continuous", ""})), "s");
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const Shown& one = shown_[i];
      const Words words = words_of(one.variable->role);
      auto entry = add(one.name, one.reference, one.variable->text, words);
      if (const FmuRole role = one.variable->role;
          is_3() && has_steps() && (role == FmuRole::input || role == FmuRole::output))
        set(entry, "intermediateUpdate", "true");
      auto inside = type(entry);
      set_unit(inside, one.variable->unit);
      if (std::string_view(words.initial) == "exact" || one.variable->role == FmuRole::input)
        number(inside, "start", one.variable->start);
      if (one.variable->role == FmuRole::derivative) {
        const std::size_t state = i - count(FmuRole::state);  // all states stand before all derivatives
        set(inside, "derivative",
            std::to_string(is_3() ? shown_[state].reference : static_cast<unsigned>(state) + 2));
      }
      if (one.variable->role == FmuRole::state && !is_3()) set(inside, "reinit", "true");
      const auto dimension = [&](int size) {
        set(entry.append_child("Dimension"), "start", std::to_string(size));
      };
      const int columns = one.variable->columns;
      if (one.width > 0) dimension(columns > 0 ? one.width / columns : one.width);
      if (one.width > 0 && columns > 0) dimension(columns);
    }
  }

  std::size_t count(FmuRole role) const {
    std::size_t n = 0;
    for (const Shown& one : shown_) n += one.variable->role == role;
    return n;
  }

  /// How the structure names a variable: by value reference, or by its place, of which the first is the time.
  std::string key(std::size_t i) const {
    return std::to_string(is_3() ? shown_[i].reference : static_cast<unsigned>(i) + 2);
  }

  void structure(pugi::xml_node node) const {
    const auto list = [&](const char* group, const char* element, auto&& fits, auto&& fill) {
      pugi::xml_node in = node;
      for (std::size_t i = 0; i < shown_.size(); ++i) {
        if (!fits(shown_[i].variable->role)) continue;
        if (!is_3() && in == node) in = node.append_child(group);
        auto entry = in.append_child(is_3() ? element : "Unknown");
        set(entry, is_3() ? "valueReference" : "index", key(i));
        fill(entry, i);
      }
    };
    const auto nothing = [](pugi::xml_node, std::size_t) {};
    list(
        "Outputs", "Output", [](FmuRole role) { return role == FmuRole::output; },
        [&](pugi::xml_node entry, std::size_t i) { dependencies(entry, shown_[i]); });
    list(
        "Derivatives", "ContinuousStateDerivative", [](FmuRole role) { return role == FmuRole::derivative; },
        nothing);
    list(
        "InitialUnknowns", "InitialUnknown",
        [](FmuRole role) {
          return role == FmuRole::output || role == FmuRole::calculated || role == FmuRole::state ||
                 role == FmuRole::derivative;
        },
        nothing);
    if (is_3())
      list(
          "", "EventIndicator", [](FmuRole role) { return role == FmuRole::indicator; }, nothing);
  }

  /// Of an output: the inputs it depends on directly and, of continuous states, all that may matter.
  void dependencies(pugi::xml_node entry, const Shown& output) const {
    const auto& inputs = output.variable->inputs;
    std::string all;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const FmuVariable& v = *shown_[i].variable;
      const bool is_used = v.role == FmuRole::input && std::count(inputs.begin(), inputs.end(), v.name) > 0;
      if (is_used || v.role == FmuRole::state) all += (all.empty() ? "" : " ") + key(i);
    }
    set(entry, "dependencies", all);
  }

  const FmuManifest& manifest_;
  const FmuAbout& about_;
  std::vector<Shown> shown_;
};

}  // namespace

std::string describe_fmu(const FmuManifest& manifest, const FmuAbout& about) {
  return Writer(manifest, about).text();
}

std::string describe_build(const FmuAbout& about) {
  pugi::xml_document document;
  auto root = document.append_child("fmiBuildDescription");
  root.append_attribute("fmiVersion") = "3.0";
  auto configuration = root.append_child("BuildConfiguration");
  configuration.append_attribute("modelIdentifier") = about.identifier.c_str();
  configuration.append_attribute("description") = "needs a compiler for C++20, and the headers of Eigen 3.4";
  auto files = configuration.append_child("SourceFileSet");
  files.append_attribute("language") = "C++20";
  for (const std::string& name : about.sources)
    files.append_child("SourceFile").append_attribute("name") = name.c_str();
  files.append_child("IncludeDirectory").append_attribute("name") = ".";
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace hooke
