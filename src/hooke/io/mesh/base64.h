#pragma once
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace hooke {

/// The bytes that base64 text stands for; blanks do not count, and = ends a block. Nothing where it is something else.
inline std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    if (c == '=') {
      held = 0;
      continue;
    }
    const std::size_t six = letters.find(c);
    if (six == letters.npos) return {};
    bits = bits << 6 | static_cast<unsigned>(six);
    if ((held += 6) >= 8) bytes.push_back(static_cast<char>(bits >> (held -= 8) & 0xff));
  }
  return bytes;
}

}  // namespace hooke
