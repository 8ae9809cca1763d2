// The interpreter of compiled formulas; apart from the compiler since it is instantiated per scalar type.

#include <array>
#include <cmath>

#include "hooke/math/expression.h"

namespace hooke {

// clang-format off
template <class T>
static T apply(Expression::Op op, const T& x, const T& y, const T& z) {
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh;
  using std::exp, std::log, std::log10, std::sqrt, std::abs, std::floor, std::ceil, std::hypot, std::pow;
  using Op = Expression::Op;
  const auto truth = [](bool b) { return T(b ? 1.0 : 0.0); };
  switch (op) {
    case Op::constant: case Op::argument: break;  // not operations
    case Op::negate: return -x;
    case Op::logical_not: return truth(value_of(x) == 0);
    case Op::add: return x + y;
    case Op::subtract: return x - y;
    case Op::multiply: return x * y;
    case Op::divide: return x / y;
    case Op::pow: return pow(x, y);
    case Op::less: return truth(value_of(x) < value_of(y));
    case Op::less_equal: return truth(value_of(x) <= value_of(y));
    case Op::greater: return truth(value_of(x) > value_of(y));
    case Op::greater_equal: return truth(value_of(x) >= value_of(y));
    case Op::equal: return truth(value_of(x) == value_of(y));
    case Op::not_equal: return truth(value_of(x) != value_of(y));
    case Op::logical_and: return truth(value_of(x) != 0 && value_of(y) != 0);
    case Op::logical_or: return truth(value_of(x) != 0 || value_of(y) != 0);
    case Op::select: return value_of(x) != 0 ? y : z;
    case Op::sin: return sin(x);
    case Op::cos: return cos(x);
    case Op::tan: return tan(x);
    case Op::asin: return asin(x);
    case Op::acos: return acos(x);
    case Op::atan: return atan(x);
    case Op::atan2: return atan2(x, y);
    case Op::sinh: return sinh(x);
    case Op::cosh: return cosh(x);
    case Op::tanh: return tanh(x);
    case Op::exp: return exp(x);
    case Op::log: return log(x);
    case Op::log10: return log10(x);
    case Op::sqrt: return sqrt(x);
    case Op::abs: return abs(x);
    case Op::sign: return sign(x);
    case Op::floor: return floor(x);
    case Op::ceil: return ceil(x);
    case Op::mod: return modulo(x, y);
    case Op::hypot: return hypot(x, y);
    case Op::min: return minimum(x, y);
    case Op::max: return maximum(x, y);
    case Op::clamp: return minimum(maximum(x, y), z);
    case Op::step: return smooth_step(x, y, z);
  }
  return x;
}
// clang-format on

template <class T>
T Expression::run(std::span<const Instruction> program, std::span<const T> arguments) {
  std::array<T, max_stack + 2> stack;  // the compiler has checked the depth; two more for unused operands
  int size = 0;
  for (const Instruction& instruction : program) {
    size += 1 - instruction.operands;
    T* const top = &stack[size - 1];  // the first operand, replaced by the result
    if (instruction.op == Op::constant) {
      *top = T(instruction.constant);
    } else if (instruction.op == Op::argument) {
      *top = arguments[instruction.slot];
    } else {
      *top = apply(instruction.op, top[0], top[1], top[2]);
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
