#include "hooke/io/document/function_reader.h"

#include <cctype>
#include <numbers>

#include "hooke/io/document/table_file.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/writer.h"
#include "hooke/math/values.h"

namespace hooke {
namespace {

/// Calls f(word, is_name) for each piece of a formula; together the pieces are the formula. 1e3 is no name,
/// and neither is the sin of sin(t).
void for_each_piece(std::string_view formula, auto&& f) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (size_t start = 0; start < formula.size();) {
    size_t end = start + 1;
    if (in_word(formula[start]))
      while (end < formula.size() && in_word(formula[end])) ++end;
    const bool is_word =
        std::isalpha(static_cast<unsigned char>(formula[start])) != 0 || formula[start] == '_';
    f(formula.substr(start, end - start), is_word && !trim(formula.substr(end)).starts_with('('));
    start = end;
  }
}

const Value* parameters_of(const Value& value) {
  const Value* root = &value;
  while (root->parent) root = root->parent;
  return root->find("parameters");
}

/// What the variable is called where the value stands. (The two outer levels are names that the user chose.)
std::vector<std::string> variables_at(const Value& value) {
  const auto is_inside_entry = [](const Value* v) {
    return v->parent && v->parent->parent && v->parent->parent->parent;
  };
  for (const Value* at = &value; is_inside_entry(at); at = at->parent) {
    if (at->key == "elastic") return {"x"};
    if (at->key == "viscous") return {"v"};
  }
  return {"t"};
}

/// The numbers under `parameters:` of the document that `value` stands in, as far as `text` mentions them.
Parameters parameters_for(const std::string& text, const Value& value) {
  Parameters result;
  if (const Value* all = parameters_of(value))
    for_each_piece(text, [&](std::string_view word, bool is_name) {
      const Value* parameter = is_name ? all->find(word) : nullptr;
      if (parameter && parameter->number) result.emplace(word, *parameter->number);
    });
  return result;
}

/// Whether the name is that of a signal: under `signals:` or `control:`, or a path to what is measured.
bool is_signal(std::string_view name, const Value& value) {
  const Value* root = &value;
  while (root->parent) root = root->parent;
  const std::string_view head = name.substr(0, name.find('.'));
  for (const char* section : {"signals", "control"})
    if (const Value* all = root->find(section); all && (all->find(name) || all->find(head))) return true;
  return name.find('.') != std::string_view::npos;
}

/// Whether a formula needs signals, which go before parameters: those are then not numbers in it.
bool uses_signals(const std::string& text, const std::vector<std::string>& variables, const Value& value,
                  Parameters& parameters) {
  bool any = false;
  for (const std::string& name : Expression::names(text)) {
    if (std::count(variables.begin(), variables.end(), name) || !is_signal(name, value)) continue;
    any = true;
    parameters.erase(name);
  }
  return any;
}

/// The formula with the parameters in it replaced by their values, so that it means the same elsewhere.
std::string with_values(const std::string& formula, const Parameters& parameters) {
  std::string result;
  for_each_piece(formula, [&](std::string_view word, bool is_name) {
    const auto found = is_name ? parameters.find(word) : parameters.end();
    result += found == parameters.end() ? std::string(word) : "(" + format_number(found->second) + ")";
  });
  return result;
}

bool wrong_formula(const ExpressionError& error, const Value& value, Diagnostics& diagnostics) {
  diagnostics.error(value.location(), value.path(), "{}", error.what());
  return false;
}

bool read_formula(const Value& value, const std::string& text, Function& out, Diagnostics& diagnostics) {
  const std::vector<std::string> variables = variables_at(value);
  Parameters parameters = parameters_for(text, value);
  for (const std::string& variable : variables) parameters.erase(variable);
  try {
    if (variables.front() == "t" && uses_signals(text, variables, value, parameters)) {
      out = Function::of_signals(with_values(text, parameters));
      return true;
    }
    (void)Function::expression(text, variables, parameters);  // complaints are about what was written
    out = Function::expression(with_values(text, parameters), variables);
    return true;
  } catch (const ExpressionError& error) {
    return wrong_formula(error, value, diagnostics);
  }
}

/// The number under `run:`, or what it is without one.
double of_run(const Value& value, const char* key, double otherwise) {
  const Value* root = &value;
  while (root->parent) root = root->parent;
  const Value* run = root->find("run");
  const Value* found = run ? run->find(key) : nullptr;
  if (!found) return otherwise;
  return found->number ? *found->number : parse_number(found->text).value_or(otherwise);
}

/// A table of t that a run leaves, when nobody said what it is there.
void warn_beyond(const Function& table, const Value& value, Diagnostics& diagnostics) {
  if (variables_at(value).front() != "t") return;
  const std::vector<double>& t = std::get<Function::Table>(table.kind()).spline->x();
  const double start = of_run(value, "start", 0), end = of_run(value, "end", 1);
  const auto warn = [&](const char* does, double at, const char* runs, double to) {
    diagnostics.warning(
        value.location(), value.path(),
        "the table {} at {:.10g} s and the run {} at {:.10g} s: it goes on along its slope there; "
        "say what is meant, with beyond: hold, periodic, refuse or tangent",
        does, at, runs, to);
  };
  if (t.back() < end) return warn("ends", t.back(), "ends", end);
  if (t.front() > start) warn("begins", t.front(), "begins", start);
}

/// A spline needs increasing times; what is wrong with that is said here for points, and by read_table_file
/// for a file.
std::optional<Function> make(const TableKeys& keys, const Value& value, Diagnostics& diagnostics) {
  Spline::Ends ends;
  if (keys.slopes) ends = {true, (*keys.slopes)[0], (*keys.slopes)[1]};
  if (keys.beyond) ends.beyond = *keys.beyond;
  std::vector<double> x, y;
  for (const auto& point : keys.points) {
    x.push_back(point[0]);
    y.push_back(point[1]);
  }
  try {
    if (keys.file) {
      std::array<std::string, 2> columns{"1", "2"};
      if (keys.columns) columns = {(*keys.columns)[0].text, (*keys.columns)[1].text};
      const std::string file = path_from(value.location().file, *keys.file);
      auto table = read_table_file(file, columns, value.path(), diagnostics);
      if (!table) return {};
      x = std::move(table->x);
      y = std::move(table->y);
    }
    Function made = Function::spline(std::move(x), std::move(y), ends);
    if (!keys.beyond) warn_beyond(made, value, diagnostics);
    return made;
  } catch (const Error& error) {
    const Value* field = value.find(keys.file ? "file" : "points");
    const Value& at = field ? *field : value;
    diagnostics.error(at.location(), at.path(), "{}", error.what());
    return {};
  }
}

/// One of the kinds by name; a sum has functions in it in turn.
bool read_kind(const Value& value, Function& out, const Reader& reader) {
  FunctionKinds kinds;
  const TypeInfo& type = type_of<FunctionKinds>();
  const Value* found = find_kind(value, alternatives_of(type, {}), "function", reader.diagnostics());
  if (!found || !check_keys(value, alternatives_of(type, {}), reader.diagnostics())) return false;
  if (!reader.read(value, type, &kinds)) return false;
  return std::visit(
      [&]<class Keys>(const Keys& keys) {
        if constexpr (std::is_same_v<Keys, PolynomialKeys>) {
          out = Function::polynomial(keys.coefficients);
        } else if constexpr (std::is_same_v<Keys, SmoothStepKeys>) {
          out = Function::smooth_step(keys.from[0], keys.from[1], keys.to[0], keys.to[1]);
        } else if constexpr (std::is_same_v<Keys, HarmonicKeys>) {
          const double omega = keys.omega.value_or(2 * std::numbers::pi * keys.frequency.value_or(0));
          out = Function::harmonic(keys.amplitude, omega, keys.phase, keys.offset);
        } else if constexpr (std::is_same_v<Keys, SumKeys>) {
          out = Function::sum(keys.terms);
        } else if constexpr (std::is_same_v<Keys, ExpressionKeys>) {
          return read_formula(*found, keys.formula, out, reader.diagnostics());
        } else {
          auto function = make(keys, *found, reader.diagnostics());
          if (function) out = std::move(*function);
          return function.has_value();
        }
        return true;
      },
      kinds);
}

bool read_function(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<Function*>(target);
  if (value.broken) return false;
  if (value.code) return out = function_of(value.code), true;
  if (value.is_mapping()) return read_kind(value, out, reader);
  if (!value.is_scalar())
    return expected("a number, a formula or a mapping such as {harmonic: ...}", value, reader.diagnostics());
  if (!value.number && (value.quoted || !parse_number(value.text)))
    return read_formula(value, value.text, out, reader.diagnostics());
  double constant = 0;
  if (!read(value, constant, reader.diagnostics())) return false;
  out = Function(constant);
  return true;
}

Json function_schema(Schema& all, const Doc&) {
  Json::Object kinds;
  for (const TypeFunction kind : type_of<FunctionKinds>().alternatives)
    kinds.emplace_back(kind().name, all.of(kind()));
  return any_of({all.of<double>(), all.of<std::string>(), Schema::one_of(kinds)});
}

Json written(const auto& keys) {
  return Json::Object{{keys.name, write_json(type_of<std::decay_t<decltype(keys)>>(), &keys)}};
}

[[noreturn]] void refuse_code() {
  throw Error(ExitCode::usage, "a function that is code cannot be written to a file");
}

Json write_function(const void* value) {
  return std::visit(
      []<class Kind>(const Kind& f) -> Json {
        if constexpr (std::is_same_v<Kind, Function::Constant>) {
          return f.value;
        } else if constexpr (std::is_same_v<Kind, Function::Polynomial>) {
          return written(PolynomialKeys{*f.coefficients});
        } else if constexpr (std::is_same_v<Kind, Function::SmoothStep>) {
          return written(SmoothStepKeys{{f.x0, f.y0}, {f.x1, f.y1}});
        } else if constexpr (std::is_same_v<Kind, Function::Harmonic>) {
          return written(HarmonicKeys{f.amplitude, f.omega, {}, f.phase, f.offset});
        } else if constexpr (std::is_same_v<Kind, Function::Sum>) {
          return written(SumKeys{*f.terms});
        } else if constexpr (std::is_same_v<Kind, Function::Table>) {
          TableKeys keys;
          for (std::size_t i = 0; i < f.spline->x().size(); ++i)
            keys.points.push_back({f.spline->x()[i], f.spline->y()[i]});
          if (f.spline->ends().clamped)
            keys.slopes = {f.spline->ends().first_slope, f.spline->ends().last_slope};
          keys.beyond = f.spline->ends().beyond;
          return written(keys);
        } else if constexpr (std::is_same_v<Kind, Function::Formula>) {
          return f.expression->text();
        } else if constexpr (std::is_same_v<Kind, Function::OfSignals>) {
          return *f.formula;
        } else {
          refuse_code();
        }
      },
      static_cast<const Function*>(value)->kind());
}

bool read_block_code(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<BlockCode*>(target);
  if (value.code) return out = {value.text, value.code}, true;
  return read(value, out.name, reader.diagnostics());
}

bool read_law(const Value& value, void* target, const Reader& reader) {
  if (value.code) return *static_cast<LawFormula*>(target) = {value.text, value.code}, true;
  std::string text;
  if (!read(value, text, reader.diagnostics())) return false;
  Parameters parameters = parameters_for(text, value);
  const std::vector<std::string> variables{"x", "v", "t", "length", "rate", "angle"};
  for (const std::string& variable : variables) parameters.erase(variable);
  try {
    if (!uses_signals(text, variables, value, parameters)) (void)Law::expression(text, parameters);
  } catch (const ExpressionError& error) {
    return wrong_formula(error, value, reader.diagnostics());
  }
  static_cast<LawFormula*>(target)->text = with_values(text, parameters);
  return true;
}

bool read_signal_formula(const Value& value, void* target, const Reader& reader) {
  std::string text;
  if (value.number)
    text = format_number(*value.number);
  else if (!read(value, text, reader.diagnostics()))
    return false;
  Parameters parameters = parameters_for(text, value);
  parameters.erase("t");
  try {
    uses_signals(text, {"t"}, value, parameters);
  } catch (const ExpressionError& error) {
    return wrong_formula(error, value, reader.diagnostics());
  }
  static_cast<Formula*>(target)->text = with_values(text, parameters);
  return true;
}

}  // namespace

const Notation formula_notation{
    read_signal_formula,
    [](Schema& all, const Doc&) {
      return any_of({all.of<double>(), all.of<std::string>()});
    },
    [](const void* value) -> Json { return static_cast<const Formula*>(value)->text; }};

const Notation function_notation{read_function, function_schema, write_function};

const Notation law_notation{read_law, [](Schema& all, const Doc&) { return all.of<std::string>(); },
                            [](const void* value) -> Json {
                              const auto& law = *static_cast<const LawFormula*>(value);
                              if (law.code) refuse_code();
                              return law.text;
                            }};

const Notation code_notation{read_block_code, [](Schema& all, const Doc&) { return all.of<std::string>(); },
                             [](const void* value) -> Json {
                               const auto& block = *static_cast<const BlockCode*>(value);
                               if (block.code) refuse_code();
                               return block.name;
                             }};

const Notation column_notation{
    [](const Value& value, void* out, const Reader& reader) {
      return read(value, static_cast<ColumnKey*>(out)->text, reader.diagnostics());
    },
    [](Schema& all, const Doc&) {
      return any_of({all.of<int>(), all.of<std::string>()});
    },
    [](const void* value) -> Json { return static_cast<const ColumnKey*>(value)->text; }};

}  // namespace hooke
