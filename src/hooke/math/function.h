#pragma once

// Scalar functions of one variable (a drive over time, a force over length) and scalar force laws.
//
// Both are values: a variant of plain structs, the larger data shared and constant, so that copies are
// cheap and evaluation neither allocates nor goes through a virtual call.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hooke/base/type_info.h"
#include "hooke/math/expression.h"

namespace hooke {

/// A function's value and its first two derivatives.
struct Sample {
  double value = 0, d1 = 0, d2 = 0;
};

/// What of a user's formula or code is not a number or infinite: the key it was given under, and what it is
/// where, in words ("law", "sqrt(x - 1) is not a number at x = 0.5, v = 0, t = 2 s").
struct NotFinite {
  std::string key, message;
};

/// What a table is outside its points: it goes on along the tangents at its ends, holds the last value, has none (and
/// a run that asks for one ends), or begins again.
enum class Beyond { tangent, hold, refuse, periodic };
constexpr auto names(Beyond) { return std::array{"tangent", "hold", "refuse", "periodic"}; }

/// Cubic spline through points, twice continuously differentiable.
class Spline {
 public:
  /// Natural (no curvature at the ends), or clamped to the two slopes. A periodic one has no ends.
  struct Ends {
    bool clamped = false;
    double first_slope = 0, last_slope = 0;
    Beyond beyond = Beyond::tangent;
  };

  /// Throws Error, naming the row counted from 1, unless there are two points and x increases strictly.
  Spline(std::vector<double> x, std::vector<double> y, const Ends& ends);
  Sample operator()(double x) const;
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  const Ends& ends() const { return ends_; }

 private:
  double slope(std::size_t i) const;  // at the left end of piece i
  Sample outside(double x) const;

  std::vector<double> x_, y_, curvature_;
  Ends ends_;
};

class Function {
 public:
  Function() : Function(0.0) {}
  Function(double constant) : kind_(Constant{constant}) {}  // NOLINT: a number is a constant function

  /// c0 + c1 x + c2 x^2 + ...
  static Function polynomial(std::vector<double> ascending_coefficients);
  /// From y0 at x0 to y1 at x1, constant outside, by the quintic of smooth_step.
  static Function smooth_step(double x0, double y0, double x1, double y1);
  /// offset + amplitude sin(omega x + phase)
  static Function harmonic(double amplitude, double omega, double phase = 0, double offset = 0);
  static Function sum(std::vector<Function> terms);
  static Function spline(std::vector<double> x, std::vector<double> y, const Spline::Ends& ends = {});
  /// All of `variables` name the one variable, such as {"x", "length"}. Throws ExpressionError.
  static Function expression(std::string_view text, std::vector<std::string> variables = {"t"},
                             const Parameters& parameters = {});
  /// A formula of signals and what is measured: only what is built into a model with its signals can tell its value.
  static Function of_signals(std::string formula);
  /// The formula, where it is one of signals.
  const std::string* signal_formula() const;
  /// Code of the caller's, with its derivatives.
  static Function of(std::function<Sample(double x)> code);
  /// The same without: they are taken by differences (to about 1e-7 and 1e-4 of the function's size).
  static Function by_differences(std::function<double(double x)> code);

  Sample operator()(double x) const;
  bool is_by_differences() const;
  /// In words, where the value or one of as many derivatives is not finite at x, which `variable` names;
  /// empty: all are.
  std::string not_finite(double x, const char* variable, int derivatives = 0) const;

  struct Constant {
    double value;
    Sample operator()(double) const { return {value, 0, 0}; }
  };
  struct Polynomial {
    std::shared_ptr<const std::vector<double>> coefficients;
    Sample operator()(double x) const;
  };
  struct SmoothStep {
    double x0, y0, x1, y1;
    Sample operator()(double x) const;
  };
  struct Harmonic {
    double amplitude, omega, phase, offset;
    Sample operator()(double x) const;
  };
  struct Sum {
    std::shared_ptr<const std::vector<Function>> terms;
    Sample operator()(double x) const;
  };
  struct Table {
    std::shared_ptr<const Spline> spline;
    Sample operator()(double x) const { return (*spline)(x); }
  };
  struct Formula {
    std::shared_ptr<const Expression> expression;
    Sample operator()(double x) const;
  };
  struct Code {
    std::shared_ptr<const std::function<Sample(double)>> function;
    bool by_differences;
    Sample operator()(double x) const { return (*function)(x); }
  };
  struct OfSignals {
    std::shared_ptr<const std::string> formula;
    Sample operator()(double) const;  // not a number
  };
  using Kind = std::variant<Constant, Polynomial, SmoothStep, Harmonic, Sum, Table, Formula, Code, OfSignals>;
  const Kind& kind() const { return kind_; }

 private:
  static constexpr int max_names = 4;  // of the variable of a formula

  explicit Function(Kind kind) : kind_(std::move(kind)) {}

  Kind kind_;
};

template <>
inline constexpr const char* special_name<Function> = "function";

/// What a law measures: the coordinate (a length or an angle), its rate, and the time.
struct LawInput {
  double x = 0, v = 0, t = 0;
};
struct LawSample {
  double force = 0, d_x = 0, d_v = 0;  // the force and its derivatives by x and v
};

/// A force (or torque) along one coordinate x, a length or an angle, with rate v = x', at time t.
///
/// Tension is positive: a positive force pulls the two ends together, against growing x, so a plain
/// spring has d_x > 0 and a damper d_v > 0. The generalised force on x is minus the force.
class Law {
 public:
  Law() : kind_(SpringDamper{0, 0, 0, 0}) {}  // no force

  /// preload + stiffness (x - free) + damping v
  static Law spring_damper(double stiffness, double damping, double free = 0, double preload = 0);
  /// elastic(x - free) + viscous(v) + active(t)
  static Law functions(Function elastic, Function viscous, Function active = {}, double free = 0);
  /// A formula of x (also called length or angle), v (also called rate) and t. Throws ExpressionError.
  static Law expression(std::string_view text, const Parameters& parameters = {});
  /// Code of the caller's, with its derivatives.
  static Law of(std::function<LawSample(const LawInput&)> code);
  /// The same without: they are taken by differences.
  static Law by_differences(std::function<double(const LawInput&)> code);
  bool is_by_differences() const;

  LawSample operator()(double x, double v, double t) const;

  /// The force there or, if wanted, one of its derivatives, in case it is not finite.
  std::optional<NotFinite> not_finite(const LawInput& at, bool with_derivatives) const;

  /// The energy stored at x: the integral of the force at v = 0 from the free x, from 0 for a formula. What
  /// is active stores none: neither `active` nor any formula of t nor code.
  double potential(double x) const;
  /// Its derivative: the share of the force that is stored.
  double elastic(double x) const;

 private:
  struct SpringDamper {
    double stiffness, damping, free, preload;
    LawSample operator()(double x, double v, double t) const;
    double potential(double x) const;
    double elastic(double x) const { return preload + stiffness * (x - free); }
  };
  struct Functions {
    Function spring, viscous, active;
    double free;
    LawSample operator()(double x, double v, double t) const;
    double potential(double x) const;
    double elastic(double x) const { return spring(x - free).value; }
  };
  struct Formula {
    std::shared_ptr<const Expression> expression;
    bool stores;  // without t, and with a bounded integral from 0 (1/x has none)
    LawSample operator()(double x, double v, double t) const;
    double potential(double x) const;
    double elastic(double x) const;
  };
  struct Code {
    std::shared_ptr<const std::function<LawSample(const LawInput&)>> function;
    bool by_differences;
    LawSample operator()(double x, double v, double t) const { return (*function)({x, v, t}); }
    double potential(double) const { return 0; }
    double elastic(double) const { return 0; }
  };
  using Kind = std::variant<SpringDamper, Functions, Formula, Code>;

  explicit Law(Kind kind) : kind_(std::move(kind)) {}

  Kind kind_;
};

}  // namespace hooke
