#pragma once
// Functions of one variable in a model file:
//
//   5                                              a constant
//   "a*sin(2*pi*t)"                                a formula; parameters of the file may be used by name
//   {polynomial: [c0, c1, c2]}                     c0 + c1 t + c2 t^2
//   {smooth_step: {from: [t0, y0], to: [t1, y1]}}  see math/function.h
//   {harmonic: {amplitude: 1, frequency: 50}}
//   {table: [[0, 0], [1, 2], [2, 3]]}              a spline through points
//   {table: {file: motion.csv, columns: [time, x]}}
//   {sum: [..., ...]}                              of any of these
//   {expression: "a*sin(2*pi*t)"}
//
// The variable is t, except below `elastic`, where it is x, and below `viscous`, where it is v.
#include "hooke/io/document/special.h"
#include "hooke/math/function.h"

namespace hooke {

// ---- the kinds, as they are described ----

struct PolynomialKeys {
  static constexpr const char* name = "polynomial";
  static constexpr const char* shorthand = "coefficients";
  std::vector<double> coefficients;
  static void describe(auto& field) {
    field("coefficients", &PolynomialKeys::coefficients,
          Doc{.text = "c0, c1, c2, ... of c0 + c1 t + c2 t^2 + ...", .required = true});
  }
};

struct SmoothStepKeys {
  static constexpr const char* name = "smooth_step";
  std::array<double, 2> from{0, 0}, to{1, 1};
  static void describe(auto& field) {
    field("from", &SmoothStepKeys::from,
          Doc{.text = "time and value at the beginning; constant before", .required = true});
    field("to", &SmoothStepKeys::to,
          Doc{.text = "time and value at the end; constant after", .required = true});
  }
  void check(const Complain& complain) const {
    if (!(to[0] > from[0])) complain("to", "the step must end after it starts");
  }
};

struct HarmonicKeys {
  static constexpr const char* name = "harmonic";
  double amplitude = 0;
  std::optional<double> omega, frequency;
  double phase = 0, offset = 0;
  static void describe(auto& field) {
    field("amplitude", &HarmonicKeys::amplitude,
          Doc{.text = "amplitude of offset + amplitude sin(omega t + phase)", .required = true});
    field("omega", &HarmonicKeys::omega, Doc{.text = "angular frequency", .unit = "rad/s"});
    field("frequency", &HarmonicKeys::frequency, Doc{.text = "or cycles per second", .unit = "Hz"});
    field("phase", &HarmonicKeys::phase, Doc{.text = "phase at t = 0", .unit = "rad"});
    field("offset", &HarmonicKeys::offset, Doc{.text = "mean value"});
  }
  void check(const Complain& complain) const {
    if (omega.has_value() == frequency.has_value())
      complain("frequency", "give either omega (rad/s) or frequency (Hz)");
  }
};

/// A column of a table: its header or its number.
struct ColumnKey {
  std::string text;
};
template <>
inline constexpr const char* special_name<ColumnKey> = "column";

struct TableKeys {
  static constexpr const char* name = "table";
  static constexpr const char* shorthand = "points";
  std::vector<std::array<double, 2>> points;
  std::optional<std::string> file;
  std::optional<std::array<ColumnKey, 2>> columns;
  std::optional<std::array<double, 2>> slopes;
  std::optional<Beyond> beyond;
  static void describe(auto& field) {
    field("points", &TableKeys::points,
          Doc{.text = "pairs of time and value, in order of time, interpolated by a cubic spline"});
    field("file", &TableKeys::file, Doc{.text = "or a text table (CSV); path relative to the model file"});
    field("columns", &TableKeys::columns,
          Doc{.text = "headers or numbers of the columns of time and value", .default_text = "1 and 2"});
    field("slopes", &TableKeys::slopes,
          Doc{.text = "slopes at the first and the last point", .default_text = "no curvature there"});
    field("beyond", &TableKeys::beyond,
          Doc{.text =
                  "outside the points: tangent (goes on along its slope), hold (the last value), refuse (the "
                  "run ends) or periodic (begins again)",
              .default_text = "tangent, with a warning where a run goes on after the end of a table of t"});
  }
  void check(const Complain& complain) const {
    if (points.empty() != file.has_value()) complain("file", "give either points or a file");
    if (columns && !file) complain("columns", "belong to a file");
    if (slopes && beyond == Beyond::periodic) complain("slopes", "a periodic table has no ends");
  }
};

struct SumKeys {
  static constexpr const char* name = "sum";
  static constexpr const char* shorthand = "terms";
  std::vector<Function> terms;
  static void describe(auto& field) {
    field("terms", &SumKeys::terms, Doc{.text = "functions to add", .required = true});
  }
};

struct ExpressionKeys {
  static constexpr const char* name = "expression";
  static constexpr const char* shorthand = "formula";
  std::string formula;
  static void describe(auto& field) {
    field("formula", &ExpressionKeys::formula, Doc{.text = "a formula of the variable", .required = true});
  }
};

using FunctionKinds =
    std::variant<PolynomialKeys, SmoothStepKeys, HarmonicKeys, TableKeys, SumKeys, ExpressionKeys>;

}  // namespace hooke
