#include "hooke/io/document/table_file.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/text.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/value.h"

namespace hooke {
namespace {

struct Cell {
  std::string_view text;
  int column;  // of its first character, from 1
};

char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ','})
    if (line.find(separator) != line.npos) return separator;
  return ' ';
}

std::vector<Cell> split(std::string_view line, char separator) {
  std::vector<Cell> cells;
  for (size_t start = 0; start <= line.size();) {
    const size_t end = std::min(line.find(separator, start), line.size());
    std::string_view cell = trim(line.substr(start, end - start));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    if (separator != ' ' || !cell.empty()) cells.push_back({cell, static_cast<int>(start) + 1});
    start = end + 1;
  }
  return cells;
}

class TableParser {
 public:
  TableParser(const std::string& file, const std::array<std::string, 2>& columns, const std::string& path,
              Diagnostics& diagnostics)
      : file_(file), columns_(columns), path_(path), diagnostics_(diagnostics) {}

  std::optional<TableColumns> parse(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the mark that spreadsheets put first
    for (size_t start = 0; start < text.size() && good_; ++line_) {
      const size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view line = text.substr(start, end - start);
      start = end + 1;
      if (trim(line).empty() || trim(line).starts_with('#')) continue;
      if (!separator_) {
        separator_ = separator_of(line);
        if (is_first_row_taken(split(line, separator_))) continue;
      }
      row(split(line, separator_));
    }
    if (good_ && table_.x.size() < 2) complain(0, 0, "a table needs at least two rows of numbers");
    if (!good_) return {};
    return std::move(table_);
  }

 private:
  template <class... Args>
  void complain(int line, int column, Format<Args...> text, const Args&... args) {
    diagnostics_.error<Args...>({file_, line, column}, path_, text, args...);
    good_ = false;
  }

  /// Finds the columns; true when the row was a header, or when there was an error.
  bool is_first_row_taken(const std::vector<Cell>& first) {
    const bool is_header =
        std::any_of(first.begin(), first.end(), [](const Cell& cell) { return !parse_number(cell.text); });
    std::vector<std::string> names;
    if (is_header)
      for (const Cell& cell : first) names.emplace_back(cell.text);
    for (size_t k = 0; k < 2 && good_; ++k) {
      const auto by_name = std::find(names.begin(), names.end(), columns_[k]);
      const auto number = parse_number(columns_[k]);
      if (by_name != names.end())
        index_[k] = static_cast<size_t>(by_name - names.begin());
      else if (number && *number >= 1 && *number <= static_cast<double>(first.size()) &&
               *number == std::trunc(*number))
        index_[k] = static_cast<size_t>(*number) - 1;
      else if (is_header)
        complain(line_, 1, "no column '{}'{} among {}", excerpt(columns_[k]), suggest(columns_[k], names),
                 excerpt(list_words(names, "and")));
      else
        complain(line_, 1, "no column '{}': there are {}, without a header", excerpt(columns_[k]),
                 first.size());
    }
    return is_header || !good_;
  }

  void row(const std::vector<Cell>& cells) {
    double values[2];
    for (size_t k = 0; k < 2; ++k) {
      if (index_[k] >= cells.size())
        return complain(line_, 1, "this row has {} columns, but column {} is wanted", cells.size(),
                        index_[k] + 1);
      const Cell& cell = cells[index_[k]];
      const auto number = parse_number(cell.text);
      if (!number || !std::isfinite(*number))
        return complain(line_, cell.column, "expected a number, got '{}'", excerpt(cell.text));
      values[k] = *number;
    }
    if (!table_.x.empty() && values[0] <= table_.x.back())
      return complain(line_, cells[index_[0]].column, "must be larger than {} in the row before, got {}",
                      format_number(table_.x.back()), format_number(values[0]));
    table_.x.push_back(values[0]);
    table_.y.push_back(values[1]);
  }

  const std::string& file_;
  const std::array<std::string, 2>& columns_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  TableColumns table_;
  std::array<size_t, 2> index_{};
  char separator_ = 0;
  int line_ = 1;
  bool good_ = true;
};

}  // namespace

std::optional<TableColumns> parse_table(std::string_view text, const std::string& file,
                                        const std::array<std::string, 2>& columns, const std::string& path,
                                        Diagnostics& diagnostics) {
  return TableParser(file, columns, path, diagnostics).parse(text);
}

std::optional<TableColumns> read_table_file(const std::string& file,
                                            const std::array<std::string, 2>& columns,
                                            const std::string& path, Diagnostics& diagnostics) {
  return parse_table(read_text_file(file), file, columns, path, diagnostics);
}

}  // namespace hooke
