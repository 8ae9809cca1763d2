#pragma once

// Formulas in model files: "200*(x - 0.1) + (t > 1 ? 5*sin(2*pi*t) : 0)".
//
// Our own small compiler, because drives need exact first and second derivatives and forces exact
// partial ones, which libraries such as muParser do not give: the same program runs on numbers and
// on jets (jet.h). A formula is compiled once to a postfix program without jumps (both sides of ?:
// are computed, one is chosen), which runs on a fixed stack and never allocates.
//
//   operators, loosest first   ?:   ||   &&   < <= > >= == !=   + -   * /   unary - + !   ^ (right)
//   constants                  pi e
//   functions                  sin cos tan asin acos atan atan2(y,x) sinh cosh tanh exp log log10 sqrt
//                              abs sign floor ceil mod(x,y) pow(x,y) hypot(x,y) min(x,y,...) max(x,y,...)
//                              clamp(x,lo,hi) step(x,x0,x1) if(condition,a,b)
//
// A comparison is 1 or 0. step is the smooth step of jet.h. Where a name means several things,
// arguments go before parameters and parameters before constants. A name may have dots: joint.A.angle.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/math/jet.h"

namespace hooke {

/// What is wrong with a formula, and where (the character's index, from 0).
class ExpressionError : public Error {
 public:
  ExpressionError(std::string_view text, std::size_t position, const std::string& message);
  std::size_t position() const { return position_; }
  /// Without the position and the text, for callers that show these themselves.
  const std::string& message() const { return message_; }

 private:
  std::size_t position_;
  std::string message_;
};

using Parameters = std::map<std::string, double, std::less<>>;

class Expression {
 public:
  // Nested deeper or longer than any honest formula: protects the call stack from hostile input.
  static constexpr std::size_t max_length = 10'000;
  static constexpr int max_nesting = 200;
  static constexpr int max_stack = 64;
  static constexpr int max_arguments = 32;

  // clang-format off
  enum class Op : unsigned char {
    constant, argument,
    negate, logical_not, add, subtract, multiply, divide, pow,
    less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or, select,
    sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, log10, sqrt,
    abs, sign, floor, ceil, mod, hypot, min, max, clamp, step,
  };
  // clang-format on
  struct Instruction {
    Op op;
    unsigned char operands = 0;
    int slot = 0;         // of an argument
    double constant = 0;  // of a constant
  };

  /// Argument i of `arguments` takes slot i of evaluate; parameters become constants.
  /// Throws ExpressionError.
  Expression(std::string_view text, std::vector<std::string> arguments, const Parameters& parameters = {});

  /// T is double, Jet1<1>, Jet1<2>, Jet1<3> or Jet2.
  template <class T>
  T evaluate(std::span<const T> arguments) const {
    return run<T>(program_, arguments);
  }

  /// The value and its derivatives by all arguments, at most max_arguments.
  double evaluate(std::span<const double> arguments, std::span<double> gradient) const;

  /// All names in a formula but those of functions, each once. Throws ExpressionError.
  static std::vector<std::string> names(std::string_view text);

  const std::string& text() const { return text_; }
  bool depends_on(int slot) const;

  template <class T>
  static T run(std::span<const Instruction> program, std::span<const T> arguments);

 private:
  std::string text_;
  std::vector<Instruction> program_;
};

/// The value of a formula without arguments, such as "0.12 + l1".
double evaluate_constant(std::string_view text, const Parameters& parameters = {});

}  // namespace hooke
