#pragma once
// Messages with numbers in them:  formatted("rod '{}' is {:.3g} m long", name, length).
//
// The notation is that of C++20's std::format, which GCC 12 does not have yet; Hooke's core is to need Eigen and
// nothing else, so the part of it that is used here is written out: {} and {:[align][sign][0][width][.precision][type]},
// where width and precision may be {} as well. The number of arguments is checked by the compiler.
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace hooke {

/// One argument, whatever its type: the formatter itself is no template.
class FormatArgument {
 public:
  enum class Kind { integer, number, text, boolean, character };

  template <class T>
  requires std::is_arithmetic_v<T> FormatArgument(T value) {
    if constexpr (std::is_same_v<T, bool>)
      kind_ = Kind::boolean, integer_ = value;
    else if constexpr (std::is_same_v<T, char>)
      kind_ = Kind::character, integer_ = value;
    else if constexpr (std::is_integral_v<T>)
      kind_ = Kind::integer, integer_ = static_cast<long long>(value);
    else
      kind_ = Kind::number, number_ = value;
  }
  template <class T>
  requires std::is_convertible_v<const T&, std::string_view> FormatArgument(const T& text)
      : kind_(Kind::text), text_(text) {}

  Kind kind() const { return kind_; }
  long long integer() const { return integer_; }
  double number() const { return kind_ == Kind::number ? number_ : static_cast<double>(integer_); }
  std::string_view text() const { return text_; }

 private:
  Kind kind_;
  long long integer_ = 0;
  double number_ = 0;
  std::string_view text_;
};

/// How many arguments a text asks for; -1 when its braces do not match.
constexpr int count_fields(std::string_view text) {
  int fields = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && i + 1 < text.size() && (c == '{' || c == '}') && text[i + 1] == c)
      ++i;
    else if (c == '{')
      ++fields, ++depth;
    else if (c == '}' && --depth < 0)
      return -1;
  }
  return depth == 0 ? fields : -1;
}

/// A text that fits its arguments, or does not compile.
template <class... Args>
struct FormatText {
  std::string_view text;
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  consteval FormatText(const Text& t) : text(t) {
    if (count_fields(text) != static_cast<int>(sizeof...(Args)))
      throw "wrong number of arguments for this text";
  }
};

template <class... Args>
using Format = std::type_identity_t<FormatText<Args...>>;

std::string format_arguments(std::string_view text, const FormatArgument* arguments);

template <class... Args>
std::string formatted(Format<Args...> text, const Args&... args) {
  const FormatArgument all[sizeof...(Args) + 1]{FormatArgument(args)..., FormatArgument(0)};
  return format_arguments(text.text, all);
}

/// To standard output, or to the file given.
template <class... Args>
void print(std::FILE* file, Format<Args...> text, const Args&... args) {
  const std::string line = formatted<Args...>(text, args...);
  std::fwrite(line.data(), 1, line.size(), file);
}
template <class... Args>
void print(Format<Args...> text, const Args&... args) {
  print<Args...>(stdout, text, args...);
}

}  // namespace hooke
