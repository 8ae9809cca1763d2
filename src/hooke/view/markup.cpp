#include "hooke/view/markup.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace hooke {
namespace {

/// Bytes of the first character; 0 when they are not UTF-8 (RFC 3629) or none that XML may hold.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t code = first & (0x7FU >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF, is_none = (code | 1) == 0xFFFF;
  return code >= least[size] && code <= 0x10FFFF && !is_surrogate && !is_none ? size : 0;
}

bool starts_character(char c) { return (c & 0xC0) != 0x80; }

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    valid += size ? text.substr(0, size) : "\uFFFD";
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return valid;
}

std::string escape_xml(std::string_view text) {
  std::string safe;
  for (const char c : valid_utf8(text)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t')
      safe += c;
  }
  return safe;
}

std::string escape_json(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string clipped(std::string_view text, std::size_t most) {
  if (count_characters(text) <= most) return std::string(text);
  std::size_t end = 0, kept = 0;
  while (end < text.size() && (kept + 1 < most || !starts_character(text[end])))
    kept += starts_character(text[end++]) ? 1 : 0;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace hooke
