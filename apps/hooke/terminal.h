#pragma once
#include <cstdio>
#include <string>
#include <vector>

/// Text for people: colours where a terminal shows them, columns that line up, errors in one form. None of it
/// holds control characters that came from a file.
namespace hooke::program {

bool is_terminal(std::FILE* stream);
int terminal_width(std::FILE* stream);

/// Colours on a terminal unless NO_COLOR is set (no-color.org); plain text elsewhere.
class Style {
 public:
  explicit Style(std::FILE* stream);

  std::string bold(const std::string& text) const { return in("1", text); }
  std::string dim(const std::string& text) const { return in("2", text); }
  std::string red(const std::string& text) const { return in("1;31", text); }
  std::string green(const std::string& text) const { return in("1;32", text); }
  std::string yellow(const std::string& text) const { return in("1;33", text); }

 private:
  std::string in(const char* code, const std::string& text) const;

  bool has_colours_;
};

/// To stderr, every line with "hooke: " in front.
void print_error(const std::string& text);
void print_warning(const std::string& text);

/// Rows as columns of equal width, indented by two. The first row is a header when `header` is set.
std::string columns(std::vector<std::vector<std::string>> rows, bool header, const Style& style);

/// "1 body", "3 bodies"
std::string count(long number, const std::string& one, const std::string& many);

/// At most so many characters: a text that is longer ends in "..." after a word.
std::string shortened(const std::string& text, std::size_t most);

/// A file name as a shell takes it.
std::string shell_quoted(const std::string& text);

}  // namespace hooke::program
