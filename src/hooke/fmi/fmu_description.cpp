#include "hooke/fmi/fmu_description.h"

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <set>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/io/document/value.h"

namespace hooke {
namespace {

using Type = FmuDescription::Type;
using Variable = FmuDescription::Variable;

constexpr std::pair<std::string_view, Type> types_2[]{{"Real", Type::real},
                                                      {"Integer", Type::integer},
                                                      {"Enumeration", Type::integer},
                                                      {"Boolean", Type::boolean},
                                                      {"String", Type::text}};
constexpr std::pair<std::string_view, Type> types_3[]{
    {"Float64", Type::real},      {"Float32", Type::float32}, {"Int8", Type::int8},
    {"UInt8", Type::uint8},       {"Int16", Type::int16},     {"UInt16", Type::uint16},
    {"Int32", Type::int32},       {"UInt32", Type::uint32},   {"Int64", Type::int64},
    {"UInt64", Type::uint64},     {"Boolean", Type::boolean}, {"String", Type::text},
    {"Enumeration", Type::int64}, {"Binary", Type::other},    {"Clock", Type::other}};

class DescriptionReader {
 public:
  DescriptionReader(const std::string& text, const std::string& file) : file_(file) {
    const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed)
      throw Error(ExitCode::file,
                  formatted("{}: is no XML: {} at byte {}", file, parsed.description(), parsed.offset));
  }

  FmuDescription read() {
    const auto root = document_.child("fmiModelDescription");
    if (!root) throw Error(ExitCode::file, file_ + ": has no element fmiModelDescription");
    about(root);
    kinds(root);
    if (const auto experiment = root.child("DefaultExperiment")) {
      out_.start = number(experiment, "startTime");
      out_.stop = number(experiment, "stopTime");
      out_.tolerance = number(experiment, "tolerance");
      out_.step = number(experiment, "stepSize");
    }
    variables(root.child("ModelVariables"));
    structure(root.child("ModelStructure"));
    if (!errors_.empty()) throw Error(ExitCode::file, file_ + ": " + join(errors_, "\n" + file_ + ": "));
    return std::move(out_);
  }

 private:
  static constexpr std::size_t most_errors = 20, most_width = 1'000'000;

  template <class... Args>
  void complain(Format<Args...> text, const Args&... args) {
    if (errors_.size() < most_errors) errors_.push_back(formatted<Args...>(text, args...));
  }

  std::string required(pugi::xml_node node, const char* name) {
    const auto attribute = node.attribute(name);
    if (!attribute) complain("<{}> has no {}", node.name(), name);
    return attribute.value();
  }
  std::optional<double> number(pugi::xml_node node, const char* name) {
    const auto attribute = node.attribute(name);
    if (!attribute) return {};
    const auto value = parse_number(attribute.value());
    if (!value) complain("<{}> {}: '{}' is no number", node.name(), name, excerpt(attribute.value()));
    return value;
  }
  bool flag(pugi::xml_node node, const char* name) {
    const std::string_view value = node.attribute(name).value();
    if (!value.empty() && value != "true" && value != "false" && value != "1" && value != "0")
      complain("<{}> {}: must be true or false, not '{}'", node.name(), name, excerpt(value));
    return value == "true" || value == "1";
  }
  std::optional<std::uint32_t> whole(std::string_view text) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
  }
  bool is_3() const { return out_.version == 3; }

  void about(pugi::xml_node root) {
    out_.version_text = required(root, "fmiVersion");
    if (out_.version_text.starts_with("3."))
      out_.version = 3;
    else if (out_.version_text != "2.0" && !out_.version_text.empty())
      throw Error(ExitCode::file, formatted("{}: is of FMI {}; 2.0 and 3.0 are understood", file_,
                                            excerpt(out_.version_text)));
    out_.name = required(root, "modelName");
    out_.token = required(root, is_3() ? "instantiationToken" : "guid");
    out_.text = root.attribute("description").value();
    out_.generator = root.attribute("generationTool").value();
    if (!is_3()) out_.indicators = whole(root.attribute("numberOfEventIndicators").value()).value_or(0);
  }

  void kinds(pugi::xml_node root) {
    const auto identifier = [&](const char* kind) -> std::optional<std::string> {
      const auto node = root.child(kind);
      if (!node) return {};
      const std::string name = required(node, "modelIdentifier");
      const auto fits = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); };
      if (name.empty() || name.size() > 200 || !std::all_of(name.begin(), name.end(), fits))
        complain("<{}> modelIdentifier: '{}' is no name of a library", kind, excerpt(name));
      return name;
    };
    out_.co_simulation = identifier("CoSimulation");
    out_.model_exchange = identifier("ModelExchange");
    if (!out_.co_simulation && !out_.model_exchange)
      complain("offers neither co-simulation nor model exchange");
    const auto node = root.child(out_.co_simulation ? "CoSimulation" : "ModelExchange");
    out_.saves_states = flag(node, is_3() ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
    const auto exchange = root.child("ModelExchange");
    out_.exchange_saves_states = flag(exchange, is_3() ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
    out_.exchange_has_derivatives =
        flag(exchange, is_3() ? "providesDirectionalDerivatives" : "providesDirectionalDerivative");
    out_.completes_steps = is_3() ? flag(exchange, "needsCompletedIntegratorStep")
                                  : !flag(exchange, "completedIntegratorStepNotNeeded");
    out_.serialises_states = flag(node, is_3() ? "canSerializeFMUState" : "canSerializeFMUstate");
    out_.varies_step = flag(node, "canHandleVariableCommunicationStepSize");
    out_.has_derivatives =
        flag(node, is_3() ? "providesDirectionalDerivatives" : "providesDirectionalDerivative");
    out_.interpolates_inputs = flag(node, "canInterpolateInputs");
    out_.has_event_mode = flag(node, "hasEventMode");
    out_.needs_tool = flag(node, "needsExecutionTool");
    out_.only_once = flag(node, "canBeInstantiatedOnlyOncePerProcess");
  }

  void variables(pugi::xml_node node) {
    if (!node) return complain("has no ModelVariables");
    std::set<std::string> names;
    std::set<std::uint32_t> references;
    for (const auto entry : node.children()) {
      if (entry.type() != pugi::node_element) continue;
      Variable variable;
      if (!read_variable(entry, variable)) continue;
      if (!names.insert(variable.name).second)
        complain("two variables are called '{}'", excerpt(variable.name));
      if (is_3() && !references.insert(variable.reference).second)
        complain("'{}' has a value reference that another variable has, too", excerpt(variable.name));
      out_.variables.push_back(std::move(variable));
    }
  }

  bool read_variable(pugi::xml_node entry, Variable& variable) {
    variable.name = required(entry, "name");
    const auto reference = whole(required(entry, "valueReference"));
    if (!reference) complain("'{}' has no value reference that is a whole number", excerpt(variable.name));
    variable.reference = reference.value_or(0);
    variable.causality = entry.attribute("causality").as_string("local");
    variable.variability = entry.attribute("variability").value();
    variable.initial = entry.attribute("initial").value();
    check_word(variable, "causality", variable.causality,
               {"parameter", "calculatedParameter", "structuralParameter", "input", "output", "local",
                "independent", "dependent"});
    if (!variable.variability.empty())
      check_word(variable, "variability", variable.variability,
                 {"constant", "fixed", "tunable", "discrete", "continuous"});
    pugi::xml_node inside = entry;
    const char* type_name = entry.name();
    if (!is_3()) {
      inside = pugi::xml_node();
      for (const auto child : entry.children())
        if (find_type(child.name())) inside = child;
      type_name = inside.name();
    }
    const auto type = find_type(type_name);
    if (!type) {
      complain("'{}' is of no type that is known", excerpt(variable.name));
      return false;
    }
    variable.type = *type;
    variable.unit = inside.attribute("unit").value();
    variable.start = inside.attribute("start").value();
    variable.derivative_of = inside.attribute("derivative").value();
    variable.has_start = inside.attribute("start") || inside.child("Start");
    for (const auto dimension : entry.children("Dimension")) {
      variable.is_array = true;
      const std::size_t size = whole(dimension.attribute("start").value()).value_or(0);
      variable.width = size == 0 || variable.width > most_width / size ? 0 : variable.width * size;
    }
    if (variable.is_number() && !variable.is_array && !variable.start.empty() &&
        variable.type != Type::boolean && !parse_number(variable.start))
      complain("'{}' starts with '{}', which is no number", excerpt(variable.name), excerpt(variable.start));
    const bool needs_start = variable.causality == "input" || variable.causality == "parameter";
    if (needs_start && !variable.has_start && variable.is_number())
      out_.warnings.push_back(formatted("'{}' is {} without a start value", excerpt(variable.name),
                                        variable.causality == "input" ? "an input" : "a parameter"));
    return true;
  }

  std::optional<Type> find_type(std::string_view name) const {
    const auto search = [&](const auto& list) -> std::optional<Type> {
      for (const auto& [word, type] : list)
        if (word == name) return type;
      return {};
    };
    return is_3() ? search(types_3) : search(types_2);
  }

  void check_word(const Variable& variable, const char* what, const std::string& word,
                  const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      complain("'{}': {} cannot be '{}'", excerpt(variable.name), what, excerpt(word));
  }

  // --- structure

  Variable* named_by(std::string_view key) {
    const auto number = whole(key);
    if (!number) return nullptr;
    if (!is_3())
      return *number >= 1 && *number <= out_.variables.size() ? &out_.variables[*number - 1] : nullptr;
    if (by_reference_.empty())
      for (std::size_t i = 0; i < out_.variables.size(); ++i) by_reference_[out_.variables[i].reference] = i;
    const auto found = by_reference_.find(*number);
    return found == by_reference_.end() ? nullptr : &out_.variables[found->second];
  }

  void structure(pugi::xml_node node) {
    if (!node) return complain("has no ModelStructure");
    std::size_t outputs = 0;
    const auto visit = [&](pugi::xml_node entry, std::string_view kind) {
      const std::string key = required(entry, is_3() ? "valueReference" : "index");
      Variable* variable = named_by(key);
      if (!variable)
        return complain("ModelStructure names the variable {}, which is not there", excerpt(key));
      if (kind == "Output" || kind == "Outputs") {
        ++outputs;
        if (variable->causality != "output")
          complain("ModelStructure lists '{}' as an output, which it is not", excerpt(variable->name));
        dependencies(entry, *variable);
      } else if (kind == "ContinuousStateDerivative" || kind == "Derivatives") {
        ++out_.states;
        const Variable* state = named_by(variable->derivative_of);
        if (!state || state->is_array || variable->is_array) return;
        out_.state_references.push_back(state->reference);
        out_.rate_references.push_back(variable->reference);
      } else if (kind == "EventIndicator") {
        ++out_.indicators;
      }
    };
    for (const auto child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      if (is_3()) {
        visit(child, child.name());
        continue;
      }
      for (const auto unknown : child.children("Unknown")) visit(unknown, child.name());
    }
    const auto declared = out_.with_causality("output").size();
    if (outputs != declared)
      out_.warnings.push_back(
          formatted("ModelStructure lists {} outputs, and ModelVariables has {}", outputs, declared));
  }

  void dependencies(pugi::xml_node entry, Variable& output) {
    const auto attribute = entry.attribute("dependencies");
    if (!attribute) {
      output.dependencies = {"*"};
      return;
    }
    std::string_view list = attribute.value();
    while (!(list = trim(list)).empty()) {
      const std::size_t end = std::min(list.find_first_of(" \t\r\n"), list.size());
      const Variable* known = named_by(list.substr(0, end));
      if (!known)
        complain("'{}' depends on the variable {}, which is not there", excerpt(output.name),
                 excerpt(list.substr(0, end)));
      else
        output.dependencies.push_back(known->name);
      list.remove_prefix(end);
    }
  }

  std::string file_;
  pugi::xml_document document_;
  FmuDescription out_;
  std::vector<std::string> errors_;
  std::map<std::uint32_t, std::size_t> by_reference_;
};

}  // namespace

const Variable* FmuDescription::find(const std::string& variable) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == variable; });
  return found == variables.end() ? nullptr : &*found;
}

std::vector<const Variable*> FmuDescription::with_causality(const std::string& causality) const {
  std::vector<const Variable*> all;
  for (const Variable& variable : variables)
    if (variable.causality == causality) all.push_back(&variable);
  return all;
}

FmuDescription read_fmu_description(const std::string& text, const std::string& file) {
  return DescriptionReader(text, file).read();
}

void read_fmu_terminals(const std::string& text, FmuDescription& to) {
  constexpr const char* file = "terminalsAndIcons.xml";
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size()))
    return to.warnings.push_back(formatted("{} is no XML", file));
  for (const auto node : document.child("fmiTerminalsAndIcons").child("Terminals").children("Terminal")) {
    FmuDescription::Terminal terminal{
        node.attribute("name").value(), node.attribute("terminalKind").value(), {}};
    for (const auto member : node.children("TerminalMemberVariable")) {
      const std::string variable = member.attribute("variableName").value();
      terminal.members.emplace_back(member.attribute("memberName").value(), variable);
      if (!to.find(variable))
        to.warnings.push_back(formatted("{}: terminal '{}' has the member '{}', which is no variable", file,
                                        excerpt(terminal.name), excerpt(variable)));
    }
    to.terminals.push_back(std::move(terminal));
  }
}

}  // namespace hooke
