#include "hooke/io/document/resolve.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include "hooke/base/text.h"

namespace hooke {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && is_name_start(text[0]) && std::all_of(text.begin(), text.end(), is_name_part);
}

/// The names in an expression, functions included; 1e3 is none.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_name_part(text[end])) ++end;
    if (end > i && is_name_start(text[i])) names.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

/// What stands in `${...}` when that is the whole text.
std::optional<std::string_view> wholly_expression(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("${") || text.find('}') != text.size() - 1) return {};
  return text.substr(2, text.size() - 3);
}

bool takes_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text = trim(text.substr(prefix.size()));
  return true;
}

bool is_directive(std::string_view key) {
  return key.starts_with("for ") || key.starts_with("if ") || key.starts_with("else if ") || key == "else";
}

/// A list item that stands for items: {for i in 0..9: [...]}.
bool is_spliced(const Value& item) {
  return item.is_mapping() && !item.children.empty() && is_directive(item.children[0].key) &&
         item.children[0].is_sequence();
}

/// What a value is besides its children.
Value without_children(const Value& raw) {
  Value value;
  value.kind = raw.kind;
  value.quoted = raw.quoted;
  value.text = raw.text;
  value.key = raw.key;
  value.line = raw.line;
  value.column = raw.column;
  value.key_line = raw.key_line;
  value.key_column = raw.key_column;
  value.file = raw.file;
  return value;
}

/// Appends to the path of messages while it lives.
class PathStep {
 public:
  PathStep(std::string& path, const std::string& step) : path_(path), length_(path.size()) { path_ += step; }
  ~PathStep() { path_.resize(length_); }
  PathStep(const PathStep&) = delete;
  PathStep& operator=(const PathStep&) = delete;

 private:
  std::string& path_;
  size_t length_;
};

}  // namespace

/// A mapping in the making, with the places of its keys for finding duplicates.
struct Resolver::Entries {
  Value& mapping;
  std::unordered_map<std::string, Location> seen;
};

Value Resolver::resolve(const Value& raw, const std::string& path) {
  path_ = path;
  return tree(raw);
}

Value Resolver::tree(const Value& raw) {
  budget_.spend(Budget::cost_of_text(raw.text.size()), raw.location());
  Value out = without_children(raw);
  if (raw.is_mapping()) {
    Entries into{out, {}};
    entries(raw, into);
  } else if (raw.is_sequence()) {
    items(raw, out);
  } else if (raw.text.find("${") != std::string::npos) {
    if (const auto expression = wholly_expression(raw.text)) {
      out.number = number(*expression, raw.location());
      out.text = format_number(out.number.value_or(0));
      out.broken = !out.number;
    } else if (const auto text = substitute(raw.text, raw.location())) {
      out.text = *text;
      out.quoted = true;  // text, even if all of it happens to be digits
    } else {
      out.broken = true;
    }
  }
  return out;
}

void Resolver::entries(const Value& raw, Entries& out) {
  std::optional<bool> taken;
  for (const Value& child : raw.children) {
    if (!is_directive(child.key)) {
      taken.reset();
      entry(child, out);
    } else if (!require(child, Value::Kind::mapping) || !expand(child, taken, [&] { entries(child, out); })) {
      out.mapping.broken = true;
    }
  }
}

void Resolver::entry(const Value& raw, Entries& out) {
  const auto key = substitute(raw.key, raw.key_location());
  if (!key) {
    out.mapping.broken = true;
    return;
  }
  const PathStep step(path_, path_.empty() ? *key : "." + *key);
  const auto [first, is_new] = out.seen.try_emplace(*key, raw.key_location());
  if (!is_new) {
    const Location& at = first->second;
    if (at == raw.key_location())
      complain(at, "the loop makes the key '{}' more than once", excerpt(*key));
    else
      complain(raw.key_location(), "the key '{}' stands here and in line {}", excerpt(*key), at.line);
    return;
  }
  out.mapping.children.push_back(tree(raw));
  out.mapping.children.back().key = *key;
}

void Resolver::items(const Value& raw, Value& out) {
  for (const Value& item : raw.children) {
    if (!is_spliced(item)) {
      const PathStep step(path_, formatted("[{}]", out.children.size()));
      out.children.push_back(tree(item));
      continue;
    }
    std::optional<bool> taken;
    for (const Value& part : item.children)
      if (!require(part, Value::Kind::sequence) || !expand(part, taken, [&] { items(part, out); }))
        out.broken = true;
  }
}

bool Resolver::require(const Value& entry, Value::Kind kind) {
  if (is_directive(entry.key) && (entry.kind == kind || entry.kind == Value::Kind::null)) return true;
  if (is_directive(entry.key))
    complain(entry.key_location(), "'{}' must hold {} here, not {}", excerpt(entry.key),
             kind == Value::Kind::mapping ? "a mapping" : "a list", entry.describe());
  else
    complain(entry.key_location(), "'{}' cannot stand next to a loop in a list", excerpt(entry.key));
  return false;
}

/// Runs `emit` as often as the key of `entry` says. `taken` tells whether one of the branches of the running
/// if ... else chain was taken, and is empty outside of one. False after an error, which is reported.
bool Resolver::expand(const Value& entry, std::optional<bool>& taken, const std::function<void()>& emit) {
  std::string_view key = trim(entry.key);
  if (key.starts_with("for ")) {
    taken.reset();
    return loop(entry, emit);
  }
  const bool is_else = takes_prefix(key, "else");
  if (is_else && !taken) {
    complain(entry.key_location(), "'else' must directly follow an 'if'");
    return false;
  }
  if (!is_else) taken = false;
  if (*taken) return true;
  double condition = 1;
  if (takes_prefix(key, "if ")) {
    const auto result = number(key, entry.key_location());
    if (!result) {
      taken = true;  // neither branch, rather than a guess
      return false;
    }
    condition = *result;
  }
  taken = condition != 0;
  if (*taken) emit();
  return true;
}

bool Resolver::loop(const Value& entry, const std::function<void()>& emit) {
  const Location at = entry.key_location();
  std::string_view head = trim(std::string_view(entry.key).substr(4));
  const auto in = head.find(" in "), dots = head.find("..");
  const std::string name(trim(head.substr(0, in)));
  if (in == head.npos || dots == head.npos || dots < in + 4 || !is_name(name)) {
    complain(at, "a loop is written 'for i in 1..n' or 'for i in 0..n step 2', not '{}'", excerpt(entry.key));
    return false;
  }
  if (names_.contains(name) || failed_.contains(name)) {
    complain(at, "the loop variable '{}' already means something else here", excerpt(name));
    return false;
  }
  const auto by = head.find(" step ", dots);
  const auto first = whole_number(head.substr(in + 4, dots - in - 4), at);
  const auto last = whole_number(head.substr(dots + 2, by == head.npos ? by : by - dots - 2), at);
  const auto step = by == head.npos ? 1 : whole_number(head.substr(by + 6), at);
  if (!first || !last || !step) return false;
  if (*step == 0) {
    complain(at, "the step of a loop cannot be 0");
    return false;
  }
  for (long long i = *first; *step > 0 ? i <= *last : i >= *last; i += *step) {
    budget_.spend(1, at);
    names_[name] = static_cast<double>(i);
    const int before = complaints_;
    emit();
    if (complaints_ > before) break;  // the next turns would only repeat it
  }
  names_.erase(name);
  return true;
}

/// The parameters while they are being computed, each after those it uses.
struct Resolver::Pending {
  enum class Progress : char { waiting, running, done };

  const std::vector<Value>& all;
  std::map<std::string_view, size_t> index_of = {};
  std::vector<Progress> progress = std::vector<Progress>(all.size());
  std::vector<size_t> chain = {};  // those running, each used by the one before
};

Value Resolver::define_parameters(const std::vector<Value>& parameters) {
  Pending pending{parameters};
  for (size_t i = 0; i < parameters.size(); ++i) pending.index_of[parameters[i].key] = i;
  for (size_t i = 0; i < parameters.size(); ++i) parameter(pending, i);

  Value all;
  all.kind = Value::Kind::mapping;
  for (const Value& raw : parameters) {
    Value value = without_children(raw);
    value.kind = Value::Kind::scalar;
    value.broken = failed_.contains(raw.key);
    if (!value.broken) value.number = names_.at(raw.key);
    value.text = format_number(value.number.value_or(0));
    all.children.push_back(std::move(value));
  }
  return all;
}

void Resolver::parameter(Pending& pending, size_t index) {
  constexpr size_t longest_chain = 1000;  // protects the call stack
  const Value& raw = pending.all[index];
  path_ = "parameters." + raw.key;
  if (pending.progress[index] == Pending::Progress::done) return;
  if (pending.progress[index] == Pending::Progress::running || pending.chain.size() > longest_chain) {
    const auto first = std::find(pending.chain.begin(), pending.chain.end(), index);
    std::string circle;
    for (auto i = first; i != pending.chain.end(); ++i) circle += pending.all[*i].key + " -> ";
    complain(raw.location(), "parameters depend on each other in a circle: {}{}", excerpt(circle), raw.key);
    failed_.insert(raw.key);
    return;
  }
  pending.progress[index] = Pending::Progress::running;
  pending.chain.push_back(index);
  if (const auto expression = wholly_expression(raw.text))
    for (const std::string_view name : names_in(*expression))
      if (const auto used = pending.index_of.find(name); used != pending.index_of.end())
        parameter(pending, used->second);
  pending.chain.pop_back();
  pending.progress[index] = Pending::Progress::done;

  path_ = "parameters." + raw.key;
  const auto value = failed_.contains(raw.key) ? std::nullopt : parameter_value(raw);
  if (value)
    names_[raw.key] = *value;
  else
    failed_.insert(raw.key);
}

std::optional<double> Resolver::parameter_value(const Value& raw) {
  if (!is_name(raw.key)) {
    complain(raw.key_location(), "the name of a parameter is made of letters, digits and _, not '{}'",
             excerpt(raw.key));
    return {};
  }
  if (const auto expression = wholly_expression(raw.text)) return number(*expression, raw.location());
  if (raw.is_scalar() && !raw.quoted) {
    if (raw.text == "true" || raw.text == "false") return raw.text == "true";
    if (const auto value = parse_number(raw.text); value && std::isfinite(*value)) return value;
  }
  complain(raw.location(), "a parameter is a number or an expression ${{...}}, not {}", raw.describe());
  return {};
}

std::optional<std::string> Resolver::substitute(const std::string& text, const Location& at) {
  std::string result;
  for (size_t done = 0;;) {
    const size_t start = text.find("${", done);
    result += text.substr(done, start - done);
    if (start == text.npos) return result;
    const size_t end = text.find('}', start);
    if (end == text.npos) {
      complain(at, "'${{' without '}}' in '{}'", excerpt(text));
      return {};
    }
    const auto value = number(std::string_view(text).substr(start + 2, end - start - 2), at);
    if (!value) return {};
    result += format_number(*value);
    done = end + 1;
  }
}

std::optional<double> Resolver::number(std::string_view expression, const Location& at) {
  budget_.spend(Budget::cost_of_text(4 * expression.size()), at);
  if (!failed_.empty())
    for (const std::string_view name : names_in(expression))
      if (failed_.contains(name)) return {};
  try {
    const double value = evaluate_constant(expression, names_);
    if (std::isfinite(value)) return value;
    complain(at, "'{}' is not a finite number", excerpt(trim(expression)));
  } catch (const ExpressionError& error) {
    complain(at, "in '{}': {}", excerpt(trim(expression)), error.message());
  }
  return {};
}

std::optional<int> Resolver::whole_number(std::string_view expression, const Location& at) {
  const auto value = number(expression, at);
  if (!value) return {};
  const double rounded = std::round(*value);  // 0.3/0.1 is meant as 3
  if (std::abs(*value - rounded) <= 1e-9 * std::max(1.0, std::abs(rounded)) && std::abs(rounded) <= 2e9)
    return static_cast<int>(rounded);
  complain(at, "a loop counts in whole numbers, but '{}' is {}", excerpt(trim(expression)), *value);
  return {};
}

}  // namespace hooke
