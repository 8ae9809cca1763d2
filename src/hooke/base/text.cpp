#include "hooke/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "hooke/base/format.h"
#include "hooke/base/limits.h"

namespace hooke {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

static std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr size_t longest = 64;  // longer words are no typing slip, and the cost grows with the square
  if (word.size() > longest) return "";
  // One slip in three letters still looks like the word; a different word of one or two letters does not,
  // unless only the case is wrong.
  int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest || candidate == word) continue;
    const bool only_case = lower(candidate) == lower(word);
    const int distance = only_case ? 0 : edit_distance(word, candidate);
    const int shorter = static_cast<int>(std::min(word.size(), candidate.size()));
    if (distance >= best || (distance > 0 && distance >= shorter)) continue;
    best = distance;
    nearest = &candidate;
  }
  return nearest ? formatted(" (did you mean '{}'?)", *nearest) : "";
}

std::string list_words(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : formatted(" {} ", last);
    text += words[i];
  }
  return text;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string all;
  for (const std::string& word : words) {
    if (!all.empty()) all += separator;
    all += word;
  }
  return all;
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

namespace {

/// Takes one character off UTF-8 text; nothing where it is none.
std::optional<char32_t> take_character(std::string_view& text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) > 0xf4 || (byte(0) >= 0x80 && byte(0) < 0xc2) || length > text.size()) return {};
  char32_t code = length == 1 ? byte(0) : byte(0) & (0xffU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3f);
  }
  text.remove_prefix(length);
  return code;
}

/// Blank, invisible, or one that turns the direction of writing.
bool is_unprintable(char32_t c) {
  constexpr std::array<std::array<char32_t, 2>, 10> ranges{{{0, 0x1f},
                                                            {0x7f, 0xa0},
                                                            {0xad, 0xad},
                                                            {0x1680, 0x1680},
                                                            {0x2000, 0x200f},
                                                            {0x2028, 0x202f},
                                                            {0x205f, 0x206f},
                                                            {0x3000, 0x3000},
                                                            {0xd800, 0xf8ff},
                                                            {0xfeff, 0xfeff}}};
  return c >= 0xe0000 ||
         std::any_of(ranges.begin(), ranges.end(), [c](const auto& r) { return r[0] <= c && c <= r[1]; });
}

}  // namespace

std::string name_fault(std::string_view name) {
  constexpr const char* rule = "a name is made of letters, digits, _ and -";
  if (name.empty()) return formatted("{}, and is not empty", rule);
  std::size_t count = 0;
  for (std::string_view rest = name; !rest.empty(); ++count) {
    const char first = rest[0];
    const auto c = take_character(rest);
    if (!c) return formatted("{} in UTF-8", rule);
    if (is_unprintable(*c))
      return formatted("{}; it cannot hold the character U+{:04x}", rule, static_cast<int>(*c));
    if (*c < 0x80 && !std::isalnum(static_cast<unsigned char>(first)) && first != '_' && first != '-')
      return formatted("{}; it cannot hold '{}'", rule, first);
  }
  return limits::name.excess(static_cast<double>(count));
}

std::optional<double> parse_number(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text[0] == '-') return {};
  auto format = std::chars_format::general;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    format = std::chars_format::hex;
    text.remove_prefix(2);
    if (text[0] == '-') return {};
  } else if (text == ".inf" || text == ".nan") {  // YAML's spelling
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (end != text.data() + text.size()) return {};
  if (status == std::errc::result_out_of_range) {  // from_chars does not say which; only 1e-999 has a use
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
    value = tiny ? 0 : std::numeric_limits<double>::infinity();
  } else if (status != std::errc()) {
    return {};
  }
  return negative ? -value : value;
}

std::string format_number(double value) {
  if (value == std::trunc(value) && std::abs(value) < 1e15) return formatted("{:.0f}", value + 0.0);
  return formatted("{}", value);
}

}  // namespace hooke
