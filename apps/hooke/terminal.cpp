#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include "hooke/base/format.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace hooke::program {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

int terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

Style::Style(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  has_colours_ =
      is_terminal(stream) && !(no_colour && *no_colour) && !(terminal && std::string(terminal) == "dumb");
}

/// Control characters would command the terminal; names and titles in files are any text.
static std::string printable(const std::string& text) {
  std::string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const bool is_wide = byte(k) == 0xC2 && k + 1 < text.size() && byte(k + 1) < 0xA0;  // U+0080 to U+009F
    if ((byte(k) < ' ' && text[k] != '\t') || byte(k) == 0x7F || is_wide)
      plain += "\uFFFD", k += is_wide ? 1 : 0;
    else
      plain += text[k];
  }
  return plain;
}

std::string Style::in(const char* code, const std::string& text) const {
  return has_colours_ ? formatted("\033[{}m{}\033[0m", code, printable(text)) : printable(text);
}

static void print_lines(const std::string& prefix, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) print(stderr, "{}{}\n", prefix, printable(line));
}

void print_error(const std::string& text) { print_lines(Style(stderr).red("hooke: "), text); }

void print_warning(const std::string& text) { print_lines(Style(stderr).yellow("hooke: warning: "), text); }

/// Characters, not bytes, of UTF-8.
static std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string columns(std::vector<std::vector<std::string>> rows, bool header, const Style& style) {
  std::vector<std::size_t> widths;
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k == widths.size()) widths.push_back(0);
      if (k + 1 < row.size()) widths[k] = std::max(widths[k], length(row[k]));
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += "  " + row[k];
      if (k + 1 < row.size()) line.append(widths[k] - length(row[k]), ' ');
    }
    text += (header && &row == &rows[0] ? style.dim(line) : line) + '\n';
  }
  return text;
}

std::string count(long number, const std::string& one, const std::string& many) {
  return formatted("{} {}", number, number == 1 ? one : many);
}

std::string shortened(const std::string& text, std::size_t most) {
  if (length(text) <= most) return text;
  std::string kept = text.substr(0, most - 3);
  kept.resize(std::min(kept.size(), kept.rfind(' ')));
  return kept + "...";
}

std::string shell_quoted(const std::string& text) {
  const std::string harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(harmless) == text.npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace hooke::program
