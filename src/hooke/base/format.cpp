#include "hooke/base/format.h"

#include <algorithm>
#include <charconv>

namespace hooke {
namespace {

struct Specification {
  char align = 0, sign = '-', type = 0;
  bool zeros = false;
  int width = 0, precision = -1;
};

/// Reads "[align][sign][0][width][.precision][type]"; `next` gives the arguments that stand for {}.
class SpecificationReader {
 public:
  SpecificationReader(std::string_view text, const FormatArgument*& next) : text_(text), next_(next) {}

  Specification read() {
    Specification s;
    if (!text_.empty() && std::string_view("<>^").find(text_[0]) != text_.npos) s.align = take();
    if (!text_.empty() && std::string_view("+- ").find(text_[0]) != text_.npos) s.sign = take();
    if (!text_.empty() && text_[0] == '0') s.zeros = take();
    s.width = number(0);
    if (!text_.empty() && text_[0] == '.') take(), s.precision = number(0);
    if (!text_.empty()) s.type = take();
    return s;
  }

 private:
  char take() {
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }
  int number(int value) {
    if (text_.starts_with("{}")) {
      text_.remove_prefix(2);
      return static_cast<int>((next_++)->integer());
    }
    while (!text_.empty() && text_[0] >= '0' && text_[0] <= '9') value = 10 * value + (take() - '0');
    return value;
  }

  std::string_view text_;
  const FormatArgument*& next_;
};

/// The fewest digits that read back as the same number; without exponent from 1e-4 to 1e16.
std::string shortest(double value) {
  char buffer[64];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string text(buffer, scientific.ptr);
  const auto e = text.find('e');
  if (e == text.npos) return text;  // inf, nan
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return text;
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, fixed.ptr};
}

std::string number_text(double value, const Specification& s) {
  if (!s.type && s.precision < 0) return shortest(value);
  const char pattern[] = {'%', '.', '*', s.type ? s.type : 'g', 0};
  char buffer[512];
  const int size = std::snprintf(buffer, sizeof buffer, pattern, s.precision < 0 ? 6 : s.precision, value);
  return {buffer, static_cast<std::size_t>(std::clamp(size, 0, static_cast<int>(sizeof buffer) - 1))};
}

std::string one(const FormatArgument& argument, const Specification& s) {
  std::string body;
  bool is_number = true;
  switch (argument.kind()) {
    case FormatArgument::Kind::text:
      body = argument.text().substr(0, s.precision < 0 ? std::string_view::npos : s.precision);
      is_number = false;
      break;
    case FormatArgument::Kind::boolean:
      body = argument.integer() ? "true" : "false";
      is_number = false;
      break;
    case FormatArgument::Kind::character:
      body = std::string(1, static_cast<char>(argument.integer()));
      is_number = false;
      break;
    case FormatArgument::Kind::integer:
      if (s.type == 'x') {
        char buffer[24];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, argument.integer(), 16);
        body.assign(buffer, end.ptr);
      } else if (s.type && s.type != 'd') {
        body = number_text(argument.number(), s);
      } else {
        body = std::to_string(argument.integer());
      }
      break;
    case FormatArgument::Kind::number:
      body = number_text(argument.number(), s);
      break;
  }
  if (is_number && s.sign != '-' && body[0] != '-') body.insert(0, 1, s.sign);
  const auto width = static_cast<std::size_t>(s.width);
  if (body.size() >= width) return body;
  const std::size_t room = width - body.size();
  const char align = s.align ? s.align : is_number ? '>' : '<';
  if (s.zeros && is_number && !s.align) {
    body.insert(body[0] == '-' || body[0] == '+' ? 1 : 0, room, '0');
    return body;
  }
  const std::size_t before = align == '>' ? room : align == '^' ? room / 2 : 0;
  return std::string(before, ' ') + body + std::string(room - before, ' ');
}

}  // namespace

std::string format_arguments(std::string_view text, const FormatArgument* next) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      result += c;
      ++i;
    } else if (c == '{') {
      std::size_t end = i + 1;
      for (int depth = 1; depth > 0; ++end) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      const FormatArgument& argument = *next++;
      std::string_view inside = text.substr(i + 1, end - i - 2);
      if (inside.starts_with(':')) inside.remove_prefix(1);
      result += one(argument, SpecificationReader(inside, next).read());
      i = end - 1;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace hooke
