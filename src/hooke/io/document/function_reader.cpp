#include "hooke/io/document/function_reader.h"

#include <cctype>
#include <numbers>

#include "hooke/io/document/table_file.h"
#include "hooke/io/document/text_file.h"

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

bool read_formula(const Value& value, Function& out, Diagnostics& diagnostics) {
  std::string text;
  if (!read(value, text, diagnostics)) return false;
  try {
    out = Function::expression(text, variables_at(value), parameters_for(text, value));
    return true;
  } catch (const ExpressionError& error) {
    return wrong_formula(error, value, diagnostics);
  }
}

/// A spline needs increasing times; what is wrong with that is said here for points, and by read_table_file
/// for a file.
std::optional<Function> make(const TableKeys& keys, const Value& value, Diagnostics& diagnostics) {
  Spline::Ends ends;
  if (keys.slopes) ends = {true, (*keys.slopes)[0], (*keys.slopes)[1]};
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
    return Function::spline(std::move(x), std::move(y), ends);
  } catch (const Error& error) {
    const Value* field = value.find(keys.file ? "file" : "points");
    const Value& at = field ? *field : value;
    diagnostics.error(at.location(), at.path(), "{}", error.what());
    return {};
  }
}

template <class Keys>
bool read_kind(const Value& value, Function& out, Diagnostics& diagnostics) {
  Keys keys;
  if (!read(value, keys, diagnostics)) return false;
  if constexpr (requires { keys.make(); }) {
    out = keys.make();
    return true;
  } else {
    auto function = make(keys, value, diagnostics);
    if (function) out = std::move(*function);
    return function.has_value();
  }
}

template <class... Keys>
bool read_any(const Value& value, Function& out, Diagnostics& diagnostics, std::variant<Keys...>*) {
  const std::vector<std::string> kinds{Keys::name..., "expression"};
  const Value* kind = find_kind(value, kinds, "function", diagnostics);
  if (!kind || !check_keys(value, kinds, diagnostics)) return false;
  if (kind->key == "expression") return read_formula(*kind, out, diagnostics);
  return ((kind->key == Keys::name && read_kind<Keys>(*kind, out, diagnostics)) || ...);
}

template <class... Keys>
Json schema_of_any(Schema& all, std::variant<Keys...>*) {
  return Schema::one_of({{Keys::name, all.of<Keys>()}..., {"expression", all.of<std::string>()}});
}

}  // namespace

Parameters parameters_for(const std::string& text, const Value& value) {
  Parameters result;
  if (const Value* all = parameters_of(value))
    for_each_piece(text, [&](std::string_view word, bool is_name) {
      const Value* parameter = is_name ? all->find(word) : nullptr;
      if (parameter && parameter->number) result.emplace(word, *parameter->number);
    });
  return result;
}

bool wrong_formula(const ExpressionError& error, const Value& value, Diagnostics& diagnostics) {
  diagnostics.error(value.location(), value.path(), "{}", error.what());
  return false;
}

std::string with_values(const std::string& formula, const Parameters& parameters) {
  std::string result;
  for_each_piece(formula, [&](std::string_view word, bool is_name) {
    const auto found = is_name ? parameters.find(word) : parameters.end();
    result += found == parameters.end() ? std::string(word) : "(" + format_number(found->second) + ")";
  });
  return result;
}

Function HarmonicKeys::make() const {
  return Function::harmonic(amplitude, omega.value_or(2 * std::numbers::pi * frequency.value_or(0)), phase,
                            offset);
}

bool read(const Value& value, ColumnKey& out, Diagnostics& diagnostics) {
  return read(value, out.text, diagnostics);
}

Json schema(Schema& all, Type<ColumnKey>, const Doc&) {
  return any_of({all.of<int>(), all.of<std::string>()});
}

bool read(const Value& value, Function& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  if (value.is_mapping()) return read_any(value, out, diagnostics, static_cast<FunctionKinds*>(nullptr));
  if (!value.is_scalar())
    return expected("a number, a formula or a mapping such as {harmonic: ...}", value, diagnostics);
  if (!value.number && (value.quoted || !parse_number(value.text)))
    return read_formula(value, out, diagnostics);
  double constant = 0;
  if (!read(value, constant, diagnostics)) return false;
  out = Function(constant);
  return true;
}

Json schema(Schema& all, Type<Function>, const Doc&) {
  return any_of(
      {all.of<double>(), all.of<std::string>(), schema_of_any(all, static_cast<FunctionKinds*>(nullptr))});
}

}  // namespace hooke
