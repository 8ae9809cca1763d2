#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hooke {

/// Text as a template argument: a name that is part of a type.
template <std::size_t N>
struct FixedString {
  char text[N];
  consteval FixedString(const char (&s)[N]) { std::copy_n(s, N, text); }
  constexpr operator std::string_view() const { return {text, N - 1}; }
};

}  // namespace hooke
