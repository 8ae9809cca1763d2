// The interpreter of compiled formulas; apart from the compiler since it is instantiated per scalar type.

#include <array>
#include <cmath>

#include "math/expression.h"

namespace hooke {

template <class T>
T Expression::run(std::span<const Instruction> program, std::span<const T> arguments) {
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh,
      std::exp, std::log, std::log10, std::sqrt, std::abs, std::floor, std::ceil, std::hypot, std::pow;
  const auto truth = [](bool b) { return T(b ? 1.0 : 0.0); };

  std::array<T, max_stack + 2> stack;  // the compiler has checked the depth; y and z may lie above it
  int size = 0;
  for (const Instruction& instruction : program) {
    if (instruction.op == Op::constant) {
      stack[size++] = T(instruction.constant);
      continue;
    }
    if (instruction.op == Op::argument) {
      stack[size++] = arguments[instruction.slot];
      continue;
    }
    size -= instruction.operands - 1;
    T& x = stack[size - 1];  // the first operand, replaced by the result
    const T &y = stack[size], &z = stack[size + 1];
    switch (instruction.op) {
      case Op::constant:
      case Op::argument: break;
      case Op::negate: x = -x; break;
      case Op::logical_not: x = truth(value_of(x) == 0); break;
      case Op::add: x = x + y; break;
      case Op::subtract: x = x - y; break;
      case Op::multiply: x = x * y; break;
      case Op::divide: x = x / y; break;
      case Op::pow: x = pow(x, y); break;
      case Op::less: x = truth(value_of(x) < value_of(y)); break;
      case Op::less_equal: x = truth(value_of(x) <= value_of(y)); break;
      case Op::greater: x = truth(value_of(x) > value_of(y)); break;
      case Op::greater_equal: x = truth(value_of(x) >= value_of(y)); break;
      case Op::equal: x = truth(value_of(x) == value_of(y)); break;
      case Op::not_equal: x = truth(value_of(x) != value_of(y)); break;
      case Op::logical_and: x = truth(value_of(x) != 0 && value_of(y) != 0); break;
      case Op::logical_or: x = truth(value_of(x) != 0 || value_of(y) != 0); break;
      case Op::select: x = value_of(x) != 0 ? y : z; break;
      case Op::sin: x = sin(x); break;
      case Op::cos: x = cos(x); break;
      case Op::tan: x = tan(x); break;
      case Op::asin: x = asin(x); break;
      case Op::acos: x = acos(x); break;
      case Op::atan: x = atan(x); break;
      case Op::atan2: x = atan2(x, y); break;
      case Op::sinh: x = sinh(x); break;
      case Op::cosh: x = cosh(x); break;
      case Op::tanh: x = tanh(x); break;
      case Op::exp: x = exp(x); break;
      case Op::log: x = log(x); break;
      case Op::log10: x = log10(x); break;
      case Op::sqrt: x = sqrt(x); break;
      case Op::abs: x = abs(x); break;
      case Op::sign: x = sign(x); break;
      case Op::floor: x = floor(x); break;
      case Op::ceil: x = ceil(x); break;
      case Op::mod: x = modulo(x, y); break;
      case Op::hypot: x = hypot(x, y); break;
      case Op::min: x = minimum(x, y); break;
      case Op::max: x = maximum(x, y); break;
      case Op::clamp: x = minimum(maximum(x, y), z); break;
      case Op::step: x = smooth_step(x, y, z); break;
    }
  }
  return stack[0];
}

template double Expression::run<double>(std::span<const Instruction>, std::span<const double>);
template Jet1<1> Expression::run<Jet1<1>>(std::span<const Instruction>, std::span<const Jet1<1>>);
template Jet1<2> Expression::run<Jet1<2>>(std::span<const Instruction>, std::span<const Jet1<2>>);
template Jet1<3> Expression::run<Jet1<3>>(std::span<const Instruction>, std::span<const Jet1<3>>);
template Jet2 Expression::run<Jet2>(std::span<const Instruction>, std::span<const Jet2>);

}  // namespace hooke
