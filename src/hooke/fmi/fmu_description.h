#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hooke {

/// What modelDescription.xml says, of FMI 2.0 and 3.0 alike.
struct FmuDescription {
  enum class Type {
    real,
    integer,
    boolean,
    text,
    other,
    float32,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64
  };
  struct Variable {
    std::string name, unit, causality, variability, initial, start;
    std::uint32_t reference = 0;
    Type type = Type::real;
    std::size_t width = 1;  ///< of an array; 0: it depends on structural parameters
    std::vector<std::string> dependencies;
    std::string derivative_of;  ///< as the description names the state
    bool is_array = false, has_start = false;
    bool is_number() const { return type != Type::text && type != Type::other; }
  };

  int version = 2;
  std::string version_text, name, token, text, generator;
  std::optional<std::string> co_simulation, model_exchange;  ///< their model identifiers
  /// Of model exchange; what follows is of co-simulation, where it is offered.
  bool exchange_saves_states = false, completes_steps = false, exchange_has_derivatives = false;
  bool saves_states = false, serialises_states = false, varies_step = false, has_derivatives = false,
       interpolates_inputs = false, has_event_mode = false, needs_tool = false, only_once = false;
  std::optional<double> start, stop, tolerance, step;
  std::vector<Variable> variables;
  std::size_t states = 0, indicators = 0;
  /// Value references of continuous states and their derivatives, in their order, where all of them are known and numbers.
  std::vector<std::uint32_t> state_references, rate_references;
  /// What belongs together, of FMI 3.0: a force and a motion at one place.
  struct Terminal {
    std::string name, kind;
    std::vector<std::pair<std::string, std::string>> members;  ///< name of the member, variable
  };
  std::vector<Terminal> terminals;
  std::vector<std::string> warnings;  ///< of what breaks the standard and can be lived with

  const Variable* find(const std::string& variable) const;
  std::vector<const Variable*> with_causality(const std::string& causality) const;
};

/// Reads and checks the text of a modelDescription.xml. Throws Error with all that is wrong.
FmuDescription read_fmu_description(const std::string& text, const std::string& file);

/// Adds what a terminalsAndIcons.xml says. What is wrong with it is a warning: nobody needs terminals to run an FMU.
void read_fmu_terminals(const std::string& text, FmuDescription& to);

}  // namespace hooke
