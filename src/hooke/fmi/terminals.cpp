#include "hooke/fmi/terminals.h"

#include <algorithm>
#include <cctype>
#include <pugixml.hpp>
#include <sstream>

#include "hooke/base/error.h"
#include "hooke/base/text.h"

namespace hooke {
namespace {

/// As formulas may name it.
std::string identifier(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class TerminalMaker {
 public:
  explicit TerminalMaker(const BuiltModel& built) : built_(built) {}
  FmuTerminals made;

  void add(const std::string& place) {
    if (place.find('=') != place.npos) return add_named(place);
    if (place.starts_with("joint.")) return add_joint(place);
    if (place.starts_with("frame.")) return add_frame(place);
    throw Error(ExitCode::usage,
                formatted("--terminal {}: give joint.NAME, frame.BODY, or NAME=MEMBER:VARIABLE,...", place));
  }

 private:
  void add_joint(const std::string& place) {
    std::vector<std::string> known;
    bool found = false;
    for (const BuiltJoint& joint : built_.joints) {
      if (joint.type == "drive") continue;
      for (const BuiltCoordinate& c : joint.coordinates) {
        const std::string whole = "joint." + joint.name, name = whole + "." + c.name;
        known.push_back(name);
        if (place != whole && place != name) continue;
        add_coordinate(name, joint.name + "." + c.name, c.is_angle);
        found = true;
      }
    }
    if (!found)
      throw Error(ExitCode::usage, formatted("--terminal {}: the model has no such joint coordinate{}", place,
                                             suggest(place, known)));
  }
  void add_coordinate(const std::string& name, const std::string& coordinate, bool is_angle) {
    const std::string id = identifier(name), force = is_angle ? "torque" : "force", input = id + "_" + force,
                      acceleration = id + "_acceleration";
    FmuTerminal& terminal = begin(name);
    terminal.members = {{"position", name},
                        {"rate", name + ".rate"},
                        {"acceleration", "signal." + acceleration},
                        {force, input}};
    add_input(input, is_angle ? "N m" : "N");
    made.overrides.push_back(formatted(R"(signals.{}={{"formula": "{}.acceleration", "unit": "{}"}})",
                                       acceleration, name, is_angle ? "rad/s^2" : "m/s^2"));
    made.overrides.push_back(
        formatted(R"(forces.{}={{"joint-force": "{}", "law": "-{}"}})", id, coordinate, input));
    for (int k = 0; k < 3; ++k) made.outputs.push_back(terminal.members[static_cast<std::size_t>(k)].second);
  }

  void add_frame(const std::string& place) {
    const std::string on = place.substr(std::string_view("frame.").size()), body = on.substr(0, on.find('.')),
                      id = identifier(place);
    if (built_.model->bodies.find(body) == nullptr)
      throw Error(ExitCode::usage, formatted("--terminal {}: the model has no body '{}'{}", place, body,
                                             suggest(body, built_.bodies)));
    FmuTerminal& terminal = begin(place);
    for (const char* quantity :
         {"position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"}) {
      made.outputs.push_back(place + "." + quantity);
      terminal.members.emplace_back(quantity, made.outputs.back());
    }
    std::string load = formatted(R"(forces.{}={{"load": "{}")", id, on);
    for (const char* kind : {"force", "torque"}) {
      load += formatted(R"(, "{}": [)", kind);
      for (const char axis : {'x', 'y', 'z'}) {
        const std::string input = formatted("{}_{}_{}", id, kind, axis);
        add_input(input, kind == std::string_view("force") ? "N" : "N m");
        terminal.members.emplace_back(formatted("{}.{}", kind, axis), input);
        load += formatted(R"({}"{}")", axis == 'x' ? "" : ", ", input);
      }
      load += "]";
    }
    made.overrides.push_back(load + "}");
  }

  /// NAME=MEMBER:VARIABLE,MEMBER:VARIABLE
  void add_named(const std::string& text) {
    const std::size_t equals = text.find('=');
    FmuTerminal& terminal = begin(text.substr(0, equals));
    std::istringstream rest(text.substr(equals + 1));
    for (std::string pair; std::getline(rest, pair, ',');) {
      const std::size_t colon = pair.find(':');
      if (colon == pair.npos || colon == 0 || colon + 1 == pair.size())
        throw Error(ExitCode::usage, formatted("--terminal {}: '{}' is no MEMBER:VARIABLE", text, pair));
      terminal.members.emplace_back(trim(pair.substr(0, colon)), trim(pair.substr(colon + 1)));
    }
    if (terminal.name.empty() || terminal.members.empty())
      throw Error(ExitCode::usage, formatted("--terminal {}: give NAME=MEMBER:VARIABLE,...", text));
  }

  FmuTerminal& begin(const std::string& name) {
    for (const FmuTerminal& known : made.all)
      if (known.name == name)
        throw Error(ExitCode::usage, formatted("--terminal {}: there are two of that name", name));
    return made.all.emplace_back(FmuTerminal{name});
  }
  void add_input(const std::string& name, const char* unit) {
    made.inputs.push_back(name);
    made.overrides.push_back(formatted(R"(control.{}={{"parameter": 0, "unit": "{}"}})", name, unit));
  }

  const BuiltModel& built_;
};

bool is_flow(const std::string& member) {
  return member.starts_with("force") || member.starts_with("torque");
}

/// Terminals of one kind fit each other.
std::string kind_of(const FmuTerminal& terminal) {
  const auto has = [&](const char* member) {
    return std::any_of(terminal.members.begin(), terminal.members.end(),
                       [&](const auto& m) { return m.first == member; });
  };
  return has("force.x") ? "frame" : has("torque") ? "angle" : has("force") ? "displacement" : "motion";
}

pugi::xml_node add_terminal(pugi::xml_node to, const std::string& name, const char* rule,
                            const std::string& kind) {
  auto terminal = to.append_child("Terminal");
  terminal.append_attribute("name") = name.c_str();
  terminal.append_attribute("matchingRule") = rule;
  terminal.append_attribute("terminalKind") = ("org.hooke." + kind).c_str();
  return terminal;
}
void add_member(pugi::xml_node terminal, const char* kind, const std::string& variable,
                const std::string& name) {
  auto member = terminal.append_child("TerminalMemberVariable");
  member.append_attribute("variableKind") = kind;
  member.append_attribute("variableName") = variable.c_str();
  member.append_attribute("memberName") = name.c_str();
}

const FmuVariable* find(const FmuManifest& manifest, const std::string& variable) {
  for (const FmuVariable& v : manifest.variables)
    if (v.name == variable) return &v;
  return nullptr;
}

/// What else belongs to an item of the model.
void add_items(pugi::xml_node terminals, const FmuManifest& manifest) {
  for (const FmuVariable& v : manifest.variables) {
    const std::size_t kind = v.name.find('.'), item = v.name.find('.', kind + 1);
    if (v.role != FmuRole::output || item == v.name.npos) continue;  // of the whole, or a signal
    if (v.name.starts_with("frame.")) continue;
    const std::string name = v.name.substr(0, item);
    auto terminal = terminals.find_child_by_attribute("Terminal", "name", name.c_str());
    if (!terminal) terminal = add_terminal(terminals, name, "bus", v.name.substr(0, kind));
    add_member(terminal, "signal", v.name, v.name.substr(item + 1));
  }
}

}  // namespace

FmuTerminals terminals_at(const std::vector<std::string>& places, const BuiltModel& built) {
  TerminalMaker maker(built);
  for (const std::string& place : places) maker.add(place);
  return std::move(maker.made);
}

void check_terminals(const std::vector<FmuTerminal>& terminals, const FmuManifest& manifest) {
  std::vector<std::string> known;
  for (const FmuVariable& v : manifest.variables) known.push_back(v.name);
  for (const FmuTerminal& terminal : terminals)
    for (const auto& [member, variable] : terminal.members)
      if (!find(manifest, variable))
        throw Error(ExitCode::usage, formatted("--terminal {}: '{}' is no variable of the FMU{}",
                                               terminal.name, variable, suggest(variable, known)));
}

std::string describe_terminals(const FmuManifest& manifest, const std::vector<FmuTerminal>& terminals) {
  pugi::xml_document document;
  auto root = document.append_child("fmiTerminalsAndIcons");
  root.append_attribute("fmiVersion") = "3.0";
  auto to = root.append_child("Terminals");
  for (const FmuTerminal& each : terminals) {
    auto terminal = add_terminal(to, each.name, "plug", kind_of(each));
    for (const auto& [member, variable] : each.members) {
      const bool is_input = find(manifest, variable)->role == FmuRole::input;
      add_member(terminal, !is_flow(member) ? "signal" : is_input ? "inflow" : "outflow", variable, member);
    }
  }
  add_items(to, manifest);
  if (!to.first_child()) return "";
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace hooke
