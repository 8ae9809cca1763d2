#include "hooke/io/document/value.h"

#include <algorithm>
#include <utility>

#include "hooke/io/document/yaml.h"

namespace hooke {

const Value* Value::find(std::string_view wanted) const {
  if (!is_mapping()) return nullptr;
  for (const Value& child : children)
    if (child.key == wanted) return &child;
  return nullptr;
}

Value* Value::find(std::string_view wanted) { return const_cast<Value*>(std::as_const(*this).find(wanted)); }

Location Value::location() const {
  if (kind == Kind::null && key_line > 0) return key_location();
  return {file ? *file : "", line, column};
}

Location Value::key_location() const {
  if (key_line == 0) return {file ? *file : "", line, column};
  return {file ? *file : "", key_line, key_column};
}

std::string Value::path() const {
  if (!parent) return "";
  const std::string before = parent->path();
  if (parent->is_sequence()) return formatted("{}[{}]", before, index);
  return before.empty() ? key : before + "." + key;
}

std::string excerpt(std::string_view text) {
  constexpr size_t longest = 60;
  size_t end = std::min(longest, text.size());
  while (end < text.size() && end > 0 && (text[end] & 0xc0) == 0x80) --end;  // not inside a UTF-8 letter
  std::string result(text.substr(0, end));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return end < text.size() ? result + "..." : result;
}

std::string Value::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::sequence:
      return formatted("a list of {}", children.size());
    case Kind::mapping:
      return "a mapping";
    case Kind::scalar:
      break;
  }
  if (code) return formatted("the function {}", excerpt(text));
  return quoted ? formatted("the text \"{}\"", excerpt(text)) : formatted("'{}'", excerpt(text));
}

void link_parents(Value& root) {
  int index = 0;
  for (Value& child : root.children) {
    child.parent = &root;
    child.index = index++;
    link_parents(child);
  }
}

void Budget::spend(std::size_t amount, const Location& at) {
  if (amount > left_)
    throw ModelError({{at, "",
                       formatted("too many values, counting those made by loops and aliases: {}",
                                 limits::values.advice())}});
  left_ -= amount;
}

}  // namespace hooke
