# Turns a file into a C++ source that holds it: cmake -D INPUT=page.html -D OUTPUT=page.cpp -P EmbedPage.cmake
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "\\\\x\\1" text "${bytes}")
string(REGEX REPLACE "(\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..\\\\x..)" "\\1\"\n\"" text "${text}")
file(WRITE ${OUTPUT} "#include <string_view>

namespace hooke {
std::string_view empty_page();
std::string_view empty_page() {
  static constexpr char text[] =
\"${text}\";
  return {text, ${size}};
}
}  // namespace hooke
")
