#include "hooke/io/document/document.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "hooke/base/text.h"
#include "hooke/io/document/resolve.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/yaml.h"

namespace hooke {
namespace {

using ValueKind = Value::Kind;

/// One --set: a path of keys and list indices, and what to put there.
struct Override {
  struct Step {
    std::string key;  // or, when empty, an index
    size_t index = 0;
  };

  std::string argument;
  std::vector<Step> path;
  Value value;

  Location location() const { return {"--set " + argument}; }
};

[[noreturn]] void usage(const std::string& argument) {
  throw Error(ExitCode::usage, formatted("--set wants key.path=value, such as bodies.crank.rigid.mass=2 or "
                                         "gravity[2]=-1.62, not '{}'",
                                         excerpt(argument)));
}

/// "gravity[2]" or "mass": one part of a path between dots.
void append_steps(std::string_view part, const std::string& argument, std::vector<Override::Step>& path) {
  const size_t bracket = std::min(part.find('['), part.size());
  if (bracket == 0) usage(argument);
  path.push_back({std::string(part.substr(0, bracket))});
  for (part.remove_prefix(bracket); !part.empty();) {
    const size_t end = part.find(']');
    const auto digits = part.substr(1, end == part.npos ? 0 : end - 1);
    if (part[0] != '[' || digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != digits.npos)
      usage(argument);
    path.push_back({"", std::stoul(std::string(digits))});
    part.remove_prefix(end + 1);
  }
}

void forget_lines(Value& value) {  // inside a command line they would only confuse
  value.line = value.column = value.key_line = value.key_column = 0;
  for (Value& child : value.children) forget_lines(child);
}

Override parse_override(const std::string& argument, Budget& budget) {
  const size_t equals = argument.find('=');
  if (equals == argument.npos || equals == 0) usage(argument);
  Override result{argument, {}, {}};
  for (size_t start = 0, dot = 0; start <= equals; start = dot + 1) {
    dot = std::min(argument.find('.', start), equals);
    append_steps(std::string_view(argument).substr(start, dot - start), argument, result.path);
  }
  if (!limits::nesting.holds(static_cast<double>(result.path.size()))) usage(argument);
  result.value = parse_yaml(argument.substr(equals + 1), result.location().file, budget);
  if (!result.value.file) result.value.file = std::make_shared<const std::string>(result.location().file);
  forget_lines(result.value);
  return result;
}

Value new_mapping(const Value& like) {
  Value value;
  value.kind = ValueKind::mapping;
  value.file = like.file;
  return value;
}

void erase(Value& mapping, std::string_view key) {
  std::erase_if(mapping.children, [key](const Value& child) { return child.key == key; });
}

/// Puts the value where the path leads; a null removes what is there.
void apply(Value& root, const Override& override, Diagnostics& diagnostics) {
  Value* at = &root;
  std::string walked;
  const auto refuse = [&](const std::string& why) {
    diagnostics.error(override.location(), walked, "{}", why);
  };
  for (const auto& [key, index] : override.path) {
    if (key.empty()) {
      if (!at->is_sequence()) return refuse(formatted("is {}, not a list", at->describe()));
      if (index >= at->children.size())
        return refuse(formatted("has {} items, counted from 0", at->children.size()));
      at = &at->children[index];
      walked += formatted("[{}]", index);
      continue;
    }
    if (at->kind == ValueKind::null) at->kind = ValueKind::mapping;
    if (!at->is_mapping()) return refuse(formatted("is {}, not a mapping", at->describe()));
    Value* child = at->find(key);
    if (&key == &override.path.back().key && override.value.kind == ValueKind::null) return erase(*at, key);
    if (!child) {
      child = &at->children.emplace_back(new_mapping(override.value));
      child->key = key;
    }
    at = child;
    walked += (walked.empty() ? "" : ".") + key;
  }
  const std::string key = at->key;
  *at = override.value;
  at->key = key;
}

/// Lays `over` onto `base`: mappings merge, null removes, all else replaces.
void merge(Value& base, Value over) {
  if (!base.is_mapping() || !over.is_mapping()) {
    base = std::move(over);
    return;
  }
  base.broken |= over.broken;
  std::unordered_map<std::string, size_t> index_of;
  for (size_t i = 0; i < base.children.size(); ++i) index_of[base.children[i].key] = i;
  bool has_removed = false;
  for (Value& child : over.children) {
    const auto known = index_of.find(child.key);
    if (known == index_of.end()) {
      base.children.push_back(std::move(child));
    } else {
      has_removed |= child.kind == ValueKind::null;
      merge(base.children[known->second], std::move(child));
    }
  }
  if (has_removed)
    std::erase_if(base.children, [](const Value& child) { return child.kind == ValueKind::null; });
}

/// Inside one file every key stands once. The resolver sees to that for all but the two it does not get.
void check_unique(const Value& mapping, std::string_view prefix, std::string_view only,
                  Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, int> line_of;
  for (const Value& child : mapping.children) {
    if (!only.empty() && child.key != only) continue;
    const auto [first, is_new] = line_of.try_emplace(child.key, child.key_line);
    if (is_new) continue;
    diagnostics.error(child.key_location(), formatted("{}{}", prefix, child.key),
                      "the key '{}' stands here and in line {}", excerpt(child.key), first->second);
  }
}

std::string resolved_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto result = std::filesystem::weakly_canonical(path, error);
  return error ? path.string() : result.string();
}

/// Collects the raw trees of a file and of all that it includes, the included first.
class Loader {
 public:
  Loader(const std::vector<std::string>& overrides, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const std::string& argument : overrides) overrides_.push_back(parse_override(argument, budget_));
  }

  void add(const std::string& text, const std::string& name);
  Document finish();

 private:
  void include(const Value& entry, const std::string& from);
  std::vector<Value> parameters();
  [[noreturn]] void fail(const Location& at, const std::string& path, const std::string& message) {
    diagnostics_.add({at, path, message});
    diagnostics_.throw_if_errors();
    throw std::logic_error("unreachable");
  }

  Diagnostics& diagnostics_;
  Budget budget_;
  std::vector<Override> overrides_;
  std::vector<Value> roots_;
  std::vector<std::string> names_;  // of roots_
  std::vector<std::string> open_;   // files being read, for finding circles
};

void Loader::add(const std::string& text, const std::string& name) {
  Value root = parse_yaml(text, name, budget_);
  if (root.kind == ValueKind::null) fail({name}, "", "the file is empty");
  if (!root.is_mapping())
    fail(root.location(), "", formatted("a model is a mapping of keys, not {}", root.describe()));
  open_.push_back(resolved_path(name));
  check_unique(root, "", "include", diagnostics_);
  check_unique(root, "", "parameters", diagnostics_);
  for (const Value& child : root.children) {
    if (child.key != "include") continue;
    if (!child.is_sequence())
      include(child, name);
    else
      for (const Value& file : child.children) include(file, name);
  }
  open_.pop_back();
  roots_.push_back(std::move(root));
  names_.push_back(name);
}

void Loader::include(const Value& entry, const std::string& from) {
  namespace fs = std::filesystem;
  if (!entry.is_scalar() || entry.text.empty() || entry.text.size() > 4000 ||
      entry.text.find('\0') != std::string::npos)
    fail(entry.location(), "include", formatted("expected the name of a file, got {}", entry.describe()));
  const fs::path path = (fs::path(from).parent_path() / entry.text).lexically_normal();
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    fail(entry.location(), "include", formatted("there is no file '{}'", excerpt(path.string())));
  if (std::count(open_.begin(), open_.end(), resolved_path(path)) > 0)
    fail(entry.location(), "include",
         formatted("'{}' includes itself, directly or by way of others", entry.text));
  if (const std::string excess = limits::includes.excess(static_cast<double>(roots_.size() + open_.size()));
      !excess.empty())
    fail(entry.location(), "include", excess);
  if (!limits::nesting.holds(static_cast<double>(open_.size())))
    fail(entry.location(), "include",
         formatted("files include each other more than {} levels deep", limits::nesting.most));
  std::string text;
  try {
    text = read_text_file(path.string());
  } catch (const Error& error) {
    fail(entry.location(), "include", error.what());
  }
  budget_.spend(Budget::cost_of_text(text.size() / 4), entry.location());
  add(text, path.string());
}

/// Of all files and overrides, the last one wins.
std::vector<Value> Loader::parameters() {
  Value all;
  all.kind = ValueKind::mapping;
  for (const Value& root : roots_) {
    for (const Value& child : root.children) {
      if (child.key != "parameters" || child.kind == ValueKind::null) continue;
      if (!child.is_mapping())
        fail(child.location(), "parameters",
             formatted("expected a mapping of names to numbers, got {}", child.describe()));
      check_unique(child, "parameters.", "", diagnostics_);
      merge(all, child);
    }
  }
  for (const Override& override : overrides_) {
    if (override.path[0].key != "parameters") continue;
    if (override.path.size() != 2)
      fail(override.location(), "parameters", "name one parameter, as in --set parameters.n=8");
    if (const std::string& name = override.path[1].key; !all.find(name)) {  // it would change nothing
      std::vector<std::string> known;
      for (const Value& parameter : all.children) known.push_back(parameter.key);
      diagnostics_.error(override.location(), "parameters", "the model has no parameter '{}'{}", name,
                         suggest(name, known));
      continue;
    }
    Override inside = override;
    inside.path.erase(inside.path.begin());
    apply(all, inside, diagnostics_);
  }
  const auto count =
      static_cast<double>(all.children.size());  // searched for each expression, and for suggestions
  if (const std::string excess = limits::parameters.excess(count); !excess.empty())
    fail(all.children.back().location(), "parameters", excess);
  return std::move(all.children);
}

Document Loader::finish() {
  Resolver resolver(budget_, diagnostics_);
  Value numbers = resolver.define_parameters(parameters());
  Value root;
  root.kind = ValueKind::mapping;
  for (Value& raw : roots_) {
    erase(raw, "include");
    erase(raw, "parameters");
    root.file = raw.file;
    root.line = raw.line;
    root.column = raw.column;
    merge(root, resolver.resolve(raw));
  }
  if (!numbers.children.empty()) {
    numbers.key = "parameters";
    numbers.file = root.file;
    root.children.insert(root.children.begin(), std::move(numbers));
  }
  for (Override& override : overrides_) {
    if (override.path[0].key == "parameters") continue;
    override.value = resolver.resolve(override.value);
    apply(root, override, diagnostics_);
  }
  return {std::move(root), std::move(names_)};
}

}  // namespace

Document::Document(Value root, std::vector<std::string> files)
    : root_(std::make_unique<Value>(std::move(root))), files_(std::move(files)) {
  link_parents(*root_);
}

Document parse_document(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides, Diagnostics& diagnostics) {
  Loader loader(overrides, diagnostics);
  loader.add(text, name);
  return loader.finish();
}

Document load_document(const std::string& path, const std::vector<std::string>& overrides,
                       Diagnostics& diagnostics) {
  return parse_document(read_text_file(path), path, overrides, diagnostics);
}

}  // namespace hooke
