#include "hooke/io/document/reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace hooke {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// What the writer of a text that is no number may have meant.
std::string hint_for_number(const Value& value) {
  const std::string text(trim(value.text));
  if (!value.is_scalar() || text.empty()) return "";
  if (parse_number(text)) return " (write it without quotes)";
  std::string dotted = text;
  std::replace(dotted.begin(), dotted.end(), ',', '.');
  if (parse_number(dotted)) return formatted(" (write {})", dotted);
  const size_t end = text.find_first_not_of("0123456789.eE+-");
  if (is_digit(text[0]) && text.find_first_of("*/^()") == text.npos && end != text.npos &&
      !is_digit(text.back()))
    return " (write the number alone; units are SI)";
  if (value.quoted && text.find_first_of("*/+-^(") == text.npos) return "";
  return formatted(" (write \"${{{}}}\" if it is an expression)", excerpt(text));
}

}  // namespace

bool expected(const std::string& what, const Value& value, Diagnostics& diagnostics) {
  if (!value.broken)
    diagnostics.error(value.location(), value.path(), "expected {}, got {}", what, value.describe());
  return false;
}

bool read(const Value& value, double& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  const auto number = value.number                         ? value.number
                      : value.is_scalar() && !value.quoted ? parse_number(value.text)
                                                           : std::nullopt;
  if (!number) {
    diagnostics.error(value.location(), value.path(), "expected a number, got {}{}", value.describe(),
                      hint_for_number(value));
    return false;
  }
  if (!std::isfinite(*number)) return expected("a finite number", value, diagnostics);
  out = *number;
  return true;
}

bool read(const Value& value, int& out, Diagnostics& diagnostics) {
  double number = 0;
  if (!read(value, number, diagnostics)) return false;
  if (number != std::trunc(number)) return expected("a whole number", value, diagnostics);
  if (std::abs(number) > 2e9) return expected("a whole number of at most 9 digits", value, diagnostics);
  out = static_cast<int>(number);
  return true;
}

bool read(const Value& value, bool& out, Diagnostics& diagnostics) {
  const bool is_word = value.is_scalar() && !value.quoted && !value.broken;
  if (is_word && (value.text == "true" || value.text == "false")) {
    out = value.text == "true";
    return true;
  }
  if (is_word && value.number && (*value.number == 0 || *value.number == 1)) {  // a condition, ${n > 3}
    out = *value.number == 1;
    return true;
  }
  return expected("true or false", value, diagnostics);
}

bool read(const Value& value, std::string& out, Diagnostics& diagnostics) {
  if (value.broken || !value.is_scalar()) return expected("a text", value, diagnostics);
  out = value.text;
  return true;
}

bool read(const Value& value, Eigen::Vector3d& out, Diagnostics& diagnostics) {
  if (value.is_scalar() && !value.broken) {
    std::string_view word = value.text;
    const bool is_negative = word.starts_with('-');
    if (is_negative) word.remove_prefix(1);
    if (word == "x" || word == "y" || word == "z") {
      out = Eigen::Vector3d::Unit(word[0] - 'x') * (is_negative ? -1 : 1);
      return true;
    }
  }
  if (!value.is_sequence() || value.children.size() != 3)
    return expected("a list of 3 numbers or an axis (x, y, z, -x, -y or -z)", value, diagnostics);
  return !value.broken && read_items(value, out, diagnostics);
}

std::optional<size_t> read_word(const Value& value, const std::vector<std::string>& words,
                                Diagnostics& diagnostics) {
  const auto found = std::find(words.begin(), words.end(), value.text);
  if (value.is_scalar() && found != words.end() && !value.broken) return found - words.begin();
  if (!value.broken)
    diagnostics.error(value.location(), value.path(), "expected {}, got {}{}", list_words(words),
                      value.describe(), suggest(value.text, words));
  return {};
}

bool check_keys(const Value& mapping, const std::vector<std::string>& allowed, Diagnostics& diagnostics) {
  bool good = true;
  for (const Value& child : mapping.children) {
    if (std::find(allowed.begin(), allowed.end(), child.key) != allowed.end()) continue;
    diagnostics.error(child.key_location(), child.path(), "unknown key '{}'{}; known here: {}",
                      excerpt(child.key), suggest(child.key, allowed), list_words(allowed, "and"));
    good = false;
  }
  return good;
}

const Value* find_kind(const Value& mapping, const std::vector<std::string>& kinds, const std::string& what,
                       Diagnostics& diagnostics) {
  if (mapping.broken) return nullptr;
  const std::string of_what = what.empty() ? "" : " as the kind of " + what;
  const Value* found = nullptr;
  std::string near;
  for (const Value& child : mapping.children) {
    if (std::find(kinds.begin(), kinds.end(), child.key) == kinds.end()) {
      if (near.empty()) near = suggest(child.key, kinds);
      continue;
    }
    if (found) {
      diagnostics.error(child.key_location(), child.path(), "'{}' and '{}' exclude each other: write one{}",
                        found->key, child.key, of_what);
      return nullptr;
    }
    found = &child;
  }
  if (!found)
    diagnostics.error(mapping.location(), mapping.path(), "expected one of {}{}{}", list_words(kinds),
                      of_what, near);
  return found;
}

bool check_range(const Value& value, double number, const Doc& doc, Diagnostics& diagnostics) {
  if (doc.check.holds(number)) return true;
  diagnostics.error(value.location(), value.path(), "must be {}, got {}{}{}", to_string(doc.check),
                    format_number(number), *doc.unit ? " " : "", doc.unit);
  return false;
}

void report_missing(const Value& mapping, const char* key, const Doc& doc, Diagnostics& diagnostics) {
  const std::string unit = *doc.unit ? formatted(" [{}]", doc.unit) : "";
  diagnostics.error(mapping.location(), mapping.path(), "'{}' is missing: {}{}", key, doc.text, unit);
}

}  // namespace hooke
