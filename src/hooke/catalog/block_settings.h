#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/settings.h"

/// What a user can set of a control block. Its input is a formula of signals, its output a signal of the block's name.
namespace hooke {

/// Of the output of a block.
struct UnitSettings {
  std::string unit;
  static void describe(auto& field) {
    field("unit", &UnitSettings::unit,
          Doc{.text = "unit of its output, for tables and plots", .default_text = "none"});
  }
};

/// Of a block with states.
struct SizeSettings {
  double size = 1;
  std::string unit;
  static void describe(auto& field) {
    field("unit", &SizeSettings::unit,
          Doc{.text = "unit of its output, for tables and plots", .default_text = "none"});
    field("size", &SizeSettings::size,
          Doc{.text = "of its values, roughly (1e5 for a force of 1e5 N): the unit in which the errors of "
                      "its states count",
              .check = positive});
  }
};
using Limits2 = std::optional<std::array<double, 2>>;

/// z' = gain * input
struct IntegratorBlock {
  static constexpr const char* name = "integrator";
  static constexpr const char* definition = "integrator-block";
  Formula input;
  double gain = 1, start = 0;
  Limits2 limits;
  SizeSettings of;
  static void describe(auto& field) {
    field("integrator", &IntegratorBlock::input,
          Doc{.text = "what is integrated over time", .required = true});
    field("gain", &IntegratorBlock::gain, Doc{.text = "factor before the integral"});
    field("start", &IntegratorBlock::start, Doc{.text = "output at the start"});
    field("limits", &IntegratorBlock::limits, Doc{.text = "least and largest output; it stops there"});
    field.flat(&IntegratorBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// u = kp e + ki int(e) + kd de/dt, the derivative through a filter
struct PidBlock {
  static constexpr const char* name = "pid";
  Formula input;
  double kp = 0, ki = 0, kd = 0, start = 0;
  std::optional<double> filter, tracking, every;
  Limits2 limits;
  SizeSettings of;
  static void describe(auto& field) {
    field("pid", &PidBlock::input, Doc{.text = "error: what is wanted minus what is", .required = true});
    field("kp", &PidBlock::kp, Doc{.text = "proportional gain"});
    field("ki", &PidBlock::ki, Doc{.text = "gain of the integral", .unit = "1/s"});
    field("kd", &PidBlock::kd, Doc{.text = "gain of the derivative", .unit = "s"});
    field("start", &PidBlock::start, Doc{.text = "the integral's share of the output at the start"});
    field("filter", &PidBlock::filter,
          Doc{.text = "time constant of the derivative's filter; of one with samples 0 means differences",
              .unit = "s",
              .check = non_negative,
              .default_text = "0.01, or 0 with samples"});
    field("limits", &PidBlock::limits, Doc{.text = "least and largest output"});
    field("tracking", &PidBlock::tracking,
          Doc{.text = "time in which the integral follows a limited output back (anti-windup)",
              .unit = "s",
              .check = positive,
              .default_text = "0.1"});
    field("every", &PidBlock::every,
          Doc{.text = "interval of samples; the output is held in between",
              .unit = "s",
              .check = positive,
              .default_text = "continuous"});
    field.flat(&PidBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;

 private:
  void add_continuous(const std::string& block, ControlBuilder& to) const;
  void add_sampled(const std::string& block, ControlBuilder& to) const;
};

/// z' = (input - z) / time
struct LowPassBlock {
  static constexpr const char* name = "low-pass";
  Formula input;
  double time = 0, start = 0;
  SizeSettings of;
  static void describe(auto& field) {
    field("low-pass", &LowPassBlock::input, Doc{.text = "what is smoothed", .required = true});
    field("time", &LowPassBlock::time,
          Doc{.text = "time constant", .unit = "s", .required = true, .check = positive});
    field("start", &LowPassBlock::start, Doc{.text = "output at the start"});
    field.flat(&LowPassBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// (b0 s^m + ... + bm) / (a0 s^n + ... + an), m <= n
struct TransferFunctionBlock {
  static constexpr const char* name = "transfer-function";
  Formula input;
  std::vector<double> numerator, denominator;
  SizeSettings of;
  static void describe(auto& field) {
    field("transfer-function", &TransferFunctionBlock::input, Doc{.text = "what goes in", .required = true});
    field("numerator", &TransferFunctionBlock::numerator,
          Doc{.text = "coefficients, of the highest power of s first", .required = true});
    field("denominator", &TransferFunctionBlock::denominator,
          Doc{.text = "coefficients, of the highest power of s first", .required = true});
    field.flat(&TransferFunctionBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// x' = A x + B u,  y = C x + D u;  with samples x[k+1] = A x[k] + B u[k]. Outputs: the block's name if there is one,
/// otherwise NAME.1, NAME.2, ...
struct StateSpaceBlock {
  static constexpr const char* name = "state-space";
  std::vector<Formula> inputs;
  std::vector<std::vector<double>> A, B, C, D;
  std::vector<double> start;
  std::optional<double> every;
  SizeSettings of;
  static void describe(auto& field) {
    field("state-space", &StateSpaceBlock::inputs, Doc{.text = "inputs u", .required = true});
    field("A", &StateSpaceBlock::A, Doc{.text = "rows: states by states", .default_text = "no states"});
    field("B", &StateSpaceBlock::B, Doc{.text = "rows: states by inputs", .default_text = "no states"});
    field("C", &StateSpaceBlock::C, Doc{.text = "rows: outputs by states", .default_text = "no states"});
    field("D", &StateSpaceBlock::D, Doc{.text = "rows: outputs by inputs", .default_text = "0"});
    field("start", &StateSpaceBlock::start, Doc{.text = "states at the start", .default_text = "0"});
    field("every", &StateSpaceBlock::every,
          Doc{.text = "interval of samples; A and B are then those of a discrete system, the output is held",
              .unit = "s",
              .check = positive,
              .default_text = "continuous"});
    field.flat(&StateSpaceBlock::of);
  }
  void check(const Complain& complain) const;
  int outputs() const { return static_cast<int>(C.empty() ? D.size() : C.size()); }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

struct SaturationBlock {
  static constexpr const char* name = "saturation";
  Formula input;
  std::array<double, 2> limits{-1, 1};
  UnitSettings of;
  static void describe(auto& field) {
    field("saturation", &SaturationBlock::input, Doc{.text = "what is limited", .required = true});
    field("limits", &SaturationBlock::limits, Doc{.text = "least and largest output", .required = true});
    field.flat(&SaturationBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// 0 inside, the distance to the nearer end outside
struct DeadZoneBlock {
  static constexpr const char* name = "dead-zone";
  Formula input;
  std::array<double, 2> limits{0, 0};
  UnitSettings of;
  static void describe(auto& field) {
    field("dead-zone", &DeadZoneBlock::input, Doc{.text = "what goes in", .required = true});
    field("limits", &DeadZoneBlock::limits, Doc{.text = "ends of the zone", .required = true});
    field.flat(&DeadZoneBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// z' = (input - z) / time, but at most so fast
struct RateLimiterBlock {
  static constexpr const char* name = "rate-limiter";
  Formula input;
  double rate = 0, time = 1e-3, start = 0;
  std::optional<double> falling;
  SizeSettings of;
  static void describe(auto& field) {
    field("rate-limiter", &RateLimiterBlock::input, Doc{.text = "what is followed", .required = true});
    field("rate", &RateLimiterBlock::rate,
          Doc{.text = "largest rate of the output", .unit = "1/s", .required = true, .check = positive});
    field("falling", &RateLimiterBlock::falling,
          Doc{.text = "largest rate downwards", .unit = "1/s", .check = positive, .default_text = "rate"});
    field("time", &RateLimiterBlock::time,
          Doc{.text = "time constant by which it follows slower inputs", .unit = "s", .check = positive});
    field("start", &RateLimiterBlock::start, Doc{.text = "output at the start"});
    field.flat(&RateLimiterBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

struct LookUpBlock {
  static constexpr const char* name = "look-up";
  Formula input;
  Function function;
  UnitSettings of;
  static void describe(auto& field) {
    field("look-up", &LookUpBlock::input, Doc{.text = "what is looked up", .required = true});
    field("function", &LookUpBlock::function,
          Doc{.text = "function of it: {table: ...}, or any other (a formula calls it t)", .required = true});
    field.flat(&LookUpBlock::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// Linear between the points of a grid in each variable, constant outside.
struct LookUp2Block {
  static constexpr const char* name = "look-up-2d";
  std::array<Formula, 2> inputs;
  std::vector<double> x, y;
  std::vector<std::vector<double>> values;
  UnitSettings of;
  static void describe(auto& field) {
    field("look-up-2d", &LookUp2Block::inputs, Doc{.text = "the two inputs, x and y", .required = true});
    field("x", &LookUp2Block::x, Doc{.text = "increasing values of the first", .required = true});
    field("y", &LookUp2Block::y, Doc{.text = "increasing values of the second", .required = true});
    field("values", &LookUp2Block::values,
          Doc{.text = "a row for each x, with a value for each y", .required = true});
    field.flat(&LookUp2Block::of);
  }
  void check(const Complain& complain) const;
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// A block of a plugin (catalog/plugin.h), or of a program's own code.
struct CodeBlock {
  static constexpr const char* name = "code";
  static constexpr const char* definition = "code-block";
  BlockCode code;
  std::vector<Formula> inputs;
  SizeSettings of;
  /// Code that reads `inputs` by the names they have there:
  ///   CodeBlock::of_inputs({"joint.pivot.angle"}, [](const Measured& now) { return -20 * now["joint.pivot.angle"]; })
  static CodeBlock of_inputs(const std::vector<std::string>& inputs,
                             std::function<double(const Measured&)> code);
  static void describe(auto& field) {
    field("code", &CodeBlock::code, Doc{.text = "name of the block in the plugin", .required = true});
    field("inputs", &CodeBlock::inputs, Doc{.text = "its inputs, formulas of signals", .required = true});
    field.flat(&CodeBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;

 private:
  void add_code(const std::string& block, ControlBuilder& to) const;
};

/// A number that events set, or the world (Simulation::set_input).
struct ParameterBlock {
  static constexpr const char* name = "parameter";
  static constexpr const char* definition = "parameter-block";
  double value = 0;
  UnitSettings of;
  static void describe(auto& field) {
    field("parameter", &ParameterBlock::value,
          Doc{.text = "its value, until an event sets another", .required = true});
    field.flat(&ParameterBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// A relay: it goes to its second value where the input rises above `on`, back to its first where that falls below `off`.
struct HysteresisBlock {
  static constexpr const char* name = "hysteresis";
  Formula input;
  double on = 1, off = 0;
  std::array<double, 2> values{0, 1};
  UnitSettings of;
  static void describe(auto& field) {
    field("hysteresis", &HysteresisBlock::input, Doc{.text = "what switches it", .required = true});
    field("on", &HysteresisBlock::on, Doc{.text = "input above which it is on", .required = true});
    field("off", &HysteresisBlock::off, Doc{.text = "input below which it is off", .required = true});
    field("values", &HysteresisBlock::values, Doc{.text = "output while it is off, and while it is on"});
    field.flat(&HysteresisBlock::of);
  }
  void check(const Complain& complain) const {
    if (!(off < on)) complain("off", "must be smaller than 'on'");
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// The input of an earlier time.
struct DelayBlock {
  static constexpr const char* name = "delay";
  Formula input;
  double time = 0;
  double start = 0;
  UnitSettings of;
  static void describe(auto& field) {
    field("delay", &DelayBlock::input, Doc{.text = "what is delayed", .required = true});
    field("time", &DelayBlock::time,
          Doc{.text = "by how much", .unit = "s", .required = true, .check = positive});
    field("start", &DelayBlock::start, Doc{.text = "output until the first input arrives"});
    field.flat(&DelayBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

/// The input at the last sample, held.
struct SampleBlock {
  static constexpr const char* name = "sample";
  Formula input;
  double every = 0, offset = 0, start = 0;
  UnitSettings of;
  static void describe(auto& field) {
    field("sample", &SampleBlock::input, Doc{.text = "what is sampled", .required = true});
    field("every", &SampleBlock::every,
          Doc{.text = "interval of samples", .unit = "s", .required = true, .check = positive});
    field("offset", &SampleBlock::offset, Doc{.text = "time of the first", .unit = "s"});
    field("start", &SampleBlock::start, Doc{.text = "output before the first"});
    field.flat(&SampleBlock::of);
  }
  void add_block(const std::string& block, ControlBuilder& to) const;
};

}  // namespace hooke
