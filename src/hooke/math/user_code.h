#pragma once
#include "hooke/math/function.h"

namespace hooke {

/// Code of a program in place of a formula, whatever it is written in: a number from numbers and, where the span is not
/// empty, its derivatives. What the numbers are is said by the place it stands in.
///
///   a function     x: value, and d1, d2
///   a force law    x, v, t: force, and its derivatives by x and v
///   a block        its inputs: output, and its derivatives by them
struct UserCode {
  std::function<double(std::span<const double> in, std::span<double> derivatives)> function;
  bool has_derivatives = false;  ///< otherwise it is never asked for them, and differences are taken
};

/// What is measured, by the names it was asked for.
class Measured {
 public:
  Measured(std::span<const std::string> names, std::span<const double> values)
      : names_(names), values_(values) {}
  /// Throws Error for a name that was not asked for.
  double operator[](std::string_view name) const;

 private:
  std::span<const std::string> names_;
  std::span<const double> values_;
};
/// Code that finds its numbers by their names, without derivatives.
UserCode code_of_names(std::vector<std::string> names, std::function<double(const Measured&)> code);

Function function_of(std::shared_ptr<const UserCode> code);
Law law_of(std::shared_ptr<const UserCode> code);

}  // namespace hooke
