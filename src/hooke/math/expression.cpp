#include "hooke/math/expression.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <optional>
#include <utility>

#include "hooke/base/text.h"

namespace hooke {

namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

struct NamedFunction {
  std::string_view name;
  Op op;
  int operands;
  bool or_more = false;  // min and max: op between each two
};

constexpr NamedFunction functions[] = {
    {"sin", Op::sin, 1},     {"cos", Op::cos, 1},       {"tan", Op::tan, 1},       {"asin", Op::asin, 1},
    {"acos", Op::acos, 1},   {"atan", Op::atan, 1},     {"atan2", Op::atan2, 2},   {"sinh", Op::sinh, 1},
    {"cosh", Op::cosh, 1},   {"tanh", Op::tanh, 1},     {"exp", Op::exp, 1},       {"log", Op::log, 1},
    {"log10", Op::log10, 1}, {"sqrt", Op::sqrt, 1},     {"abs", Op::abs, 1},       {"sign", Op::sign, 1},
    {"floor", Op::floor, 1}, {"ceil", Op::ceil, 1},     {"mod", Op::mod, 2},       {"pow", Op::pow, 2},
    {"hypot", Op::hypot, 2}, {"min", Op::min, 2, true}, {"max", Op::max, 2, true}, {"clamp", Op::clamp, 3},
    {"step", Op::step, 3},   {"if", Op::select, 3},
};

struct BinaryOperator {
  std::string_view symbol;  // a longer one before its own beginning
  Op op;
  int precedence;
};

constexpr int comparison = 3, tightest = 5;
constexpr BinaryOperator binary_operators[] = {
    {"||", Op::logical_or, 1},
    {"&&", Op::logical_and, 2},
    {"<=", Op::less_equal, comparison},
    {">=", Op::greater_equal, comparison},
    {"==", Op::equal, comparison},
    {"!=", Op::not_equal, comparison},
    {"<", Op::less, comparison},
    {">", Op::greater, comparison},
    {"+", Op::add, 4},
    {"-", Op::subtract, 4},
    {"*", Op::multiply, tightest},
    {"/", Op::divide, tightest},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Recursive descent; each rule appends the postfix code of what it has read.
class Compiler {
 public:
  Compiler(std::string_view text, const std::vector<std::string>& arguments, const Parameters& parameters)
      : text_(text), arguments_(arguments), parameters_(parameters) {}
  /// Every name is an argument, and noted there.
  Compiler(std::string_view text, const Parameters& none, std::vector<std::string>& names)
      : text_(text), arguments_(names), parameters_(none), names_(&names) {}

  std::vector<Instruction> compile() {
    if (text_.size() > Expression::max_length)
      fail(0, formatted("the formula is longer than {} characters", Expression::max_length));
    if (peek() == '\0' && position_ >= text_.size()) fail(0, "the formula is empty");
    ternary();
    if (peek() == ')') fail(position_, "')' without a '(' before it");
    if (position_ < text_.size()) fail_unexpected("an operator");
    return std::move(program_);
  }

 private:
  // ---- rules, loosest first ----

  void ternary() {  // binary [? ternary : ternary]
    const Nesting nesting(*this);
    binary(1);
    const std::size_t question = position_;
    if (!accept("?")) return;
    ternary();
    if (!accept(":")) fail(position_, formatted("the '?' at character {} needs a ':'", question + 1));
    ternary();
    emit(Op::select, 3);
  }

  void binary(int precedence) {  // left to right
    if (precedence > tightest) return unary();
    binary(precedence + 1);
    int chained = 0;
    while (const BinaryOperator* found = accept_binary(precedence)) {
      if (precedence == comparison && ++chained > 1)
        fail(position_ - found->symbol.size(), "comparisons cannot be chained: write a < x && x < b");
      binary(precedence + 1);
      emit(found->op, 2);
    }
  }

  void unary() {  // (- | + | !) unary | primary [^ unary]
    const Nesting nesting(*this);
    if (accept("-")) {
      unary();
      emit(Op::negate, 1);
    } else if (accept("!")) {
      unary();
      emit(Op::logical_not, 1);
    } else if (accept("+")) {
      unary();
    } else {
      primary();
      if (!accept("^")) return;
      unary();
      emit(Op::pow, 2);
    }
  }

  void primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (is_name_start(c)) return name();
    const std::size_t open = position_;
    if (!accept("(")) fail_unexpected("a number, a name or '('");
    ternary();
    if (!accept(")")) fail_unclosed(open);
  }

  void number() {
    double value = 0;
    const auto [end, status] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (status == std::errc::result_out_of_range) fail(position_, "the number is too large or too small");
    if (status != std::errc()) fail(position_, "not a number");
    position_ = std::size_t(end - text_.data());
    push_constant(value);
  }

  void name() {
    const std::size_t start = position_;
    const auto in_name = [&](std::size_t i) {
      return i < text_.size() && (is_name_start(text_[i]) || is_digit(text_[i]));
    };
    while (in_name(position_) ||
           (position_ < text_.size() && text_[position_] == '.' && in_name(position_ + 1)))
      ++position_;
    const std::string_view word = text_.substr(start, position_ - start);
    if (peek() == '(') return call(word, start);

    if (names_ && std::find(names_->begin(), names_->end(), word) == names_->end())
      names_->emplace_back(word);
    const auto argument = std::find(arguments_.begin(), arguments_.end(), word);
    if (argument != arguments_.end())
      return push({.op = Op::argument, .slot = int(argument - arguments_.begin())});
    if (const auto value = constant(word)) return push_constant(*value);
    if (find_function(word)) fail(start, formatted("the function '{}' needs arguments: {}(...)", word, word));
    fail(start, formatted("unknown name '{}'{}", word, suggest(word, known_names())));
  }

  void call(std::string_view word, std::size_t start) {
    const NamedFunction* function = find_function(word);
    if (!function) {
      const bool is_value = constant(word) || std::count(arguments_.begin(), arguments_.end(), word);
      fail(start, is_value ? formatted("'{}' is not a function; to multiply, write {}*(...)", word, word)
                           : formatted("unknown function '{}'{}", word, suggest(word, known_names())));
    }
    const std::size_t open = position_;
    accept("(");
    int given = 0;
    if (peek() != ')') {
      do {
        ternary();
        if (++given > 1 && function->or_more) emit(function->op, 2);
      } while (accept(","));
    }
    if (!accept(")")) fail_unclosed(open);
    if (given < function->operands || (given > function->operands && !function->or_more))
      fail(start, formatted("{} takes {} argument{}{}, not {}", word, function->operands,
                            function->operands == 1 ? "" : "s", function->or_more ? " or more" : "", given));
    if (!function->or_more) emit(function->op, function->operands);
  }

  // ---- code ----

  void push(const Instruction& value) {
    if (++stack_ > Expression::max_stack)
      fail(position_, "the formula is too complicated: make parts of it parameters");
    program_.push_back(value);
  }

  void push_constant(double value) { push({.op = Op::constant, .constant = value}); }

  /// Appends an operation; one whose operands are all constants is computed at once.
  void emit(Op op, int operands) {
    stack_ -= operands - 1;
    program_.push_back({.op = op, .operands = static_cast<unsigned char>(operands)});
    const auto first = program_.end() - 1 - operands;
    if (!std::all_of(first, program_.end() - 1, [](const Instruction& i) { return i.op == Op::constant; }))
      return;
    const double value = Expression::run<double>({first, program_.end()}, {});
    program_.erase(first, program_.end());
    program_.push_back({.op = Op::constant, .constant = value});
  }

  // ---- text ----

  char peek() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool accept(std::string_view symbol) {
    peek();
    if (!text_.substr(position_).starts_with(symbol)) return false;
    position_ += symbol.size();
    return true;
  }

  const BinaryOperator* accept_binary(int precedence) {
    for (const BinaryOperator& candidate : binary_operators)
      if (candidate.precedence == precedence && accept(candidate.symbol)) return &candidate;
    return nullptr;
  }

  // ---- names ----

  static const NamedFunction* find_function(std::string_view word) {
    const auto found = std::find_if(std::begin(functions), std::end(functions),
                                    [&](const NamedFunction& f) { return f.name == word; });
    return found == std::end(functions) ? nullptr : found;
  }

  std::optional<double> constant(std::string_view word) const {
    if (const auto found = parameters_.find(word); found != parameters_.end()) return found->second;
    if (word == "pi") return std::numbers::pi;
    if (word == "e") return std::numbers::e;
    return {};
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names = arguments_;
    for (const auto& [name, value] : parameters_) names.push_back(name);
    names.insert(names.end(), {"pi", "e"});
    for (const NamedFunction& function : functions) names.emplace_back(function.name);
    return names;
  }

  // ---- errors ----

  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw ExpressionError(text_, position, message);
  }

  [[noreturn]] void fail_unexpected(std::string_view expected) {
    const char c = peek();
    if (position_ >= text_.size())
      fail(position_, formatted("the formula ends where {} should follow", expected));
    const bool printable = c > ' ' && c < '\x7f';
    fail(position_, printable ? formatted("'{}' where {} should be", c, expected)
                              : formatted("an unreadable character where {} should be", expected));
  }

  [[noreturn]] void fail_unclosed(std::size_t open) {
    if (peek() == '\0' && position_ >= text_.size()) fail(open, "'(' without a ')' after it");
    fail_unexpected("an operator, ',' or ')'");
  }

  struct Nesting {
    explicit Nesting(Compiler& c) : compiler(c) {
      if (++compiler.nesting_ > Expression::max_nesting)
        compiler.fail(compiler.position_, "nested too deeply");
    }
    ~Nesting() { --compiler.nesting_; }
    Compiler& compiler;
  };

  std::string_view text_;
  const std::vector<std::string>& arguments_;
  const Parameters& parameters_;
  std::vector<std::string>* names_ = nullptr;
  std::size_t position_ = 0;
  int nesting_ = 0, stack_ = 0;
  std::vector<Instruction> program_;
};

std::string excerpt(std::string_view text, std::size_t position) {
  constexpr std::size_t before = 30, length = 60;
  const std::size_t start = position > before ? std::min(position - before, text.size()) : 0;
  return formatted("{}{}{}", start > 0 ? "..." : "", text.substr(start, length),
                   start + length < text.size() ? "..." : "");
}

}  // namespace

ExpressionError::ExpressionError(std::string_view text, std::size_t position, const std::string& message)
    : Error(ExitCode::bad_model,
            formatted("{} (at character {} of \"{}\")", message, position + 1, excerpt(text, position))),
      position_(position),
      message_(message) {}

Expression::Expression(std::string_view text, std::vector<std::string> arguments,
                       const Parameters& parameters)
    : text_(text), program_(Compiler(text, arguments, parameters).compile()) {}

std::vector<std::string> Expression::names(std::string_view text) {
  std::vector<std::string> found;
  Compiler(text, {}, found).compile();
  return found;
}

double Expression::evaluate(std::span<const double> arguments, std::span<double> gradient) const {
  constexpr int at_once = 3;
  std::array<Jet1<at_once>, max_arguments> jets;
  const int n = static_cast<int>(arguments.size());
  for (int i = 0; i < n; ++i) jets[i] = arguments[i];
  double value = 0;
  for (int first = 0; first == 0 || first < n; first += at_once) {
    const int last = std::min(first + at_once, n);
    for (int i = first; i < last; ++i) jets[i] = Jet1<at_once>::variable(arguments[i], i - first);
    const auto result = evaluate<Jet1<at_once>>({jets.data(), arguments.size()});
    value = result.value;
    for (int i = first; i < last; ++i) {
      gradient[i] = result.d[i - first];
      jets[i] = arguments[i];
    }
  }
  return value;
}

bool Expression::depends_on(int slot) const {
  return std::any_of(program_.begin(), program_.end(),
                     [&](const Instruction& i) { return i.op == Op::argument && i.slot == slot; });
}

double evaluate_constant(std::string_view text, const Parameters& parameters) {
  return Expression(text, {}, parameters).evaluate<double>({});
}

}  // namespace hooke
