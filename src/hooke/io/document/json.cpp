#include "hooke/io/document/json.h"

#include "hooke/base/format.h"

#include <cmath>

#include "hooke/base/text.h"

namespace hooke {
namespace {

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += formatted("\\{}", c);
    else if (static_cast<unsigned char>(c) < ' ')
      result += formatted("\\u{:04x}", static_cast<int>(c));
    else
      result += c;
  }
  return result + '"';
}

}  // namespace

Json& Json::operator[](const std::string& key) {
  if (!std::holds_alternative<Object>(data_)) data_ = Object{};
  auto& object = std::get<Object>(data_);
  for (auto& [name, value] : object)
    if (name == key) return value;
  return object.emplace_back(key, Json()).second;
}

const Json* Json::find(const std::string& key) const {
  if (const auto* object = std::get_if<Object>(&data_))
    for (const auto& [name, value] : *object)
      if (name == key) return &value;
  return nullptr;
}

std::string Json::dump(int indent, int level) const {
  const auto line = [indent](int depth) { return indent > 0 ? "\n" + std::string(indent * depth, ' ') : ""; };
  const auto join = [&](const auto& parts, char open, char close, auto&& write) {
    std::string text(1, open);
    for (const auto& part : parts)
      text += (text.size() > 1 ? (indent > 0 ? "," : ", ") : "") + line(level + 1) + write(part);
    return text + (parts.empty() ? "" : line(level)) + close;
  };
  if (const auto* flag = std::get_if<bool>(&data_)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&data_))
    return std::isfinite(*number) ? format_number(*number) : "null";
  if (const auto* text = std::get_if<std::string>(&data_)) return quote(*text);
  if (const auto* list = std::get_if<List>(&data_))
    return join(*list, '[', ']', [&](const Json& item) { return item.dump(indent, level + 1); });
  if (const auto* object = std::get_if<Object>(&data_))
    return join(*object, '{', '}', [&](const auto& member) {
      return quote(member.first) + ": " + member.second.dump(indent, level + 1);
    });
  return "null";
}

}  // namespace hooke
