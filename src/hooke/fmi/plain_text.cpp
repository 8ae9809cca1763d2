#include "hooke/fmi/plain_text.h"

#include <algorithm>
#include <cctype>

#include "hooke/io/document/json.h"

namespace hooke {
namespace {

/// Cannot be taken for anything but one scalar, in YAML and here.
bool is_bare(const Value& scalar) {
  const std::string& text = scalar.text;
  return !scalar.quoted && !text.empty() &&
         (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.' ||
          ((text[0] == '-' || text[0] == '+') && text.size() > 1)) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '+' || c == '-' || c == '_');
         });
}

void write(const Value& value, std::string& out) {
  switch (value.kind) {
    case Value::Kind::null:
      out += "null";
      return;
    case Value::Kind::scalar:
      out += is_bare(value) ? value.text : Json(value.text).dump();
      return;
    case Value::Kind::sequence:
    case Value::Kind::mapping:
      break;
  }
  out += value.is_mapping() ? "{" : "[";
  const char* between = "\n";
  for (const Value& child : value.children) {
    out += between;
    between = ",\n";
    if (value.is_mapping()) out += Json(child.key).dump() + ": ";
    write(child, out);
  }
  out += value.is_mapping() ? "}" : "]";
}

}  // namespace

std::string plain_text(const Value& value) {
  std::string out;
  write(value, out);
  return out + "\n";
}

}  // namespace hooke
